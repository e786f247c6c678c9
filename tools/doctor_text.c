/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "doctor_report.h"
#include "tools/common/say.h"
#include "tools/common/table.h"

static const char *bytes(int64_t count) {
    static char buffer[4][TOOL_HUMAN];
    static unsigned next;
    char *text = buffer[next++ % 4];
    return count ? tool_human_bytes((double)count, text) : "unknown";
}

/* Caches come in powers of two. */
static const char *cache(int64_t count) {
    static char buffer[4][TOOL_HUMAN];
    static unsigned next;
    char *text = buffer[next++ % 4];
    bool large = count >= 1 << 20;
    snprintf(text, TOOL_HUMAN, "%.4g %s", (double)count / (large ? 1 << 20 : 1 << 10),
             large ? "MiB" : "KiB");
    return count ? text : "unknown";
}

static void print_check(const tool_place_check *check) {
    if (check->works) {
        tool_say("  check       right (%.3g of the error bound)\n", check->error);
    } else {
        tool_say("  check       FAILED: %s\n", check->problem);
    }
}

static void print_bandwidth(const tool_place_check *check, const char *how) {
    if (check->copy_gbs > 0) {
        tool_say("  bandwidth   %.1f GB/s (%s)\n", check->copy_gbs, how);
    } else {
        tool_say("  bandwidth   not measured: too little memory\n");
    }
}

static const char *vectors(int bits) {
    if (bits == 512) return "AVX-512";
    if (bits == 256) return "AVX2 and FMA";
    return bits == 128 ? "NEON" : "none that kernels use";
}

static void print_cpu(const tool_doctor_report *r) {
    const tool_machine *m = &r->machine;
    tool_say("CPU: %s\n", r->cpu.device.name);
    tool_say("  processors  %d online, %d usable, %d threads by default", m->online, m->usable,
             r->cpu.device.threads);
    if (m->numa_nodes) tool_say(", %d NUMA nodes", m->numa_nodes);
    if (m->omp_threads) tool_say(", OMP_NUM_THREADS=%s", m->omp_threads);
    tool_say("\n  vectors     %s", vectors(r->cpu.device.vector_bits));
    tool_say("\n  caches      L1 %s, L2 %s, L3 %s\n", cache(m->l1), cache(m->l2), cache(m->l3));
    tool_say("  memory      %s, %s available", bytes(m->memory), bytes(m->memory_available));
    if (m->memory_limit) tool_say(", limited to %s", bytes(m->memory_limit));
    tool_say("\n");
    print_bandwidth(&r->cpu, "STREAM triad");
    print_check(&r->cpu);
}

static void print_gpu(const tool_place_check *gpu) {
    const tulle_device_info *d = &gpu->device;
    tool_say("\nGPU %s: %s\n", gpu->where, d->name);
    tool_say("  chip        %d multiprocessors, compute capability %d.%d\n", d->multiprocessors,
             d->architecture / 10, d->architecture % 10);
    tool_say("  driver      %d.%d\n", d->driver / 1000, d->driver % 1000 / 10);
    tool_say("  memory      %s, L2 %s\n", bytes(d->memory_bytes), cache(d->cache_bytes));
    print_bandwidth(gpu, "copy");
    print_check(gpu);
}

static void print_packers(const tool_doctor_report *r) {
    tool_say("\nFiles:");
    for (int i = 0; i < TOOL_PACKERS; i++) {
        tool_say("%s .mtx%s %s", i ? "," : "", r->packers[i].ending,
                 r->packers[i].works ? "works" : "FAILS");
    }
    tool_say("\n");
}

static void print_remarks(const tool_doctor_report *r) {
    if (r->remark_count == 0) {
        tool_say("\nNothing is missing.\n");
        return;
    }
    tool_say("\nWhat is missing or could be better:\n");
    for (int i = 0; i < r->remark_count; i++) {
        tool_say("  - %s\n    -> %s\n", r->remarks[i].what, r->remarks[i].how);
    }
}

void tool_doctor_print(const void *user) {
    const tool_doctor_report *report = user;
    print_cpu(report);
    for (int i = 0; i < report->gpu_count; i++) print_gpu(&report->gpu[i]);
    if (report->gpu_count == 0) tool_say("\nGPU: none\n");
    if (report->emulator.works) {
        tool_say("\nEmulated GPU (for tests)\n");
        print_check(&report->emulator);
    }
    print_packers(report);
    print_remarks(report);
}
