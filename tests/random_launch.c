/* SPDX-License-Identifier: Apache-2.0 */
#include "random_launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "tulle/advanced.h"

int64_t random_below(uint64_t *state, int64_t limit) {
    return (int64_t)(zoo_bits(state) % (uint64_t)limit);
}

zoo_matrix random_matrix(uint64_t *state, int64_t most_side) {
    zoo_matrix m = {.name = "random",
                    .rows = 1 + random_below(state, most_side),
                    .cols = 1 + random_below(state, most_side)};
    m.offsets = calloc((size_t)m.rows + 1, sizeof *m.offsets);
    m.columns = malloc((size_t)(m.rows * m.cols) * sizeof *m.columns);
    m.values = malloc((size_t)(m.rows * m.cols) * sizeof *m.values);
    assert_true(m.offsets && m.columns && m.values);
    int64_t usual = 1 + random_below(state, m.cols < 12 ? m.cols : 12);
    for (int64_t i = 0; i < m.rows; i++) {
        bool is_long = random_below(state, 16) == 0;
        int64_t length = random_below(state, is_long ? m.cols + 1 : usual + 1);
        int64_t step = length > 0 ? m.cols / length : 1, at = random_below(state, step);
        for (int64_t k = 0; k < length; k++, at += step) {
            m.columns[m.nnz] = at;
            m.values[m.nnz++] = zoo_number(state);
        }
        m.offsets[i + 1] = m.nnz;
    }
    return m;
}

static tulle_kernel_info info_of(tulle_ctx *ctx, const char *kernel) {
    tulle_device_info device;
    tulle_kernel_info info = {.name = ""};
    must(tulle_ctx_device(ctx, &device));
    for (int k = 0; strcmp(info.name, kernel) != 0; k++) {
        must(tulle_kernel_describe(device.backend, k, &info));
    }
    return info;
}

tulle_mat *random_in_format(tulle_ctx *ctx, const zoo_matrix *m, const char *kernel,
                            tulle_index index, tulle_type type) {
    tulle_mat *csr = zoo_mat(ctx, m, index, type), *A = NULL;
    tulle_status status = tulle_mat_convert(ctx, csr, info_of(ctx, kernel).format, index, 0, &A);
    tulle_mat_destroy(csr);
    return status == TULLE_OK ? A : NULL;
}

bool random_is_ready(tulle_ctx *ctx, tulle_mat *A, tulle_trans op, const char *kernel) {
    if (!info_of(ctx, kernel).needs_plan) return true;
    return random_is_taken(tulle_mat_plan(ctx, op, A, kernel), kernel);
}

bool random_is_taken(tulle_status status, const char *what) {
    if (status != TULLE_OK && status != TULLE_UNSUPPORTED) {
        fail_msg("%s: %s", what, tulle_last_error()->message);
    }
    return status == TULLE_OK;
}
