/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INDEX

#include "spgemm/cpu/words.h"

#include "core/context.h"

/* Least number of multiplications of the longest row from which words may pay: rows must be long,
 * and their entries share words. */
enum { LEAST_MULTIPLICATIONS = 256 };

static bool has_few(int64_t words, int64_t nnz) {
    return 3 * words <= 2 * nnz;
}

#define TULLE__SELF "spgemm/cpu/words.c"
#include "matrix/each_index.h"

static void count(const tulle__spgemm_task *task, int64_t *offsets) {
    if (task->index == TULLE_I32) count_i32(task, offsets);
    if (task->index == TULLE_I64_I32) count_i64_i32(task, offsets);
    if (task->index == TULLE_I64) count_i64(task, offsets);
}

static void fill(const tulle__spgemm_task *task, const tulle__spgemm_words *words) {
    if (task->index == TULLE_I32) fill_i32(task, words);
    if (task->index == TULLE_I64_I32) fill_i64_i32(task, words);
    if (task->index == TULLE_I64) fill_i64(task, words);
}

static tulle_status make(const tulle__spgemm_task *task, int64_t all, tulle__spgemm_words *words) {
    tulle_ctx *ctx = task->place->ctx;
    void *word = NULL, *bits = NULL;
    size_t word_bytes = 0, bits_bytes = 0;
    TULLE__TRY(tulle__size(all, sizeof *words->word, 0, &word_bytes));
    TULLE__TRY(tulle__size(all, sizeof *words->bits, 0, &bits_bytes));
    TULLE__TRY(tulle__alloc(ctx, word_bytes, &word));
    words->word = word;
    TULLE__TRY(tulle__alloc(ctx, bits_bytes, &bits));
    words->bits = bits;
    fill(task, words);
    return TULLE_OK;
}

tulle_status tulle__spgemm_words_make(const tulle__spgemm_task *task,
                                      const tulle__spgemm_chunks *chunks,
                                      tulle__spgemm_words *words) {
    const tulle__spgemm_operand *b = &task->b;
    *words = (tulle__spgemm_words){NULL, NULL, NULL};
    if (chunks->multiplications / LEAST_MULTIPLICATIONS < task->a.rows || b->cols / 64 > UINT32_MAX)
        return TULLE_OK;
    void *offsets = NULL;
    size_t bytes = 0;
    TULLE__TRY(tulle__size(b->rows + 1, sizeof *words->offsets, 0, &bytes));
    TULLE__TRY(tulle__alloc(task->place->ctx, bytes, &offsets));
    words->offsets = offsets;
    count(task, words->offsets);
    int64_t all = tulle__spgemm_sum_up(words->offsets, b->rows);
    tulle_status status = TULLE_OK;
    bool few = has_few(all, b->nnz);
    if (few) status = make(task, all, words);
    if (status != TULLE_OK || !few) tulle__spgemm_words_free(task, words);
    return status;
}

void tulle__spgemm_words_free(const tulle__spgemm_task *task, tulle__spgemm_words *words) {
    tulle__free(task->place->ctx, words->bits);
    tulle__free(task->place->ctx, words->word);
    tulle__free(task->place->ctx, words->offsets);
    *words = (tulle__spgemm_words){NULL, NULL, NULL};
}

int64_t tulle__spgemm_words_bytes(const tulle__spgemm_task *task,
                                  const tulle__spgemm_words *words) {
    if (!words->offsets) return 0;
    int64_t each = sizeof *words->word + sizeof *words->bits;
    return (task->b.rows + 1) * (int64_t)sizeof *words->offsets +
           words->offsets[task->b.rows] * each;
}

#else /* once for each index type */

static void NAME(count)(const tulle__spgemm_task *task, int64_t *words_before) {
    const OFFSET *offsets = task->b.offsets;
    const INDEX *cols = task->b.cols_of;
    words_before[0] = 0;
#pragma omp parallel for schedule(static) num_threads(tulle__spgemm_threads_early(task))
    for (int64_t k = 0; k < task->b.rows; k++) {
        int64_t count = offsets[k] < offsets[k + 1];
        for (int64_t f = offsets[k] + 1; f < offsets[k + 1]; f++) {
            count += cols[f] / 64 != cols[f - 1] / 64;
        }
        words_before[k + 1] = count;
    }
}

static void NAME(fill)(const tulle__spgemm_task *task, const tulle__spgemm_words *words) {
    const OFFSET *offsets = task->b.offsets;
    const INDEX *cols = task->b.cols_of;
#pragma omp parallel for schedule(static) num_threads(tulle__spgemm_threads_early(task))
    for (int64_t k = 0; k < task->b.rows; k++) {
        int64_t w = words->offsets[k] - 1, last = -1;
        for (int64_t f = offsets[k]; f < offsets[k + 1]; f++) {
            if (cols[f] / 64 != last) {
                last = cols[f] / 64;
                words->word[++w] = (uint32_t)last;
                words->bits[w] = 0;
            }
            words->bits[w] |= UINT64_C(1) << cols[f] % 64;
        }
    }
}

#endif
