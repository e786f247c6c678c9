/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks of C that are computed before C has memory, into scratch with room for one entry for
 * each multiplication. Copying the entries into C later takes less time than counting them
 * first. */
#ifndef TULLE_SPGEMM_CPU_KEPT_H
#define TULLE_SPGEMM_CPU_KEPT_H

#include "spgemm/cpu/chunks.h"

typedef struct tulle__spgemm_kept {
    int chunks;          /* number of chunks that are kept, which are the first ones */
    void *cols, *values; /* columns and values; those of chunk c begin at entry chunks.before[c] */
} tulle__spgemm_kept;

/* Chooses the chunks, and gets scratch of the context, at most 128 MB; none where the context
 * has a cap on its memory. */
tulle_status tulle__spgemm_kept_make(const tulle__spgemm_task *task,
                                     const tulle__spgemm_chunks *chunks, tulle__spgemm_kept *kept);
void tulle__spgemm_kept_free(const tulle__spgemm_task *task, tulle__spgemm_kept *kept);

int64_t tulle__spgemm_kept_bytes(const tulle__spgemm_task *task, const tulle__spgemm_chunks *chunks,
                                 const tulle__spgemm_kept *kept);

/* Copies chunk c into C, whose offsets are known. */
void tulle__spgemm_kept_copy(const tulle__spgemm_task *task, const tulle__spgemm_chunks *chunks,
                             const tulle__spgemm_kept *kept, int c);

#endif
