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

bool tool_parse_int_of(const char *text, size_t length, int64_t min, int64_t max, int64_t *number) {
    char digits[32];
    if (length >= sizeof digits) return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    return tool_parse_int(digits, min, max, number);
}

bool tool_parse_bytes(const char *text, int64_t *bytes) {
    static const char units[] = "KMGTP";
    char *end = NULL;
    double value = strtod(text, &end);
    if (!isdigit((unsigned char)text[0]) || text[strcspn(text, "xX")] != '\0') return false;
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    if (unit) end++;
    const bool binary = unit && *end == 'i';
    if (binary) end++;
    for (const char *u = units; unit && u <= unit; u++) value *= binary ? 1024 : 1000;
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
