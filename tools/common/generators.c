/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/generators.h"

#include <stdio.h>
#include <string.h>

#include "tools/common/error.h"
#include "tools/common/numbers.h"

static const tool_generator *own;

void tool_generators_add(const tool_generator *generator) {
    own = generator;
}

int tool_generator_count(void) {
    return tulle_generator_count() + (own ? 1 : 0);
}

tulle_status tool_generator_describe(int i, tulle_generator_info *info) {
    if (!own || i != tulle_generator_count()) return tulle_generator_describe(i, info);
    *info = own->info;
    return TULLE_OK;
}

static bool begins(const char *spec, const char *name) {
    size_t length = strcspn(spec, ":");
    return strlen(name) == length && strncmp(name, spec, length) == 0;
}

bool tool_generator_named(const char *spec) {
    tulle_generator_info info;
    for (int i = 0; i < tool_generator_count(); i++) {
        if (tool_generator_describe(i, &info) == TULLE_OK && begins(spec, info.name)) return true;
    }
    return false;
}

bool tool_split_tile(const char *spec, char inner[TOOL_SPEC_ROOM], int64_t *copies) {
    if (!begins(spec, "tile")) return false;
    const char *from = spec + strlen("tile:"), *colon = strrchr(from, ':');
    if (!colon || colon == from || colon - from >= TOOL_SPEC_ROOM) return false;
    snprintf(inner, TOOL_SPEC_ROOM, "%.*s", (int)(colon - from), from);
    return tool_parse_int(colon + 1, 1, INT64_MAX, copies);
}

/* A matrix may be tiled any number of times. */
bool tool_generator_is_own(const char *spec) {
    while (strncmp(spec, "tile:", 5) == 0) spec += 5;
    return own && begins(spec, own->info.name);
}

tulle_status tool_generate(tulle_ctx *ctx, const char *spec, uint64_t seed, tulle_type type,
                           tulle_mat **A) {
    char inner[TOOL_SPEC_ROOM];
    int64_t copies;
    if (!tool_generator_is_own(spec)) return tulle_generate(ctx, spec, seed, type, A);
    if (begins(spec, own->info.name)) return own->make(ctx, spec, seed, type, A);
    if (!tool_split_tile(spec, inner, &copies)) {
        return tool_record(TULLE_INVALID_ARGUMENT,
                           "\"%.60s\": K must be a whole number from 1 on; usage: tile:SPEC:K",
                           spec);
    }
    tulle_mat *one = NULL;
    tulle_status status = tool_generate(ctx, inner, seed, type, &one);
    if (status == TULLE_OK) status = tulle_mat_tile(ctx, one, copies, A);
    tulle_mat_destroy(one);
    return status;
}
