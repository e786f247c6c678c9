/* SPDX-License-Identifier: Apache-2.0 */
/* The generators that a user can name: the library's, and one of the program's own. */
#ifndef TOOL_GENERATORS_H
#define TOOL_GENERATORS_H

#include "tulle/generate.h"

typedef struct tool_generator {
    tulle_generator_info info;
    /* As tulle_generate, for a specification with this generator's name. */
    tulle_status (*make)(tulle_ctx *ctx, const char *spec, uint64_t seed, tulle_type type,
                         tulle_mat **A);
} tool_generator;

/* Adds the program's own. */
void tool_generators_add(const tool_generator *generator);

/* tulle_generator_count and so on, of them all. */
int tool_generator_count(void);
tulle_status tool_generator_describe(int i, tulle_generator_info *info);
tulle_status tool_generate(tulle_ctx *ctx, const char *spec, uint64_t seed, tulle_type type,
                           tulle_mat **A);

/* True if a specification begins with a generator's name. */
bool tool_generator_named(const char *spec);

/* "tile:SPEC:k" taken apart; false: it is not that. */
enum { TOOL_SPEC_ROOM = 4096 };
bool tool_split_tile(const char *spec, char inner[TOOL_SPEC_ROOM], int64_t *copies);

#endif
