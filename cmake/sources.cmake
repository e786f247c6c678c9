# SPDX-License-Identifier: Apache-2.0
# Which source belongs to which library. Folders follow the operations, endings say where a file
# runs, so a new file needs no edit here.
set(src ${PROJECT_SOURCE_DIR}/src)

file(GLOB_RECURSE tulle_sources CONFIGURE_DEPENDS ${src}/*.c)
set(io_sources ${tulle_sources})
list(FILTER tulle_sources EXCLUDE REGEX "/src/(io/file|comm/mpi|comm/nccl)/")
list(FILTER io_sources INCLUDE REGEX "/src/io/file/")
file(GLOB mpi_sources CONFIGURE_DEPENDS ${src}/comm/mpi/*.c)
file(GLOB nccl_sources CONFIGURE_DEPENDS ${src}/comm/nccl/*.c)
file(GLOB io_templates CONFIGURE_DEPENDS ${src}/io/file/*.cpp)
list(APPEND io_sources ${io_templates})

file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS ${src}/*.cu)
if(NOT TULLE_PUBLISHED)
  list(FILTER tulle_sources EXCLUDE REGEX "/published/")
  list(FILTER cuda_sources EXCLUDE REGEX "/published/")
endif()
set(emulated_sources ${cuda_sources})
list(FILTER emulated_sources EXCLUDE REGEX "/src/gpu/cuda/")
file(GLOB emulator_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/emulator/*.cpp)

if(TULLE_PARTS)
  include(parts)
  foreach(sources tulle_sources cuda_sources emulated_sources)
    tulle_in_parts(${sources})
  endforeach()
endif()
