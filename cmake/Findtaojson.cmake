# Debian's tao-json-dev ships headers alone, Conan and upstream a config file: taocpp::json either way.
find_package(taocpp-json CONFIG QUIET)
if(NOT TARGET taocpp::json)
    find_path(taojson_INCLUDE_DIR tao/json.hpp)
    find_path(pegtl_INCLUDE_DIR tao/pegtl.hpp)
endif()

include(FindPackageHandleStandardArgs)
if(TARGET taocpp::json)
    set(taojson_FOUND TRUE)
else()
    find_package_handle_standard_args(taojson REQUIRED_VARS taojson_INCLUDE_DIR pegtl_INCLUDE_DIR)
    if(taojson_FOUND)
        add_library(taocpp::json INTERFACE IMPORTED)
        target_include_directories(taocpp::json INTERFACE "${taojson_INCLUDE_DIR}"
                                                          "${pegtl_INCLUDE_DIR}")
    endif()
endif()
