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
# In the environment a list of prefixes is separated by colons and survives being passed on.
run(${CMAKE_COMMAND} -E env "CMAKE_PREFIX_PATH=${work}/prefix:${prefix}"
    ${CMAKE_COMMAND} -G Ninja -S "${source}/tests/build/consumer" -B "${work}/build"
    -D CMAKE_CXX_COMPILER=${compiler} -D WITH_OTEL=${otel}
    -D CMAKE_CXX_COMPILER_LAUNCHER=${launcher} -D "CMAKE_CXX_FLAGS=${flags}")
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
