# cuebox::cuebox and <cuebox/cuebox.hpp>: every room that a service uses, by one name. The rooms themselves do
# not see that header.
set(umbrella_view "${PROJECT_BINARY_DIR}/rooms/cuebox")
file(MAKE_DIRECTORY "${umbrella_view}/cuebox")
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/core/cuebox.hpp" "${umbrella_view}/cuebox/cuebox.hpp" SYMBOLIC)

add_library(cuebox_cuebox INTERFACE)
add_library(cuebox::cuebox ALIAS cuebox_cuebox)
set_target_properties(cuebox_cuebox PROPERTIES EXPORT_NAME cuebox)
target_include_directories(cuebox_cuebox INTERFACE "$<BUILD_INTERFACE:${umbrella_view}>"
                                                   "$<INSTALL_INTERFACE:include>")
target_link_libraries(cuebox_cuebox INTERFACE cuebox::actors cuebox::compose cuebox::embedded cuebox::event
    cuebox::handlers cuebox::operations cuebox::outbox cuebox::pg cuebox::runtime cuebox::telemetry)
# The worker is a component, which may not be there: cuebox-config.cmake adds it to an installed cuebox::cuebox.
if(CUEBOX_APPS)
    target_link_libraries(cuebox_cuebox INTERFACE $<BUILD_INTERFACE:cuebox_worker>)
endif()
install(TARGETS cuebox_cuebox EXPORT cuebox-targets)
install(FILES "${PROJECT_SOURCE_DIR}/core/cuebox.hpp" DESTINATION include/cuebox)
