# SPDX-License-Identifier: Apache-2.0
# The end of an installation: programs must find the libraries. Where the loader looks anyway, its
# cache is brought up to date, or who installs is told to; elsewhere stands what programs need. Not
# for packages (DESTDIR), which do that themselves. TULLE_LIBDIR: the folder, below the prefix.
if(NOT "$ENV{DESTDIR}" STREQUAL "")
  return()
endif()
get_filename_component(folder "${CMAKE_INSTALL_PREFIX}/${TULLE_LIBDIR}" REALPATH)
find_program(TULLE_LDCONFIG ldconfig PATHS /sbin /usr/sbin)
if(NOT TULLE_LDCONFIG)
  return()
endif()

# -N -X: nothing is written, so that anybody may ask. A line with a folder ends in a colon, and may
# say behind it which file named the folder.
execute_process(COMMAND ${TULLE_LDCONFIG} -v -N -X OUTPUT_VARIABLE looks ERROR_QUIET)
string(REGEX MATCHALL "(^|\n)/[^\n:]*:" folders "${looks}")
set(found FALSE)
foreach(line ${folders})
  string(REGEX REPLACE "^\n|:$" "" line "${line}")
  get_filename_component(line "${line}" REALPATH)
  if(line STREQUAL folder)
    set(found TRUE)
  endif()
endforeach()

if(NOT found)
  message(STATUS "tulle: the loader does not look in ${folder}: programs need "
                 "LD_LIBRARY_PATH=${folder}, and pkg-config PKG_CONFIG_PATH=${folder}/pkgconfig")
  return()
endif()
execute_process(COMMAND ${TULLE_LDCONFIG} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
if(failed)
  message(STATUS "tulle: programs find the libraries once root has run: ldconfig")
endif()
