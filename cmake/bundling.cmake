# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts into the GPU bundle: the library, beside it the programs that find it
# wherever the bundle is unpacked, and what they read.
install(TARGETS tulle-internals LIBRARY DESTINATION lib)
install(TARGETS tulle-tool tulle-lab RUNTIME DESTINATION bin)
install(TARGETS ${gpu_programs} RUNTIME DESTINATION tests)
# The same run paths serve in the build tree; see installing.cmake.
set_target_properties(tulle-internals PROPERTIES INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
set_target_properties(tulle-tool tulle-lab PROPERTIES
                      INSTALL_RPATH "$ORIGIN/../lib;$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
if(gpu_programs)
  set_target_properties(${gpu_programs} PROPERTIES
                        INSTALL_RPATH "$ORIGIN/../lib;$ORIGIN/.." BUILD_WITH_INSTALL_RPATH ON)
endif()

list(JOIN gpu_programs "\n" lines)
file(WRITE ${CMAKE_BINARY_DIR}/gpu-tests.txt "${lines}\n")
install(FILES ${CMAKE_BINARY_DIR}/gpu-tests.txt DESTINATION tests RENAME list)
install(DIRECTORY bench/sets DESTINATION bench)
install(DIRECTORY lab/peers DESTINATION lab FILES_MATCHING PATTERN *.py)
install(PROGRAMS scripts/gpu-run.sh DESTINATION . RENAME run.sh)
install(FILES LICENSE DESTINATION .)
