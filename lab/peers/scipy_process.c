/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/peers/scipy_process.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/find.h"
#include "tools/common/error.h"
#include "tools/common/json.h"

extern char **environ;

enum { MOST_ARGUMENTS = 20, FILE_NAME = 32 };

static const char *python(void) {
    const char *chosen = getenv("TULLE_PYTHON");
    return chosen && chosen[0] ? chosen : "python3";
}

/* Reads the output of a child, as far as there is room; returns when the child closes its end. */
static void read_all(int from, char output[SCIPY_OUTPUT]) {
    size_t used = 0;
    char rest[256];
    for (;;) {
        bool full = used == SCIPY_OUTPUT - 1;
        ssize_t got = full ? read(from, rest, sizeof rest)
                           : read(from, output + used, SCIPY_OUTPUT - 1 - used);
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
    const bool is_python = strcmp(argv[0], python()) == 0;
    return tool_record(TULLE_NOT_FOUND, "%s cannot be started%s: %s", argv[0],
                       is_python ? " (name a Python in TULLE_PYTHON)" : " (is it in PATH?)",
                       strerror(error));
}

static void collect(const scipy_script *script, const char *path, const char *const arguments[],
                    const char *argv[MOST_ARGUMENTS]) {
    int count = 0;
    for (int i = 0; i < SCIPY_LAUNCHER && script->launcher[i]; i++) {
        argv[count++] = script->launcher[i];
    }
    argv[count++] = python();
    argv[count++] = path;
    for (int i = 0; arguments[i] && count + 1 < MOST_ARGUMENTS; i++) argv[count++] = arguments[i];
}

tulle_status scipy_run_script(const scipy_script *script, const char *const arguments[],
                              char output[SCIPY_OUTPUT]) {
    char path[BENCH_PATH];
    if (!bench_find_in("TULLE_PEERS", "lab/peers", script->path, path)) {
        return tool_record(TULLE_NOT_FOUND,
                           "lab/peers/%s is not there (name its folder in TULLE_PEERS)",
                           script->path);
    }
    const char *argv[MOST_ARGUMENTS] = {NULL};
    collect(script, path, arguments, argv);
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
    return tool_record(TULLE_NOT_FOUND, "%s cannot run %s: are %s there?", argv[0], script->path,
                       script->needs);
}

tulle_status scipy_run(const char *const arguments[], char output[SCIPY_OUTPUT]) {
    static const scipy_script script = {.path = "scipy_peer.py", .needs = "numpy and scipy"};
    return scipy_run_script(&script, arguments, output);
}

void scipy_first_line(char output[SCIPY_OUTPUT]) {
    output[strcspn(output, "\r\n")] = '\0';
}

tulle_status scipy_available(char version[BENCH_VERSION]) {
    const char *const arguments[] = {"--version", NULL};
    char output[SCIPY_OUTPUT];
    tulle_status status = scipy_run(arguments, output);
    if (status != TULLE_OK) return status;
    scipy_first_line(output);
    snprintf(version, BENCH_VERSION, "SciPy %.50s", output);
    return TULLE_OK;
}

tulle_status scipy_folder_open(scipy_folder *folder) {
    const char *temporary = getenv("TMPDIR");
    *folder = (scipy_folder){.path = ""};
    snprintf(folder->path, sizeof folder->path, "%s/tulle-bench-XXXXXX",
             temporary && temporary[0] ? temporary : "/tmp");
    if (mkdtemp(folder->path)) return TULLE_OK;
    tulle_status status = tool_record(TULLE_IO_ERROR, "%s: %s", folder->path, strerror(errno));
    folder->path[0] = '\0';
    return status;
}

static void path_of(const scipy_folder *folder, const char *name, char path[BENCH_PATH + 32]) {
    snprintf(path, BENCH_PATH + 32, "%s/%s", folder->path, name);
}

void scipy_folder_close(const scipy_folder *folder) {
    static const char *const names[] = {"offsets",   "columns",   "values",    "x",
                                        "y",         "b_offsets", "b_columns", "b_values",
                                        "c_offsets", "c_columns", "c_values"};
    char path[BENCH_PATH + 32];
    if (!folder->path[0]) return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        path_of(folder, names[i], path);
        (void)unlink(path);
    }
    (void)rmdir(folder->path);
}

tulle_status scipy_write(const scipy_folder *folder, const char *name, const void *data,
                         int64_t bytes) {
    char path[BENCH_PATH + 32];
    path_of(folder, name, path);
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(data, 1, (size_t)bytes, file) == (size_t)bytes;
    bool closed = file && fclose(file) == 0;
    if (written && closed) return TULLE_OK;
    return tool_record(TULLE_IO_ERROR, "%s: %s", path, strerror(errno));
}

tulle_status scipy_write_matrix(const scipy_folder *folder, const char *prefix,
                                const tulle_mat *A) {
    char name[FILE_NAME];
    tulle_mat_arrays arrays;
    tulle_mat_info info;
    tulle_status status = tulle_mat_view(A, &arrays);
    if (status == TULLE_OK) status = tulle_mat_describe(A, &info);
    if (status != TULLE_OK) return status;
    const void *const data[] = {arrays.offsets, arrays.cols, arrays.values};
    const int64_t bytes[] = {(info.rows + 1) * tulle_offset_size(info.index),
                             info.nnz * tulle_index_size(info.index),
                             info.nnz * tulle_type_size(info.type)};
    static const char *const names[] = {"offsets", "columns", "values"};
    for (int i = 0; i < 3 && status == TULLE_OK; i++) {
        snprintf(name, sizeof name, "%s%s", prefix, names[i]);
        status = scipy_write(folder, name, data[i], bytes[i]);
    }
    return status;
}

tulle_status scipy_write_system(const scipy_folder *folder, const tulle_mat *A,
                                const tulle_vec *x) {
    tulle_vec_info info;
    tulle_status status = tulle_vec_describe(x, &info);
    if (status == TULLE_OK) status = scipy_write_matrix(folder, "", A);
    return status == TULLE_OK ? scipy_write(folder, "x", info.data, info.bytes) : status;
}

tulle_status scipy_read(const scipy_folder *folder, const char *name, void *data, int64_t bytes) {
    char path[BENCH_PATH + 32];
    path_of(folder, name, path);
    FILE *file = fopen(path, "rb");
    bool whole = file && fread(data, 1, (size_t)bytes, file) == (size_t)bytes;
    if (file) fclose(file);
    if (whole) return TULLE_OK;
    return tool_record(TULLE_IO_ERROR, "%s: no result was written", path);
}

tulle_status scipy_numbers(const char *output, const char *const keys[], int count,
                           double *numbers) {
    cJSON *json = cJSON_Parse(output);
    bool complete = json != NULL;
    for (int i = 0; i < count && complete; i++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, keys[i]);
        complete = cJSON_IsNumber(item);
        if (complete) numbers[i] = item->valuedouble;
    }
    cJSON_Delete(json);
    if (complete) return TULLE_OK;
    return tool_record(TULLE_PARSE_ERROR, "no times in the output of a peer");
}

tulle_status scipy_times(const char *output, tool_timing *timing) {
    static const char *const keys[] = {"ms", "ms_q10", "ms_q90", "ms_cold", "samples", "batch"};
    double number[6] = {0};
    tulle_status status = scipy_numbers(output, keys, 6, number);
    *timing = (tool_timing){.ms = number[0],
                            .q10 = number[1],
                            .q90 = number[2],
                            .cold = number[3],
                            .samples = (int64_t)number[4],
                            .batch = (int64_t)number[5]};
    return status;
}
