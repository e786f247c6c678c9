/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/fill.h"

#include <stdint.h>
#include <string.h>

#include "tools/common/error.h"
#include "tools/common/numbers.h"
#include "tulle/factor.h"

int tool_fill_parse(const char *command, const char *text, int *fill) {
    int64_t level = 0;
    if (!text) return TOOL_OK;
    if (strcmp(text, "all") == 0) {
        *fill = TULLE_FILL_ALL;
        return TOOL_OK;
    }
    if (!tool_parse_int(text, 0, INT32_MAX - 2, &level)) {
        return tool_misuse(command, "--fill: '%s' is neither a level from 0 on nor all", text);
    }
    *fill = (int)level;
    return TOOL_OK;
}
