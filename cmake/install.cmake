# `cmake --install` and find_package(cuebox): headers, libraries, and the targets as cuebox::ROOM.
include(CMakePackageConfigHelpers)

# What cuebox-config.cmake tells of this build: the compiler, by the name it is called by, and where dependencies are that
# `./dev` has fetched into this tree.
cmake_path(GET CMAKE_CXX_COMPILER FILENAME CUEBOX_COMPILER_NAME)
set(CUEBOX_FETCHED_PREFIX "")
foreach(prefix ${CMAKE_PREFIX_PATH})
    cmake_path(IS_PREFIX PROJECT_SOURCE_DIR "${prefix}" is_fetched)
    if(is_fetched)
        list(APPEND CUEBOX_FETCHED_PREFIX "\"${prefix}\"")
    endif()
endforeach()
list(JOIN CUEBOX_FETCHED_PREFIX " " CUEBOX_FETCHED_PREFIX)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/cuebox-config.cmake.in"
                              "${PROJECT_BINARY_DIR}/cuebox-config.cmake"
                              INSTALL_DESTINATION lib/cmake/cuebox)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cuebox-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cuebox-config.cmake"
              "${PROJECT_BINARY_DIR}/cuebox-config-version.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/Findopentelemetry.cmake"
        DESTINATION lib/cmake/cuebox)
install(EXPORT cuebox-targets NAMESPACE cuebox:: DESTINATION lib/cmake/cuebox)

# What is optional, and what needs it, has files of its own.
if(CUEBOX_HAS_OTEL)
    install(EXPORT cuebox-otel-targets NAMESPACE cuebox:: DESTINATION lib/cmake/cuebox)
endif()
if(CUEBOX_APPS)
    install(EXPORT cuebox-worker-targets NAMESPACE cuebox:: DESTINATION lib/cmake/cuebox)
endif()

# Libraries that were fetched into this tree come along with the program: a system does not have them.
cmake_path(IS_PREFIX PROJECT_SOURCE_DIR "${opentelemetry_OWN_DIR}" CUEBOX_OTEL_IS_FETCHED)
if(CUEBOX_HAS_OTEL AND CUEBOX_APPS AND CUEBOX_OTEL_IS_FETCHED)
    install(FILES ${opentelemetry_LIBRARIES} DESTINATION lib/cuebox)
    set_target_properties(cuebox PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/cuebox")
endif()
