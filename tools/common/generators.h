/* SPDX-License-Identifier: Apache-2.0 */
/* Knows the generators that a user can name: the library's, and one of the program's own. */
#ifndef TOOL_GENERATORS_H
#define TOOL_GENERATORS_H

#include "tulle/generate.h"

typedef struct tool_generator {
    tulle_generator_info info;
    /* Makes a matrix as tulle_generate does, from a specification with this generator's name. */
    tulle_status (*make)(tulle_ctx *ctx, const char *spec, uint64_t seed, tulle_type type,
                         tulle_mat **A);
} tool_generator;

/* Adds the program's own generator. */
void tool_generators_add(const tool_generator *generator);

/* These functions do the same as the library's (tulle_generator_count and so on) for all
 * generators, with the program's own. */
int tool_generator_count(void);
tulle_status tool_generator_describe(int i, tulle_generator_info *info);
tulle_status tool_generate(tulle_ctx *ctx, const char *spec, uint64_t seed, tulle_type type,
                           tulle_mat **A);

/* Returns true if a specification begins with a generator's name. */
bool tool_generator_named(const char *spec);

/* Returns true if the program's own generator makes the matrix, or the one that is tiled. */
bool tool_generator_is_own(const char *spec);

/* tool_split_tile takes "tile:SPEC:k" apart; false: the text has another form. */
enum { TOOL_SPEC_ROOM = 4096 };
bool tool_split_tile(const char *spec, char inner[TOOL_SPEC_ROOM], int64_t *copies);

#endif
