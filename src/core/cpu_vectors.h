/* SPDX-License-Identifier: Apache-2.0 */
/* What vectors the processor that runs this has. */
#ifndef TULLE_CORE_CPU_VECTORS_H
#define TULLE_CORE_CPU_VECTORS_H

#include <stdbool.h>

/* Bits of the widest vectors: 512 (AVX-512 F and VL), 256 (AVX2 and FMA), 128 (NEON), or 0. */
int tulle__cpu_vector_bits(void);

/* Whether gather instructions are faster than loads of one number each: Intel's are, AMD's are not.
 */
bool tulle__cpu_gathers_fast(void);

#endif
