# Writes the migrations into a C++ file: cmake -D DIR=… -D OUT=… -P embed.cmake
file(GLOB files "${DIR}/*.sql")
list(SORT files)
set(entries "")
foreach(file ${files})
    get_filename_component(stem "${file}" NAME_WE)
    if(NOT stem MATCHES "^([0-9]+)_([a-z0-9_]+)$")
        message(FATAL_ERROR "${file}: a migration is named YYYYMMDDHHMMSS_name.sql")
    endif()
    set(version "${CMAKE_MATCH_1}")
    set(name "${CMAKE_MATCH_2}")
    file(SHA256 "${file}" checksum)
    file(STRINGS "${file}" replaces REGEX "^-- replaces [0-9a-f]+$")
    string(REPLACE "-- replaces " "" replaces "${replaces}")
    # Read as hexadecimal: CMake's lists would take the SQL's semicolons and brackets apart.
    file(READ "${file}" text HEX)
    string(REGEX REPLACE "(..)" "\\\\x\\1" text "${text}")
    string(REPLACE "\\x0a" "\\n\"\n    \"" text "${text}")
    string(APPEND entries "    {\"${version}\", \"${name}\", \"${checksum}\",\n    \"${text}\",\n    \"${replaces}\"},\n")
endforeach()
file(WRITE "${OUT}" "// Made by embed.cmake from migrations/.
#include <cuebox/outbox/migration.hpp>

namespace cuebox::outbox {

static constexpr migration embedded[] = {
${entries}};

std::span<const migration> migrations()
{
    return embedded;
}

}
")
