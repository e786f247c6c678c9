/* SPDX-License-Identifier: Apache-2.0 */
/* Writes numbers as people read them. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tools/common/table.h"

const char *tool_human_bytes(double bytes, char buffer[TOOL_HUMAN]) {
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
    int unit = 0;
    for (; bytes >= 999.5 && unit < 6; unit++) bytes /= 1000;
    snprintf(buffer, TOOL_HUMAN, unit == 0 || bytes >= 99.95 ? "%.0f %s" : "%.1f %s", bytes,
             units[unit]);
    return buffer;
}

const char *tool_human_count(int64_t count, char buffer[TOOL_HUMAN]) {
    char digits[TOOL_HUMAN];
    int length = snprintf(digits, sizeof digits, "%" PRId64, count);
    int first = count < 0;
    char *out = buffer;
    for (int i = 0; i < length; i++) {
        if (i > first && (length - i) % 3 == 0) *out++ = ',';
        *out++ = digits[i];
    }
    *out = '\0';
    return buffer;
}

const char *tool_human_seconds(double seconds, char buffer[TOOL_HUMAN]) {
    static const struct {
        double below, factor;
        const char *unit;
    } scales[] = {{1e-6, 1e9, "ns"}, {1e-3, 1e6, "us"}, {1, 1e3, "ms"}, {INFINITY, 1, "s"}};
    int scale = 0;
    while (seconds >= scales[scale].below && scale < 3) scale++;
    snprintf(buffer, TOOL_HUMAN, "%.3g %s", seconds * scales[scale].factor, scales[scale].unit);
    return buffer;
}
