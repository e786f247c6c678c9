/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/stopwatch.h"
#include "format/bsr.h"
#include "format/formats.h"
#include "format/lay_out.h"
#include "tools/common/error.h"
#include "tools/common/kernel_name.h"
#include "tools/common/numbers.h"
#include "tools/common/suggest.h"
#include "tulle/advanced.h"

/* An option, the formats that have the option (TULLE__HAS_...), and the place of its value. */
typedef struct option {
    const char *name;
    int number;
    size_t offset;
} option;

#define N(number, name) {#name, TULLE__HAS_##number, offsetof(tulle_convert_options, name)},
static const option options[] = {TULLE__EACH_OPTION(N)};
#undef N
enum { OPTIONS = sizeof options / sizeof *options };

static int no_format(const char *command, const char *text, size_t length) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    tool_suggestions close = tool_suggest(name);
    for (int f = 0; f < TULLE_FORMAT_COUNT; f++) {
        tool_suggest_offer(&close, tulle_format_name((tulle_format)f));
    }
    return tool_misuse(command, "--format: there is no format '%s'%s", name,
                       tool_suggest_text(&close));
}

static bool find_format(const char *text, size_t length, tulle_format *format) {
    for (int f = 0; f < TULLE_FORMAT_COUNT; f++) {
        const char *name = tulle_format_name((tulle_format)f);
        if (strlen(name) != length || strncmp(name, text, length) != 0) continue;
        *format = (tulle_format)f;
        return true;
    }
    return false;
}

static const option *find_option(tulle_format format, const char *text, size_t length) {
    for (int i = 0; i < OPTIONS; i++) {
        const option *o = &options[i];
        bool has = tulle__format_of(format)->options & o->number;
        if (has && strlen(o->name) == length && strncmp(o->name, text, length) == 0) return o;
    }
    return NULL;
}

/* Returns "slice (sell), window (sell, packed), ...". */
static const char *all_options(void) {
    static char text[256];
    size_t end = 0;
    for (int i = 0; i < OPTIONS; i++) {
        const char *before = " (";
        end +=
            (size_t)snprintf(text + end, sizeof text - end, "%s%s", i ? ", " : "", options[i].name);
        for (int f = 0; f < TULLE_FORMAT_COUNT; f++) {
            const tulle__format *format = tulle__format_of((tulle_format)f);
            if (!(format->options & options[i].number)) continue;
            end += (size_t)snprintf(text + end, sizeof text - end, "%s%s", before, format->name);
            before = ", ";
        }
        end += (size_t)snprintf(text + end, sizeof text - end, ")");
    }
    return text;
}

/* Returns the largest number that an option takes. */
static int64_t most_of(const option *o) {
    if (o->offset == offsetof(tulle_convert_options, block)) return TULLE__MOST_BLOCK;
    if (o->offset == offsetof(tulle_convert_options, block_cols)) return TULLE__MOST_BLOCK;
    if (o->offset == offsetof(tulle_convert_options, slice)) return TULLE__MOST_SLICE;
    return INT64_MAX;
}

/* Reads one "name=number" and moves *text behind it. */
static int parse_option(const char *command, const char **text, tool_layout *layout) {
    size_t length = strcspn(*text, "=,");
    const option *o = find_option(layout->format, *text, length);
    if (!o || (*text)[length] != '=') {
        return tool_misuse(command, "--format: %s has no option '%.*s'; there are %s, each =NUMBER",
                           tulle_format_name(layout->format), (int)length, *text, all_options());
    }
    const char *digits = *text + length + 1, *end = digits + strcspn(digits, ",");
    int64_t number = 0;
    const int64_t most = most_of(o);
    if (!tool_parse_int_of(digits, (size_t)(end - digits), 1, most, &number)) {
        return tool_misuse(command, "--format: %s must be from 1 to %" PRId64 ", in '%s'", o->name,
                           most, *text);
    }
    int64_t *target = (int64_t *)(void *)((char *)&layout->options + o->offset);
    if (*end == ',' && end[1] == '\0') {
        return tool_misuse(command, "--format: there is no option behind the last comma of '%s'",
                           *text);
    }
    *target = number;
    *text = *end == ',' ? end + 1 : end;
    return TOOL_OK;
}

int tool_layout_parse(const char *command, const char *text, tool_layout *layout) {
    *layout = (tool_layout){.given = text != NULL, .format = TULLE_CSR};
    if (!text) return TOOL_OK;
    size_t length = strcspn(text, ":");
    if (!find_format(text, length, &layout->format)) return no_format(command, text, length);
    if (text[length] == '\0') return TOOL_OK;
    text += length + 1;
    do {
        int code = parse_option(command, &text, layout);
        if (code != TOOL_OK) return code;
    } while (*text);
    return TOOL_OK;
}

int tool_layout_csr_or_bsr(const char *command, const tool_layout *layout) {
    const bool fits = layout->format == TULLE_CSR || layout->format == TULLE_BSR;
    if (!layout->given || fits) return TOOL_OK;
    return tool_misuse(command, "--format: takes csr and bsr:block=N, not %s",
                       tulle_format_name(layout->format));
}

bool tool_layout_of_kernel(tulle_backend backend, const char *kernel, tool_layout *layout) {
    for (int i = 0; i < tulle_kernel_count(backend); i++) {
        tulle_kernel_info info;
        if (tulle_kernel_describe(backend, i, &info) != TULLE_OK) continue;
        if (!tool_kernel_is(kernel, &info)) continue;
        *layout = (tool_layout){.given = true, .format = info.format};
        return true;
    }
    return false;
}

/* Returns true when A has the format, and the blocks, that the layout asks for. */
static bool has_layout(const tulle_mat_info *info, const tool_layout *layout) {
    const tulle_convert_options *o = &layout->options;
    if (layout->format != info->format) return false;
    if (info->format != TULLE_BSR || o->block == 0) return true;
    const int64_t cols = o->block_cols > 0 ? o->block_cols : o->block;
    return o->block == info->storage.block && cols == tulle__block_cols(&info->storage);
}

tulle_status tool_layout_apply(tulle_ctx *ctx, tulle_mat *A, const tool_layout *layout,
                               tulle_mat **B, double *ms) {
    tulle_mat_info info;
    *ms = 0;
    *B = NULL;
    tulle_status status = tulle_mat_describe(A, &info);
    if (status != TULLE_OK) return status;
    if (!layout->given || has_layout(&info, layout)) {
        *B = tulle_mat_retain(A);
        return TULLE_OK;
    }
    double start = tulle__seconds();
    status = tulle_mat_convert_with(ctx, A, layout->format, info.index, &layout->options, B);
    *ms = 1e3 * (tulle__seconds() - start);
    return status;
}
