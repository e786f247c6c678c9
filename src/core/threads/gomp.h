/* SPDX-License-Identifier: Apache-2.0 */
/* The functions to which GCC compiles OpenMP pragmas, under tulle's names (names.h). Their
 * specification is GCC's libgomp/libgomp_g.h, and in its manual, "The libgomp ABI". A nested
 * region has one thread. A region has fewer threads than it asks for where the system gives no
 * more: omp_get_num_threads says how many, and static and dynamic loops share by that number. */
#ifndef TULLE_CORE_THREADS_GOMP_H
#define TULLE_CORE_THREADS_GOMP_H

#include <stdbool.h>

#include "tulle/export.h"

typedef unsigned long long tulle__ull;

/* A parallel region. threads 0: as many as tulle__cpu_threads says. */
TULLE_API void tulle__gomp_parallel(void (*function)(void *), void *data, unsigned threads,
                                    unsigned flags);
TULLE_API void tulle__gomp_parallel_loop(void (*function)(void *), void *data, unsigned threads,
                                         long start, long end, long step, long chunk,
                                         unsigned flags);
TULLE_API void tulle__gomp_barrier(void);

/* Begin and end a critical section or an atomic operation of OpenMP. */
TULLE_API void tulle__gomp_exclusive_start(void);
TULLE_API void tulle__gomp_exclusive_end(void);

/* Dynamic loops; false says that no iteration is left. */
TULLE_API bool tulle__gomp_loop_start(long start, long end, long step, long chunk, long *from,
                                      long *to);
TULLE_API bool tulle__gomp_loop_next(long *from, long *to);
TULLE_API bool tulle__gomp_loop_ull_start(bool up, tulle__ull start, tulle__ull end,
                                          tulle__ull step, tulle__ull chunk, tulle__ull *from,
                                          tulle__ull *to);
TULLE_API bool tulle__gomp_loop_ull_next(tulle__ull *from, tulle__ull *to);
TULLE_API void tulle__gomp_loop_end(void);
TULLE_API void tulle__gomp_loop_end_nowait(void);

/* Dynamic loops with `ordered` parts, which are done in the order of the iterations. */
TULLE_API bool tulle__gomp_ordered_loop_start(long start, long end, long step, long chunk,
                                              long *from, long *to);
TULLE_API bool tulle__gomp_ordered_loop_next(long *from, long *to);
TULLE_API void tulle__gomp_ordered_start(void);
TULLE_API void tulle__gomp_ordered_end(void);

TULLE_API int tulle__omp_get_thread_num(void);
TULLE_API int tulle__omp_get_num_threads(void);
TULLE_API int tulle__omp_get_max_threads(void);
TULLE_API int tulle__omp_get_num_procs(void);

#endif
