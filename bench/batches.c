/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/batches.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/stopwatch.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "trials/op.h"

/* Each of these operands takes tens to hundreds of megabytes. */
static const struct {
    const char *name, *operand, *vectors;
} parts[] = {
    {"batch_dot", "32x100000", "4"},
    {"batch_axpy", "32x100000", "4"},
    {"batch_shared", "32x100000", "4"},
    {"batch_spmm", "32x1728", "4"},
    {"batch_spmm_transposed", "32x1728", "4"},
    {"batch_mixed", "100x1000", "4"},
    {"batch_factor", "blocks:4,12", "100"},
    {"batch_lu", "8x512", "4"},
    {"batch_solve", "8x512", "4"},
};
enum { PARTS = sizeof parts / sizeof *parts, OPERAND = 32 };

bool bench_batches_wanted(const char *name) {
    return strcmp(name, "batch") == 0;
}

static bool is_size(const char *operand) {
    static const char digits[] = "0123456789";
    const size_t count = strspn(operand, digits);
    if (count == 0 || operand[count] != 'x') return false;
    const size_t n = strspn(operand + count + 1, digits);
    return n > 0 && operand[count + 1 + n] == '\0';
}

/* Checks the operands that the user has named. Whoever names matrices means these and no others,
 * and so with sizes; where operands of one kind are given, those of the other kind must be given,
 * too. */
static int check_operands(const bench_settings *all) {
    const char *size = NULL, *matrix = all->set;
    for (int i = 0; i < all->operand_count; i++) {
        *(is_size(all->operand[i]) ? &size : &matrix) = all->operand[i];
    }
    if (!size == !matrix) return TOOL_OK;
    return tool_misuse("bench", "--op batch: give a %s, or name one of the batch_... that takes %s",
                       size ? "matrix, too, as blocks:4,12" : "size, too, as 32x1000",
                       size ? size : matrix);
}

/* Chooses those of all operands that are sizes, or those that are matrices; `otherwise` where there
 * is none. */
static void choose_operands(const bench_settings *all, bool sizes, char *otherwise, char **chosen,
                            bench_settings *one) {
    one->operand = chosen;
    one->operand_count = 0;
    if (sizes) one->set = NULL;
    for (int i = 0; i < all->operand_count; i++) {
        if (is_size(all->operand[i]) == sizes) chosen[one->operand_count++] = all->operand[i];
    }
    if (one->operand_count == 0 && !one->set) chosen[one->operand_count++] = otherwise;
}

/* Returns the minutes that are left for all operations together; when the time is over, the least
 * positive number, with which a run measures nothing but says what it did not begin. */
static double minutes_left(const bench_settings *all, double start) {
    enum { SECONDS = 60 };
    const double left = all->minutes - (tulle__seconds() - start) / SECONDS;
    return all->minutes > 0 ? fmax(left, DBL_MIN) : 0;
}

int bench_batches_run(const bench_settings *all, bool default_vectors,
                      int (*run)(bench_settings *one)) {
    char **chosen = tool_alloc((size_t)all->operand_count + 1, sizeof *chosen);
    const double start = tulle__seconds();
    int code = check_operands(all);
    for (int i = 0; i < PARTS && code != TOOL_BAD_INPUT && !tool_interrupted(); i++) {
        bench_settings one = *all;
        char operand[OPERAND];
        snprintf(operand, sizeof operand, "%s", parts[i].operand);
        one.operation = parts[i].name;
        one.minutes = minutes_left(all, start);
        if (default_vectors) one.vectors = parts[i].vectors;
        const trial_operation *operation = trial_operation_of(trial_op_of(parts[i].name));
        choose_operands(all, operation->sized, operand, chosen, &one);
        const int this = run(&one);
        if (code == TOOL_OK || this == TOOL_BAD_INPUT) code = this;
    }
    free(chosen);
    return code;
}
