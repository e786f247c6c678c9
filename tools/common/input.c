/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "comm/comm.h"
#include "core/stopwatch.h"
#include "tools/common/error.h"
#include "tools/common/generators.h"
#include "tools/common/notes.h"
#include "tools/common/progress.h"
#include "tools/common/stdin.h"
#include "tools/common/suggest.h"
#include "tulle/mesh.h"

#define STANDARD_INPUT "standard input"

/* A request for a matrix: its type, and the place to note its source. */
typedef struct request {
    tulle_ctx *ctx;
    tulle_type type;
    uint64_t seed;
    tool_source *source;
} request;

static bool exists(const char *path) {
    struct stat unused;
    return stat(path, &unused) == 0 ||
           (errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG);
}

static bool starts_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static bool ends_in(const char *text, const char *ending) {
    const size_t length = strlen(text), own = strlen(ending);
    return length > own && strcmp(text + length - own, ending) == 0;
}

bool tool_names_mesh_file(const char *path) {
    static const char *const endings[] = {".msh", ".vtu"};
    static const char *const packed[] = {"", ".gz", ".xz", ".zst"};
    for (size_t i = 0; i < 8; i++) {
        char whole[12];
        snprintf(whole, sizeof whole, "%s%s", endings[i / 4], packed[i % 4]);
        if (ends_in(path, whole)) return true;
    }
    return false;
}

static tulle_status load_stdin(tulle_ctx *ctx, tulle_type type, tulle_mat **A,
                               tulle_file_info *file) {
    int64_t size = 0;
    void *bytes = tool_read_stdin(&size);
    if (!bytes) return tool_interrupted() ? TULLE_CANCELLED : TULLE_IO_ERROR;
    const tulle_status status =
        tulle_mat_load_memory(ctx, bytes, size, STANDARD_INPUT, type, A, file);
    free(bytes);
    return status;
}

static bool is_stdin(const char *path) {
    return strcmp(path, "-") == 0;
}

static const char *name_of(const char *path) {
    return is_stdin(path) ? STANDARD_INPUT : path;
}

tulle_status tool_open_file(tulle_ctx *ctx, const char *path, tulle_type type, tulle_mat **A,
                            tulle_file_info *file) {
    const tulle_status status =
        is_stdin(path) ? load_stdin(ctx, type, A, file) : tulle_mat_load(ctx, path, type, A, file);
    if (status == TULLE_OK) tool_say_notes(name_of(path), file, type);
    return status;
}

static tulle_status load(request *r, const char *path, tulle_mat **A) {
    r->source->kind = "real";
    r->source->has_file = true;
    snprintf(r->source->path, sizeof r->source->path, "%s", name_of(path));
    if (tool_names_mesh_file(path)) {
        return tool_record(
            TULLE_INVALID_ARGUMENT,
            "%s: is a mesh, not a matrix: tulle mesh info %s; tulle solve solves on it", path,
            path);
    }
    return tool_open_file(r->ctx, path, r->type, A, &r->source->file);
}

bool tool_find_matrix(const char *name, char path[4096]) {
    static const char *const endings[] = {".mtx",   ".mtx.xz", ".mtx.gz", ".mtx.zst", ".tar.gz",
                                          ".tulle", ".npz",    ".rb",     ""};
    const char *folder = getenv("TULLE_MATRICES");
    if (!folder || !folder[0] || !name[0] || strchr(name, '/')) return false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        int length = snprintf(path, 4096, "%s/%s%s", folder, name, endings[i]);
        if (length > 0 && length < 4096 && exists(path)) return true;
    }
    return false;
}

/* Returns true if the argument is "tile:FILE:k", and FILE can be found. */
static bool is_tiled_file(const char *argument, char path[4096], int64_t *copies) {
    char name[TOOL_SPEC_ROOM];
    if (!tool_split_tile(argument, name, copies)) return false;
    snprintf(path, 4096, "%s", name);
    return exists(name) || tool_find_matrix(name, path);
}

static tulle_status load_tiled(request *r, const char *path, int64_t copies, tulle_mat **A) {
    tulle_mat *one = NULL;
    tulle_status status = load(r, path, &one);
    r->source->kind = "tile";
    if (status == TULLE_OK) status = tulle_mat_tile(r->ctx, one, copies, A);
    tulle_mat_destroy(one);
    return status;
}

static tulle_status generate(request *r, const char *spec, tulle_mat **A) {
    bool like = starts_with(spec, "like:");
    bool tile = starts_with(spec, "tile:");
    r->source->kind = like ? "like" : tile ? "tile" : "generated";
    return tool_generate(r->ctx, spec, r->seed, r->type, A);
}

/* Returns the generators whose names are close to the part of the argument before its colon. */
static const char *close_generators(const char *argument) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(argument, ":"), argument);
    tool_suggestions close = tool_suggest(name);
    for (int i = 0; i < tool_generator_count(); i++) {
        tulle_generator_info info;
        if (tool_generator_describe(i, &info) == TULLE_OK) tool_suggest_offer(&close, info.name);
    }
    for (int i = 0; i < tulle_mesh_generator_count(); i++) {
        tulle_mesh_generator_info info;
        if (tulle_mesh_generator_describe(i, &info) != TULLE_OK) continue;
        tool_suggest_offer(&close, info.name);
    }
    return tool_suggest_text(&close);
}

/* Returns a hint for a name that is a mesh's: the whole name, or the part before the element, as
 * box of box-hex; "" for any other name. */
static const char *mesh_hint(const char *argument, char text[256]) {
    const size_t length = strcspn(argument, ":");
    text[0] = '\0';
    for (int i = 0; i < tulle_mesh_generator_count() && !text[0]; i++) {
        tulle_mesh_generator_info info;
        if (tulle_mesh_generator_describe(i, &info) != TULLE_OK) continue;
        if (strncmp(info.name, argument, length) != 0) continue;
        if (info.name[length] == '\0') {
            snprintf(
                text, 256,
                "; a mesh has that name: tulle solve solves on it, and tulle mesh make %.99s -o "
                "FILE writes it",
                argument);
        } else if (info.name[length] == '-') {
            snprintf(text, 256,
                     "; for the mesh tulle solve takes %s%.99s, or --element %s (tulle mesh make "
                     "--list has them all)",
                     info.name, argument + length, info.name + length + 1);
        }
    }
    return text;
}

static tulle_status no_such_matrix(const char *argument) {
    char hint[256];
    const char *folder = getenv("TULLE_MATRICES");
    const char *close = close_generators(argument);
    const bool is_mesh = mesh_hint(argument, hint)[0] != '\0';
    return tool_record(TULLE_NOT_FOUND, "%s: no such file%s%s, and no generator of that name%s%s",
                       argument, folder ? ", none in " : "", folder ? folder : "",
                       is_mesh ? hint : close,
                       is_mesh || close[0] ? "" : " (tulle gen --list prints them)");
}

static tulle_status open_any(request *r, const char *argument, tulle_mat **A) {
    char path[4096];
    int64_t copies = 0;
    if (is_stdin(argument) || exists(argument)) return load(r, argument, A);
    if (is_tiled_file(argument, path, &copies)) return load_tiled(r, path, copies, A);
    if (tool_generator_named(argument)) return generate(r, argument, A);
    if (tool_find_matrix(argument, path)) return load(r, path, A);
    return no_such_matrix(argument);
}

static tulle_status open_generated(request *r, const char *spec, tulle_mat **A) {
    if (tool_generator_named(spec)) return generate(r, spec, A);
    return tool_record(TULLE_NOT_FOUND,
                       "%s: there is no generator of that name%s (tulle gen --list prints them)",
                       spec, close_generators(spec));
}

typedef tulle_status (*open_fn)(request *r, const char *argument, tulle_mat **A);

/* Opens a matrix by one of the two functions, and notes the time that this took. */
static tulle_status timed(open_fn open, request r, const char *argument, tulle_mat **A) {
    tool_source unused;
    if (!r.source) r.source = &unused;
    *r.source = (tool_source){.kind = ""};
    *A = NULL;
    double start = tulle__seconds();
    tulle_status status = open(&r, argument, A);
    r.source->seconds = tulle__seconds() - start;
    tool_progress_end();
    return status;
}

tulle_status tool_open_matrix(tulle_ctx *ctx, const char *argument, tulle_type type, uint64_t seed,
                              tulle_mat **A, tool_source *source) {
    return timed(open_any, (request){ctx, type, seed, source}, argument, A);
}

tulle_status tool_open_generated(tulle_ctx *ctx, const char *spec, tulle_type type, uint64_t seed,
                                 tulle_mat **A, tool_source *source) {
    return timed(open_generated, (request){ctx, type, seed, source}, spec, A);
}

tulle_status tool_unfold_blocks(tulle_ctx *ctx, tulle_mat **A) {
    tulle_mat *rows = NULL;
    tulle_mat_info info;
    tulle_status status = tulle_mat_describe(*A, &info);
    if (status != TULLE_OK || info.format != TULLE_BSR) return status;
    status = tulle_mat_convert(ctx, *A, TULLE_CSR, info.index, 0, &rows);
    if (status != TULLE_OK) return status;
    tulle_mat_destroy(*A);
    *A = rows;
    return TULLE_OK;
}

/* Ways to make a matrix whose rows are shared. */
enum { NO_WAY, BY_FILE, BY_ROWS, AS_A_WHOLE };

/* Finds the way; path: room for the file's path. */
static tulle_status find_way(const char *argument, char path[4096], int *way) {
    int64_t copies;
    *way = NO_WAY;
    snprintf(path, 4096, "%s", argument);
    if (is_stdin(argument)) {
        return tool_record(TULLE_INVALID_ARGUMENT,
                           "-: only one process has standard input: name a file");
    }
    if (exists(argument)) {
        *way = BY_FILE;
    } else if (is_tiled_file(argument, path, &copies) || tool_generator_is_own(argument)) {
        *way = AS_A_WHOLE;
    } else if (tool_generator_named(argument)) {
        *way = BY_ROWS;
    } else if (tool_find_matrix(argument, path)) {
        *way = BY_FILE;
    } else {
        return no_such_matrix(argument);
    }
    return TULLE_OK;
}

static tulle_status load_shared(request *r, tulle_comm *comm, const char *path,
                                tulle_dist_mat **A) {
    tool_source *source = r->source;
    source->kind = "real";
    source->has_file = true;
    snprintf(source->path, sizeof source->path, "%s", path);
    const tulle_status status = tulle_dist_mat_load(r->ctx, comm, path, r->type, A, &source->file);
    if (status == TULLE_OK && tulle_comm_rank(comm) == 0) {
        tool_say_notes(path, &source->file, r->type);
    }
    return status;
}

/* Makes the whole matrix in each process, which keeps its rows. */
static tulle_status share_whole(request *r, tulle_comm *comm, const char *argument,
                                tulle_dist_mat **A) {
    const int ranks = tulle_comm_ranks(comm), rank = tulle_comm_rank(comm);
    tulle_mat *whole = NULL;
    tulle_status status = open_any(r, argument, &whole);
    status = tulle__comm_agree(comm, NULL, status, NULL, 0);
    if (status != TULLE_OK) {
        tulle_mat_destroy(whole);
        return status;
    }
    int64_t first;
    const int64_t rows = tulle_dist_share(tulle_mat_rows(whole), ranks, rank, &first);
    const int64_t cols = tulle_dist_share(tulle_mat_cols(whole), ranks, rank, NULL);
    status = tulle_dist_mat_from_rows(r->ctx, comm, whole, first, rows, cols, A);
    tulle_mat_destroy(whole);
    return status;
}

static tulle_status open_shared(request *r, tulle_comm *comm, const char *argument,
                                tulle_dist_mat **A) {
    char path[4096];
    int way;
    tulle_status status = find_way(argument, path, &way);
    const tulle__agreement fact = {"kind of the matrix that the name stands for", (uint64_t)way};
    status = tulle__comm_agree(comm, NULL, status, &fact, 1);
    if (status != TULLE_OK) return status;
    if (way == BY_FILE) return load_shared(r, comm, path, A);
    if (way == AS_A_WHOLE) return share_whole(r, comm, argument, A);
    r->source->kind = starts_with(argument, "tile:") ? "tile" : "generated";
    return tulle_dist_generate(r->ctx, comm, argument, r->seed, r->type, A);
}

tulle_status tool_open_shared(tulle_ctx *ctx, tulle_comm *comm, const char *argument,
                              tulle_type type, uint64_t seed, tulle_dist_mat **A,
                              tool_source *source) {
    request r = {ctx, type, seed, source};
    *source = (tool_source){.kind = ""};
    *A = NULL;
    const double start = tulle__seconds();
    const tulle_status status = open_shared(&r, comm, argument, A);
    source->seconds = tulle__seconds() - start;
    if (tulle_comm_rank(comm) == 0) tool_progress_end();
    return status;
}
