/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor_report.h"
#include "tools/common/json.h"

static void add_machine(cJSON *json, const tool_machine *m) {
    cJSON *machine = tool_json_child(json, "machine");
    tool_json_int(machine, "processors_online", m->online);
    tool_json_int(machine, "processors_usable", m->usable);
    tool_json_int(machine, "numa_nodes", m->numa_nodes);
    tool_json_text(machine, "omp_num_threads", m->omp_threads);
    tool_json_int(machine, "l1_bytes", m->l1);
    tool_json_int(machine, "l2_bytes", m->l2);
    tool_json_int(machine, "l3_bytes", m->l3);
    tool_json_int(machine, "memory_bytes", m->memory);
    tool_json_int(machine, "memory_available_bytes", m->memory_available);
    tool_json_int(machine, "memory_limit_bytes", m->memory_limit);
    tool_json_bool(machine, "nvidia_gpu", m->has_nvidia_gpu);
    tool_json_bool(machine, "nvidia_driver", m->has_nvidia_driver);
    tool_json_bool(machine, "nvcc", m->has_nvcc);
}

static void add_place(cJSON *list, const tool_place_check *check) {
    cJSON *item = tool_json_item(list);
    tool_json_text(item, "place", check->where);
    tool_json_bool(item, "works", check->works);
    tool_json_text(item, "problem", check->problem);
    tool_json_text(item, "name", check->device.name);
    tool_json_int(item, "threads", check->device.threads);
    tool_json_int(item, "vector_bits", check->device.vector_bits);
    tool_json_int(item, "multiprocessors", check->device.multiprocessors);
    tool_json_int(item, "architecture", check->device.architecture);
    tool_json_int(item, "driver", check->device.driver);
    tool_json_int(item, "cache_bytes", check->device.cache_bytes);
    tool_json_int(item, "memory_bytes", check->device.memory_bytes);
    tool_json_real(item, "copy_gbs", check->copy_gbs);
    tool_json_real(item, "err", check->error);
}

static void add_packers(cJSON *json, const tool_doctor_report *r) {
    cJSON *files = tool_json_list(json, "files");
    for (int i = 0; i < TOOL_PACKERS; i++) {
        cJSON *item = tool_json_item(files);
        tool_json_text(item, "ending", r->packers[i].ending);
        tool_json_bool(item, "works", r->packers[i].works);
        tool_json_text(item, "problem", r->packers[i].problem);
    }
}

static void add_remarks(cJSON *json, const tool_doctor_report *r) {
    cJSON *missing = tool_json_list(json, "missing");
    for (int i = 0; i < r->remark_count; i++) {
        cJSON *item = tool_json_item(missing);
        tool_json_text(item, "what", r->remarks[i].what);
        tool_json_text(item, "how", r->remarks[i].how);
    }
}

void tool_doctor_print_json(const void *user) {
    const tool_doctor_report *report = user;
    cJSON *json = tool_json_object();
    tool_json_text(json, "version", tulle_version());
    tool_json_text(json, "commit", tulle_commit());
    add_machine(json, &report->machine);
    cJSON *places = tool_json_list(json, "places");
    add_place(places, &report->cpu);
    for (int i = 0; i < report->gpu_count; i++) add_place(places, &report->gpu[i]);
    add_place(places, &report->emulator);
    add_packers(json, report);
    add_remarks(json, report);
    tool_json_report(json);
}
