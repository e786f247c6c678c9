/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor_report.h"

#include <stdio.h>

#include "tools/common/table.h"

#define BYTES(key) "<{?" key "}{" key ":bytes}><{!" key "}unknown>"
#define CHECK                                                                                      \
    "  check       <{?works}right ({err:3g} of the error bound)><{!works}FAILED: {problem}>\n"
#define SPEED                                                                                      \
    "  bandwidth   <{?copy_gbs}{copy_gbs:1f} GB/s ({_how})>"                                       \
    "<{!copy_gbs}not measured: too little memory>\n" CHECK
#define CPU                                                                                        \
    "<{*places}{?_is_cpu}CPU: {name}\n"                                                            \
    "  processors  {_machine.processors_online} online, {_machine.processors_usable} usable, "     \
    "{threads} threads by default<{?_machine.numa_nodes}, {_machine.numa_nodes} NUMA nodes>"       \
    "<, OMP_NUM_THREADS={_machine.omp_num_threads}>\n"                                             \
    "  vectors     {_vectors}\n"                                                                   \
    "  caches      L1 {_machine._l1}, L2 {_machine._l2}, L3 {_machine._l3}\n"                      \
    "  memory      " BYTES("_machine.memory_bytes") ", " BYTES("_machine.memory_available_bytes")  \
    " available<{?_machine.memory_limit_bytes}, limited to {_machine.memory_limit_bytes:bytes}>\n" \
    SPEED ">"
#define GPU                                                                                        \
    "<{*places}{?_is_gpu}\nGPU {place}: {name}\n"                                                  \
    "  chip        {multiprocessors} multiprocessors, compute capability {_major}.{_minor}\n"      \
    "  driver      {_driver}\n"                                                                    \
    "  memory      " BYTES("memory_bytes") ", L2 {_l2}\n" SPEED ">"

const char tool_doctor_text[] = CPU GPU
    "<{!_gpus}\nGPU: none\n>"
    "<{*places}{?_is_emulated}{?works}\nEmulated GPU (for tests)\n" CHECK
    ">"
    "\nFiles:<{*files}<{?_follows},> .mtx{ending} <{?works}works><{!works}FAILS>>\n"
    "<{!_remarks}\nNothing is missing.\n>"
    "<{?_remarks}\nWhat is missing or could be better:\n<{*missing}  - {what}\n    {_arrow} "
    "{how}\n>>";

/* Adds the size of a cache for the text: caches come in powers of two. */
static void add_cache(cJSON *json, const char *key, int64_t count) {
    char text[TOOL_HUMAN];
    const bool large = count >= 1 << 20;
    snprintf(text, sizeof text, "%.4g %s", (double)count / (large ? 1 << 20 : 1 << 10),
             large ? "MiB" : "KiB");
    tool_json_text(json, key, count ? text : "unknown");
}

static void add_machine(cJSON *json, const char *key, const tool_machine *m) {
    cJSON *machine = tool_json_child(json, key);
    tool_json_int(machine, "processors_online", m->online);
    tool_json_int(machine, "processors_usable", m->usable);
    tool_json_int(machine, "numa_nodes", m->numa_nodes);
    tool_json_text(machine, "omp_num_threads", m->omp_threads);
    tool_json_int(machine, "l1_bytes", m->l1);
    tool_json_int(machine, "l2_bytes", m->l2);
    tool_json_int(machine, "l3_bytes", m->l3);
    add_cache(machine, "_l1", m->l1);
    add_cache(machine, "_l2", m->l2);
    add_cache(machine, "_l3", m->l3);
    tool_json_int(machine, "memory_bytes", m->memory);
    tool_json_int(machine, "memory_available_bytes", m->memory_available);
    tool_json_int(machine, "memory_limit_bytes", m->memory_limit);
    tool_json_bool(machine, "nvidia_gpu", m->has_nvidia_gpu);
    tool_json_bool(machine, "nvidia_driver", m->has_nvidia_driver);
    tool_json_bool(machine, "nvcc", m->has_nvcc);
}

static const char *vectors(int bits) {
    if (bits == 512) return "AVX-512";
    if (bits == 256) return "AVX2 and FMA";
    return bits == 128 ? "NEON" : "none that kernels use";
}

static void add_chip(cJSON *item, const tulle_device_info *d) {
    char driver[TOOL_HUMAN];
    snprintf(driver, sizeof driver, "%d.%d", d->driver / 1000, d->driver % 1000 / 10);
    tool_json_text(item, "_vectors", vectors(d->vector_bits));
    tool_json_int(item, "_major", d->architecture / 10);
    tool_json_int(item, "_minor", d->architecture % 10);
    tool_json_text(item, "_driver", driver);
    add_cache(item, "_l2", d->cache_bytes);
}

/* Adds a place to a list; is: "_is_cpu", "_is_gpu" or "_is_emulated". how: name of the measurement
 * of the bandwidth. */
static cJSON *add_place(cJSON *list, const tool_place_check *check, const char *is,
                        const char *how) {
    const tulle_device_info *d = &check->device;
    cJSON *item = tool_json_item(list);
    tool_json_bool(item, is, true);
    tool_json_text(item, "place", check->where);
    tool_json_bool(item, "works", check->works);
    tool_json_text(item, "problem", check->problem);
    tool_json_text(item, "name", d->name);
    tool_json_int(item, "threads", d->threads);
    tool_json_int(item, "vector_bits", d->vector_bits);
    tool_json_int(item, "multiprocessors", d->multiprocessors);
    tool_json_int(item, "architecture", d->architecture);
    tool_json_int(item, "driver", d->driver);
    tool_json_int(item, "cache_bytes", d->cache_bytes);
    tool_json_int(item, "memory_bytes", d->memory_bytes);
    tool_json_real(item, "copy_gbs", check->copy_gbs);
    tool_json_text(item, "_how", how);
    tool_json_real(item, "err", check->error);
    add_chip(item, d);
    return item;
}

static void add_places(cJSON *json, const tool_doctor_report *r) {
    cJSON *places = tool_json_list(json, "places");
    add_machine(add_place(places, &r->cpu, "_is_cpu", "STREAM triad"), "_machine", &r->machine);
    for (int i = 0; i < r->gpu_count; i++) (void)add_place(places, &r->gpu[i], "_is_gpu", "copy");
    (void)add_place(places, &r->emulator, "_is_emulated", "copy");
    tool_json_int(json, "_gpus", r->gpu_count);
}

static void add_packers(cJSON *json, const tool_doctor_report *r) {
    cJSON *files = tool_json_list(json, "files");
    for (int i = 0; i < TOOL_PACKERS; i++) {
        cJSON *item = tool_json_item(files);
        tool_json_bool(item, "_follows", i > 0);
        tool_json_text(item, "ending", r->packers[i].ending);
        tool_json_bool(item, "works", r->packers[i].works);
        tool_json_text(item, "problem", r->packers[i].problem);
    }
}

static void add_remarks(cJSON *json, const tool_doctor_report *r) {
    cJSON *missing = tool_json_list(json, "missing");
    tool_json_int(json, "_remarks", r->remark_count);
    for (int i = 0; i < r->remark_count; i++) {
        cJSON *item = tool_json_item(missing);
        tool_json_text(item, "what", r->remarks[i].what);
        tool_json_text(item, "_arrow", "->"); /* in a pattern the sign would end a part */
        tool_json_text(item, "how", r->remarks[i].how);
    }
}

void tool_doctor_add(cJSON *json, const void *user) {
    const tool_doctor_report *report = user;
    tool_json_text(json, "version", tulle_version());
    tool_json_text(json, "commit", tulle_commit());
    add_machine(json, "machine", &report->machine);
    add_places(json, report);
    add_packers(json, report);
    add_remarks(json, report);
}
