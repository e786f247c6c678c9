/* SPDX-License-Identifier: Apache-2.0 */
#include "core/available.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/context.h"

static atomic_llong promised;

void tulle__cpu_promise(int64_t bytes) {
    atomic_fetch_add(&promised, (long long)bytes);
}

/* Bytes of the memory and the swap that this process holds. */
static int64_t resident(void) {
    FILE *file = fopen("/proc/self/status", "r");
    if (!file) return INT64_MAX;
    int64_t bytes = 0;
    long long kilobytes = 0;
    char line[128];
    while (fgets(line, sizeof line, file)) {
        bool counts = sscanf(line, "VmRSS: %lld", &kilobytes) == 1 ||
                      sscanf(line, "VmSwap: %lld", &kilobytes) == 1;
        if (counts) bytes += kilobytes * 1024;
    }
    fclose(file);
    return bytes;
}

/* Lower bound of the bytes that contexts were promised and have not touched: all that the
 * process holds may be of its contexts. */
static int64_t not_touched(void) {
    const int64_t all = (int64_t)atomic_load(&promised), touched = all > 0 ? resident() : 0;
    return all > touched ? all - touched : 0;
}

int64_t tulle__cpu_available(void) {
    FILE *file = fopen("/proc/meminfo", "r");
    if (!file) return tulle__cpu_memory();
    int64_t available = 0;
    long long kilobytes = 0;
    char line[128];
    while (fgets(line, sizeof line, file)) {
        bool counts = sscanf(line, "MemAvailable: %lld", &kilobytes) == 1 ||
                      sscanf(line, "SwapFree: %lld", &kilobytes) == 1;
        if (counts) available += kilobytes * 1024;
    }
    fclose(file);
    if (available <= 0) return tulle__cpu_memory();
    const int64_t due = not_touched();
    return available > due ? available - due : 1;
}
