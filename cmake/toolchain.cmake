# Compiler and linker settings shared by every target of this build; none of them is exported.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release)
endif()

find_program(CUEBOX_CCACHE ccache)
if(CUEBOX_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CUEBOX_CCACHE}")
endif()

# Interface-only target: linked privately by everything built here.
add_library(cuebox_flags INTERFACE)
target_compile_options(cuebox_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Without a timestamp in it, a rebuilt precompiled header still hits the cache.
    target_compile_options(cuebox_flags INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
    find_program(CUEBOX_LLD NAMES ld.lld-19 ld.lld)
    if(CUEBOX_LLD)
        target_link_options(cuebox_flags INTERFACE "--ld-path=${CUEBOX_LLD}")
    endif()
else()
    # GCC 12 reports these inside coroutine frames and the standard library, not in our code.
    target_compile_options(cuebox_flags INTERFACE -Wno-maybe-uninitialized -Wno-mismatched-new-delete
                                                  -Wno-shadow -Wno-array-bounds -Wno-stringop-overflow
                                                  -Wno-use-after-free -Wno-dangling-pointer
                                                  -Wno-restrict -Wno-stringop-overread)
endif()
if(CUEBOX_WERROR)
    target_compile_options(cuebox_flags INTERFACE -Werror)
endif()
if(CUEBOX_SANITIZE)
    target_compile_options(cuebox_flags INTERFACE "-fsanitize=${CUEBOX_SANITIZE}"
                                                  -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(cuebox_flags INTERFACE "-fsanitize=${CUEBOX_SANITIZE}")
endif()
if(CUEBOX_FUZZ)
    # Coverage everywhere; only the targets themselves link libFuzzer's main.
    target_compile_options(cuebox_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# For what is compiled more often than it is run, or waits for a network whenever it runs: tests, examples, HTTP.
function(cuebox_quick_to_build target)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
endfunction()
