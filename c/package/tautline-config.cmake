# Defines tautline::tautline, the static library, and tautline::shared, as far as they are installed beside this file.
# The folder can be moved.
set(_tautline_include "${CMAKE_CURRENT_LIST_DIR}")
while(NOT EXISTS "${_tautline_include}/include/tautline.h")
  get_filename_component(_tautline_parent "${_tautline_include}" DIRECTORY)
  if(_tautline_parent STREQUAL _tautline_include)
    set(tautline_FOUND FALSE)
    set(tautline_NOT_FOUND_MESSAGE "no folder above ${CMAKE_CURRENT_LIST_DIR} has include/tautline.h")
    return()
  endif()
  set(_tautline_include "${_tautline_parent}")
endwhile()
get_filename_component(_tautline_lib "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

set(_tautline_static "${_tautline_lib}/libtautline_c.a")
set(_tautline_shared "${_tautline_lib}/libtautline_c.so")
if(EXISTS "${_tautline_static}" AND NOT TARGET tautline::tautline)
  add_library(tautline::tautline STATIC IMPORTED)
  set_target_properties(tautline::tautline PROPERTIES
    IMPORTED_LOCATION "${_tautline_static}"
    INTERFACE_INCLUDE_DIRECTORIES "${_tautline_include}/include")
endif()
if(EXISTS "${_tautline_shared}" AND NOT TARGET tautline::shared)
  get_filename_component(_tautline_real "${_tautline_shared}" REALPATH)
  get_filename_component(_tautline_soname "${_tautline_real}" NAME)
  add_library(tautline::shared SHARED IMPORTED)
  set_target_properties(tautline::shared PROPERTIES
    IMPORTED_LOCATION "${_tautline_real}"
    IMPORTED_SONAME "${_tautline_soname}"
    INTERFACE_INCLUDE_DIRECTORIES "${_tautline_include}/include")
  unset(_tautline_real)
  unset(_tautline_soname)
endif()
unset(_tautline_include)
unset(_tautline_parent)
unset(_tautline_lib)
unset(_tautline_static)
unset(_tautline_shared)
