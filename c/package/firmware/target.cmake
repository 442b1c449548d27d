# Finds the library for the compiler, by the table in target.c.
set(TAUTLINE_FIRMWARE_DIR "${CMAKE_CURRENT_LIST_DIR}")

# Sets a variable to the name of the target that the C compiler compiles for, with CMAKE_C_FLAGS and further flags.
function(tautline_target variable)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_C_FLAGS}")
  if(CMAKE_C_COMPILER_TARGET)
    list(APPEND flags "--target=${CMAKE_C_COMPILER_TARGET}")
  endif()
  execute_process(
    COMMAND ${CMAKE_C_COMPILER} ${flags} ${ARGN} -E -P "${TAUTLINE_FIRMWARE_DIR}/target.c"
    OUTPUT_VARIABLE target ERROR_VARIABLE errors RESULT_VARIABLE result)
  string(STRIP "${target}" target)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "tautline: ${CMAKE_C_COMPILER} can't say what it compiles for:\n${errors}")
  endif()
  set(${variable} "${target}" PARENT_SCOPE)
endfunction()

# Defines the imported library `tautline`, for the compiler or for TAUTLINE_TARGET.
function(tautline_import)
  set(target "${TAUTLINE_TARGET}")
  if(NOT target)
    tautline_target(target ${ARGN})
  endif()
  set(library "${TAUTLINE_FIRMWARE_DIR}/lib/${target}/libtautline_c.a")
  if(NOT target OR NOT EXISTS "${library}")
    file(GLOB targets RELATIVE "${TAUTLINE_FIRMWARE_DIR}/lib" "${TAUTLINE_FIRMWARE_DIR}/lib/*")
    string(REPLACE ";" ", " targets "${targets}")
    if(NOT target)
      set(target "this processor with these flags")
    endif()
    message(FATAL_ERROR "tautline: there is no library for ${target}, only for: ${targets}. "
      "`c/archives` in the repository of tautline builds others, and TAUTLINE_TARGET chooses one.")
  endif()
  add_library(tautline STATIC IMPORTED GLOBAL)
  set_target_properties(tautline PROPERTIES
    IMPORTED_LOCATION "${library}"
    INTERFACE_INCLUDE_DIRECTORIES "${TAUTLINE_FIRMWARE_DIR}/include")
endfunction()
