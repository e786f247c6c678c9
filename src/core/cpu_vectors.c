/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cpu_vectors.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)

#include <cpuid.h>

int tulle__cpu_vector_bits(void) {
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (!avx2) return 0;
    bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
    return avx512 ? 512 : 256;
}

/* Reads the processor's vendor, family and model. Intel's and AMD's manuals, instruction CPUID,
 * leaves 0 and 1: the extended family is added where the family is 15, the extended model goes
 * before the model in families 6 and 15. */
tulle__cpu tulle__cpu_here(void) {
    tulle__cpu cpu = {.vector_bits = tulle__cpu_vector_bits()};
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(0, &a, &b, &c, &d)) return cpu;
    memcpy(cpu.vendor, &b, sizeof b);
    memcpy(cpu.vendor + 4, &d, sizeof d);
    memcpy(cpu.vendor + 8, &c, sizeof c);
    if (!__get_cpuid(1, &a, &b, &c, &d)) return cpu;
    int family = (int)(a >> 8 & 15), model = (int)(a >> 4 & 15);
    cpu.stepping = (int)(a & 15);
    cpu.family = family == 15 ? 15 + (int)(a >> 20 & 255) : family;
    cpu.model = family == 6 || family == 15 ? (int)(a >> 16 & 15) * 16 + model : model;
    return cpu;
}

#else

int tulle__cpu_vector_bits(void) {
#if defined(__ARM_NEON) && defined(__aarch64__)
    return 128;
#else
    return 0;
#endif
}

tulle__cpu tulle__cpu_here(void) {
    return (tulle__cpu){.vector_bits = tulle__cpu_vector_bits()};
}

#endif

void tulle__cpu_text(const tulle__cpu *cpu, char text[TULLE__CPU_TEXT]) {
    snprintf(text, TULLE__CPU_TEXT, "%s-%d-%d-%d", cpu->vendor[0] ? cpu->vendor : "cpu",
             cpu->family, cpu->model, cpu->stepping);
}

/* Processors whose 512-bit gathers are fast. Intel's before Sapphire Rapids are not among them:
 * since 2023 their microcode guards gathers against Gather Data Sampling (Intel,
 * Intel-SA-00828), and one then takes many times as long. Nor are AMD's: Zen 4 and 5 gather no
 * faster than they load one by one (docs/lab-notes.md, "CPU: vectors for rows of unlike
 * length"). */
static const struct {
    const char *vendor;
    int family, model;
} fast_gathers[] = {
    {"GenuineIntel", 6, 0x8f}, /* Sapphire Rapids */
    {"GenuineIntel", 6, 0xcf}, /* Emerald Rapids */
    {"GenuineIntel", 6, 0xad}, /* Granite Rapids */
    {"GenuineIntel", 6, 0xae}, /* Granite Rapids D */
};

int tulle__cpu_fast_bits(const tulle__cpu *cpu) {
    if (cpu->vector_bits < 512) return cpu->vector_bits;
    for (size_t i = 0; i < sizeof fast_gathers / sizeof *fast_gathers; i++) {
        bool same = strcmp(fast_gathers[i].vendor, cpu->vendor) == 0 &&
                    fast_gathers[i].family == cpu->family && fast_gathers[i].model == cpu->model;
        if (same) return 512;
    }
    return 256;
}

/* True when gathers are fast. The processor is asked once: a virtual machine's host answers
 * CPUID itself, which takes microseconds. */
bool tulle__cpu_gathers(void) {
    enum { UNKNOWN, SLOW, FAST };
    static atomic_int known = UNKNOWN;
    int speed = atomic_load_explicit(&known, memory_order_relaxed);
    if (speed == UNKNOWN) {
        const tulle__cpu here = tulle__cpu_here();
        speed = tulle__cpu_fast_bits(&here) == 512 ? FAST : SLOW;
        atomic_store_explicit(&known, speed, memory_order_relaxed);
    }
    return speed == FAST;
}
