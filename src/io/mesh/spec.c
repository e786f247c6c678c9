/* SPDX-License-Identifier: Apache-2.0 */
/* Reads specifications of meshes: the name of a generator, counts and options. */
#include <math.h>
#include <string.h>

#include "core/print.h"
#include "io/mesh/generator.h"

typedef struct generator {
    tulle_mesh_generator_info info;
    tulle_shape shape;
    int directions;
    tulle_status (*outline)(const tulle__mesh_request *request, tulle__outline *outline);
} generator;

static const generator generators[] = {
#define X(name, outline, shape, directions, usage, example, summary)                               \
    {{name, usage, summary, example}, shape, directions, tulle__outline_##outline},
    TULLE__MESH_GENERATORS(X)
#undef X
};

enum { COUNT = sizeof generators / sizeof *generators, LONGEST_SPEC = 1023, LONGEST_NAME = 40 };

int tulle_mesh_generator_count(void) {
    return COUNT;
}

tulle_status tulle_mesh_generator_describe(int i, tulle_mesh_generator_info *info) {
    TULLE__NEED(info);
    if (i < 0 || i >= COUNT) {
        return tulle__fail(TULLE_NOT_FOUND, __func__, "i", -1,
                           "there is no generator of meshes number %d; they are 0 to %d", i,
                           COUNT - 1);
    }
    *info = generators[i].info;
    return TULLE_OK;
}

tulle_status tulle__mesh_spec_bad(const tulle__mesh_request *request, const char *format, ...) {
    char what[160];
    va_list arguments;
    va_start(arguments, format);
    tulle__print_v(what, sizeof what, format, arguments);
    va_end(arguments);
    return tulle__fail(TULLE_INVALID_ARGUMENT, "tulle_mesh_generate", "spec", -1,
                       "\"%.60s\": %s; usage: %s", request->spec, what, request->usage);
}

/* Reads a whole number from low to high, which consists of digits. */
static tulle_status read_whole(const tulle__mesh_request *r, const char **at, const char *what,
                               int64_t low, int64_t high, int64_t *number) {
    const char *digit = *at;
    int64_t value = 0;
    for (; *digit >= '0' && *digit <= '9' && value <= high; digit++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *digit - '0', &value))
            value = INT64_MAX;
    }
    if (digit == *at) return tulle__mesh_spec_bad(r, "%s is no whole number", what);
    if (value < low || value > high) {
        return tulle__mesh_spec_bad(r, "%s must be from %lld to %lld", what, (long long)low,
                                    (long long)high);
    }
    *at = digit;
    *number = value;
    return TULLE_OK;
}

/* Reads a number. Of "0x2", which strtod would take as hexadecimal, only the 0 is read, because
 * sizes have an x between them. */
static double read_decimal(const char *at, char **end) {
    const char *digit = at + strspn(at, " \t\n\v\f\r+-");
    if (digit[0] != '0' || (digit[1] != 'x' && digit[1] != 'X')) return tulle__read_real(at, end);
    *end = (char *)digit + 1;
    return 0;
}

static tulle_status read_positive(const tulle__mesh_request *r, const char **at, const char *what,
                                  double low, double high, double *number) {
    char *end = NULL;
    const double value = read_decimal(*at, &end);
    if (end == *at || !isfinite(value)) return tulle__mesh_spec_bad(r, "%s is no number", what);
    if (value < low || value > high) {
        return tulle__mesh_spec_bad(r, "%s must be from %g to %g", what, low, high);
    }
    *at = end;
    *number = value;
    return TULLE_OK;
}

static tulle_status read_counts(tulle__mesh_request *r, const char **at, int most) {
    do {
        if (r->given == most) return tulle__mesh_spec_bad(r, "more than %d counts", most);
        if (r->given > 0) ++*at;
        TULLE__TRY(read_whole(r, at, "a count", 1, INT32_MAX, &r->count[r->given++]));
    } while (**at == 'x');
    return TULLE_OK;
}

static tulle_status read_size(tulle__mesh_request *r, const char **at) {
    for (int d = 0; d < 3; d++) {
        if (d > 0 && **at != 'x') return TULLE_OK;
        *at += d > 0;
        TULLE__TRY(read_positive(r, at, "size", 1e-100, 1e100, &r->size[d]));
    }
    return TULLE_OK;
}

/* Returns true, and moves behind "name=", where the text goes on with that. */
static bool take(const char **at, const char *name) {
    const size_t length = strlen(name);
    if (strncmp(*at, name, length) != 0 || (*at)[length] != '=') return false;
    *at += length + 1;
    return true;
}

static tulle_status read_option(tulle__mesh_request *r, const char **at) {
    int64_t whole = 0;
    if (take(at, "perturb")) return read_positive(r, at, "perturb", 0, 0.5, &r->perturb);
    if (take(at, "size")) return read_size(r, at);
    if (take(at, "seed")) {
        TULLE__TRY(read_whole(r, at, "seed", 0, INT64_MAX, &whole));
        r->seed = (uint64_t)whole;
        return TULLE_OK;
    }
    if (take(at, "shuffle")) {
        TULLE__TRY(read_whole(r, at, "shuffle", 0, 1, &whole));
        r->shuffle = whole == 1;
        return TULLE_OK;
    }
    return tulle__mesh_spec_bad(r,
                                "what does \"%.20s\" mean? options are perturb, shuffle, seed "
                                "and size",
                                *at);
}

static tulle_status read_spec(tulle__mesh_request *r, const char *at, int directions) {
    TULLE__TRY(read_counts(r, &at, directions));
    while (*at == ',') {
        at++;
        TULLE__TRY(read_option(r, &at));
    }
    return *at ? tulle__mesh_spec_bad(r, "what does \"%.20s\" mean?", at) : TULLE_OK;
}

static tulle_status make(const tulle__mesh_request *r, const generator *g, tulle_mesh **mesh) {
    const tulle_shape_info *shape = &tulle__shape_of(r->shape)->info;
    tulle__outline outline = {.step = shape->order};
    tulle_status status = g->outline(r, &outline);
    if (status == TULLE_OK) status = tulle__mesh_build(r, &outline, mesh);
    tulle__host_free(r->ctx, outline.x);
    tulle__host_free(r->ctx, outline.patch);
    tulle__host_free(r->ctx, outline.edge);
    tulle__host_free(r->ctx, outline.group);
    if (status == TULLE_OK && r->perturb > 0) status = tulle__mesh_perturb(r, *mesh);
    if (status == TULLE_OK && r->shuffle) status = tulle__mesh_shuffle(r, mesh);
    if (status != TULLE_OK) {
        tulle_mesh_destroy(*mesh);
        *mesh = NULL;
    }
    return status;
}

static const generator *find(const char *name, size_t length) {
    for (int i = 0; i < COUNT; i++) {
        const char *known = generators[i].info.name;
        if (strlen(known) == length && memcmp(known, name, length) == 0) return &generators[i];
    }
    return NULL;
}

tulle_status tulle_mesh_generate(tulle_ctx *ctx, const char *spec, tulle_mesh **mesh) {
    TULLE__NEED(mesh);
    *mesh = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(spec);
    if (strlen(spec) > LONGEST_SPEC) {
        return TULLE__BAD("spec", "the specification is longer than %d characters", LONGEST_SPEC);
    }
    const size_t length = strcspn(spec, ":");
    const generator *g = find(spec, length);
    if (!g) {
        return tulle__fail(TULLE_NOT_FOUND, __func__, "spec", -1,
                           "there is no generator of meshes \"%.*s\"; "
                           "tulle_mesh_generator_describe lists them",
                           length < LONGEST_NAME ? (int)length : LONGEST_NAME, spec);
    }
    tulle__mesh_request r = {.ctx = ctx,
                             .spec = spec,
                             .usage = g->info.usage,
                             .shape = g->shape,
                             .seed = 1,
                             .size = {1, 1, 1}};
    if (!spec[length]) return tulle__mesh_spec_bad(&r, "counts are missing");
    TULLE__TRY(read_spec(&r, spec + length + 1, g->directions));
    return make(&r, g, mesh);
}
