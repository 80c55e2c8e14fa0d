# What the OpenTelemetry SDK is optional for configures without it, and those files of the worker that ask for
# it compile.
set(work "${build}/without_otel_test")
file(REMOVE_RECURSE "${work}")

function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if(failed)
        message(FATAL_ERROR "${ARGN}\nfailed:\n${said}")
    endif()
endfunction()

run(${CMAKE_COMMAND} -E env "CMAKE_PREFIX_PATH=${prefix}"
    ${CMAKE_COMMAND} -G Ninja -S "${source}" -B "${work}" -D CUEBOX_OTEL=OFF -D CUEBOX_TESTS=OFF
    -D CUEBOX_EXAMPLES=OFF -D CMAKE_CXX_COMPILER=${compiler})
file(READ "${work}/compile_commands.json" commands)
if(commands MATCHES "opentelemetry|core/otel")
    message(FATAL_ERROR "the SDK is still asked for")
endif()
if(NOT commands MATCHES "CUEBOX_HAS_OTEL=0")
    message(FATAL_ERROR "the worker is not told that there is no SDK")
endif()

# Only looked through for errors, without code and precompiled headers: far quicker, and enough.
string(JSON count LENGTH "${commands}")
math(EXPR last "${count} - 1")
foreach(index RANGE ${last})
    string(JSON file GET "${commands}" ${index} file)
    if(file MATCHES "/apps/worker/[^/]+[.]cpp$")
        file(READ "${file}" text)
        if(text MATCHES "CUEBOX_HAS_OTEL")
            string(JSON command GET "${commands}" ${index} command)
            string(REGEX MATCHALL "-(D|I|isystem )[^ ]+" flags "${command}")
            string(REPLACE "-isystem " "-isystem;" flags "${flags}")
            string(REPLACE "\\" "" flags "${flags}")
            run(${compiler} -std=c++20 -fsyntax-only ${flags} "${file}")
        endif()
    endif()
endforeach()
