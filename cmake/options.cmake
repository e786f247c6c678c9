# SPDX-License-Identifier: Apache-2.0
# What can be chosen, and what every target is compiled with.

set(TULLE_CUDA AUTO CACHE STRING "libtulle-cuda: AUTO (where nvcc is found), ON or OFF")
set_property(CACHE TULLE_CUDA PROPERTY STRINGS AUTO ON OFF)
option(TULLE_EMULATOR "libtulle-emu: the GPU kernels on the CPU, checked; for tests" ON)
option(TULLE_PUBLISHED "kernels that stand as papers published them, for comparison (folders published/)" ON)
option(TULLE_IO "libtulle-io: reads and writes files; needs libarchive, zlib and libzstd" ON)
# pip builds libtulle-io where all that it needs is found as headers and static libraries: the package then needs none
# of them where it runs.
if(SKBUILD AND TULLE_IO STREQUAL AUTO)
  set(TULLE_IO ON)
  foreach(header archive.h zlib.h zstd.h fast_float/fast_float.h xxhash.h)
    find_path(found_header ${header} NO_CACHE)
    if(NOT found_header)
      set(TULLE_IO OFF)
    endif()
    unset(found_header)
  endforeach()
  foreach(name archive nettle zstd lzma z)
    find_library(found_library lib${name}.a NO_CACHE)
    if(NOT found_library)
      set(TULLE_IO OFF)
    endif()
    unset(found_library)
  endforeach()
endif()
set(TULLE_MPI AUTO CACHE STRING "libtulle-mpi: AUTO (where MPI is found), ON or OFF")
set_property(CACHE TULLE_MPI PROPERTY STRINGS AUTO ON OFF)
set(TULLE_PETSC AUTO CACHE STRING "libpetsctulle: AUTO (where MPI and a PETSc of real numbers are found), ON or OFF")
set_property(CACHE TULLE_PETSC PROPERTY STRINGS AUTO ON OFF)
set(TULLE_NCCL AUTO CACHE STRING "libtulle-nccl: AUTO (where CUDA and nccl.h are found), ON or OFF")
set_property(CACHE TULLE_NCCL PROPERTY STRINGS AUTO ON OFF)
set(TULLE_METIS AUTO CACHE STRING "partitions by METIS: AUTO (where metis.h and its library are found), ON or OFF")
set_property(CACHE TULLE_METIS PROPERTY STRINGS AUTO ON OFF)
include(CMakeDependentOption)
cmake_dependent_option(TULLE_TOOL "the program tulle; needs cJSON" ON TULLE_IO OFF)
cmake_dependent_option(TULLE_LAB "the program tulle-lab: other libraries beside tulle, the papers' experiments"
                       ${PROJECT_IS_TOP_LEVEL} TULLE_TOOL OFF)
cmake_dependent_option(TULLE_PEERS "what tulle-lab compares with, where it is found" ON TULLE_LAB OFF)
cmake_dependent_option(TULLE_TESTS "the tests; need cmocka" ${PROJECT_IS_TOP_LEVEL} TULLE_IO OFF)
cmake_dependent_option(TULLE_EXAMPLES "the examples" ${PROJECT_IS_TOP_LEVEL} TULLE_IO OFF)
option(TULLE_STATIC "static libraries, with the GPU back ends inside libtulle" OFF)
option(TULLE_PORTABLE "one shared library of everything, which needs only libc; for make gpu-bundle"
       OFF)
option(TULLE_PARTS "compiles files that take long in parts, beside each other" ON)
option(TULLE_SANITIZE "AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(TULLE_FUZZ "the fuzz targets, instead of the tests; needs clang and its libFuzzer" OFF)
option(TULLE_WERROR "warnings are errors" OFF)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()

# Before any language that would otherwise pick its own: real code for A100, real code and PTX for
# H100 and H200, so that later GPUs can translate it.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  set(CMAKE_CUDA_ARCHITECTURES "80-real;90" CACHE STRING "GPU architectures")
endif()

find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
if(CCACHE)
  foreach(language C CXX CUDA)
    set(CMAKE_${language}_COMPILER_LAUNCHER ${CCACHE})
  endforeach()
endif()

set(CMAKE_C_STANDARD 17)
set(CMAKE_CXX_STANDARD 20)
foreach(language C CXX CUDA)
  set(CMAKE_${language}_STANDARD_REQUIRED ON)
  set(CMAKE_${language}_VISIBILITY_PRESET hidden)
endforeach()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

if(TULLE_PORTABLE)
  # The tests call internals of that library; inside it, calls stay direct.
  set(CMAKE_C_VISIBILITY_PRESET default)
  add_compile_options($<$<COMPILE_LANGUAGE:C>:-fno-semantic-interposition>)
  add_link_options(-static-libgcc -static-libstdc++)
endif()
find_package(Threads REQUIRED)
find_package(PkgConfig QUIET)

if(TULLE_CUDA STREQUAL AUTO)
  include(CheckLanguage)
  check_language(CUDA)
  set(TULLE_WITH_CUDA ${CMAKE_CUDA_COMPILER})
else()
  set(TULLE_WITH_CUDA ${TULLE_CUDA})
endif()
if(TULLE_WITH_CUDA)
  enable_language(CUDA)
  # CMake 3.25 gives a remark on a part of CUDA that CUDA 13 no longer has, and fails; projects that ask
  # for an older CMake are spared the remark.
  set(required ${CMAKE_MINIMUM_REQUIRED_VERSION})
  set(CMAKE_MINIMUM_REQUIRED_VERSION 3.24)
  find_package(CUDAToolkit REQUIRED)
  set(CMAKE_MINIMUM_REQUIRED_VERSION ${required})
  set(CMAKE_CUDA_STANDARD 20)
  if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION) # CMake 3.25 does not know it
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  endif()
endif()

# libtulle-mpi and libtulle-nccl are shared libraries that link libtulle: the builds that have one library of
# everything go without them, and so do the fuzz targets. Nor do these builds bring METIS with them.
set(TULLE_WITH_MPI OFF)
set(TULLE_WITH_PETSC OFF)
set(TULLE_WITH_NCCL OFF)
set(TULLE_WITH_METIS OFF)
if(NOT TULLE_STATIC AND NOT TULLE_PORTABLE AND NOT TULLE_FUZZ AND NOT SKBUILD)
  if(TULLE_MPI STREQUAL AUTO)
    find_package(MPI QUIET COMPONENTS C)
  elseif(TULLE_MPI)
    find_package(MPI REQUIRED COMPONENTS C)
  endif()
  set(TULLE_WITH_MPI ${MPI_C_FOUND})
  if(TULLE_PETSC AND TULLE_WITH_MPI)
    find_package(PkgConfig QUIET)
    pkg_check_modules(PETSC QUIET IMPORTED_TARGET PETSc>=3.17)
    find_file(PETSC_CONF petscconf.h PATHS ${PETSC_INCLUDE_DIRS} NO_DEFAULT_PATH)
    mark_as_advanced(PETSC_CONF)
    if(PETSC_FOUND AND PETSC_CONF)
      file(STRINGS ${PETSC_CONF} is_complex REGEX "define PETSC_USE_COMPLEX")
      if(NOT is_complex)
        set(TULLE_WITH_PETSC ON)
      endif()
    endif()
  endif()
  if(TULLE_PETSC STREQUAL ON AND NOT TULLE_WITH_PETSC)
    message(FATAL_ERROR "TULLE_PETSC: MPI (TULLE_MPI), or by pkg-config a PETSc of real numbers from 3.17 on, is not found")
  endif()
  if(TULLE_NCCL AND CUDAToolkit_FOUND)
    find_path(NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
    mark_as_advanced(NCCL_INCLUDE)
    set(TULLE_WITH_NCCL ${NCCL_INCLUDE})
  endif()
  if(TULLE_NCCL STREQUAL ON AND NOT TULLE_WITH_NCCL)
    message(FATAL_ERROR "TULLE_NCCL: CUDA's toolkit (TULLE_CUDA) or nccl.h is not found")
  endif()
endif()

if(TULLE_METIS AND NOT TULLE_STATIC AND NOT TULLE_PORTABLE AND NOT TULLE_FUZZ AND NOT SKBUILD)
  find_path(METIS_INCLUDE metis.h)
  find_library(METIS metis)
  mark_as_advanced(METIS_INCLUDE METIS)
  if(METIS_INCLUDE AND METIS)
    set(TULLE_WITH_METIS ON)
  elseif(TULLE_METIS STREQUAL ON)
    message(FATAL_ERROR "TULLE_METIS: metis.h or libmetis is not found")
  endif()
endif()

# Every target links this one; it is never installed.
add_library(tulle-flags INTERFACE)
target_include_directories(tulle-flags INTERFACE ${PROJECT_SOURCE_DIR}/src
                                                 ${PROJECT_SOURCE_DIR}/include)
set(warnings -Wall -Wextra -Wshadow)
set(c_warnings -Wconversion -Wno-sign-conversion -Wstrict-prototypes)
set(cxx_warnings -Wno-missing-field-initializers) # designated initialisers leave out what is zero
target_compile_options(tulle-flags INTERFACE
  $<$<COMPILE_LANGUAGE:C>:${warnings};${c_warnings};-ffp-contract=off>
  $<$<COMPILE_LANGUAGE:CXX>:${warnings};${cxx_warnings};-ffp-contract=off>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wno-missing-field-initializers>)
target_compile_definitions(tulle-flags INTERFACE TULLE__PUBLISHED=$<BOOL:${TULLE_PUBLISHED}>)
if(TULLE_WERROR)
  target_compile_options(tulle-flags INTERFACE
    $<$<COMPILE_LANGUAGE:C,CXX>:-Werror>
    $<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings>)
endif()
if(TULLE_FUZZ OR TULLE_SANITIZE) # what is instrumented cannot always be vectorized
  target_compile_options(tulle-flags INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-Wno-pass-failed>)
endif()
if(TULLE_FUZZ)
  target_compile_options(tulle-flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
# Every target with OpenMP pragmas links this one; it is never installed. The calls that GCC makes of a
# pragma go to src/core/threads, so libgomp is not linked. Clang makes other calls: its builds, which
# fuzz and which clang-tidy reads, have clang's libomp, and its rules of waiting and of fork.
add_library(tulle-openmp INTERFACE)
set(openmp_links)
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
  target_compile_options(tulle-openmp INTERFACE
    $<$<COMPILE_LANGUAGE:C>:-fopenmp>
    "$<$<COMPILE_LANGUAGE:C>:SHELL:-include \"${PROJECT_SOURCE_DIR}/src/core/threads/names.h\">")
else()
  find_package(OpenMP REQUIRED COMPONENTS C)
  set(openmp_links OpenMP::OpenMP_C)
  target_link_libraries(tulle-openmp INTERFACE OpenMP::OpenMP_C)
endif()
set(no_undefined -Wl,--no-undefined)
if(TULLE_SANITIZE)
  set(no_undefined) # clang's runtime comes with the program
  set(sanitize -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all
      -fno-omit-frame-pointer -ftrivial-auto-var-init=pattern)
  # What is left out would stop where an address that nobody reads is counted from NULL: that is an
  # empty array.
  target_compile_options(tulle-flags INTERFACE
    $<$<COMPILE_LANGUAGE:C,CXX>:${sanitize};-fno-sanitize=pointer-overflow>)
  target_compile_definitions(tulle-flags INTERFACE TULLE__ADDRESS_SANITIZER) # each compiler has its own
  # Half the time to compile, and line numbers are what a report needs.
  target_compile_options(tulle-flags INTERFACE
    $<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<NOT:$<CONFIG:Debug>>>:-O1;-g1>)
  target_link_options(tulle-flags INTERFACE ${sanitize})
endif()
