/* SPDX-License-Identifier: Apache-2.0 */
/* What vectors the processor that runs this has, and which are fast on processors of its kind. */
#ifndef TULLE_CORE_CPU_VECTORS_H
#define TULLE_CORE_CPU_VECTORS_H

#include <stdbool.h>

/* Which processor: vendor as its instruction says it ("GenuineIntel"), "" where it has none. */
typedef struct tulle__cpu {
    char vendor[13];
    int family, model, stepping;
    int vector_bits; /* as tulle__cpu_vector_bits */
} tulle__cpu;

enum { TULLE__CPU_TEXT = 64 };

tulle__cpu tulle__cpu_here(void);

/* "GenuineIntel-6-85-7": no spaces, never "". */
void tulle__cpu_text(const tulle__cpu *cpu, char text[TULLE__CPU_TEXT]);

/* Bits of the widest vectors: 512 (AVX-512 F and VL), 256 (AVX2 and FMA), 128 (NEON), or 0. */
int tulle__cpu_vector_bits(void);

/* The table: bits of the vectors that are fast for products on such processors, where nothing is
 * measured. 512 are so where their gathers are; else the next narrower ones. */
int tulle__cpu_fast_bits(const tulle__cpu *cpu);

/* Whether gathers are fast on the processor that runs this, as that table says. */
bool tulle__cpu_gathers(void);

#endif
