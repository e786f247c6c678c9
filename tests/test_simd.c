/* SPDX-License-Identifier: Apache-2.0 */
/* The vectors of CPU kernels: each width by name, every length of a row and every place where a run
 * of rows that are alike may begin, and the same bits for any number of threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/types.h"
#include "layouts.h"
#include "places.h"
#include "reference.h"
#include "tulle/advanced.h"

enum { LONGEST = 80, RUN = 19, WIDTHS = 4, COMBOS = 6 };
enum { PARTS = 8, PART_ROWS = 2390, UNLIKE_COLS = 500 };
static const int widths[WIDTHS] = {0, 128, 256, 512};

/* For each length, rows without neighbours of their kind, then a run whose columns ascend by one
 * from row to row, as in a band; the first column is no entry's. Each third row has no value but
 * -0. */
static zoo_matrix runs_of_rows(void) {
    int64_t rows = (LONGEST + 1) * (RUN + 3), cols = 2 * LONGEST + RUN + 2, nnz = 0;
    zoo_matrix m = {.name = "runs of rows", .rows = rows, .cols = cols};
    m.offsets = calloc((size_t)rows + 1, sizeof *m.offsets);
    m.columns = calloc((size_t)(rows * LONGEST), sizeof *m.columns);
    m.values = calloc((size_t)(rows * LONGEST), sizeof *m.values);
    assert_non_null(m.offsets);
    assert_non_null(m.columns);
    assert_non_null(m.values);
    uint64_t state = 7;
    for (int64_t i = 0; i < rows; i++) {
        int64_t length = i / (RUN + 3), step = i % (RUN + 3);
        for (int64_t k = 0; k < length; k++, nnz++) {
            bool alone = step < 3;
            m.columns[nnz] = 1 + (alone ? k + k * step / 3 : step - 3 + k + (k > length / 2));
            m.values[nnz] = i % 3 == 0 ? -0.0 : zoo_number(&state);
        }
        m.offsets[i + 1] = nnz;
    }
    m.nnz = nnz;
    return m;
}

/* More rows than the processor learns by heart, so that rows go in chunks (csr_chunk.h, csr_few.h):
 * parts whose longest rows have 4, 8, 12, 16, 32 and 40 entries, with lengths that change at each
 * row, one where they change at each third, and at the end 1 to 4 for hundreds of rows, but for
 * each 23rd. The first part has a longer row now and then, and it and the last have rows of no
 * value but -0. */
static zoo_matrix unlike_rows(void) {
    static const int longest[PARTS] = {4, 8, 12, 16, 32, 40, 20, 4};
    int64_t rows = PARTS * PART_ROWS, nnz = 0;
    zoo_matrix m = {.name = "unlike rows", .rows = rows, .cols = UNLIKE_COLS};
    m.offsets = calloc((size_t)rows + 1, sizeof *m.offsets);
    m.columns = calloc((size_t)(rows * 40), sizeof *m.columns);
    m.values = calloc((size_t)(rows * 40), sizeof *m.values);
    assert_non_null(m.offsets);
    assert_non_null(m.columns);
    assert_non_null(m.values);
    uint64_t state = 5;
    for (int64_t i = 0; i < rows; i++) {
        int64_t part = i / PART_ROWS, step = part == PARTS - 2 ? i / 3 : i;
        int64_t length = step * 7919 % 1009 % (longest[part] + 1), first = i * 31 % 400;
        if (part == 0 && i % 29 == 0) length = 3 + i % 38;
        if (part == PARTS - 1 && i % 23 > 0) length = 1 + i / 600 % 4;
        for (int64_t k = 0; k < length; k++, nnz++) {
            m.columns[nnz] = first + 2 * k;
            m.values[nnz] = longest[part] == 4 && i % 7 == 0 ? -0.0 : zoo_number(&state);
        }
        m.offsets[i + 1] = nnz;
    }
    m.nnz = nnz;
    return m;
}

static tulle_ctx *context(const char *where) {
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, NULL, &ctx));
    return ctx;
}

static bool has(const tulle_ctx *ctx, int bits) {
    tulle_device_info device;
    must(tulle_ctx_device(ctx, &device));
    bool neon = device.vector_bits == 128;
    return bits == 0 || (bits <= device.vector_bits && (bits == 128) == neon);
}

static void force(tulle_ctx *ctx, const char *kernel, int bits) {
    char spec[64];
    snprintf(spec, sizeof spec, "%s:bits=%d", kernel, bits);
    must(tulle_ctx_force_kernel(ctx, spec));
}

/* A width by name is what runs, or a clean refusal; without a name it is one that is there. */
static void test_choice(void **state) {
    (void)state;
    tulle_ctx *ctx = context("cpu:2");
    zoo_matrix m = runs_of_rows();
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
    int refused = 0;
    for (int w = 0; w < WIDTHS; w++) {
        force(ctx, "spmv_csr", widths[w]);
        tulle_choice choice;
        tulle_status status = tulle_spmv_describe(ctx, TULLE_N, A, true, &choice);
        assert_int_equal(status, has(ctx, widths[w]) ? TULLE_OK : TULLE_UNSUPPORTED);
        refused += status != TULLE_OK;
        if (status != TULLE_OK) continue;
        char want[16];
        snprintf(want, sizeof want, "bits=%d", widths[w]);
        assert_string_equal(choice.params, want);
    }
    if (refused > 1) say_skipped("widths of vectors that this processor lacks: %d", refused - 1);
    assert_true(refused > 0); /* no machine has both NEON and AVX2 */
    must(tulle_ctx_force_kernel(ctx, NULL));
    tulle_choice choice;
    must(tulle_spmv_describe(ctx, TULLE_N, A, true, &choice));
    const char *bits = strstr(choice.params, "bits=");
    assert_non_null(bits);
    assert_true(has(ctx, atoi(bits + 5)));
    tulle_mat_destroy(A);
    zoo_free(&m);
    tulle_ctx_destroy(ctx);
}

/* NaN and Inf in x where no entry is. */
static double *input(const zoo_matrix *m) {
    double *x = malloc((size_t)m->cols * sizeof *x);
    assert_non_null(x);
    uint64_t state = 3;
    for (int64_t j = 0; j < m->cols; j++) x[j] = j % 2 ? (double)NAN : (double)INFINITY;
    for (int64_t e = 0; e < m->nnz; e++) x[m->columns[e]] = zoo_number(&state);
    return x;
}

/* The vector at an odd place: `skip` numbers into a block of memory. */
static tulle_vec *vector(tulle_ctx *ctx, tulle_type type, const double *numbers, int64_t n,
                         int skip, void **memory) {
    size_t size = (size_t)tulle_type_size(type);
    char *data = calloc((size_t)(n + skip) + 1, size);
    assert_non_null(data);
    for (int64_t i = 0; i < n; i++) {
        float single = (float)numbers[i];
        const void *number = type == TULLE_F32 ? (const void *)&single : &numbers[i];
        memcpy(data + (size_t)(i + skip) * size, number, size);
    }
    tulle_vec *v = NULL;
    must(tulle_vec_wrap(ctx, type, n, 1, TULLE_COLUMN_MAJOR, n, data + (size_t)skip * size, &v));
    *memory = data;
    return v;
}

static void multiply(tulle_ctx *ctx, tulle_mat *A, tulle_type type, const product *p, int64_t cols,
                     int64_t rows, int skip, void *y) {
    void *x_memory = NULL, *y_memory = NULL;
    tulle_vec *x = vector(ctx, type, p->x, cols, skip, &x_memory);
    tulle_vec *out = vector(ctx, type, p->y0, rows, skip, &y_memory);
    must(tulle_spmv(ctx, TULLE_N, tulle_num(p->alpha), A, x, tulle_num(p->beta), out));
    must(tulle_vec_read(ctx, out, y, 0));
    tulle_vec_destroy(x);
    tulle_vec_destroy(out);
    free(x_memory);
    free(y_memory);
}

/* True when y of rows without a value but zeros is -0: a sum of zeros is +0, also where each
 * product is -0, and alpha is negative. */
static bool zeros_are_right(const zoo_matrix *m, tulle_type type, const void *y) {
    for (int64_t i = 0; i < m->rows; i++) {
        bool zeros = true;
        for (int64_t e = m->offsets[i]; e < m->offsets[i + 1]; e++) zeros &= m->values[e] == 0;
        double number = type == TULLE_F32 ? ((const float *)y)[i] : ((const double *)y)[i];
        if (zeros && !(number == 0 && signbit(number))) return false;
    }
    return true;
}

/* One width of one kernel for all types: right, and the same with other numbers of threads. The
 * results are kept, one combination after the other: rows of binary64. */
static void one_width(const zoo_matrix *m, const char *kernel, tulle_format format, int bits,
                      double *results) {
    static const char *const where[] = {"cpu:1", "cpu:2", "cpu:3", "cpu:7"};
    double *x = input(m), *y0 = malloc((size_t)m->rows * sizeof *y0);
    double *first = malloc((size_t)m->rows * sizeof *first),
           *y = malloc((size_t)m->rows * sizeof *y);
    assert_true(y0 && first && y);
    for (int c = 0; c < COMBOS; c++) {
        tulle_type type = tulle__type_at(c / 3);
        product p = {.op = TULLE_N, .alpha = -0.5, .beta = c % 2, .x = x, .y0 = y0};
        uint64_t state = 11;
        for (int64_t i = 0; i < m->rows; i++) y0[i] = c % 2 ? zoo_number(&state) : (double)NAN;
        for (int t = 0; t < 4; t++) {
            tulle_ctx *ctx = context(where[t]);
            tulle_mat *csr = zoo_mat(ctx, m, (tulle_index)(c % 3), type);
            tulle_mat *A = layout_make(ctx, csr, format, (tulle_index)(c % 3), 0);
            force(ctx, kernel, bits);
            multiply(ctx, A, type, &p, m->cols, m->rows, t, t ? y : first);
            size_t bytes = (size_t)(m->rows * tulle_type_size(type));
            if (t == 0 && !(product_error(m, &p, type, first) <= 1)) {
                fail_msg("%s:bits=%d, combination %d: wrong", kernel, bits, c);
            }
            if (t == 0 && p.beta == 0 && !zeros_are_right(m, type, first)) {
                fail_msg("%s:bits=%d, combination %d: sums of zeros are not 0", kernel, bits, c);
            }
            if (t == 0) memcpy(results + c * m->rows, first, bytes);
            if (t > 0 && memcmp(first, y, bytes) != 0) {
                fail_msg("%s:bits=%d, combination %d: other bits on %s", kernel, bits, c, where[t]);
            }
            tulle_mat_destroy(A);
            tulle_mat_destroy(csr);
            tulle_ctx_destroy(ctx);
        }
    }
    free(x);
    free(y0);
    free(first);
    free(y);
}

typedef struct kernel_name {
    const char *name;
    tulle_format format;
} kernel_name;

/* All widths of a kernel; those of AVX2 and of AVX-512 give the same bits. */
static void all_widths(tulle_ctx *ctx, const zoo_matrix *m, const kernel_name *kernel) {
    size_t bytes = (size_t)(COMBOS * m->rows) * sizeof(double);
    double *results[WIDTHS] = {0};
    for (int w = 0; w < WIDTHS; w++) {
        if (!has(ctx, widths[w])) continue;
        results[w] = calloc(1, bytes);
        assert_non_null(results[w]);
        one_width(m, kernel->name, kernel->format, widths[w], results[w]);
    }
    if (results[2] && results[3] && memcmp(results[2], results[3], bytes) != 0) {
        fail_msg("%s on %s: other bits with 512 than with 256", kernel->name, m->name);
    }
    for (int w = 0; w < WIDTHS; w++) free(results[w]);
}

static void test_rows(void **state) {
    (void)state;
    static const kernel_name kernels[] = {{"spmv_csr", TULLE_CSR},
                                          {"spmv_csr_merge", TULLE_CSR},
                                          {"spmv_sell", TULLE_SELL},
                                          {"spmv_ell", TULLE_ELL},
                                          {"spmv_packed", TULLE_PACKED}};
    zoo_matrix runs = runs_of_rows(), unlike = unlike_rows();
    tulle_ctx *ctx = context("cpu:1");
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        all_widths(ctx, &runs, &kernels[k]);
        all_widths(ctx, &unlike, &kernels[k]);
    }
    tulle_ctx_destroy(ctx);
    zoo_free(&runs);
    zoo_free(&unlike);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
