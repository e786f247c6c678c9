/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/papers/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/papers/ncu.h"
#include "tools/common/error.h"
#include "tools/common/fields.h"
#include "tools/common/json.h"
#include "tools/common/kind.h"
#include "tools/common/say.h"

enum { PATH = 4096, MOST_WORDS = 64 };

/* Command line of the program that makes the calls. */
typedef struct command {
    char program[PATH], number[16], seed[32], minutes[32];
    char *word[MOST_WORDS];
    int count;
} command;

static void add_word(command *c, const char *word) {
    if (c->count < MOST_WORDS - 1) c->word[c->count++] = (char *)(uintptr_t)word;
}

static void add_list(command *c, const char *option, const tool_list *list) {
    for (int i = 0; i < list->count; i++) {
        add_word(c, option);
        add_word(c, list->item[i]);
    }
}

static bool make_command(const paper_settings *s, const char *rows, command *c) {
    c->count = 0;
    ssize_t length = readlink("/proc/self/exe", c->program, sizeof c->program - 1);
    if (length <= 0) return false;
    c->program[length] = '\0';
    snprintf(c->number, sizeof c->number, "%d", s->paper->number);
    snprintf(c->seed, sizeof c->seed, "%lld", (long long)s->bench.seed);
    snprintf(c->minutes, sizeof c->minutes, "%g", s->bench.minutes);
    const char *const words[] = {c->program, "paper",     c->number, "--calls", "--quiet",
                                 "--on",     s->bench.on, "--out",   rows,      "--seed",
                                 c->seed,    "--minutes", c->minutes};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) add_word(c, words[i]);
    if (s->quick) add_word(c, "--quick");
    add_list(c, "--experiment", &s->experiments);
    add_list(c, "--matrix", &s->only);
    c->word[c->count] = NULL;
    return true;
}

static void add_counters(cJSON *row, const ncu_product *product) {
    tool_json_int(row, "launches", product->launches);
#define X(name, metric, factor, adds) tool_json_known(row, #name, product->counter[NCU_##name]);
    NCU_COUNTERS(X)
#undef X
}

/* Adds the rows that calls left, each with the counters of its product, to a list. */
static void join(FILE *rows, const ncu_products *products, cJSON *list) {
    char *line = NULL;
    size_t room = 0;
    for (int i = 0; i < products->count && getline(&line, &room, rows) > 0; i++) {
        cJSON *row = cJSON_Parse(line);
        if (!row) break;
        add_counters(row, &products->item[i]);
        cJSON_AddItemToArray(list, row);
    }
    free(line);
}

/* Writes the rows as lines; returns false where the file took not all of them. */
static bool write_lines(cJSON *list, FILE *json) {
    while (list->child) tool_json_print(cJSON_DetachItemFromArray(list, 0), json, true);
    return !ferror(json) && fflush(json) == 0;
}

static void print_table(const cJSON *fields, FILE *to) {
    static const tool_column columns[] = {{"matrix", "{matrix}"},
                                          {"kernel", "{kernel}"},
                                          {"params", "{params}"},
                                          {">occupancy %", "<{occupancy:1f}>"},
                                          {">warp %", "<{warp_efficiency:1f}>"},
                                          {">load %", "<{load_efficiency:1f}>"},
                                          {">L1 hit %", "<{l1_hit:1f}>"},
                                          {">shared %", "<{shared_load:1f}>"},
                                          {">DRAM", "<{dram_bytes:bytes}>"},
                                          {">time", "<{ms:ms}>"},
                                          {NULL, NULL}};
    tool_say_on(to);
    tool_say_table(fields, "rows", columns);
}

static int count_lines(FILE *file) {
    int count = 0;
    for (int c = fgetc(file); c != EOF; c = fgetc(file)) count += c == '\n';
    rewind(file);
    return count;
}

static int write_rows(const paper_settings *s, FILE *rows, const ncu_products *products) {
    const char *path = s->bench.json;
    bool to_output = path && strcmp(path, "-") == 0;
    tulle_status status = to_output || !path ? TULLE_OK : tool_check_kind(path, &tool_file_rows);
    if (status != TULLE_OK) return tool_fail(status);
    FILE *json = to_output ? stdout : path ? fopen(path, "a") : NULL;
    if (path && !json) return tool_complain(TOOL_BAD_INPUT, "%s: %s", path, strerror(errno));
    cJSON *fields = tool_json_object(), *list = tool_json_list(fields, "rows");
    join(rows, products, list);
    print_table(fields, to_output ? stderr : stdout);
    bool written = !json || write_lines(list, json);
    cJSON_Delete(fields);
    if (json && !to_output && fclose(json) != 0) written = false;
    return written ? TOOL_OK : tool_complain(TOOL_FAILED, "%s: %s", path, strerror(errno));
}

static int profile(const paper_settings *s, const char *ncu, const char *path, FILE *rows) {
    command c;
    ncu_products products = {0};
    char why[512] = "this program cannot be found";
    bool counted = make_command(s, path, &c) && ncu_run(ncu, c.word, &products, why);
    int code = TOOL_OK;
    if (!counted) {
        fprintf(stderr, "tulle: paper: no profile: %s\n", why);
    } else if (count_lines(rows) != products.count) {
        code = tool_complain(TOOL_FAILED, "paper: the profiler saw %d products, not all of them",
                             products.count);
    } else {
        code = write_rows(s, rows, &products);
    }
    free(products.item);
    return code;
}

int paper_profile(const paper_settings *s) {
    char ncu[PATH];
    if (!ncu_find(ncu)) {
        fprintf(stderr,
                "tulle: paper: no profile: there is no ncu (Nsight Compute) on the PATH, "
                "in the CUDA toolkit or in $TULLE_NCU\n");
        return TOOL_OK;
    }
    char path[] = "/tmp/tulle-paper-XXXXXX";
    int file = mkstemp(path);
    FILE *rows = file >= 0 ? fdopen(file, "r") : NULL;
    if (!rows) return tool_complain(TOOL_NO_RESOURCE, "%s: %s", path, strerror(errno));
    if (s->bench.matrices) setenv("TULLE_MATRICES", s->bench.matrices, 1);
    int code = profile(s, ncu, path, rows);
    fclose(rows);
    unlink(path);
    return code;
}
