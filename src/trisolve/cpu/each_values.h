/* SPDX-License-Identifier: Apache-2.0 */
/* Includes TULLE__SELF once for each pair of stored and computed values, with STORED, COMPUTED and
 * NAME(f) defined. A file that uses this header tells the passes apart by `#ifdef STORED`. There is
 * no include guard, on purpose. */
#define NAME(function) function##_f32
#define STORED float
#define COMPUTED float
#include TULLE__SELF
#undef NAME
#undef STORED
#undef COMPUTED

#define NAME(function) function##_f64
#define STORED double
#define COMPUTED double
#include TULLE__SELF
#undef NAME
#undef STORED
#undef COMPUTED

#define NAME(function) function##_f32_f64
#define STORED float
#define COMPUTED double
#include TULLE__SELF
#undef NAME
#undef STORED
#undef COMPUTED

#undef TULLE__SELF

/* The run table of functions that distinguish index types at run time. */
#define TRISOLVE_RUN_ALL(run)                                                                      \
    {                                                                                              \
        {run##_f32, run##_f32, run##_f32}, {run##_f64, run##_f64, run##_f64}, {                    \
            run##_f32_f64, run##_f32_f64, run##_f32_f64                                            \
        }                                                                                          \
    }
