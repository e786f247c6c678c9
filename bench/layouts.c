/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/layouts.h"

#include <stdio.h>
#include <string.h>

#include "tools/common/error.h"

int bench_layouts_check(const bench_settings *settings) {
    if (settings->formats.count > BENCH_LAYOUTS) {
        return tool_misuse("bench", "--format: at most %d of them", BENCH_LAYOUTS);
    }
    for (int i = 0; i < settings->formats.count; i++) {
        const char *text = settings->formats.item[i];
        tool_layout layout;
        if (strcmp(text, "all") == 0) continue;
        int code = tool_layout_parse("bench", text, &layout);
        if (code != TOOL_OK) return code;
    }
    return TOOL_OK;
}

static void add(bench_layouts *list, const tool_layout *layout, const char *text) {
    if (list->count == BENCH_LAYOUTS) return;
    bench_layout *next = &list->item[list->count];
    next->layout = *layout;
    snprintf(next->text, sizeof next->text, "%s", layout->format == TULLE_CSR ? "" : text);
    for (int i = 0; i < list->count; i++) {
        if (strcmp(list->item[i].text, next->text) == 0) return;
    }
    list->count++;
}

static void add_all(bench_layouts *list) {
    for (int f = 0; f < TULLE_FORMAT_COUNT; f++) {
        tool_layout layout = {.given = true, .format = (tulle_format)f};
        add(list, &layout, tulle_format_name(layout.format));
    }
}

static void add_asked(bench_layouts *list, const char *text) {
    tool_layout layout;
    if (strcmp(text, "all") == 0) {
        add_all(list);
    } else if (tool_layout_parse("bench", text, &layout) == TOOL_OK) {
        add(list, &layout, text);
    }
}

bench_layouts bench_layouts_of(const bench_settings *settings, tulle_backend backend) {
    bench_layouts list = {0};
    for (int i = 0; i < settings->formats.count; i++) add_asked(&list, settings->formats.item[i]);
    if (list.count) return list;
    for (int k = 0; k < settings->kernels.count; k++) {
        tool_layout layout;
        if (!tool_layout_of_kernel(backend, settings->kernels.item[k], &layout)) continue;
        add(&list, &layout, tulle_format_name(layout.format));
    }
    static const tool_layout csr = {.format = TULLE_CSR};
    if (!list.count) add(&list, &csr, "");
    return list;
}
