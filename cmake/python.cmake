# SPDX-License-Identifier: Apache-2.0
# The parts of the Python package that are built: the library, and cffi's declarations of it, made of the headers by
# python/declarations.py. pip builds them by pyproject.toml.
find_package(Python REQUIRED COMPONENTS Interpreter)
file(GLOB public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/tulle/*.h)
set(declarations ${CMAKE_BINARY_DIR}/_abi.py)
add_custom_command(
  OUTPUT ${declarations}
  COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/python/declarations.py ${PROJECT_SOURCE_DIR}/include
          ${declarations} ${CMAKE_C_COMPILER}
  DEPENDS ${PROJECT_SOURCE_DIR}/python/declarations.py ${public_headers}
  VERBATIM)
add_custom_target(declarations ALL DEPENDS ${declarations})
install(FILES ${declarations} DESTINATION tulle)
# A wheel has no links: one file, by the name that programs look for.
get_target_property(soversion tulle SOVERSION)
set(parts tulle)
if(TULLE_IO)
  list(APPEND parts tulle-io)
endif()
set_target_properties(${parts} PROPERTIES VERSION ${soversion} INSTALL_RPATH $ORIGIN)
add_custom_target(package DEPENDS ${parts} declarations)
install(TARGETS ${parts} LIBRARY DESTINATION tulle/lib NAMELINK_SKIP)
