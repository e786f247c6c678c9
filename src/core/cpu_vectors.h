/* SPDX-License-Identifier: Apache-2.0 */
/* The vectors of the processor that runs this, and the table of those that are fast. */
#ifndef TULLE_CORE_CPU_VECTORS_H
#define TULLE_CORE_CPU_VECTORS_H

#include <stdbool.h>

/* A processor: vendor as its instruction CPUID names it ("GenuineIntel"), "" where it has none. */
typedef struct tulle__cpu {
    char vendor[13];
    int family, model, stepping;
    int vector_bits; /* bits of the widest vectors, as tulle__cpu_vector_bits returns them */
} tulle__cpu;

enum { TULLE__CPU_TEXT = 64 };

tulle__cpu tulle__cpu_here(void);

/* Names a processor, e.g. "GenuineIntel-6-85-7": no spaces, never "". */
void tulle__cpu_text(const tulle__cpu *cpu, char text[TULLE__CPU_TEXT]);

/* Bits of the widest vectors: 512 (AVX-512 F and VL), 256 (AVX2 and FMA), 128 (NEON), or 0. */
int tulle__cpu_vector_bits(void);

/* Bits of the vectors that the table calls fast for products on such processors, where nothing
 * is measured: 512 where their gathers are fast, else the next narrower ones. */
int tulle__cpu_fast_bits(const tulle__cpu *cpu);

/* True when gathers are fast on the processor that runs this, by the same table. */
bool tulle__cpu_gathers(void);

#endif
