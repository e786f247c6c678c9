/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices of which each process makes, reads or is given its own rows: gathered again they are the
 * whole matrix, bit by bit, for one to four threads, some of them without rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "entries.h"
#include "io_help.h"
#include "places.h"
#include "ranks.h"

typedef struct {
    const char *spec, *path; /* a specification or a file */
    const char *other;       /* specification of rank 1, where it is another one */
    tulle_type type;
    tulle_mat *whole; /* gathered in rank 0 */
    tulle_ctx *ctx;   /* rank 0's, which the test destroys */
    tulle_file_info info;
    int64_t rows[MOST_RANKS];
} task;

static tulle_status make(process *p, tulle_dist_mat **A) {
    task *t = p->data;
    if (t->path) return tulle_dist_mat_load(p->ctx, p->comm, t->path, t->type, A, &t->info);
    const char *spec = t->other && p->rank == 1 ? t->other : t->spec;
    return tulle_dist_generate(p->ctx, p->comm, spec, 7, t->type, A);
}

/* Makes the matrix once more, of the rows that were read from it. */
static tulle_status make_again(const process *p, tulle_dist_mat **A) {
    tulle_dist_mat_info i;
    tulle_dist_mat *again = NULL;
    tulle_status status = tulle_dist_mat_describe(*A, &i);
    int64_t *offsets = calloc((size_t)i.local_rows + 1, sizeof *offsets);
    int64_t *columns = calloc((size_t)i.local_nnz + 1, sizeof *columns);
    double *values = calloc((size_t)i.local_nnz + 1, sizeof *values);
    if (status == TULLE_OK) status = tulle_dist_mat_read(p->ctx, *A, offsets, columns, values);
    if (status == TULLE_OK) {
        status = tulle_dist_mat_create(p->ctx, p->comm, i.local_rows, i.local_cols, offsets,
                                       columns, i.type, values, &again);
    }
    free(offsets);
    free(columns);
    free(values);
    tulle_dist_mat_destroy(*A);
    *A = again;
    return status;
}

static tulle_status gather(process *p) {
    task *t = p->data;
    tulle_dist_mat *A = NULL;
    tulle_mat *whole = NULL;
    tulle_dist_mat_info info;
    tulle_status status = make(p, &A);
    if (status == TULLE_OK) status = make_again(p, &A);
    if (status == TULLE_OK) status = tulle_dist_mat_describe(A, &info);
    if (status == TULLE_OK) status = tulle_dist_mat_gather(p->ctx, A, 0, &whole);
    tulle_dist_mat_destroy(A);
    if (status != TULLE_OK) return status;
    t->rows[p->rank] = info.local_rows;
    if (p->rank != 0) return TULLE_OK;
    t->whole = whole;
    t->ctx = p->ctx;
    p->ctx = NULL;
    return TULLE_OK;
}

static void drop(task *t) {
    tulle_mat_destroy(t->whole);
    tulle_ctx_destroy(t->ctx);
    t->whole = NULL;
    t->ctx = NULL;
}

/* Compares the gathered matrix with the whole one, both read as entries. */
static void compare(tulle_ctx *ctx, const tulle_mat *due, task *t, const char *what) {
    entries a = entries_read(ctx, due), b = entries_read(t->ctx, t->whole);
    assert_int_equal(tulle_mat_rows(due), tulle_mat_rows(t->whole));
    assert_int_equal(tulle_mat_cols(due), tulle_mat_cols(t->whole));
    entries_assert_same(&a, &b, what);
    entries_free(&a);
    entries_free(&b);
    drop(t);
}

static void expect_shares(const task *t, int64_t rows, int ranks) {
    for (int r = 0; r < ranks; r++) {
        assert_int_equal(t->rows[r], tulle_dist_share(rows, ranks, r, NULL));
    }
}

/* Every generator, those too whose rows do not stand for themselves. */
static void generators(tulle_ctx *ctx, const char *where) {
    static const char *const specs[] = {
        "p2d5:7",         "p2d9:5,3",      "p3d7:3,4,5",        "p3d27:3",
        "fem3:2",         "blocks:2,3",    "interp3:5",         "fem:60",
        "random:20,31,3", "rmat:5,4",      "powerlaw:40,4,20",  "banded:30,5,50",
        "rail:10,30,3",   "tile:p2d5:3:2", "dense_rows:30,3,2", "p2d5:1",
    };
    const int few = is_slow(where) ? 4 : 1, turn = turn_of(where, few);
    for (int i = 0; i < (int)(sizeof specs / sizeof *specs); i++) {
        task t = {.spec = specs[i], .type = i % 2 ? TULLE_F32 : TULLE_F64};
        tulle_mat *due = NULL;
        if (i % few != turn) continue;
        must(tulle_generate(ctx, t.spec, 7, t.type, &due));
        for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
            process p[MOST_RANKS];
            run_ranks(ranks, 0, where, gather, &t, p);
            must_all(p);
            expect_shares(&t, tulle_mat_rows(due), ranks);
            compare(ctx, due, &t, t.spec);
        }
        tulle_mat_destroy(due);
    }
}
ONCE_ON_EACH_PLACE(generators)

/* Expects each process to have its rows of a matrix of 23 rows in a file. */
static void expect_file(tulle_ctx *ctx, const tulle_mat *due, const char *path, const char *where) {
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
        task t = {.path = path, .type = TULLE_F64};
        process p[MOST_RANKS];
        run_ranks(ranks, 0, where, gather, &t, p);
        must_all(p);
        assert_int_equal(t.info.rows, 23);
        assert_int_equal(t.info.expanded, tulle_mat_nnz(due));
        expect_shares(&t, 23, ranks);
        compare(ctx, due, &t, path);
    }
}

/* A text, and a file of blocks of 3 x 2, which shares of rows cut. */
static void files(tulle_ctx *ctx, const char *where) {
    const tulle_convert_options blocks = {.block = 3, .block_cols = 2};
    tulle_mat *due = NULL, *bsr = NULL;
    io_folder_make();
    must(tulle_generate(ctx, "random:23,17,4", 3, TULLE_F64, &due));
    must(tulle_mat_convert_with(ctx, due, TULLE_BSR, TULLE_I32, &blocks, &bsr));
    must(tulle_mat_save(ctx, due, io_path("a.mtx"), NULL));
    must(tulle_mat_save(ctx, bsr, io_path("b.tulle"), NULL));
    expect_file(ctx, due, io_path("a.mtx"), where);
    expect_file(ctx, due, io_path("b.tulle"), where);
    tulle_mat_destroy(due);
    tulle_mat_destroy(bsr);
    io_folder_remove();
}
ONCE_ON_EACH_PLACE(files)

/* What one process cannot make or read, none gets, and all may go on. */
static tulle_status refused(process *p) {
    const task *t = p->data;
    tulle_dist_mat *A = NULL;
    const char *spec = p->rank == 1 ? t->other : t->spec;
    const tulle_status status = tulle_dist_generate(p->ctx, p->comm, spec, 7, TULLE_F64, &A);
    if (status == TULLE_OK || A) return wrong("it was made");
    if (tulle_dist_generate(p->ctx, p->comm, "p2d5:3", 7, TULLE_F64, &A) != TULLE_OK) {
        return wrong("the communicator is of no use");
    }
    tulle_dist_mat_destroy(A);
    return status;
}

static void test_refused(void **state) {
    (void)state;
    task t = {.spec = "p2d5:4", .other = "nothing:4"};
    process p[MOST_RANKS];
    run_ranks(3, 0, "cpu:1", refused, &t, p);
    assert_int_equal(p[0].status, TULLE_PEER_FAILED);
    assert_int_equal(p[1].status, TULLE_NOT_FOUND);
    assert_int_equal(p[2].status, TULLE_PEER_FAILED);
    t.other = "p2d5:5";
    run_ranks(2, 0, "cpu:1", refused, &t, p);
    assert_int_equal(p[0].status, TULLE_INVALID_ARGUMENT);
    assert_int_equal(p[1].status, TULLE_INVALID_ARGUMENT);
    t = (task){.path = "/nowhere/a.mtx", .type = TULLE_F64};
    run_ranks(2, 0, "cpu:1", gather, &t, p);
    assert_int_equal(p[0].status, TULLE_IO_ERROR);
    assert_int_equal(p[1].status, TULLE_IO_ERROR);
}

/* Rows that the matrix does not have. */
static tulle_status take_beyond(process *p) {
    tulle_dist_mat *A = NULL;
    tulle_mat *from = NULL;
    if (tulle_generate(p->ctx, "p2d5:3", 0, TULLE_F64, &from) != TULLE_OK)
        return wrong("no matrix");
    const tulle_status status =
        tulle_dist_mat_from_rows(p->ctx, p->comm, from, p->rank == 0 ? 0 : 5, 5, 5, &A);
    tulle_mat_destroy(from);
    if (A) return wrong("it was made");
    return status;
}

static void test_beyond(void **state) {
    (void)state;
    process p[MOST_RANKS];
    run_ranks(2, 0, "cpu:1", take_beyond, NULL, p);
    assert_int_equal(p[0].status, TULLE_PEER_FAILED);
    assert_int_equal(p[1].status, TULLE_INVALID_ARGUMENT);
    assert_non_null(strstr(p[1].words, "5 rows from row 5 on are not within the matrix's 9"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generators),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_beyond),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
