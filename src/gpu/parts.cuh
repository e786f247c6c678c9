/* SPDX-License-Identifier: Apache-2.0 */
/* For sources that are compiled in parts (core/parts.h). GPU_PART(number, signature) is an explicit
 * instantiation of a host function, which is made in the part of that number:
 *
 *     GPU_PART(1, tulle_status run<float>(const tulle__place *));
 *
 * Kernels are instantiated where the function that launches them is. clang-tidy, which looks at
 * each instance anew, has those alone that a table or a call asks for. */
#ifndef TULLE_GPU_PARTS_CUH
#define TULLE_GPU_PARTS_CUH

#include "core/parts.h"

#if TULLE__IN_PART(1)
#define GPU_PART_1
#else
#define GPU_PART_1 extern
#endif
#if TULLE__IN_PART(2)
#define GPU_PART_2
#else
#define GPU_PART_2 extern
#endif
#if TULLE__IN_PART(3)
#define GPU_PART_3
#else
#define GPU_PART_3 extern
#endif
#if TULLE__IN_PART(4)
#define GPU_PART_4
#else
#define GPU_PART_4 extern
#endif
#if TULLE__IN_PART(5)
#define GPU_PART_5
#else
#define GPU_PART_5 extern
#endif
#if TULLE__IN_PART(6)
#define GPU_PART_6
#else
#define GPU_PART_6 extern
#endif

#ifdef __clang_analyzer__
#define GPU_PART(number, ...)
#else
#define GPU_PART(number, ...) GPU_PART_##number template __VA_ARGS__
#endif

/* GPU_PARTS_ALL makes the six instances run<V, O, C>(task) that GPU_RUN_ALL names, each in a part
 * of its own. */
#define GPU_PARTS_ALL(run, task)                                                                   \
    GPU_PART(1, tulle_status run<float, int32_t, int32_t>(task));                                  \
    GPU_PART(2, tulle_status run<float, int64_t, int32_t>(task));                                  \
    GPU_PART(3, tulle_status run<float, int64_t, int64_t>(task));                                  \
    GPU_PART(4, tulle_status run<double, int32_t, int32_t>(task));                                 \
    GPU_PART(5, tulle_status run<double, int64_t, int32_t>(task));                                 \
    GPU_PART(6, tulle_status run<double, int64_t, int64_t>(task))

#endif
