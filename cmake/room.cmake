# cuebox_room(NAME DIR dir SOURCES ... [LINKS ...] [PRIVATE_LINKS ...] [COMPONENT name])
#
# One room of the house: a library cuebox::NAME whose headers are included as <cuebox/NAME/x.hpp>.
# Each room has an include directory of its own, holding one link to its folder, so a header of a room
# that is not among LINKS is not found and the wrong include does not build. A room of a COMPONENT is installed
# in a file of targets of its own, so that it can be there or not.
function(cuebox_room name)
    cmake_parse_arguments(room "" "DIR;COMPONENT" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})

    set(view "${PROJECT_BINARY_DIR}/rooms/${name}")
    file(MAKE_DIRECTORY "${view}/cuebox")
    file(CREATE_LINK "${room_DIR}" "${view}/cuebox/${name}" SYMBOLIC)

    add_library(cuebox_${name} STATIC ${room_SOURCES})
    add_library(cuebox::${name} ALIAS cuebox_${name})
    set_target_properties(cuebox_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
    target_compile_features(cuebox_${name} PUBLIC cxx_std_20)
    target_include_directories(cuebox_${name} PUBLIC "$<BUILD_INTERFACE:${view}>"
                                                     "$<INSTALL_INTERFACE:include>")
    target_link_libraries(cuebox_${name} PUBLIC ${room_LINKS}
                                         PRIVATE ${room_PRIVATE_LINKS} $<BUILD_INTERFACE:cuebox_flags>)

    set(export cuebox-targets)
    if(room_COMPONENT)
        set(export cuebox-${room_COMPONENT}-targets)
    endif()
    install(TARGETS cuebox_${name} EXPORT ${export})
    install(DIRECTORY "${room_DIR}/" DESTINATION "include/cuebox/${name}" FILES_MATCHING PATTERN "*.hpp")
endfunction()

# cuebox_targets_below(DIR OUT): what is built in a folder and those in it; nothing where it was not added.
function(cuebox_targets_below dir out)
    set(found "")
    get_property(known DIRECTORY "${PROJECT_SOURCE_DIR}" PROPERTY SUBDIRECTORIES)
    cmake_path(GET dir PARENT_PATH parent)
    if(parent STREQUAL PROJECT_SOURCE_DIR AND NOT dir IN_LIST known)
        set(${out} "" PARENT_SCOPE)
        return()
    endif()
    get_property(found DIRECTORY "${dir}" PROPERTY BUILDSYSTEM_TARGETS)
    get_property(below DIRECTORY "${dir}" PROPERTY SUBDIRECTORIES)
    foreach(each ${below})
        cuebox_targets_below("${each}" more)
        list(APPEND found ${more})
    endforeach()
    set(${out} "${found}" PARENT_SCOPE)
endfunction()
