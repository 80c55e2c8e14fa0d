# cuebox_need(NAME LEAST): find_package(NAME), in version LEAST or any later one. Asked for by find_package() itself, a
# version that is newer by a major number would not be found where its package says SameMajorVersion: quill 12 for 11.
macro(cuebox_need name least)
    find_package(${name} REQUIRED)
    set(need_found "${${name}_VERSION}")
    if(NOT need_found)
        set(need_found "${${name}_VERSION_STRING}")
    endif()
    if(need_found AND need_found VERSION_LESS "${least}")
        message(FATAL_ERROR "${name} ${need_found} is too old: Cuebox needs ${least} or later")
    endif()
endmacro()
