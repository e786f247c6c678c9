/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "kernel_details.h"
#include "subcommands.h"
#include "tools/common/args.h"
#include "tools/common/error.h"
#include "tools/common/fields.h"
#include "tools/common/json.h"
#include "tools/common/kernel_name.h"
#include "tools/common/report.h"
#include "tools/common/say.h"
#include "tools/common/suggest.h"
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

/* Returns a list with the fields of an operation that has a single way. */
static cJSON *fields_of_single_way(const char *name) {
    char measured[64];
    snprintf(measured, sizeof measured, "tulle bench --op %s", name);
    cJSON *list = tool_json_array(), *item = tool_json_item(list);
    tool_json_text(item, "name", name);
    for (int i = 0; i < SINGLE_WAYS; i++) {
        if (strcmp(name, single_ways[i].name) == 0) {
            tool_json_text(item, "function", single_ways[i].function);
        }
    }
    tool_json_text(item, "measured_by", measured);
    return list;
}

static void print_single_way(const void *name) {
    cJSON *list = fields_of_single_way(name);
    tool_say_fields(list->child,
                    "{name}: an operation without kernels to choose from\n"
                    "  function     {function} (tulle/vec.h)\n"
                    "  measured by  {measured_by}\n");
    cJSON_Delete(list);
}

static void print_single_way_json(const void *name) {
    tool_json_report(fields_of_single_way(name));
}

/* Does nothing with a kernel: all kernels are looked at once before anything is printed. */
static void nothing(void *user, const tool_kernel *kernel) {
    (void)user;
    (void)kernel;
}

static cJSON *fields_of_all(void) {
    cJSON *json = tool_json_object();
    (void)for_each(tool_kernel_add_json, tool_json_list(json, "kernels"));
    return json;
}

static void print_table(const void *unused) {
    static const tool_column columns[] = {
        {"kernel", "{name}"},
        {"on", "{backend}"},
        {"format", "{format}"},
        {"types", "<{?_f32}f32><{?_f32}<{?_f64} >><{?_f64}f64>"},
        {"computes",
         "<{?forward}A><{?forward}<{?transposed} >><{?transposed}A'>"
         "<{?needs_plan}, needs a plan>"
         "<{!needs_plan}<{?has_plan}, may have a plan>>"},
        {"repeatable",
         "<{?repeatable}A><{?repeatable}<{?repeatable_t} >><{?repeatable_t}A'>"
         "<{!repeatable}<{!repeatable_t}->>"},
        {"summary", "{summary}"},
        {NULL, NULL}};
    (void)unused;
    cJSON *fields = fields_of_all();
    tool_say_list(fields, "kernels", columns);
    cJSON_Delete(fields);
    print_single_ways();
    if (tulle_kernel_count(gpu_to_ask()) == 0) {
        tool_say("\nGPU kernels are not listed: %s\n", tulle_device_missing(TULLE_CUDA));
    }
}

static void print_json(const void *unused) {
    (void)unused;
    tool_json_report(fields_of_all());
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
