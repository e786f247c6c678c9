/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a matrix from a specification: the name of a generator, a colon, and numbers. */
#include <string.h>

#include "io/generators.h"
#include "matrix/build.h"

#define X(name, make, preset, on_device, usage, example, summary)                                  \
    tulle_status tulle__make_##make(const tulle__generation *g, tulle_mat **A);
TULLE__GENERATORS(X)
#undef X

static const tulle__generator generators[] = {
#define X(name, make, preset, on_device, usage, example, summary)                                  \
    {{#name, usage, summary, example, on_device}, preset, tulle__make_##make},
    TULLE__GENERATORS(X)
#undef X
};

enum { COUNT = sizeof generators / sizeof *generators, LONGEST_SPEC = 1023, LONGEST_NAME = 40 };

int tulle_generator_count(void) {
    return COUNT;
}

tulle_status tulle_generator_describe(int i, tulle_generator_info *info) {
    TULLE__NEED(info);
    if (i < 0 || i >= COUNT) {
        return tulle__fail(TULLE_NOT_FOUND, __func__, "i", -1,
                           "there is no generator number %d; they are 0 to %d", i, COUNT - 1);
    }
    *info = generators[i].info;
    return TULLE_OK;
}

static const tulle__generator *find(const char *name, size_t length) {
    for (int i = 0; i < COUNT; i++) {
        const char *known = generators[i].info.name;
        if (strlen(known) == length && memcmp(known, name, length) == 0) return &generators[i];
    }
    return NULL;
}

tulle_status tulle__generate(tulle_ctx *ctx, const char *spec, uint64_t seed, tulle_type type,
                             tulle__generation_share *share, tulle_mat **A) {
    size_t length = strcspn(spec, ":");
    const tulle__generator *generator = find(spec, length);
    if (!generator) {
        int shown = length < LONGEST_NAME ? (int)length : LONGEST_NAME;
        return tulle__fail(TULLE_NOT_FOUND, "tulle_generate", "spec", -1,
                           "there is no generator \"%.*s\"; tulle_generator_describe lists them",
                           shown, spec);
    }
    const char *numbers = spec[length] ? spec + length + 1 : generator->preset;
    tulle__generation g = {ctx, generator, spec, numbers, seed, type, share};
    if (!numbers) return tulle__spec_bad(&g, "numbers are missing");
    return generator->make(&g, A);
}

tulle_status tulle__generate_check(const char *function, const tulle_ctx *ctx, const char *spec,
                                   tulle_type type) {
    TULLE__NEED_OF(function, ctx);
    TULLE__NEED_OF(function, spec);
    TULLE__TRY(tulle__check_type(function, type));
    if (strlen(spec) <= LONGEST_SPEC) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "spec", -1,
                       "the specification is longer than %d characters", LONGEST_SPEC);
}

tulle_status tulle_generate(tulle_ctx *ctx, const char *spec, uint64_t seed, tulle_type type,
                            tulle_mat **A) {
    TULLE__NEED(A);
    *A = NULL;
    TULLE__TRY(tulle__generate_check(__func__, ctx, spec, type));
    return tulle__generate(ctx, spec, seed, type, NULL, A);
}
