# opentelemetry-cpp::otlp_http_exporter, with what it needs. Upstream's config file is taken where it works
# (Conan, most systems). Debian's asks for the gRPC and protobuf headers too, which sending over HTTP does not
# need: there the headers and the libraries are found one by one.
find_package(opentelemetry-cpp CONFIG QUIET)
if(TARGET opentelemetry-cpp::opentelemetry_exporter_otlp_http AND NOT TARGET opentelemetry-cpp::otlp_http_exporter)
    # Conan names targets after libraries.
    add_library(opentelemetry-cpp::otlp_http_exporter INTERFACE IMPORTED)
    target_link_libraries(opentelemetry-cpp::otlp_http_exporter INTERFACE
        opentelemetry-cpp::opentelemetry_exporter_otlp_http)
endif()
set(opentelemetry_LIBRARIES "")
set(opentelemetry_OWN_DIR "")
if(NOT TARGET opentelemetry-cpp::otlp_http_exporter)
    find_path(opentelemetry_INCLUDE_DIR opentelemetry/exporters/otlp/otlp_http_exporter_factory.h)
    # Debian's build takes abseil's variant for its own.
    find_path(opentelemetry_absl_INCLUDE_DIR absl/types/variant.h)
    find_library(opentelemetry_absl_LIBRARY absl_bad_variant_access)
    set(_opentelemetry_needs opentelemetry_INCLUDE_DIR opentelemetry_absl_INCLUDE_DIR
                             opentelemetry_absl_LIBRARY)
    # The exporter comes first; those after it are what it is made of, and need no headers.
    foreach(_name exporter_otlp_http exporter_otlp_http_client http_client_curl otlp_recordable proto logs trace
                  resources common)
        find_library(opentelemetry_${_name}_LIBRARY opentelemetry_${_name})
        list(APPEND _opentelemetry_needs opentelemetry_${_name}_LIBRARY)
        list(APPEND opentelemetry_LIBRARIES "${opentelemetry_${_name}_LIBRARY}")
        mark_as_advanced(opentelemetry_${_name}_LIBRARY)
    endforeach()
    mark_as_advanced(opentelemetry_INCLUDE_DIR opentelemetry_absl_INCLUDE_DIR opentelemetry_absl_LIBRARY)
endif()

include(FindPackageHandleStandardArgs)
if(TARGET opentelemetry-cpp::otlp_http_exporter)
    set(opentelemetry_FOUND TRUE)
else()
    find_package_handle_standard_args(opentelemetry REQUIRED_VARS ${_opentelemetry_needs})
    if(opentelemetry_FOUND)
        add_library(opentelemetry-cpp::otlp_http_exporter INTERFACE IMPORTED)
        target_include_directories(opentelemetry-cpp::otlp_http_exporter INTERFACE
            "${opentelemetry_INCLUDE_DIR}" "${opentelemetry_absl_INCLUDE_DIR}")
        target_compile_definitions(opentelemetry-cpp::otlp_http_exporter INTERFACE
            HAVE_ABSEIL OPENTELEMETRY_ABI_VERSION_NO=1)
        target_link_libraries(opentelemetry-cpp::otlp_http_exporter INTERFACE
            ${opentelemetry_LIBRARIES} "${opentelemetry_absl_LIBRARY}")
        get_filename_component(_opentelemetry_dir "${opentelemetry_common_LIBRARY}" DIRECTORY)
        if(NOT _opentelemetry_dir IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
            # They have no path to each other: the program's own is to count for them too.
            set(opentelemetry_OWN_DIR "${_opentelemetry_dir}")
            target_link_options(opentelemetry-cpp::otlp_http_exporter INTERFACE
                "LINKER:--disable-new-dtags")
        endif()
    endif()
endif()
