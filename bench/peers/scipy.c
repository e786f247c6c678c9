/* SPDX-License-Identifier: Apache-2.0 */
/* SciPy: one thread, in a Python process of its own, with the arrays in temporary raw files. */
#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/find.h"
#include "bench/peers.h"
#include "tools/common/error.h"
#include "tools/common/json.h"
#include "tools/common/names.h"

extern char **environ;

enum { OUTPUT = 1024, MOST_ARGUMENTS = 14, NUMBER = 32 };

typedef struct scipy_task {
    const bench_problem *problem;
    char folder[BENCH_PATH];
} scipy_task;

static const char *python(void) {
    const char *chosen = getenv("TULLE_PYTHON");
    return chosen && chosen[0] ? chosen : "python3";
}

/* Reads what a child writes, up to the room; returns when it closes its end. */
static void read_all(int from, char output[OUTPUT]) {
    size_t used = 0;
    char rest[256];
    for (;;) {
        bool full = used == OUTPUT - 1;
        ssize_t got =
            full ? read(from, rest, sizeof rest) : read(from, output + used, OUTPUT - 1 - used);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        if (!full) used += (size_t)got;
    }
    output[used] = '\0';
}

static tulle_status start(char *const argv[], int output, pid_t *child) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1 /* O_WRONLY */, 0);
    int error = posix_spawnp(child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (!error) return TULLE_OK;
    return tool_record(TULLE_NOT_FOUND, "%s cannot be started (name a Python in TULLE_PYTHON): %s",
                       argv[0], strerror(error));
}

/* Runs the script with the arguments (then NULL) and gives its output. */
static tulle_status run_script(const char *const arguments[], char output[OUTPUT]) {
    char path[BENCH_PATH];
    if (!bench_find("peers/scipy_peer.py", path)) {
        return tool_record(TULLE_NOT_FOUND,
                           "bench/peers/scipy_peer.py is not there (name its bench folder in "
                           "TULLE_BENCH)");
    }
    const char *argv[MOST_ARGUMENTS] = {python(), path};
    for (int i = 0; arguments[i] && i + 3 < MOST_ARGUMENTS; i++) argv[i + 2] = arguments[i];
    int ends[2];
    if (pipe(ends) != 0) return tool_record(TULLE_IO_ERROR, "pipe: %s", strerror(errno));
    pid_t child = 0;
    tulle_status status = start((char *const *)argv, ends[1], &child);
    close(ends[1]);
    if (status == TULLE_OK) read_all(ends[0], output);
    close(ends[0]);
    if (status != TULLE_OK) return status;
    int end = 0;
    while (waitpid(child, &end, 0) < 0 && errno == EINTR) continue;
    if (WIFEXITED(end) && WEXITSTATUS(end) == 0) return TULLE_OK;
    return tool_record(TULLE_NOT_FOUND, "%s cannot run scipy_peer.py: are numpy and scipy there?",
                       argv[0]);
}

static tulle_status available(char version[BENCH_VERSION]) {
    const char *const arguments[] = {"--version", NULL};
    char output[OUTPUT];
    tulle_status status = run_script(arguments, output);
    if (status != TULLE_OK) return status;
    output[strcspn(output, "\r\n")] = '\0';
    snprintf(version, BENCH_VERSION, "SciPy %.50s", output);
    return TULLE_OK;
}

static const char *const files[] = {"offsets", "columns", "values", "x", "y"};

static FILE *open_file(const scipy_task *t, const char *name, const char *mode) {
    char path[BENCH_PATH + 16];
    snprintf(path, sizeof path, "%s/%s", t->folder, name);
    return fopen(path, mode);
}

static tulle_status write_file(const scipy_task *t, const char *name, const void *data,
                               int64_t bytes) {
    FILE *file = open_file(t, name, "wb");
    bool written = file && fwrite(data, 1, (size_t)bytes, file) == (size_t)bytes;
    bool closed = file && fclose(file) == 0;
    if (written && closed) return TULLE_OK;
    return tool_record(TULLE_IO_ERROR, "%s/%s: %s", t->folder, name, strerror(errno));
}

static void close_task(void *state) {
    scipy_task *t = state;
    char path[BENCH_PATH + 16];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", t->folder, files[i]);
        (void)unlink(path);
    }
    (void)rmdir(t->folder);
    free(t);
}

static tulle_status write_arrays(const scipy_task *t) {
    const tulle_mat_info *A = &t->problem->info;
    int64_t value = tulle_type_size(A->type);
    tulle_mat_arrays arrays;
    tulle_dense_info x;
    tulle_status status = tulle_mat_view(t->problem->A, &arrays);
    if (status == TULLE_OK) status = tulle_dense_describe(t->problem->x, &x);
    if (status == TULLE_OK) {
        status =
            write_file(t, "offsets", arrays.offsets, (A->rows + 1) * tulle_offset_size(A->index));
    }
    if (status == TULLE_OK) {
        status = write_file(t, "columns", arrays.cols, A->nnz * tulle_index_size(A->index));
    }
    if (status == TULLE_OK) status = write_file(t, "values", arrays.values, A->nnz * value);
    if (status == TULLE_OK) status = write_file(t, "x", x.data, x.rows * value);
    return status;
}

static tulle_status prepare(const bench_peer *peer, const bench_problem *problem,
                            bench_peer_task *task) {
    (void)peer;
    const char *temporary = getenv("TMPDIR");
    scipy_task *t = tool_alloc(1, sizeof *t);
    t->problem = problem;
    snprintf(t->folder, sizeof t->folder, "%s/tulle-bench-XXXXXX",
             temporary && temporary[0] ? temporary : "/tmp");
    *task = (bench_peer_task){.state = t, .threads = 1};
    tulle_status status = TULLE_OK;
    if (!mkdtemp(t->folder)) {
        status = tool_record(TULLE_IO_ERROR, "%s: %s", t->folder, strerror(errno));
    }
    if (status == TULLE_OK) status = write_arrays(t);
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status read_result(const scipy_task *t) {
    tulle_dense_info y;
    tulle_status status = tulle_dense_describe(t->problem->y, &y);
    if (status != TULLE_OK) return status;
    FILE *file = open_file(t, "y", "rb");
    bool whole = file && fread(y.data, 1, (size_t)y.bytes, file) == (size_t)y.bytes;
    if (file) fclose(file);
    if (whole) return TULLE_OK;
    return tool_record(TULLE_IO_ERROR, "%s/y: SciPy did not write its result", t->folder);
}

static tulle_status read_times(const char *output, tool_timing *timing) {
    struct {
        const char *key;
        double value;
    } number[] = {{"ms", 0},      {"ms_q10", 0},  {"ms_q90", 0},
                  {"ms_cold", 0}, {"samples", 0}, {"batch", 0}};
    cJSON *json = cJSON_Parse(output);
    bool complete = json != NULL;
    for (size_t i = 0; i < sizeof number / sizeof *number && complete; i++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, number[i].key);
        complete = cJSON_IsNumber(item);
        if (complete) number[i].value = item->valuedouble;
    }
    cJSON_Delete(json);
    if (!complete) return tool_record(TULLE_PARSE_ERROR, "scipy_peer.py: no times in its output");
    *timing = (tool_timing){.ms = number[0].value,
                            .q10 = number[1].value,
                            .q90 = number[2].value,
                            .cold = number[3].value,
                            .samples = (int64_t)number[4].value,
                            .batch = (int64_t)number[5].value};
    return TULLE_OK;
}

static tulle_status measure(void *state, const tool_budget *budget, tool_timing *timing) {
    const scipy_task *t = state;
    const tulle_mat_info *A = &t->problem->info;
    char rows[NUMBER], cols[NUMBER], offset[NUMBER], index[NUMBER], repeat[NUMBER], seconds[NUMBER],
        flush[NUMBER];
    snprintf(rows, NUMBER, "%" PRId64, A->rows);
    snprintf(cols, NUMBER, "%" PRId64, A->cols);
    snprintf(offset, NUMBER, "%" PRId64, tulle_offset_size(A->index));
    snprintf(index, NUMBER, "%" PRId64, tulle_index_size(A->index));
    snprintf(repeat, NUMBER, "%" PRId64, budget->repeat);
    snprintf(seconds, NUMBER, "%g", budget->seconds);
    snprintf(flush, NUMBER, "%" PRId64, 4 * t->problem->device.cache_bytes);
    const char *const arguments[] = {t->folder,
                                     rows,
                                     cols,
                                     tool_type_name(A->type),
                                     offset,
                                     index,
                                     t->problem->trans == TULLE_T ? "t" : "n",
                                     repeat,
                                     seconds,
                                     flush,
                                     NULL};
    char output[OUTPUT];
    tulle_status status = run_script(arguments, output);
    if (status == TULLE_OK) status = read_times(output, timing);
    if (status == TULLE_OK) status = read_result(t);
    return status;
}

const bench_peer bench_peer_scipy_csr = {
    .name = "scipy_csr",
    .library = "scipy",
    .available = available,
    .prepare = prepare,
    .measure = measure,
    .close = close_task,
};
