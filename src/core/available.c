/* SPDX-License-Identifier: Apache-2.0 */
#include "core/available.h"

#include <stdbool.h>
#include <stdio.h>

#include "core/context.h"

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
    return available > 0 ? available : tulle__cpu_memory();
}
