/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/fill.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/error.h"
#include "tulle/factor.h"

int tool_fill_parse(const char *command, const char *text, int *fill) {
    char *end = NULL;
    if (!text) return TOOL_OK;
    if (strcmp(text, "all") == 0) {
        *fill = TULLE_FILL_ALL;
        return TOOL_OK;
    }
    errno = 0;
    const long level = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || level < 0 || level > INT32_MAX - 2) {
        return tool_misuse(command, "--fill: '%s' is neither a level from 0 on nor all", text);
    }
    *fill = (int)level;
    return TOOL_OK;
}
