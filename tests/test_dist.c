/* SPDX-License-Identifier: Apache-2.0 */
/* Distributed matrices: products, the matrix gathered again, sums of vectors, and what is refused,
 * for one to four threads that share the rows of one matrix evenly, unevenly, or not at all. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/error.h"
#include "counting.h"
#include "places.h"
#include "ranks.h"

enum { MOST_COLUMNS = 3 };

/* A matrix in host memory, the rows and columns of each rank, and how it is multiplied. */
typedef struct {
    int64_t rows, cols;
    int64_t *offsets, *columns;
    double *values;
    int64_t row_start[MOST_RANKS + 1], col_start[MOST_RANKS + 1];
    tulle_type type;
    tulle_trans op;
    tulle_layout layout;
    int k;
    bool replaces; /* the matrix is made with zeros, and gets its values later */
    double alpha, beta;
    double *x, *y; /* X and Y before, by columns */
} shared;

static double random_number(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) * 0x1p-53;
}

/* A matrix whose rows have `least` to `most` entries in ascending columns, which may repeat. */
static shared make(int64_t rows, int64_t cols, int least, int most) {
    shared s = {.rows = rows, .cols = cols};
    uint64_t seed = (uint64_t)(rows * 1000 + cols * 10 + most);
    s.offsets = calloc((size_t)rows + 1, sizeof *s.offsets);
    s.columns = calloc((size_t)(rows * most) + 1, sizeof *s.columns);
    s.values = calloc((size_t)(rows * most) + 1, sizeof *s.values);
    for (int64_t i = 0; i < rows; i++) {
        int64_t at = s.offsets[i];
        const int count = least + (int)(random_number(&seed) * (most - least + 1));
        int64_t column = 0;
        for (int e = 0; e < count && column < cols; e++) {
            column += (int64_t)(random_number(&seed) * 2 * (double)cols / most);
            if (column >= cols) break;
            s.columns[at] = column;
            s.values[at++] = (double)(float)(random_number(&seed) - 0.5);
        }
        s.offsets[i + 1] = at;
    }
    s.x = calloc((size_t)((rows + cols) * MOST_COLUMNS), sizeof *s.x);
    s.y = calloc((size_t)((rows + cols) * MOST_COLUMNS), sizeof *s.y);
    for (int64_t i = 0; i < (rows + cols) * MOST_COLUMNS; i++) {
        s.x[i] = (double)(float)(random_number(&seed) - 0.5);
        s.y[i] = (double)(float)(random_number(&seed) - 0.5);
    }
    return s;
}

static void drop(shared *s) {
    free(s->offsets);
    free(s->columns);
    free(s->values);
    free(s->x);
    free(s->y);
}

/* Shares rows and columns: evenly; most of them with rank 0; or with none for rank 1. */
enum { WAYS = 3 };
static void deal(shared *s, int ranks, int way) {
    for (int r = 0; r < ranks; r++) {
        int64_t row = 0, col = 0;
        tulle_dist_share(s->rows, ranks, r, &row);
        tulle_dist_share(s->cols, ranks, r, &col);
        if (way == 1 && r > 0) {
            row = s->rows - (ranks - r);
            col = s->cols - (ranks - r);
        }
        s->row_start[r] = row;
        s->col_start[r] = col;
    }
    s->row_start[ranks] = s->rows;
    s->col_start[ranks] = s->cols;
    if (way == 2 && ranks > 1) {
        s->row_start[2] = s->row_start[1];
        s->col_start[2] = s->col_start[1];
        if (ranks == 2) {
            s->row_start[1] = s->rows;
            s->col_start[1] = s->cols;
            s->row_start[2] = s->rows;
            s->col_start[2] = s->cols;
        }
    }
}

static double number(tulle_type type, const void *numbers, int64_t i) {
    return type == TULLE_F32 ? (double)((const float *)numbers)[i] : ((const double *)numbers)[i];
}

static tulle_status make_dist(const process *p, tulle_type type, tulle_dist_mat **A) {
    const shared *s = p->data;
    const int64_t row = s->row_start[p->rank], rows = s->row_start[p->rank + 1] - row;
    const int64_t cols = s->col_start[p->rank + 1] - s->col_start[p->rank];
    const int64_t begin = s->offsets[row];
    int64_t *offsets = calloc((size_t)rows + 1, sizeof *offsets);
    for (int64_t i = 0; i <= rows; i++) offsets[i] = s->offsets[row + i] - begin;
    void *values = ranks_numbers(s->values + begin, offsets[rows], type);
    double *zeros = calloc((size_t)offsets[rows] + 1, sizeof *zeros);
    const tulle_status status =
        tulle_dist_mat_create(p->ctx, p->comm, rows, cols, offsets, s->columns + begin, type,
                              s->replaces ? zeros : values, A);
    free(zeros);
    free(values);
    free(offsets);
    return status;
}

/* Makes a multivector of rows first to last - 1 of numbers by columns of `all` rows. */
static tulle_status make_vector(const process *p, const double *numbers, int64_t all, int64_t first,
                                int64_t last, tulle_vec **X) {
    const shared *s = p->data;
    const int64_t rows = last - first;
    const bool by_row = s->layout == TULLE_ROW_MAJOR;
    double *own = calloc((size_t)(rows * s->k) + 1, sizeof *own);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t c = 0; c < s->k; c++) {
            own[by_row ? i * s->k + c : i + c * rows] = numbers[first + i + c * all];
        }
    }
    void *given = ranks_numbers(own, rows * s->k, s->type);
    tulle_status status = tulle_vec_create_columns(p->ctx, s->type, rows, s->k, s->layout, 0, X);
    if (status == TULLE_OK) status = tulle_vec_write(p->ctx, *X, given, 0);
    free(given);
    free(own);
    return status;
}

/* Compares this process's rows of Y with the definition, in units of the bound: for each row n + 2
 * roundings, and two more for each process. */
static tulle_status judge(const process *p, const tulle_vec *Y, int64_t all, int64_t first,
                          int64_t last) {
    const shared *s = p->data;
    const int64_t rows = last - first, from = s->op == TULLE_N ? s->cols : s->rows;
    const double u = s->type == TULLE_F32 ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
    const size_t count = (size_t)(all * s->k);
    long double *sum = calloc(count + 1, sizeof *sum), *size = calloc(count + 1, sizeof *size);
    int64_t *terms = calloc((size_t)all + 1, sizeof *terms);
    for (int64_t i = 0; i < s->rows; i++) {
        for (int64_t e = s->offsets[i]; e < s->offsets[i + 1]; e++) {
            const int64_t to = s->op == TULLE_N ? i : s->columns[e];
            const int64_t of = s->op == TULLE_N ? s->columns[e] : i;
            terms[to]++;
            for (int64_t c = 0; c < s->k; c++) {
                const long double term = (long double)s->values[e] * s->x[of + c * from];
                sum[to + c * all] += term;
                size[to + c * all] += fabsl(term);
            }
        }
    }
    void *got = calloc((size_t)(rows * s->k) + 1, sizeof(double));
    tulle_status status = tulle_vec_read(p->ctx, Y, got, 0);
    for (int64_t i = 0; i < rows && status == TULLE_OK; i++) {
        for (int64_t c = 0; c < s->k; c++) {
            const int64_t at = first + i + c * all;
            const long double old = s->beta == 0 ? 0 : s->beta * s->y[at];
            const double y =
                number(s->type, got, s->layout == TULLE_ROW_MAJOR ? i * s->k + c : i + c * rows);
            const long double bound = (double)(terms[first + i] + 2 + 2 * p->ranks) * u *
                                      (fabsl(s->alpha * size[at]) + fabsl(old));
            if (!(fabsl(y - (s->alpha * sum[at] + old)) <= 1.01L * bound)) {
                status = wrong("row %lld, column %lld: %.17g, not %.17Lg", (long long)(first + i),
                               (long long)c, y, s->alpha * sum[at] + old);
            }
        }
    }
    free(got);
    free(terms);
    free(size);
    free(sum);
    return status;
}

/* Gives a matrix that was made with zeros its values, after a product that may keep data of them.
 */
static tulle_status replace_values(const process *p, tulle_dist_mat *A, const tulle_vec *X,
                                   tulle_vec *Y) {
    const shared *s = p->data;
    const int64_t row = s->row_start[p->rank], rows = s->row_start[p->rank + 1] - row;
    const int64_t begin = s->offsets[row];
    int64_t *offsets = calloc((size_t)rows + 1, sizeof *offsets);
    for (int64_t i = 0; i <= rows; i++) offsets[i] = s->offsets[row + i] - begin;
    void *values = ranks_numbers(s->values + begin, offsets[rows], s->type);
    tulle_status status =
        tulle_dist_mat_multiply(p->ctx, s->op, tulle_num(1), A, X, tulle_num(1), Y);
    if (status == TULLE_OK) {
        status = tulle_dist_mat_set_values(A, offsets, s->columns + begin, values);
    }
    free(values);
    free(offsets);
    return status;
}

static tulle_status multiply(process *p) {
    const shared *s = p->data;
    const bool turned = s->op == TULLE_T;
    const int64_t *from = turned ? s->row_start : s->col_start;
    const int64_t *to = turned ? s->col_start : s->row_start;
    const int r = p->rank;
    tulle_dist_mat *A = NULL;
    tulle_vec *X = NULL, *Y = NULL;
    tulle_status status = make_dist(p, s->type, &A);
    if (status == TULLE_OK) {
        status = make_vector(p, s->x, turned ? s->rows : s->cols, from[r], from[r + 1], &X);
    }
    if (status == TULLE_OK) {
        status = make_vector(p, s->y, turned ? s->cols : s->rows, to[r], to[r + 1], &Y);
    }
    if (status == TULLE_OK && s->replaces) status = replace_values(p, A, X, Y);
    if (status == TULLE_OK && s->beta == 0) status = tulle_vec_fill(p->ctx, Y, NAN);
    if (status == TULLE_OK) {
        status = tulle_dist_mat_multiply(p->ctx, s->op, tulle_num(s->alpha), A, X,
                                         tulle_num(s->beta), Y);
    }
    if (status == TULLE_OK) {
        status = judge(p, Y, turned ? s->cols : s->rows, to[r], to[r + 1]);
    }
    tulle_vec_destroy(X);
    tulle_vec_destroy(Y);
    tulle_dist_mat_destroy(A);
    return status;
}

/* Rows, columns, least and most entries of a row: square, wide, tall, full (each process needs all
 * of x), without entries. */
static const int shapes[][4] = {
    {40, 40, 0, 6}, {23, 57, 1, 5}, {57, 19, 0, 4}, {12, 12, 40, 40}, {9, 9, 0, 0}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void products(tulle_ctx *ctx, const char *where) {
    const int few = is_slow(where) ? 7 : 1, turn = turn_of(where, 7);
    int number_of_case = 0;
    (void)ctx;
    for (int shape = 0; shape < SHAPES; shape++) {
        shared s = make(shapes[shape][0], shapes[shape][1], shapes[shape][2], shapes[shape][3]);
        for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
            for (int way = 0; way < WAYS * 16; way++) {
                if (number_of_case++ % few != (few > 1 ? turn : 0)) continue;
                deal(&s, ranks, way / 16);
                s.type = way & 1 ? TULLE_F32 : TULLE_F64;
                s.op = way & 2 ? TULLE_T : TULLE_N;
                s.layout = way & 4 ? TULLE_ROW_MAJOR : TULLE_COLUMN_MAJOR;
                s.k = way & 8 ? MOST_COLUMNS : 1;
                s.alpha = way & 8 ? -0.5 : 1;
                s.beta = (way + ranks) % 3 == 0 ? 2 : 0;
                s.replaces = (way + ranks) % 5 < 2;
                process p[MOST_RANKS];
                run_ranks(ranks, 0, where, multiply, &s, p);
                must_all(p);
            }
        }
        drop(&s);
    }
}
ONCE_ON_EACH_PLACE(products)

/* The matrix and a multivector come back as they were; the description is right. */
static tulle_status compare_matrix(const process *p, tulle_mat *whole) {
    const shared *s = p->data;
    const int64_t nnz = s->offsets[s->rows];
    tulle_mat *wide = NULL;
    int64_t *offsets = calloc((size_t)s->rows + 1, sizeof *offsets);
    int64_t *columns = calloc((size_t)nnz + 1, sizeof *columns);
    double *values = calloc((size_t)nnz + 1, sizeof *values);
    tulle_status status = tulle_mat_nnz(whole) == nnz ? TULLE_OK : wrong("another nnz");
    if (status == TULLE_OK) {
        status = tulle_mat_convert(p->ctx, whole, TULLE_CSR, TULLE_I64, 0, &wide);
    }
    if (status == TULLE_OK) status = tulle_mat_read(p->ctx, wide, offsets, NULL, columns, values);
    for (int64_t i = 0; i <= s->rows && status == TULLE_OK; i++) {
        if (offsets[i] != s->offsets[i]) status = wrong("offset %lld", (long long)i);
    }
    for (int64_t e = 0; e < nnz && status == TULLE_OK; e++) {
        if (columns[e] != s->columns[e] || values[e] != s->values[e]) {
            status = wrong("entry %lld", (long long)e);
        }
    }
    tulle_mat_destroy(wide);
    free(offsets);
    free(columns);
    free(values);
    return status;
}

static tulle_status gather_matrix(const process *p, tulle_dist_mat *A, int root) {
    tulle_mat *whole = NULL;
    tulle_status status = tulle_dist_mat_gather(p->ctx, A, root, &whole);
    if (status == TULLE_OK && (whole != NULL) != (p->rank == root)) {
        status = wrong("a matrix where none should be, or none");
    }
    if (status == TULLE_OK && whole) status = compare_matrix(p, whole);
    tulle_mat_destroy(whole);
    return status;
}

static tulle_status gather_vector(const process *p, int root) {
    const shared *s = p->data;
    const int r = p->rank;
    double *all = p->rank == root ? calloc((size_t)(s->rows * s->k), sizeof *all) : NULL;
    double norms[MOST_COLUMNS], dots[MOST_COLUMNS];
    tulle_vec *X = NULL;
    tulle_status status = make_vector(p, s->x, s->rows, s->row_start[r], s->row_start[r + 1], &X);
    if (status == TULLE_OK) status = tulle_dist_gather(p->ctx, p->comm, X, root, all);
    for (int64_t i = 0; i < s->rows * s->k && all && status == TULLE_OK; i++) {
        if (all[i] != s->x[i]) status = wrong("number %lld is %g", (long long)i, all[i]);
    }
    if (status == TULLE_OK) status = tulle_dist_norm2(p->ctx, p->comm, X, norms);
    if (status == TULLE_OK) status = tulle_dist_dot(p->ctx, p->comm, X, X, dots);
    for (int c = 0; c < s->k && status == TULLE_OK; c++) {
        long double square = 0;
        for (int64_t i = 0; i < s->rows; i++)
            square += s->x[i + c * s->rows] * s->x[i + c * s->rows];
        const long double bound = 1000 * DBL_EPSILON * square;
        if (!(fabsl(dots[c] - square) <= bound)) status = wrong("inner product %g", dots[c]);
        if (!(fabsl(norms[c] - sqrtl(square)) <= bound)) status = wrong("norm %g", norms[c]);
    }
    tulle_vec_destroy(X);
    free(all);
    return status;
}

static tulle_status gather(process *p) {
    const shared *s = p->data;
    tulle_dist_mat *A = NULL;
    tulle_dist_mat_info info;
    tulle_status status = make_dist(p, TULLE_F64, &A);
    if (status == TULLE_OK) status = tulle_dist_mat_describe(A, &info);
    if (status == TULLE_OK &&
        (info.rows != s->rows || info.cols != s->cols || info.nnz != s->offsets[s->rows] ||
         info.first_row != s->row_start[p->rank] || info.first_col != s->col_start[p->rank] ||
         info.local_rows != tulle_mat_rows(tulle_dist_mat_block(A)) ||
         info.local_cols != tulle_mat_cols(tulle_dist_mat_block(A)) || info.type != TULLE_F64 ||
         (info.received > 0) != (info.receives_from > 0) ||
         (info.sent > 0) != (info.sends_to > 0) || (info.edge_rows > 0) != (info.received > 0))) {
        status = wrong("the description");
    }
    for (int root = 0; root < p->ranks && status == TULLE_OK; root++) {
        status = gather_matrix(p, A, root);
        if (status == TULLE_OK) status = gather_vector(p, root);
    }
    tulle_dist_mat_destroy(A);
    return status;
}

static void gathered(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    for (int shape = 0; shape < SHAPES; shape++) {
        shared s = make(shapes[shape][0], shapes[shape][1], shapes[shape][2], shapes[shape][3]);
        s.type = TULLE_F64;
        for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
            const int way = (ranks + shape) % WAYS;
            s.k = 1 + shape % MOST_COLUMNS;
            s.layout = ranks % 2 ? TULLE_ROW_MAJOR : TULLE_COLUMN_MAJOR;
            if (is_slow(where) && way != turn_of(where, WAYS)) continue;
            deal(&s, ranks, way);
            process p[MOST_RANKS];
            run_ranks(ranks, 0, where, gather, &s, p);
            must_all(p);
        }
        drop(&s);
    }
}
ONCE_ON_EACH_PLACE(gathered)

/* Norms whose squares leave the range of f64, and numbers that are none. */
static tulle_status extremes(process *p) {
    static const double given[][2] = {{1e200, 5e200}, {1e-200, 3e-200}, {0, 0},
                                      {INFINITY, 1},  {NAN, 1},         {INFINITY, NAN}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        double norm;
        tulle_vec *x = NULL;
        TULLE__TRY(tulle_vec_create(p->ctx, TULLE_F64, 1, &x));
        tulle_status status = tulle_vec_fill(p->ctx, x, given[i][p->rank]);
        if (status == TULLE_OK) status = tulle_dist_norm2(p->ctx, p->comm, x, &norm);
        tulle_vec_destroy(x);
        TULLE__TRY(status);
        const double due = hypot(given[i][0], given[i][1]);
        const bool none = isnan(given[i][0]) || isnan(given[i][1]);
        const bool right =
            none ? isnan(norm) : norm == due || fabs(norm - due) <= 4 * DBL_EPSILON * due;
        if (!right) return wrong("norm %g of case %d", norm, (int)i);
    }
    return TULLE_OK;
}
static void test_extremes(void **state) {
    (void)state;
    process p[MOST_RANKS];
    run_ranks(2, 0, "cpu:1", extremes, NULL, p);
    must_all(p);
}

/* Faults of one process are told to all. */
typedef struct {
    int64_t columns[2], offsets[3];
    tulle_type type;
    tulle_status own;
    const char *argument;
} fault;
static const fault faults[] = {
    {{0, 6}, {0, 1, 2}, TULLE_F64, TULLE_INVALID_MATRIX, "columns"},
    {{0, -1}, {0, 1, 2}, TULLE_F64, TULLE_INVALID_MATRIX, "columns"},
    {{0, 1}, {0, 2, 1}, TULLE_F64, TULLE_INVALID_MATRIX, "offsets"},
    {{0, 1}, {1, 1, 2}, TULLE_F64, TULLE_INVALID_MATRIX, "offsets"},
    {{0, 1}, {0, 1, 2}, (tulle_type)7, TULLE_INVALID_ARGUMENT, "type"},
    {{0, 1}, {0, 1, 2}, TULLE_F32, TULLE_INVALID_ARGUMENT, "type"},
};

static tulle_status make_at_fault(process *p) {
    static const fault none = {{0, 1}, {0, 1, 2}, TULLE_F64, TULLE_OK, ""};
    const fault *f = p->rank == 1 ? p->data : &none;
    const double values[] = {1, 2};
    tulle_dist_mat *A = (tulle_dist_mat *)1;
    const tulle_status status =
        tulle_dist_mat_create(p->ctx, p->comm, 2, 2, f->offsets, f->columns, f->type, values, &A);
    return A ? wrong("a matrix") : status;
}

static void test_faults(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        process p[MOST_RANKS];
        const bool differs = faults[i].type == TULLE_F32;
        run_ranks(3, 0, "cpu:1", make_at_fault, (void *)(faults + i), p);
        for (int r = 0; r < 3; r++) {
            const bool own = r == 1 || differs;
            assert_int_equal(p[r].status, own ? faults[i].own : TULLE_PEER_FAILED);
            if (own) assert_string_equal(p[r].argument, faults[i].argument);
            if (!own) assert_non_null(strstr(p[r].words, "rank 1 failed"));
        }
    }
}

/* Each allocation of rank 1 fails in turn: rank 0 hears of it, and nobody waits. */
static tulle_status without_memory(process *p) {
    counting c = {.fail_at = 0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    tulle_ctx *own = p->ctx;
    tulle_dist_mat *A = NULL;
    if (strcmp(p->where, "emulated") == 0) options.device = &allocator;
    TULLE__TRY(tulle_ctx_create(p->where, &options, &p->ctx));
    if (p->rank == 1) c.fail_at = c.requests + ((shared *)p->data)->k;
    tulle_status status = make_dist(p, TULLE_F64, &A);
    if (status != TULLE_OK && A) status = wrong("a matrix after a failure");
    c.fail_at = 0;
    tulle_dist_mat_destroy(A);
    tulle_comm_destroy(p->comm); /* it has memory of the context, too */
    p->comm = NULL;
    tulle_ctx_destroy(p->ctx);
    p->ctx = own;
    return c.live == 0 ? status : wrong("%lld blocks are left", (long long)c.live);
}

static void no_memory(tulle_ctx *ctx, const char *where) {
    shared s = make(12, 12, 2, 5);
    process p[MOST_RANKS];
    (void)ctx;
    deal(&s, 2, 0);
    s.k = 0;
    do {
        s.k++; /* the allocation that fails */
        run_ranks(2, 60, where, without_memory, &s, p);
        if (p[1].status == TULLE_OK) break;
        if (p[1].status != TULLE_OUT_OF_MEMORY || p[0].status != TULLE_PEER_FAILED ||
            p[0].seconds > 30) {
            fail_msg("allocation %d: %s, %s; %s", s.k, tulle_status_name(p[0].status),
                     tulle_status_name(p[1].status), p[1].words);
        }
    } while (true);
    must_all(p);
    assert_true(s.k > 20);
    drop(&s);
}
ONCE_ON_EACH_PLACE(no_memory)

/* Offsets and columns that are not A's are refused. */
static tulle_status other_arrays(process *p) {
    static const int64_t offsets[] = {0, 1, 2}, columns[] = {1, 3}, none[] = {0, 0, 0};
    static const int64_t more[] = {0, 1, 3}, others[] = {1, 2}, own[] = {1, 1};
    static const double values[] = {1, 2};
    const bool empty = p->rank == 1;
    tulle_dist_mat *A = NULL;
    TULLE__TRY(tulle_dist_mat_create(p->ctx, p->comm, 2, 2, empty ? none : offsets, columns,
                                     TULLE_F64, values, &A));
    tulle_status status = TULLE_OK;
    if (!empty &&
        (tulle_dist_mat_set_values(A, more, columns, values) != TULLE_INVALID_ARGUMENT ||
         tulle_dist_mat_set_values(A, none, columns, values) != TULLE_INVALID_ARGUMENT ||
         tulle_dist_mat_set_values(A, offsets, others, values) != TULLE_INVALID_ARGUMENT ||
         tulle_dist_mat_set_values(A, offsets, own, values) != TULLE_INVALID_ARGUMENT ||
         tulle_dist_mat_set_values(A, NULL, columns, values) != TULLE_INVALID_ARGUMENT ||
         tulle_dist_mat_set_values(A, offsets, columns, NULL) != TULLE_INVALID_ARGUMENT)) {
        status = wrong("other arrays are taken");
    }
    if (empty) status = tulle_dist_mat_set_values(A, none, NULL, NULL);
    tulle_dist_mat_destroy(A);
    return status;
}

static tulle_status other_root(process *p) {
    double number = 1;
    tulle_vec *x = NULL;
    TULLE__TRY(tulle_vec_create(p->ctx, TULLE_F64, 0, &x));
    const tulle_status status = tulle_dist_gather(p->ctx, p->comm, x, p->rank, &number);
    tulle_vec_destroy(x);
    return status;
}

/* Rank 1 makes a call with an x of another size, and then goes on: neither process may take numbers
 * of the other's next or last call for those of its own. */
typedef enum { PRODUCT, OPERATOR, SOLUTION, SLIPS } slip_of;

static tulle_status use(const process *p, slip_of of, tulle_dist_mat *A, tulle_linop *L,
                        tulle_solver *S, const tulle_vec *x, tulle_vec *y) {
    const tulle_scalar one = tulle_num(1), none = tulle_num(0);
    if (of == PRODUCT) return tulle_dist_mat_multiply(p->ctx, TULLE_N, one, A, x, none, y);
    if (of == OPERATOR) return tulle_linop_apply(p->ctx, TULLE_N, one, L, x, none, y);
    return tulle_solver_run(p->ctx, S, x, y, NULL);
}

static tulle_status use_all(const process *p, tulle_dist_mat *A, tulle_linop *L, tulle_solver *S,
                            tulle_vec *const v[3]) {
    const slip_of of = *(const slip_of *)p->data;
    if (p->rank == 1 && use(p, of, A, L, S, v[2], v[1]) != TULLE_SHAPE_MISMATCH) {
        return wrong("another size is taken");
    }
    return use(p, of, A, L, S, v[0], v[1]);
}

static tulle_status slip(process *p) {
    static const int64_t offsets[] = {0, 2, 4};
    const int64_t columns[] = {2 * p->rank, 2 * (1 - p->rank), 2 * p->rank + 1, 3 - 2 * p->rank};
    static const double values[] = {2, -1, 2, -1};
    tulle_dist_mat *A = NULL;
    tulle_linop *L = NULL;
    tulle_solver *S = NULL;
    tulle_vec *v[3] = {NULL, NULL, NULL};
    tulle_status status =
        tulle_dist_mat_create(p->ctx, p->comm, 2, 2, offsets, columns, TULLE_F64, values, &A);
    if (status == TULLE_OK) status = tulle_linop_from_dist(p->ctx, A, &L);
    if (status == TULLE_OK) status = tulle_solver_create(p->ctx, L, NULL, NULL, &S);
    for (int i = 0; i < 3 && status == TULLE_OK; i++) {
        status = tulle_vec_create(p->ctx, TULLE_F64, i < 2 ? 2 : 3, v + i);
        if (status == TULLE_OK) status = tulle_vec_fill(p->ctx, v[i], 1);
    }
    if (status == TULLE_OK) status = use_all(p, A, L, S, v);
    for (int i = 0; i < 3; i++) tulle_vec_destroy(v[i]);
    tulle_solver_destroy(S);
    tulle_linop_destroy(L);
    tulle_dist_mat_destroy(A);
    return status;
}

static void test_slips(void **state) {
    (void)state;
    for (slip_of of = PRODUCT; of < SLIPS; of++) {
        process p[MOST_RANKS];
        run_ranks(2, 0, "cpu:1", slip, &of, p);
        for (int r = 0; r < 2; r++) {
            assert_int_equal(p[r].status, TULLE_PEER_FAILED);
            assert_true(p[r].seconds < 30);
        }
    }
}

/* A vector that is missing in one process is told to all, which may go on. */
static tulle_status without_x(process *p) {
    double result = 7;
    tulle_vec *x = NULL;
    TULLE__TRY(tulle_vec_create(p->ctx, TULLE_F64, 1, &x));
    tulle_status status = tulle_vec_fill(p->ctx, x, 2);
    const tulle_vec *given = p->rank == 1 ? NULL : x;
    const tulle_status due = p->rank == 1 ? TULLE_INVALID_ARGUMENT : TULLE_PEER_FAILED;
    if (status == TULLE_OK && (tulle_dist_dot(p->ctx, p->comm, given, given, &result) != due ||
                               tulle_dist_norm2(p->ctx, p->comm, given, &result) != due ||
                               tulle_dist_gather(p->ctx, p->comm, given, 0, &result) != due)) {
        status = wrong("a status that is not %s", tulle_status_name(due));
    }
    if (status == TULLE_OK) status = tulle_dist_dot(p->ctx, p->comm, x, x, &result);
    if (status == TULLE_OK && result != 12) status = wrong("inner product %g", result);
    tulle_vec_destroy(x);
    return status;
}

static tulle_status without_host(process *p) {
    tulle_vec *x = NULL, *empty = NULL;
    TULLE__TRY(tulle_vec_create(p->ctx, TULLE_F64, 1, &x));
    tulle_status status = tulle_vec_create(p->ctx, TULLE_F64, 0, &empty);
    if (status == TULLE_OK) status = tulle_dist_gather(p->ctx, p->comm, empty, 0, NULL);
    if (status == TULLE_OK) status = tulle_dist_gather(p->ctx, p->comm, x, 0, NULL);
    tulle_vec_destroy(x);
    tulle_vec_destroy(empty);
    return status;
}

static void test_missing(void **state) {
    (void)state;
    process p[MOST_RANKS];
    run_ranks(3, 0, "cpu:1", without_x, NULL, p);
    must_all(p);
    run_ranks(3, 0, "cpu:1", without_host, NULL, p);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(p[r].status, TULLE_INVALID_ARGUMENT);
        assert_string_equal(p[r].argument, "host");
    }
}

/* Returns `made`, if the communicator is still of use. */
static tulle_status go_on(const process *p, tulle_status made) {
    double result = 0;
    tulle_vec *x = NULL;
    TULLE__TRY(tulle_vec_create(p->ctx, TULLE_F64, 1, &x));
    tulle_status status = tulle_vec_fill(p->ctx, x, 1);
    if (status == TULLE_OK) status = tulle_dist_dot(p->ctx, p->comm, x, x, &result);
    tulle_vec_destroy(x);
    TULLE__TRY(status);
    return result == p->ranks ? made : wrong("inner product %g", result);
}

static tulle_status make_empty(const process *p, tulle_ctx *ctx, int64_t cols, tulle_dist_mat **A) {
    static const int64_t offsets[] = {0};
    return tulle_dist_mat_create(ctx, p->comm, 0, cols, offsets, NULL, TULLE_F64, NULL, A);
}

/* More columns than int64 has. */
static tulle_status too_many(process *p) {
    tulle_dist_mat *A = NULL;
    const tulle_status status = make_empty(p, p->ctx, INT64_C(1) << 62, &A);
    return A ? wrong("a matrix") : go_on(p, status);
}

/* Nowhere to put the matrix. */
static tulle_status without_place(process *p) {
    tulle_dist_mat *A = NULL;
    const tulle_status status = make_empty(p, p->ctx, 0, p->rank == 1 ? NULL : &A);
    return A ? wrong("a matrix") : go_on(p, status);
}

/* A CPU and a device. */
static tulle_status two_kinds(process *p) {
    tulle_ctx *cpu = NULL;
    tulle_dist_mat *A = NULL;
    TULLE__TRY(tulle_ctx_create("cpu:1", NULL, &cpu));
    const tulle_status status = make_empty(p, p->rank == 0 ? cpu : p->ctx, 0, &A);
    const bool made = A;
    tulle_dist_mat_destroy(A);
    tulle_ctx_destroy(cpu);
    return made ? wrong("a matrix") : go_on(p, status);
}

static void kinds(tulle_ctx *ctx, const char *where) {
    process p[MOST_RANKS];
    tulle_device_info info;
    must(tulle_ctx_device(ctx, &info));
    if (info.backend == TULLE_CPU) return;
    run_ranks(2, 0, where, two_kinds, NULL, p);
    for (int r = 0; r < 2; r++) {
        assert_int_equal(p[r].status, TULLE_INVALID_ARGUMENT);
    }
}
ONCE_ON_EACH_PLACE(kinds)

static void test_refused(void **state) {
    (void)state;
    process p[MOST_RANKS];
    run_ranks(2, 0, "cpu:1", too_many, NULL, p);
    for (int r = 0; r < 2; r++) assert_int_equal(p[r].status, TULLE_TOO_LARGE);
    run_ranks(2, 0, "cpu:1", without_place, NULL, p);
    assert_int_equal(p[0].status, TULLE_PEER_FAILED);
    assert_int_equal(p[1].status, TULLE_INVALID_ARGUMENT);
}

static void test_arguments(void **state) {
    (void)state;
    process p[MOST_RANKS];
    int64_t first = 7;
    run_ranks(2, 0, "cpu:1", other_root, NULL, p);
    for (int r = 0; r < 2; r++) {
        assert_int_equal(p[r].status, TULLE_INVALID_ARGUMENT);
        assert_string_equal(p[r].argument, "root");
    }
    run_ranks(2, 0, "cpu:1", other_arrays, NULL, p);
    must_all(p);
    assert_int_equal(tulle_dist_share(10, 4, 1, &first), 3);
    assert_int_equal(first, 3);
    assert_int_equal(tulle_dist_share(10, 4, 3, &first), 2);
    assert_int_equal(first, 8);
    assert_int_equal(tulle_dist_share(10, 4, 4, NULL), 0);
    assert_int_equal(tulle_dist_share(-1, 4, 0, NULL), 0);
    assert_null(tulle_dist_mat_block(NULL));
    assert_int_equal(tulle_dist_mat_set_values(NULL, &first, &first, &first),
                     TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_dist_mat_describe(NULL, NULL), TULLE_INVALID_ARGUMENT);
    tulle_dist_mat_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),  cmocka_unit_test(test_gathered),
        cmocka_unit_test(test_extremes),  cmocka_unit_test(test_faults),
        cmocka_unit_test(test_arguments), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_kinds),     cmocka_unit_test(test_refused),
        cmocka_unit_test(test_slips),     cmocka_unit_test(test_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
