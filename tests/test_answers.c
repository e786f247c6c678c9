/* SPDX-License-Identifier: Apache-2.0 */
/* A rule's answers are found for the very question that was asked, the latest of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "matrix/matrix.h"
#include "places.h"
#include "spmv/answers.h"
#include "spmv/rule/rule.h"
#include "zoo.h"

static tulle_mat *some_matrix(tulle_ctx *ctx) {
    zoo_matrix m = zoo_make(8);
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
    zoo_free(&m);
    return A;
}

/* Answers are told apart by their workspace. */
static void keep(tulle_ctx *ctx, tulle_mat *A, const tulle__question *question, size_t workspace) {
    tulle__answer answer = {.workspace = workspace};
    must(tulle__answer_keep(ctx, A->pattern, question, &answer));
}

static bool knows(const tulle_mat *A, const tulle__question *question, size_t *workspace) {
    tulle__answer answer = {.workspace = 0};
    bool found = tulle__answer_find(A->pattern, question, &answer);
    *workspace = answer.workspace;
    return found;
}

enum { QUESTIONS = 8 };

/* The first, and seven that differ from it in one thing each. */
static void ask(const tulle_ctx *ctx, tulle__question all[QUESTIONS]) {
    static const tulle__rule another = {"another", NULL};
    static const tulle__backend elsewhere;
    for (int i = 0; i < QUESTIONS; i++) {
        all[i] = (tulle__question){.backend = ctx->backend,
                                   .rule = tulle__rule_of(ctx),
                                   .call = {.op = TULLE_N,
                                            .vectors = 2,
                                            .x_layout = TULLE_COLUMN_MAJOR,
                                            .y_layout = TULLE_COLUMN_MAJOR},
                                   .values = TULLE__VALUES_F64};
    }
    all[1].backend = &elsewhere;
    all[2].rule = &another;
    all[3].call.op = TULLE_T;
    all[4].call.vectors = 3;
    all[5].call.x_layout = TULLE_ROW_MAJOR;
    all[6].call.y_layout = TULLE_ROW_MAJOR;
    all[7].values = TULLE__VALUES_F32_F64;
}

static void test_told_apart(void **state) {
    tulle_ctx *ctx = NULL;
    tulle__question all[QUESTIONS], repeatable;
    size_t found = 0;
    (void)state;
    must(tulle_ctx_create("cpu", NULL, &ctx));
    ask(ctx, all);
    repeatable = all[0];
    repeatable.repeatable = true;
    for (int asked = 0; asked < QUESTIONS; asked++) {
        tulle_mat *A = some_matrix(ctx);
        keep(ctx, A, &all[asked], 7);
        assert_false(knows(A, &repeatable, &found));
        for (int i = 0; i < QUESTIONS; i++) assert_true(knows(A, &all[i], &found) == (i == asked));
        tulle_mat_destroy(A);
    }
    tulle_ctx_destroy(ctx);
}

/* Of more answers than there is room for, those that were kept last are known. */
static void test_oldest_goes(void **state) {
    enum { ROOM = 8, MANY = 40 };
    tulle_ctx *ctx = NULL;
    tulle__question all[QUESTIONS];
    size_t found = 0;
    (void)state;
    must(tulle_ctx_create("cpu", NULL, &ctx));
    ask(ctx, all);
    tulle_mat *A = some_matrix(ctx);
    for (int64_t k = 1; k <= MANY; k++) {
        all[0].call.vectors = k;
        keep(ctx, A, &all[0], (size_t)k);
        for (int64_t known = 1; known <= MANY; known++) {
            all[0].call.vectors = known;
            assert_true(knows(A, &all[0], &found) == (known <= k && known > k - ROOM));
            if (known <= k && known > k - ROOM) assert_int_equal(found, known);
        }
    }
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_told_apart),
        cmocka_unit_test(test_oldest_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
