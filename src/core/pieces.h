/* SPDX-License-Identifier: Apache-2.0 */
/* Work of a CPU in pieces, whose number does not depend on the threads. */
#ifndef TULLE_CORE_PIECES_H
#define TULLE_CORE_PIECES_H

#include <stdint.h>

typedef void (*tulle__piece_fn)(const void *job, int64_t piece);

/* Does each piece; where there are several threads, each has an equal number of pieces that
 * follow each other. Where there is one thread, or one piece, the caller does everything itself. */
static inline void tulle__in_pieces(int threads, int64_t pieces, tulle__piece_fn function,
                                    const void *job) {
    if (threads == 1 || pieces == 1) {
        for (int64_t piece = 0; piece < pieces; piece++) function(job, piece);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t piece = 0; piece < pieces; piece++) function(job, piece);
}

#endif
