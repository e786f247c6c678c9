/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "kernel_details.h"
#include "subcommands.h"
#include "tools/common/args.h"
#include "tools/common/error.h"
#include "tools/common/json.h"
#include "tools/common/kernel_name.h"
#include "tools/common/names.h"
#include "tools/common/report.h"
#include "tools/common/say.h"
#include "tools/common/suggest.h"
#include "tools/common/table.h"
#include "tulle/advanced.h"

static const char *const examples[] = {
    "tulle kernels",
    "tulle kernels spmv_csr",
    "tulle kernels --json",
    NULL,
};

/* Returns a back end that can be asked for the GPU kernels, which are the same on a GPU and on the
 * emulator. */
static tulle_backend gpu_to_ask(void) {
    return tulle_kernel_count(TULLE_CUDA) > 0 ? TULLE_CUDA : TULLE_EMULATED;
}

typedef void (*use_fn)(void *user, const tool_kernel *kernel);

static tulle_status for_each(use_fn use, void *user) {
    const tulle_backend backends[] = {TULLE_CPU, gpu_to_ask()};
    for (int b = 0; b < 2; b++) {
        for (int i = 0; i < tulle_kernel_count(backends[b]); i++) {
            tool_kernel kernel = {.backend = backends[b], .number = i};
            tulle_status status = tulle_kernel_describe(backends[b], i, &kernel.info);
            if (status != TULLE_OK) return status;
            use(user, &kernel);
        }
    }
    return TULLE_OK;
}

/* Writes the products that a kernel computes, "A", "A'" (the transpose) or both, and whether the
 * kernel needs or may have a plan. */
static const char *computes(const tulle_kernel_info *info, char text[64]) {
    const char *plan = info->needs_plan ? ", needs a plan"
                       : info->has_plan ? ", may have a plan"
                                        : "";
    snprintf(text, 64, "%s%s%s%s", info->forward ? "A" : "",
             info->forward && info->transposed ? " A'" : "",
             info->transposed && !info->forward ? "A'" : "", plan);
    return text;
}

static const char *repeatable(const tulle_kernel_info *info) {
    if (info->repeatable && info->repeatable_t) return "A A'";
    if (info->repeatable) return "A";
    return info->repeatable_t ? "A'" : "-";
}

/* Writes the types that a kernel takes, such as "f32 f64". */
static const char *types(const tulle_kernel_info *info, char text[32]) {
    bool f32 = false, f64 = false;
    for (int index = 0; index < 3; index++) {
        f32 |= info->supports[TULLE_F32][index];
        f64 |= info->supports[TULLE_F64][index];
    }
    snprintf(text, 32, "%s%s%s", f32 ? "f32" : "", f32 && f64 ? " " : "", f64 ? "f64" : "");
    return text;
}

static void add_row(void *table, const tool_kernel *kernel) {
    const tulle_kernel_info *info = &kernel->info;
    char text[64];
    tool_table_cell(table, "%s", info->name);
    tool_table_cell(table, "%s", info->gpu ? "gpu" : "cpu");
    tool_table_cell(table, "%s", tool_format_name(info->format));
    tool_table_cell(table, "%s", types(info, text));
    tool_table_cell(table, "%s", computes(info, text));
    tool_table_cell(table, "%s", repeatable(info));
    tool_table_cell(table, "%s", info->summary);
}

/* Operations on multivectors that each back end computes in one way, so that no kernel is chosen.
 * `tulle bench --op` takes these names. */
static const struct {
    const char *name, *function;
} single_ways[] = {{"multivector_axpy", "tulle_vec_combine"},
                   {"multivector_dot", "tulle_vec_inner"},
                   {"multivector_qr", "tulle_vec_qr"}};
enum { SINGLE_WAYS = sizeof single_ways / sizeof *single_ways };

static void print_single_ways(void) {
    tool_say("\nWithout a choice, on both (tulle bench --op NAME):");
    for (int i = 0; i < SINGLE_WAYS; i++) tool_say("%s %s", i > 0 ? "," : "", single_ways[i].name);
    tool_say("\n");
}

static void name_single_way(const char *name, char function[64], char measured[64]) {
    for (int i = 0; i < SINGLE_WAYS; i++) {
        if (strcmp(name, single_ways[i].name) == 0) {
            snprintf(function, 64, "%s", single_ways[i].function);
        }
    }
    snprintf(measured, 64, "tulle bench --op %s", name);
}

static void print_single_way(const void *name) {
    char function[64], measured[64];
    name_single_way(name, function, measured);
    tool_say("%s: an operation without kernels to choose from\n", (const char *)name);
    tool_say("  function     %s (tulle/vec.h)\n", function);
    tool_say("  measured by  %s\n", measured);
}

static void print_single_way_json(const void *name) {
    char function[64], measured[64];
    name_single_way(name, function, measured);
    cJSON *list = tool_json_array(), *item = tool_json_item(list);
    tool_json_text(item, "name", name);
    tool_json_text(item, "function", function);
    tool_json_text(item, "measured_by", measured);
    tool_json_report(list);
}

/* Does nothing with a kernel: all kernels are looked at once before anything is printed. */
static void nothing(void *user, const tool_kernel *kernel) {
    (void)user;
    (void)kernel;
}

static void print_table(const void *unused) {
    static const char *const headings[] = {"kernel",   "on",         "format",  "types",
                                           "computes", "repeatable", "summary", NULL};
    (void)unused;
    tool_table *table = tool_table_create(headings);
    (void)for_each(add_row, table);
    tool_table_print(table, tool_said(), 0);
    print_single_ways();
    if (tulle_kernel_count(gpu_to_ask()) == 0) {
        tool_say("\nGPU kernels are not listed: %s\n", tulle_device_missing(TULLE_CUDA));
    }
}

static void print_json(const void *unused) {
    (void)unused;
    cJSON *json = tool_json_object();
    (void)for_each(tool_kernel_add_json, tool_json_list(json, "kernels"));
    tool_json_report(json);
}

static int print_all(const tool_common *common) {
    const tulle_status status = for_each(nothing, NULL);
    if (status != TULLE_OK) return tool_fail(status);
    return tool_report(common, print_json, print_table, NULL);
}

/* A search for one kernel, and the names that come close. */
typedef struct search {
    const char *name;
    bool found;
    tool_kernel kernel;
    tool_suggestions close;
} search;

static void compare(void *user, const tool_kernel *kernel) {
    search *s = user;
    tool_suggest_offer(&s->close, kernel->info.name);
    if (kernel->info.also) tool_suggest_offer(&s->close, kernel->info.also);
    if (!tool_kernel_is(s->name, &kernel->info)) return;
    s->kernel = *kernel;
    s->found = true;
}

static void print_kernel(const void *kernel) {
    tool_kernel_print(kernel);
}

static void print_kernel_json(const void *kernel) {
    cJSON *list = tool_json_array();
    tool_kernel_add_json(list, kernel);
    tool_json_report(list);
}

static int print_one(const char *name, const tool_common *common) {
    search s = {.name = name, .close = tool_suggest(name)};
    for (int i = 0; i < SINGLE_WAYS; i++) {
        if (strcmp(name, single_ways[i].name) != 0) continue;
        return tool_report(common, print_single_way_json, print_single_way, name);
    }
    tulle_status status = for_each(compare, &s);
    if (status != TULLE_OK) return tool_fail(status);
    if (!s.found) {
        return tool_misuse("kernels", "there is no kernel '%s'%s", name,
                           tool_suggest_text(&s.close));
    }
    return tool_report(common, print_kernel_json, print_kernel, &s.kernel);
}

int tulle_tool_kernels(int argc, char **argv) {
    tool_common common = tool_common_defaults();
    const tool_option options[] = {TOOL_JSON(&common)};
    const tool_command command = {
        .name = "kernels",
        .operands = "[NAME]",
        .about =
            "Lists all kernels: what each computes (A x, A' x with the transpose), for which\n"
            "format and value types, and whether the result is bitwise the same from run to run.\n"
            "With NAME: all about one kernel, its index types (bits of the offsets and of the\n"
            "columns), its source and its parameters too. \"csr\" is short for \"spmv_csr\".",
        .examples = examples,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .max_operands = 1,
    };
    tool_parsed parsed = tool_parse(&command, argc, argv);
    if (parsed.stop) return parsed.code;
    return parsed.count ? print_one(parsed.operand[0], &common) : print_all(&common);
}
