/* SPDX-License-Identifier: Apache-2.0 */
#include "zoo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

uint64_t zoo_bits(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double zoo_number(uint64_t *state) {
    return ((double)(zoo_bits(state) >> 41) + 0.5) / (double)(1 << 22) - 1.0;
}

/* A species says how long row i is and where its entry k stands. */
typedef struct {
    const char *name;
    int64_t rows, cols;
    int64_t (*length)(int64_t i, int64_t cols);
    int64_t (*column)(int64_t i, int64_t k, int64_t cols);
} species;

static int64_t none(int64_t i, int64_t cols) {
    (void)i;
    (void)cols;
    return 0;
}
static int64_t one(int64_t i, int64_t cols) {
    (void)i;
    (void)cols;
    return 1;
}
static int64_t five(int64_t i, int64_t cols) {
    (void)i;
    return cols < 5 ? cols : 5;
}
static int64_t every_third(int64_t i, int64_t cols) {
    return i % 3 == 1 ? five(i, cols) : 0;
}
static int64_t row_seven(int64_t i, int64_t cols) {
    return i == 7 ? cols : i % 2;
}
static int64_t only_last(int64_t i, int64_t cols) {
    return i == 63 ? cols : 0;
}
static int64_t only_first(int64_t i, int64_t cols) {
    return i == 0 ? cols : 0;
}
static int64_t full(int64_t i, int64_t cols) {
    (void)i;
    return cols;
}
static int64_t halving(int64_t i, int64_t cols) {
    return cols / (i + 1);
}
static int64_t some_long(int64_t i, int64_t cols) {
    return i % 16 == 5 ? cols : 2;
}
static int64_t last_long(int64_t i, int64_t cols) {
    return i % 32 == 31 ? cols : 1;
}
static int64_t growing(int64_t i, int64_t cols) {
    return i % (cols + 1);
}

static int64_t in_order(int64_t i, int64_t k, int64_t cols) {
    (void)i;
    (void)cols;
    return k;
}
static int64_t diagonal(int64_t i, int64_t k, int64_t cols) {
    (void)k;
    return i % cols;
}
static int64_t column_three(int64_t i, int64_t k, int64_t cols) {
    (void)i;
    return (3 + k) % cols;
}
static int64_t around(int64_t i, int64_t k, int64_t cols) {
    return (i + k) % cols;
}
static int64_t scattered(int64_t i, int64_t k, int64_t cols) {
    return (i * 7 + k * 11 + 3) % cols;
}
static int64_t backwards(int64_t i, int64_t k, int64_t cols) {
    (void)i;
    return cols - 1 - k;
}
static int64_t twice(int64_t i, int64_t k, int64_t cols) {
    return (i + k / 2) % cols;
}
static int64_t same(int64_t i, int64_t k, int64_t cols) {
    (void)k;
    return i % cols;
}
static int64_t block3(int64_t i, int64_t k, int64_t cols) {
    return (i / 3 * 3 + k) % cols;
}

static const species small_ones[] = {
    {"0 x 0", 0, 0, none, in_order},
    {"0 x 5", 0, 5, none, in_order},
    {"5 x 0", 5, 0, none, in_order},
    {"1 x 1", 1, 1, one, in_order},
    {"1 x 1 empty", 1, 1, none, in_order},
    {"identity", 64, 64, one, diagonal},
    {"no entries", 40, 30, none, in_order},
    {"empty rows", 64, 64, every_third, scattered},
    {"one dense row", 33, 60, row_seven, around},
    {"dense first row only", 64, 64, only_first, in_order},
    {"dense last row only", 64, 64, only_last, in_order},
    {"one dense column", 64, 50, one, column_three},
    {"single row", 1, 64, full, in_order},
    {"single column", 64, 1, full, in_order},
    {"wide", 5, 64, five, scattered},
    {"tall", 64, 5, five, around},
    {"unsorted", 20, 20, five, backwards},
    {"duplicates", 30, 30, five, twice},
    {"all of a row in one place", 25, 25, five, same},
    {"power law", 63, 64, halving, scattered},
    {"growing rows", 64, 40, growing, in_order},
    {"banded", 64, 64, five, around},
    {"blocks of three", 63, 63, five, block3},
    {"dense", 17, 31, full, in_order},
    {"whole blocks", 48, 48, full, in_order},
    {"whole blocks of five", 60, 35, full, in_order},
    {"long rows among short ones", 40, 520, some_long, around},
    {"a long row at the end of a warp", 40, 600, last_long, around},
};

static const species large_ones[] = {
    {"long power law", 600, 3000, halving, scattered},
    {"many short rows", 2500, 2500, five, around},
    {"one dense row among many", 700, 4000, row_seven, around},
    {"few full rows", 3, 5000, full, in_order},
    {"a row across many tiles", 2, 40000, only_first, in_order},
};

static zoo_matrix make(const species *s) {
    zoo_matrix m = {.name = s->name, .rows = s->rows, .cols = s->cols};
    m.offsets = malloc((size_t)(m.rows + 1) * sizeof *m.offsets);
    assert_non_null(m.offsets);
    m.offsets[0] = 0;
    for (int64_t i = 0; i < m.rows; i++) m.offsets[i + 1] = m.offsets[i] + s->length(i, m.cols);
    m.nnz = m.offsets[m.rows];
    m.columns = malloc((size_t)(m.nnz + 1) * sizeof *m.columns);
    m.values = malloc((size_t)(m.nnz + 1) * sizeof *m.values);
    assert_non_null(m.columns);
    assert_non_null(m.values);
    uint64_t state = (uint64_t)(m.rows * 1000 + m.cols);
    for (int64_t i = 0; i < m.rows; i++) {
        for (int64_t e = m.offsets[i]; e < m.offsets[i + 1]; e++) {
            m.columns[e] = s->column(i, e - m.offsets[i], m.cols);
            m.values[e] = zoo_number(&state);
        }
    }
    return m;
}

int zoo_count(void) {
    return (int)(sizeof small_ones / sizeof *small_ones);
}
int zoo_large_count(void) {
    return (int)(sizeof large_ones / sizeof *large_ones);
}
zoo_matrix zoo_make(int i) {
    return make(&small_ones[i]);
}
zoo_matrix zoo_make_large(int i) {
    return make(&large_ones[i]);
}

void zoo_free(zoo_matrix *m) {
    free(m->offsets);
    free(m->columns);
    free(m->values);
}

/* 64-bit numbers in the width asked for. */
static void *narrow(const int64_t *from, int64_t count, int64_t size) {
    void *to = malloc((size_t)(count + 1) * (size_t)size);
    assert_non_null(to);
    for (int64_t i = 0; i < count; i++) {
        if (size == 4) {
            ((int32_t *)to)[i] = (int32_t)from[i];
        } else {
            ((int64_t *)to)[i] = from[i];
        }
    }
    return to;
}

tulle_mat *zoo_mat(tulle_ctx *ctx, const zoo_matrix *m, tulle_index index, tulle_type type) {
    void *offsets = narrow(m->offsets, m->rows + 1, tulle_offset_size(index));
    void *columns = narrow(m->columns, m->nnz, tulle_index_size(index));
    float *single = malloc((size_t)(m->nnz + 1) * sizeof *single);
    assert_non_null(single);
    for (int64_t e = 0; e < m->nnz; e++) single[e] = (float)m->values[e];
    const void *values = type == TULLE_F32 ? (const void *)single : m->values;
    tulle_mat *A = NULL;
    tulle_status status = tulle_mat_create_csr(ctx, m->rows, m->cols, m->nnz, index, offsets,
                                               columns, type, values, NULL, &A);
    if (status != TULLE_OK) fail_msg("%s: %s", m->name, tulle_last_error()->message);
    free(offsets);
    free(columns);
    free(single);
    return A;
}
