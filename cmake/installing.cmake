# SPDX-License-Identifier: Apache-2.0
# make install, find_package(tulle), pkg-config.
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tulle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# A compiled module is for one compiler: programs compile its source with their own.
set(TULLE_FORTRAN_DIR ${CMAKE_INSTALL_DATADIR}/tulle/fortran)
install(FILES fortran/tulle.f90 DESTINATION ${TULLE_FORTRAN_DIR})
if(TARGET tulle-mpi)
  install(FILES fortran/tulle_mpi.f90 DESTINATION ${TULLE_FORTRAN_DIR})
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tulle)
set(part_of_tulle EXPORT tulleTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS tulle ${part_of_tulle})
if(TULLE_IO)
  install(TARGETS tulle-io ${part_of_tulle})
  # libtulle-io finds libtulle beside it, wherever the tree is put.
  # The build tree has the same run path: where it has another one, CMake ends that with a colon,
  # and the loader takes the empty element for the current folder.
  set_target_properties(tulle-io PROPERTIES INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
endif()
# Libraries that packages may leave out have exports of their own.
foreach(part mpi nccl)
  if(TARGET tulle-${part})
    install(TARGETS tulle-${part} EXPORT tulle-${part}Targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    set_target_properties(tulle-${part} PROPERTIES INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
    install(EXPORT tulle-${part}Targets NAMESPACE tulle:: DESTINATION ${package_dir})
  endif()
endforeach()
install(EXPORT tulleTargets NAMESPACE tulle:: DESTINATION ${package_dir})

# PETSc opens it.
if(TARGET petsctulle)
  install(TARGETS petsctulle LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

# Opened at run time, never linked: no development link, no exported target. The emulator is for
# tests and stays in its build tree.
if(TARGET tulle-cuda)
  install(TARGETS tulle-cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP)
endif()

set(TULLE_INSTALLED_CUDA OFF)
if(TULLE_WITH_CUDA)
  set(TULLE_INSTALLED_CUDA ON)
endif()
set(TULLE_NEEDS_OPENMP OFF)
if(openmp_links)
  set(TULLE_NEEDS_OPENMP ON)
endif()
configure_package_config_file(cmake/tulleConfig.cmake.in ${CMAKE_BINARY_DIR}/tulleConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# While the major version is 0, a minor version may break programs.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tulleConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/tulleConfig.cmake ${CMAKE_BINARY_DIR}/tulleConfigVersion.cmake
        DESTINATION ${package_dir})

# Relative to the .pc file, so that the tree can be moved.
file(RELATIVE_PATH TULLE_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
# Whoever links a static library links what it needs.
set(TULLE_PC_LIBS)
set(TULLE_PC_IO_NEEDS)
if(TULLE_STATIC)
  set(TULLE_PC_LIBS "-lamd -lsuitesparseconfig -lpthread -ldl -lm")
  set(TULLE_PC_IO_NEEDS ", libarchive, zlib, libzstd")
  if(TULLE_EMULATOR)
    string(APPEND TULLE_PC_LIBS " -lboost_context -lstdc++")
  endif()
  if(TULLE_WITH_CUDA)
    string(APPEND TULLE_PC_LIBS " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt -lstdc++")
  endif()
endif()
set(pc_parts tulle)
if(TULLE_IO)
  list(APPEND pc_parts tulle-io)
endif()
foreach(part mpi nccl)
  if(TARGET tulle-${part})
    list(APPEND pc_parts tulle-${part})
  endif()
endforeach()
foreach(part ${pc_parts})
  configure_file(cmake/${part}.pc.in ${CMAKE_BINARY_DIR}/${part}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${part}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

if(NOT TULLE_STATIC)
  install(CODE "set(TULLE_LIBDIR \"${CMAKE_INSTALL_LIBDIR}\")")
  install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/loader.cmake)
endif()

install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples
        FILES_MATCHING PATTERN *.c PATTERN *.cpp PATTERN *.f90 PATTERN *.msh PATTERN *.geo)

if(TARGET tulle-tool)
  file(RELATIVE_PATH to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set_target_properties(tulle-tool PROPERTIES
                        INSTALL_RPATH "$ORIGIN/${to_lib};$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
  install(TARGETS tulle-tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY bench/sets DESTINATION ${CMAKE_INSTALL_DATADIR}/tulle/bench)

  # From the program's own --help, so that neither can say what it does not do.
  set(completion ${CMAKE_BINARY_DIR}/completion/tulle)
  add_custom_command(
    OUTPUT ${completion}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/completion
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/completion.sh $<TARGET_FILE:tulle-tool> ${completion}
    DEPENDS tulle-tool ${PROJECT_SOURCE_DIR}/scripts/completion.sh VERBATIM)
  set(made_of_help ${completion})
  install(FILES ${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  find_program(HELP2MAN help2man)
  mark_as_advanced(HELP2MAN)
  if(HELP2MAN)
    set(man ${CMAKE_BINARY_DIR}/man)
    add_custom_command(
      OUTPUT ${man}/tulle.1
      COMMAND ${PROJECT_SOURCE_DIR}/scripts/man.sh $<TARGET_FILE:tulle-tool> ${man}
      DEPENDS tulle-tool ${PROJECT_SOURCE_DIR}/scripts/man.sh VERBATIM)
    list(APPEND made_of_help ${man}/tulle.1)
    install(DIRECTORY ${man}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  endif()
  add_custom_target(tulle-man ALL DEPENDS ${made_of_help})
endif()
