/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "core/threads/count.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/context.h"

/* Largest number of cores that is asked for; the kernel's own limit is lower: 8192 on x86. */
enum { MOST_CORES = 1 << 16 };

/* Returns the number of cores in the process's set; 0 where the set does not fit into `room`
 * bits. */
static int count_in_set(int room) {
    cpu_set_t *set = CPU_ALLOC((size_t)room);
    const size_t bytes = CPU_ALLOC_SIZE((size_t)room);
    const bool known = set && sched_getaffinity(0, bytes, set) == 0;
    const int count = known ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    return count;
}

static int in_affinity(void) {
    for (int room = 1024; room <= MOST_CORES; room *= 2) {
        const int count = count_in_set(room);
        if (count > 0) return count;
    }
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

/* The quota of one control group, version 2, in cores, rounded up; INT_MAX: there is none. */
static int quota_of(const char *folder) {
    char path[PATH_MAX + 32];
    long long allowed = 0, period = 0;
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", folder);
    FILE *file = fopen(path, "r");
    if (!file) return INT_MAX;
    const bool limited =
        fscanf(file, "%lld %lld", &allowed, &period) == 2 && allowed > 0 && period > 0;
    fclose(file);
    if (!limited || allowed / period >= MOST_CORES) return INT_MAX;
    return (int)((allowed + period - 1) / period);
}

/* Reads the least quota of the process's own group, which the line "0::/FOLDER" names, and of
 * the groups around it. Groups seldom change, and reading them takes as long as a small product,
 * so they are read once. */
static int in_quota_now(void) {
    char line[PATH_MAX + 8] = "";
    FILE *file = fopen("/proc/self/cgroup", "r");
    if (!file) return INT_MAX;
    bool found = false;
    while (!found && fgets(line, sizeof line, file)) found = strncmp(line, "0::/", 4) == 0;
    fclose(file);
    if (!found) return INT_MAX;
    char *folder = line + 3;
    folder[strcspn(folder, "\n")] = '\0';
    int least = quota_of(folder);
    while (*folder) {
        *strrchr(folder, '/') = '\0';
        const int outer = quota_of(folder);
        if (outer < least) least = outer;
    }
    return least;
}

static int quota;

static void read_quota(void) {
    quota = in_quota_now();
}

int tulle__cores(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_quota);
    const int affinity = in_affinity();
    return quota < affinity ? quota : affinity;
}

/* First number of OMP_NUM_THREADS, which is that of the outermost region; INT_MAX: there is
 * none. */
static int in_environment(void) {
    const char *text = secure_getenv("OMP_NUM_THREADS");
    if (!text) return INT_MAX;
    char *end = NULL;
    const long number = strtol(text, &end, 10);
    end += strspn(end, " \t");
    if (end == text || (*end != '\0' && *end != ',') || number < 1) return INT_MAX;
    return number < INT_MAX ? (int)number : INT_MAX;
}

/* Calls a function of the OpenMP that the process has; returns `none` where it has no such
 * function: tulle itself is linked with no OpenMP. */
static int ask_openmp(const char *name, int none) {
    int (*function)(void) = NULL;
    void *found = dlsym(RTLD_DEFAULT, name);
    if (!found) return none;
    memcpy(&function, &found, sizeof function); /* ISO C knows no cast between them */
    return function();
}

/* Number of threads of a call: as many as there are cores, or fewer where OpenMP's settings say
 * so: the caller's omp_set_num_threads where its program has an OpenMP, else OMP_NUM_THREADS. In
 * a parallel region of the caller's a call has one thread, since the region's other threads have
 * the other cores. */
int tulle__cpu_threads(void) {
    const int cores = tulle__cores();
    if (ask_openmp("omp_in_parallel", 0)) return 1;
    const int asked = ask_openmp("omp_get_max_threads", in_environment());
    return asked < 1 ? 1 : asked < cores ? asked : cores;
}
