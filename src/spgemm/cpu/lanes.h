/* SPDX-License-Identifier: Apache-2.0 */
/* A SIMD type that holds one number of each of several rows of C. A file that defines VALUE and
 * NAME includes this one, once for each value type. */
#ifndef TULLE_SPGEMM_CPU_LANES
#define TULLE_SPGEMM_CPU_LANES
enum { TULLE__LANES = 4 };
#endif

#ifdef VALUE
typedef VALUE NAME(lanes) __attribute__((vector_size(TULLE__LANES * sizeof(VALUE))));
#endif
