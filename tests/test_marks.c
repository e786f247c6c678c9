/* SPDX-License-Identifier: Apache-2.0 */
/* Marks against their definition, on every place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "matrix/build.h"
#include "matrix/functions.h"
#include "matrix/marks.h"
#include "places.h"
#include "zoo.h"

/* The first row with end[i] >= item - i. */
static int64_t naive_mark(const zoo_matrix *m, int64_t item) {
    int64_t row = 0;
    while (row < m->rows && m->offsets[row + 1] < item - row) row++;
    return row;
}

static void check_marks(tulle_ctx *ctx, const zoo_matrix *m, tulle_index index) {
    tulle_mat *A = zoo_mat(ctx, m, index, TULLE_F64);
    tulle__pattern_view view = tulle__view_of(A->pattern);
    int64_t count = tulle__mark_count(m->rows, m->nnz), size = tulle_offset_size(index);
    void *marks = NULL, *host = malloc((size_t)(count * size));
    assert_non_null(host);
    must(tulle__alloc(ctx, (size_t)(count * size), &marks));
    must(ctx->backend->matrix->mark_rows(&ctx->place, &view, marks));
    must(tulle__copy_wait(ctx, host, marks, (size_t)(count * size)));
    for (int64_t k = 0; k < count; k++) {
        assert_int_equal(tulle__get(host, size, k), naive_mark(m, k * TULLE__MARK_STEP));
    }
    free(host);
    tulle__free(ctx, marks);
    tulle_mat_destroy(A);
}

static void check_zoo(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int i = 0; i < zoo_count(); i++) {
        zoo_matrix m = zoo_make(i);
        for (int index = TULLE_I32; index <= TULLE_I64; index++) {
            check_marks(ctx, &m, (tulle_index)index);
        }
        zoo_free(&m);
    }
}

static void test_marks(void **state) {
    (void)state;
    on_each_place(check_zoo);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_marks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
