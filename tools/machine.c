/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* declares sched_getaffinity */
#include "machine.h"

#include <dirent.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int64_t not_negative(int64_t number) {
    return number > 0 ? number : 0;
}

static int count_usable(int online) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : online;
}

/* Reads the first line of a small file, without its newline; false: there is none. */
static bool read_line(const char *path, char *line, int room) {
    FILE *file = fopen(path, "r");
    if (!file) return false;
    bool read = fgets(line, room, file) != NULL;
    fclose(file);
    if (read) line[strcspn(line, "\n")] = '\0';
    return read;
}

/* Returns the number of a line "NAME:   123 kB" of /proc/meminfo, in bytes; 0: there is none. */
static int64_t meminfo(const char *name) {
    FILE *file = fopen("/proc/meminfo", "r");
    if (!file) return 0;
    char line[256];
    int64_t kilobytes = 0;
    size_t length = strlen(name);
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, name, length) == 0 && line[length] == ':') {
            kilobytes = strtoll(line + length + 1, NULL, 10);
        }
    }
    fclose(file);
    return kilobytes * 1024;
}

/* Returns the limit of the control group's memory; 0 for "max", which is no number. */
static int64_t control_group_limit(void) {
    char line[64];
    return read_line("/sys/fs/cgroup/memory.max", line, sizeof line) ? strtoll(line, NULL, 10) : 0;
}

typedef bool (*test_fn)(const char *folder, const char *name);

static int count_entries(const char *folder, test_fn test) {
    DIR *directory = opendir(folder);
    if (!directory) return 0;
    int count = 0;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        count += test(folder, entry->d_name);
    }
    closedir(directory);
    return count;
}

static bool is_numa_node(const char *folder, const char *name) {
    (void)folder;
    return strncmp(name, "node", 4) == 0 && strspn(name + 4, "0123456789") == strlen(name + 4);
}

/* Vendor 10de, class 03....: a display or 3-D controller of NVIDIA. */
static bool is_nvidia_gpu(const char *folder, const char *name) {
    char path[512], vendor[32], kind[32];
    snprintf(path, sizeof path, "%s/%s/vendor", folder, name);
    if (!read_line(path, vendor, sizeof vendor) || strcmp(vendor, "0x10de") != 0) return false;
    snprintf(path, sizeof path, "%s/%s/class", folder, name);
    return read_line(path, kind, sizeof kind) && strncmp(kind, "0x03", 4) == 0;
}

static bool is_on_path(const char *program) {
    const char *path = getenv("PATH");
    for (const char *start = path; start && *start;) {
        size_t length = strcspn(start, ":");
        char full[4096];
        snprintf(full, sizeof full, "%.*s/%s", (int)length, start, program);
        if (access(full, X_OK) == 0) return true;
        start += length + (start[length] == ':');
    }
    return false;
}

tool_machine tool_look_at_machine(void) {
    int online = (int)sysconf(_SC_NPROCESSORS_ONLN);
    return (tool_machine){
        .online = online,
        .usable = count_usable(online),
        .numa_nodes = count_entries("/sys/devices/system/node", is_numa_node),
        .omp_threads = getenv("OMP_NUM_THREADS"),
        .l1 = not_negative(sysconf(_SC_LEVEL1_DCACHE_SIZE)),
        .l2 = not_negative(sysconf(_SC_LEVEL2_CACHE_SIZE)),
        .l3 = not_negative(sysconf(_SC_LEVEL3_CACHE_SIZE)),
        .memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE),
        .memory_available = meminfo("MemAvailable"),
        .memory_limit = control_group_limit(),
        .has_nvidia_gpu = count_entries("/sys/bus/pci/devices", is_nvidia_gpu) > 0,
        .has_nvidia_driver = access("/proc/driver/nvidia/version", R_OK) == 0,
        .has_nvcc = is_on_path("nvcc"),
    };
}
