/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/system.h"

#include <inttypes.h>
#include <math.h>

#include "tools/common/csr.h"
#include "tools/common/dominant.h"
#include "tools/common/error.h"

/* Part of a sum that rounding may take away. */
static const double slack = 1e-6;

typedef struct facts {
    bool weak;   /* no diagonal entry is below the others of its row */
    bool strict; /* one is above them */
} facts;

static facts find_facts(const tool_csr *A) {
    int64_t below = 0, above = 0;
#pragma omp parallel for reduction(+ : below, above)
    for (int64_t i = 0; i < A->rows; i++) {
        double diagonal = 0, others = 0;
        for (int64_t e = tool_csr_offset(A, i); e < tool_csr_offset(A, i + 1); e++) {
            const double value = tool_csr_value(A, e);
            if (tool_csr_column(A, e) == i) {
                diagonal += value;
            } else {
                others += fabs(value);
            }
        }
        below += !(diagonal > 0 && diagonal >= (1 - slack) * others);
        above += diagonal > (1 + slack) * others;
    }
    return (facts){.weak = below == 0, .strict = above > 0};
}

/* Returns the first entry of row i, whose columns ascend, from column j on. */
static int64_t find(const tool_csr *A, int64_t i, int64_t j) {
    int64_t low = tool_csr_offset(A, i), high = tool_csr_offset(A, i + 1);
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (tool_csr_column(A, middle) < j) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool has_mirror(const tool_csr *A, int64_t i, int64_t entry) {
    const int64_t j = tool_csr_column(A, entry), e = find(A, j, i);
    return e < tool_csr_offset(A, j + 1) && tool_csr_column(A, e) == i &&
           tool_csr_value(A, e) == tool_csr_value(A, entry);
}

static bool is_symmetric(const tool_csr *A) {
    int64_t without = 0;
#pragma omp parallel for reduction(+ : without) schedule(dynamic, 1024)
    for (int64_t i = 0; i < A->rows; i++) {
        for (int64_t e = tool_csr_offset(A, i); e < tool_csr_offset(A, i + 1); e++) {
            without += !has_mirror(A, i, e);
        }
    }
    return without == 0;
}

/* Makes A a CSR with ascending columns. */
static tulle_status in_order(tulle_ctx *ctx, tulle_mat *A, tulle_mat **sorted) {
    tulle_mat_info info;
    tulle_status status = tulle_mat_describe(A, &info);
    if (status != TULLE_OK) return status;
    if (info.format == TULLE_CSR && info.sorted) {
        *sorted = tulle_mat_retain(A);
        return TULLE_OK;
    }
    return tulle_mat_convert(ctx, A, TULLE_CSR, info.index, TULLE_SUM_DUPLICATES, sorted);
}

static tulle_status choose(tulle_ctx *ctx, tulle_mat *A, bool symmetric, tulle_mat **B) {
    tool_csr csr = {0};
    tulle_status status = tool_csr_open(ctx, A, &csr);
    if (status == TULLE_OK && symmetric && !is_symmetric(&csr)) {
        status = tool_record(TULLE_UNSUPPORTED, "A is not symmetric");
    }
    const facts found = status == TULLE_OK ? find_facts(&csr) : (facts){.weak = false};
    tool_csr_close(&csr);
    if (status != TULLE_OK) return status;
    if (!found.weak || !found.strict) return tool_dominant(ctx, A, B);
    *B = tulle_mat_retain(A);
    return TULLE_OK;
}

tulle_status trial_system_of(tulle_ctx *ctx, tulle_mat *A, bool symmetric, tulle_mat **B) {
    tulle_mat *sorted = NULL;
    tulle_status status = in_order(ctx, A, &sorted);
    if (status == TULLE_OK) status = choose(ctx, sorted, symmetric, B);
    tulle_mat_destroy(sorted);
    return status;
}
