/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of B as words of 64: a row of B is a list of words, with a bit for each column
 * that the row has. Where columns stand close together there are far fewer words than
 * multiplications, and the pattern of C is made of words in less time. (Deveci, Trott and
 * Rajamanickam, Multithreaded sparse matrix-matrix multiplication, 2018, compress B so.) */
#ifndef TULLE_SPGEMM_CPU_WORDS_H
#define TULLE_SPGEMM_CPU_WORDS_H

#include "spgemm/cpu/chunks.h"

typedef struct tulle__spgemm_words {
    int64_t *offsets; /* beginning of each row's words, rows of B + 1; NULL: words do not pay */
    uint32_t *word;   /* column / 64 of each word */
    uint64_t *bits;
} tulle__spgemm_words;

/* Makes words in scratch of the context; they have fewer bytes than B's columns and values. */
tulle_status tulle__spgemm_words_make(const tulle__spgemm_task *task,
                                      const tulle__spgemm_chunks *chunks,
                                      tulle__spgemm_words *words);
void tulle__spgemm_words_free(const tulle__spgemm_task *task, tulle__spgemm_words *words);
int64_t tulle__spgemm_words_bytes(const tulle__spgemm_task *task, const tulle__spgemm_words *words);

#endif
