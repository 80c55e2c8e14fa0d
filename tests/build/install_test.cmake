# Installs this build to a fresh prefix and builds a consumer that knows only find_package(cuebox).
set(work "${build}/install_test")
file(REMOVE_RECURSE "${work}")

function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if(failed)
        message(FATAL_ERROR "${ARGN}\nfailed:\n${said}")
    endif()
endfunction()

set(flags "")
if(sanitize)
    set(flags "-fsanitize=${sanitize}")
endif()
run(${CMAKE_COMMAND} --install "${build}" --prefix "${work}/prefix")

# configure(SOURCE BUILD [ARGS...]): with nothing but the prefix of the installed Cuebox, as the tutorial has it. What `./dev`
# has fetched it finds by itself; other dependencies are where the build found them.
function(configure from to)
    run(${CMAKE_COMMAND} -E env "CMAKE_PREFIX_PATH=${work}/prefix${foreign_prefix}"
        ${CMAKE_COMMAND} -G Ninja -S "${from}" -B "${to}" -D CMAKE_CXX_COMPILER=${compiler}
        -D CMAKE_CXX_COMPILER_LAUNCHER=${launcher} -D "CMAKE_CXX_FLAGS=${flags}" ${ARGN})
endfunction()
# refuses(SENTENCE ARGS...): find_package(cuebox) fails, and says that.
function(refuses sentence)
    file(REMOVE_RECURSE "${work}/refused")
    execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S "${source}/tests/build/consumer" -B "${work}/refused" ${ARGN}
                    RESULT_VARIABLE failed ERROR_VARIABLE said OUTPUT_QUIET)
    string(REGEX REPLACE "[ \n]+" " " said "${said}")
    string(FIND "${said}" "${sentence}" at)
    if(NOT failed OR at EQUAL -1)
        message(FATAL_ERROR "expected a refusal: ${sentence}\nbut it said: ${said}")
    endif()
endfunction()

# In the environment a list of prefixes is separated by colons and survives being passed on.
set(foreign_prefix "")
foreach(each ${prefix})
    cmake_path(IS_PREFIX source "${each}" is_fetched)
    if(NOT is_fetched)
        string(APPEND foreign_prefix ":${each}")
    endif()
endforeach()
configure("${source}/tests/build/consumer" "${work}/build" -D WITH_OTEL=${otel})
run(${CMAKE_COMMAND} --build "${work}/build")
execute_process(COMMAND "${work}/build/consumer" RESULT_VARIABLE failed OUTPUT_VARIABLE said)
if(failed OR NOT said STREQUAL "outbox_gen_1 {\"whom\":\"you\"}\nhello from an installed actor\n")
    message(FATAL_ERROR "the consumer said: ${said}")
endif()
if(otel)
    execute_process(COMMAND "${work}/build/tracing" RESULT_VARIABLE failed OUTPUT_VARIABLE said)
    if(failed OR NOT said STREQUAL "0 exported, 1 dropped\n")
        message(FATAL_ERROR "the consumer with otel said: ${said}")
    endif()
endif()
# The program finds its libraries where it now is.
if(EXISTS "${work}/prefix/bin/cuebox")
    run("${work}/prefix/bin/cuebox" --version)
endif()

# What Conan tries a package with.
if(EXISTS "${work}/prefix/lib/cmake/cuebox/cuebox-worker-targets.cmake")
    configure("${source}/test_package" "${work}/test_package")
    run(${CMAKE_COMMAND} --build "${work}/test_package")
    execute_process(COMMAND "${work}/test_package/test_package" --version RESULT_VARIABLE failed OUTPUT_VARIABLE said)
    if(failed OR NOT said STREQUAL "test_package 1.0\n")
        message(FATAL_ERROR "test_package said: ${said}")
    endif()
endif()

# What is wrong is said in one sentence, with what to do: another compiler, a dependency that is not there.
set(here "-DCMAKE_PREFIX_PATH=${work}/prefix")
if(compiler MATCHES "clang")
    find_program(other_compiler NAMES g++ NO_CACHE)
else()
    find_program(other_compiler NAMES clang++-19 clang++ NO_CACHE)
endif()
if(other_compiler)
    cmake_path(GET compiler FILENAME name)
    refuses("configure it in an empty build directory with -D CMAKE_CXX_COMPILER=${name}" ${here}
            -D CMAKE_CXX_COMPILER=${other_compiler})
endif()
refuses("Cuebox needs PostgreSQL 14 or later, which is not found: install it (on Debian libpq-dev)" ${here}
        -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_DISABLE_FIND_PACKAGE_PostgreSQL=ON)
refuses("Cuebox needs Boost 1.84 or later, which is not found" ${here} -D CMAKE_CXX_COMPILER=${compiler}
        -D CMAKE_DISABLE_FIND_PACKAGE_Boost=ON)

# It can be moved, also to where nothing was fetched: dependencies are then found by CMAKE_PREFIX_PATH.
file(RENAME "${work}/prefix" "${work}/moved")
file(READ "${work}/moved/lib/cmake/cuebox/cuebox-config.cmake" config)
string(REPLACE "${source}" "/no/such/place" config "${config}")
file(WRITE "${work}/moved/lib/cmake/cuebox/cuebox-config.cmake" "${config}")
string(REPLACE ";" ":" everywhere "${work}/moved;${prefix}")
run(${CMAKE_COMMAND} -E env "CMAKE_PREFIX_PATH=${everywhere}" ${CMAKE_COMMAND} -G Ninja
    -S "${source}/tests/build/consumer" -B "${work}/build_moved" -D CMAKE_CXX_COMPILER=${compiler} -D WITH_OTEL=${otel})
