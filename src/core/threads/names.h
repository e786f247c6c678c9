/* SPDX-License-Identifier: Apache-2.0 */
/* GCC compiles an OpenMP pragma to calls of libgomp. CMake includes this file before each C file
 * that is compiled with OpenMP by GCC: the assembler then takes libgomp's names for tulle's own,
 * which src/core/threads defines. So tulle needs no libgomp, whose threads spin while they wait and
 * are missing in a forked child; and a static libtulle does not define libgomp's names, which a
 * program may use for itself. A name that is missing here is found by the linker, since nothing of
 * tulle's is linked with libgomp. */
#ifndef TULLE_CORE_THREADS_NAMES_H
#define TULLE_CORE_THREADS_NAMES_H

#define TULLE__NAMED(theirs, ours) ".set " #theirs ", " #ours "\n"

/* clang-format off */
__asm__(
    TULLE__NAMED(GOMP_parallel, tulle__gomp_parallel)
    TULLE__NAMED(GOMP_barrier, tulle__gomp_barrier)
    TULLE__NAMED(GOMP_critical_start, tulle__gomp_exclusive_start)
    TULLE__NAMED(GOMP_critical_end, tulle__gomp_exclusive_end)
    TULLE__NAMED(GOMP_critical_name_start, tulle__gomp_exclusive_start)
    TULLE__NAMED(GOMP_critical_name_end, tulle__gomp_exclusive_end)
    TULLE__NAMED(GOMP_atomic_start, tulle__gomp_exclusive_start)
    TULLE__NAMED(GOMP_atomic_end, tulle__gomp_exclusive_end)
    TULLE__NAMED(GOMP_ordered_start, tulle__gomp_ordered_start)
    TULLE__NAMED(GOMP_ordered_end, tulle__gomp_ordered_end)
    TULLE__NAMED(GOMP_loop_dynamic_start, tulle__gomp_loop_start)
    TULLE__NAMED(GOMP_loop_dynamic_next, tulle__gomp_loop_next)
    TULLE__NAMED(GOMP_loop_nonmonotonic_dynamic_start, tulle__gomp_loop_start)
    TULLE__NAMED(GOMP_loop_nonmonotonic_dynamic_next, tulle__gomp_loop_next)
    TULLE__NAMED(GOMP_loop_ordered_dynamic_start, tulle__gomp_ordered_loop_start)
    TULLE__NAMED(GOMP_loop_ordered_dynamic_next, tulle__gomp_ordered_loop_next)
    TULLE__NAMED(GOMP_loop_ull_dynamic_start, tulle__gomp_loop_ull_start)
    TULLE__NAMED(GOMP_loop_ull_dynamic_next, tulle__gomp_loop_ull_next)
    TULLE__NAMED(GOMP_loop_ull_nonmonotonic_dynamic_start, tulle__gomp_loop_ull_start)
    TULLE__NAMED(GOMP_loop_ull_nonmonotonic_dynamic_next, tulle__gomp_loop_ull_next)
    TULLE__NAMED(GOMP_loop_end, tulle__gomp_loop_end)
    TULLE__NAMED(GOMP_loop_end_nowait, tulle__gomp_loop_end_nowait)
    TULLE__NAMED(GOMP_parallel_loop_dynamic, tulle__gomp_parallel_loop)
    TULLE__NAMED(GOMP_parallel_loop_nonmonotonic_dynamic, tulle__gomp_parallel_loop)
    TULLE__NAMED(omp_get_thread_num, tulle__omp_get_thread_num)
    TULLE__NAMED(omp_get_num_threads, tulle__omp_get_num_threads)
    TULLE__NAMED(omp_get_max_threads, tulle__omp_get_max_threads)
    TULLE__NAMED(omp_get_num_procs, tulle__omp_get_num_procs));
/* clang-format on */

#endif
