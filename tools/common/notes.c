/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/notes.h"

#include <inttypes.h>
#include <stdio.h>

#include "tools/common/error.h"
#include "tools/common/names.h"

static void say(const char *path, int64_t count, int64_t line, const char *what) {
    char more[64] = "";
    if (count == 0) return;
    if (line == 0) { /* the file has no lines */
        if (count > 1) snprintf(more, sizeof more, ", one of %" PRId64, count);
        tool_complain(TOOL_OK, "%s: warning: a number is %s%s", path, what, more);
        return;
    }
    if (count > 1) snprintf(more, sizeof more, ", the first of %" PRId64, count);
    tool_complain(TOOL_OK, "%s:%" PRId64 ": warning: the number is %s%s", path, line, what, more);
}

void tool_say_notes(const char *path, const tulle_file_info *file, tulle_type type) {
    char what[96];
    const char *name = tool_type_name(type);
    snprintf(what, sizeof what, "too small for %s and counts as 0", name);
    say(path, file->vanished, file->vanished_line, what);
    snprintf(what, sizeof what, "an integer beyond 2^%d and was rounded to the nearest %s",
             type == TULLE_F32 ? 24 : 53, name);
    say(path, file->rounded, file->rounded_line, what);
}
