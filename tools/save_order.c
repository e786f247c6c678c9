/* SPDX-License-Identifier: Apache-2.0 */
#include "save_order.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tools/common/error.h"
#include "tools/common/output.h"

typedef struct numbers {
    int64_t count;
    int64_t *of;
} numbers;

static tulle_status write_numbers(FILE *file, const void *what) {
    const numbers *n = what;
    fprintf(file, "%%%%MatrixMarket matrix array integer general\n%" PRId64 " 1\n", n->count);
    for (int64_t i = 0; i < n->count; i++) fprintf(file, "%" PRId64 "\n", n->of[i] + 1);
    return TULLE_OK;
}

tulle_status tool_save_order(tulle_ctx *ctx, const char *path, const tulle_order *P) {
    numbers n = {.count = tulle_order_length(P)};
    n.of = tool_alloc((size_t)n.count, sizeof *n.of);
    tulle_status status = tulle_order_read(ctx, P, n.of);
    if (status == TULLE_OK) status = tool_write_text(path, &tool_file_array, write_numbers, &n);
    free(n.of);
    return status;
}
