/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over a mesh report progress, and ask whether to go on, once per TULLE__ASK items: a loop
 * that takes a microsecond per item then asks some fifteen times a second. */
#ifndef TULLE_MESH_ASK_H
#define TULLE_MESH_ASK_H

#include "core/context.h"

enum { TULLE__ASK = 1 << 16 };

static inline tulle_status tulle__ask(tulle_ctx *ctx, const char *what, int64_t done,
                                      int64_t total) {
    return done % TULLE__ASK ? TULLE_OK : tulle__progress(ctx, what, done, total);
}

/* Returns the end of the part of a loop that begins at item `begin`; the loop asks again behind
 * that part. */
static inline int64_t tulle__ask_end(int64_t begin, int64_t total) {
    return total - begin < TULLE__ASK ? total : begin + TULLE__ASK;
}

#endif
