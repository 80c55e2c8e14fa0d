# `cmake --install` and find_package(cuebox): headers, libraries, and the targets as cuebox::ROOM.
include(CMakePackageConfigHelpers)

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/cuebox-config.cmake.in"
                              "${PROJECT_BINARY_DIR}/cuebox-config.cmake"
                              INSTALL_DESTINATION lib/cmake/cuebox)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cuebox-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cuebox-config.cmake"
              "${PROJECT_BINARY_DIR}/cuebox-config-version.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/Findtaojson.cmake"
        DESTINATION lib/cmake/cuebox)
install(EXPORT cuebox-targets NAMESPACE cuebox:: DESTINATION lib/cmake/cuebox)
