/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of several rows side by side, one of each. The type once for each value type. */
#ifndef TULLE_SPGEMM_CPU_LANES
#define TULLE_SPGEMM_CPU_LANES
enum { TULLE__LANES = 4 };
#endif

#ifdef VALUE
typedef VALUE NAME(lanes) __attribute__((vector_size(TULLE__LANES * sizeof(VALUE))));
#endif
