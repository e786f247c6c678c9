# SPDX-License-Identifier: Apache-2.0
# TULLE_COMMIT: the commit of the sources, with a plus sign after it where files were changed since;
# "unknown" outside a checkout. Read again when HEAD moves.
set(TULLE_COMMIT unknown)
find_package(Git QUIET)
if(GIT_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  execute_process(
    COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} describe --always --abbrev=12 --exclude=* --dirty=+
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE failed ERROR_QUIET)
  if(NOT failed)
    set(TULLE_COMMIT ${described})
  endif()
  foreach(file .git/HEAD .git/logs/HEAD)
    if(EXISTS ${PROJECT_SOURCE_DIR}/${file})
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
    endif()
  endforeach()
endif()
