# The runtime room must not see the config room: a file that tries is compiled with exactly the include
# directories of the runtime, and must fail for exactly that reason.
file(WRITE "${build}/forbidden.cpp" "#include <cuebox/config/node.hpp>\n")
file(WRITE "${build}/allowed.cpp" "#include <cuebox/runtime/clock.hpp>\n")
foreach(file forbidden allowed)
    execute_process(COMMAND ${compiler} -std=c++20 -fsyntax-only -I${build}/rooms/runtime
                            -I${build}/rooms/asio "${build}/${file}.cpp"
                    RESULT_VARIABLE ${file}_failed ERROR_VARIABLE ${file}_said)
endforeach()
if(allowed_failed)
    message(FATAL_ERROR "what is allowed does not build:\n${allowed_said}")
endif()
if(NOT forbidden_failed OR NOT forbidden_said MATCHES "cuebox/config/node.hpp")
    message(FATAL_ERROR "the runtime room can include from the config room")
endif()
