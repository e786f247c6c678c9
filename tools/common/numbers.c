/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/numbers.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool tool_parse_int(const char *text, int64_t min, int64_t max, int64_t *number) {
    size_t sign = text[0] == '-';
    if (!isdigit((unsigned char)text[sign])) return false;
    char *end = NULL;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno || *end != '\0' || value < min || value > max) return false;
    *number = value;
    return true;
}

bool tool_parse_bytes(const char *text, int64_t *bytes) {
    static const char units[] = "KMGTP";
    char *end = NULL;
    double value = strtod(text, &end);
    if (!isdigit((unsigned char)text[0]) || text[strcspn(text, "xX")] != '\0') return false;
    const char *unit = *end ? strchr(units, *end) : NULL;
    for (const char *u = units; unit && u <= unit; u++) value *= 1000;
    if (unit) end++;
    if (*end == 'B') end++;
    if (*end != '\0' || !(value >= 1 && value < 9e18)) return false;
    *bytes = (int64_t)value;
    return true;
}

bool tool_parse_real(const char *text, double *number) {
    if (text[strspn(text, "+-.0123456789eE")] != '\0' || text[0] == '\0') return false;
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value)) return false;
    *number = value;
    return true;
}
