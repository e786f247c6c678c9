/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/run.h"

#include <inttypes.h>
#include <string.h>

#include "bench/case.h"
#include "bench/set.h"
#include "tools/common/error.h"
#include "tools/common/input.h"
#include "tools/common/numbers.h"
#include "tools/common/progress.h"
#include "tools/common/say.h"
#include "trials/op.h"

void bench_name_matrix(const char *argument, const tool_source *source, bench_matrix *matrix) {
    const char *slash = strrchr(argument, '/');
    bool tiled = strcmp(source->kind, "tile") == 0;
    const char *name = source->has_file && !tiled && slash ? slash + 1 : argument;
    snprintf(matrix->name, sizeof matrix->name, "%s", name);
    static const char *const endings[] = {".xz", ".gz", ".zst", ".tar", ".mtx", ".tulle"};
    for (size_t i = 0; source->has_file && i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(matrix->name), ending = strlen(endings[i]);
        if (length > ending && strcmp(matrix->name + length - ending, endings[i]) == 0) {
            matrix->name[length - ending] = '\0';
        }
    }
}

/* Returns the matrix in the type and index type that the case asks for, or NULL with the failure
 * noted. */
static tulle_mat *in_type(bench_session *s, const bench_matrix *matrix, tulle_mat *A,
                          tulle_type type) {
    tulle_mat *typed = NULL, *result = NULL;
    tulle_status status = tulle_mat_copy(s->ctx, A, type, &typed);
    if (status == TULLE_OK && s->settings->index == BENCH_ANY_INDEX) return typed;
    if (status == TULLE_OK) {
        status = tulle_mat_convert(s->ctx, typed, TULLE_CSR, (tulle_index)s->settings->index, 0,
                                   &result);
    }
    tulle_mat_destroy(typed);
    if (status != TULLE_OK) bench_session_failed(s, matrix->name, status);
    return result;
}

static bool asks_for(int setting, int type) {
    return setting == TRIAL_BOTH_TYPES || setting == type;
}

static void run_types(bench_session *s, const bench_matrix *matrix, tulle_mat *A) {
    for (int type = TULLE_F32; type <= TULLE_F64 && !s->cut; type++) {
        if (!asks_for(s->settings->type, type)) continue;
        tulle_mat *typed = in_type(s, matrix, A, (tulle_type)type);
        if (typed) bench_case_run(s, matrix, typed);
        tulle_mat_destroy(typed);
    }
}

static bool all_known(const bench_session *s, const bench_matrix *matrix) {
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        const bool asked = asks_for(s->settings->type, type);
        if (asked && !bench_case_known(s, matrix, (tulle_type)type)) return false;
    }
    return true;
}

static void run_matrix(bench_session *s, const char *argument, bench_matrix *matrix) {
    tulle_type type = s->settings->type == TULLE_F32 ? TULLE_F32 : TULLE_F64;
    tool_source source;
    tulle_mat *A = NULL;
    tulle_status status = tool_open_matrix(s->ctx, argument, type, matrix->seed, &A, &source);
    if (status == TULLE_OK) status = tool_unfold_blocks(s->ctx, &A);
    if (status != TULLE_OK) {
        tulle_mat_destroy(A);
        if (status != TULLE_CANCELLED) s->unread++;
        bench_session_failed(s, argument, status);
        return;
    }
    matrix->source = source.kind;
    bench_name_matrix(argument, &source, matrix);
    status = bench_session_measure_place(s);
    if (status == TULLE_OK) {
        run_types(s, matrix, A);
    } else {
        bench_session_failed(s, argument, status);
    }
    tulle_mat_destroy(A);
}

/* Reads "N", or "COUNTxN" where `many`. */
static bool parse_size(const char *argument, bool many, int64_t *count, int64_t *n) {
    enum { WORD = 24 };
    const char *cross = many ? strchr(argument, 'x') : NULL;
    char word[WORD];
    *count = 1;
    if (!cross) return tool_parse_int(argument, 1, INT64_MAX / 16, n);
    if (cross - argument >= WORD) return false;
    snprintf(word, sizeof word, "%.*s", (int)(cross - argument), argument);
    return tool_parse_int(word, 1, INT32_MAX, count) &&
           tool_parse_int(cross + 1, 1, INT64_MAX / 16 / *count, n);
}

/* Runs an operation that takes a size in place of a matrix. */
static void run_size(bench_session *s, const char *argument, bench_matrix *matrix) {
    const trial_operation *operation = trial_operation_of(s->settings->op);
    const bool many = operation->many;
    int64_t n = 0, count = 1;
    matrix->source = "generated";
    tulle_status status = TULLE_OK;
    const bool is_size = parse_size(argument, many, &count, &n);
    if (operation->most > 0 && (!is_size || n > operation->most)) {
        s->unread++;
        status = tool_record(TULLE_INVALID_ARGUMENT,
                             "%s: --op %s takes numbers of rows, from 1 to %" PRId64 "", argument,
                             s->settings->operation, operation->most);
    } else if (!is_size) {
        s->unread++;
        status = tool_record(TULLE_INVALID_ARGUMENT, "%s: --op %s takes lengths of vectors, as %s",
                             argument, s->settings->operation, many ? "128x1000" : "1000");
    }
    if (status == TULLE_OK) status = bench_session_measure_place(s);
    if (status != TULLE_OK) bench_session_failed(s, argument, status);
    for (int type = TULLE_F32; type <= TULLE_F64 && status == TULLE_OK && !s->cut; type++) {
        if (!asks_for(s->settings->type, type)) continue;
        bench_case_run_size(s, matrix, count, n, (tulle_type)type);
    }
}

/* Runs an operation that takes a mesh in place of a matrix. */
static void run_mesh(bench_session *s, const char *argument, bench_matrix *matrix) {
    tulle_mesh *mesh = NULL;
    matrix->source = "generated";
    tulle_status status = tulle_mesh_generate(s->ctx, argument, &mesh);
    tulle_mesh_destroy(mesh);
    s->unread += status != TULLE_OK;
    if (status == TULLE_OK) status = bench_session_measure_place(s);
    if (status != TULLE_OK) bench_session_failed(s, argument, status);
    for (int type = TULLE_F32; type <= TULLE_F64 && status == TULLE_OK && !s->cut; type++) {
        if (!asks_for(s->settings->type, type)) continue;
        bench_case_run_mesh(s, matrix, (tulle_type)type);
    }
}

static void run_argument(bench_session *s, const char *argument) {
    bench_matrix matrix = {.source = "", .seed = (uint64_t)s->settings->seed};
    const trial_operation *operation = trial_operation_of(s->settings->op);
    snprintf(matrix.name, sizeof matrix.name, "%s", argument);
    if (all_known(s, &matrix)) {
        s->complete++;
    } else if (operation->sized) {
        run_size(s, argument, &matrix);
    } else if (operation->meshes) {
        run_mesh(s, argument, &matrix);
    } else {
        run_matrix(s, argument, &matrix);
    }
}

static void say_what_is_left(const bench_session *s, const bench_set *set, int begun) {
    if (begun == set->count && !s->cut) return;
    tool_say_to(stderr, "tulle: bench: stopped early:");
    if (s->cut) tool_say_to(stderr, " %s not finished,", set->item[begun - 1]);
    tool_say_to(stderr, " %d of %d matrices not begun", set->count - begun, set->count);
    const char *file = s->settings->json;
    bool can_resume = file && strcmp(file, "-") != 0;
    tool_say_to(stderr, can_resume ? " (--resume %s goes on)\n" : "\n", file);
}

static void print_end(const bench_session *s, const bench_set *set) {
    if (s->settings->quiet) return;
    tool_say_to(stderr, "tulle: bench: %s: %d %s, %" PRId64 " new measurements", s->place.machine,
                set->count, set->count == 1 ? "matrix" : "matrices", s->measured);
    if (s->known) tool_say_to(stderr, ", %" PRId64 " were there before", s->known);
    if (s->complete) {
        tool_say_to(stderr, ", %" PRId64 " of the matrices were complete", s->complete);
    }
    if (s->wrong) tool_say_to(stderr, ", %" PRId64 " WRONG", s->wrong);
    if (s->failed) tool_say_to(stderr, ", %" PRId64 " failed", s->failed);
    tool_say_to(stderr, "\n");
}

static int code_of(const bench_session *s) {
    if (s->code != TOOL_OK) return s->code;
    if (tool_interrupted()) return TOOL_INTERRUPTED;
    if (s->wrong > 0 || s->failed > s->unread) return TOOL_FAILED;
    return s->unread ? TOOL_BAD_INPUT : TOOL_OK;
}

int bench_run(const bench_settings *settings) {
    bench_set set;
    int code = bench_set_open(settings, &set);
    if (code != TOOL_OK) return code;
    bench_session session;
    code = bench_session_open(settings, &session);
    if (code == TOOL_OK) {
        int begun = 0;
        while (begun < set.count && !bench_session_over(&session)) {
            run_argument(&session, set.item[begun++]);
        }
        if (session.table) bench_standing_print(&session.standing, stdout);
        say_what_is_left(&session, &set, begun);
        print_end(&session, &set);
        bench_session_close(&session);
        code = code_of(&session);
    }
    bench_set_close(&set);
    return code;
}
