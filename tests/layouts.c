/* SPDX-License-Identifier: Apache-2.0 */
#include "layouts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { LARGEST_BLOCK = 16 };

static const tulle_convert_options sell[] = {{0},
                                             {.slice = 1, .window = 4},
                                             {.slice = 4, .window = 1},
                                             {.slice = 5, .window = 10},
                                             {.slice = 32, .window = 1},
                                             {.slice = 32, .window = 64},
                                             {.slice = 64, .window = 1024}};
static const tulle_convert_options packed[] = {
    {0}, {.window = 1}, {.slice = 32, .window = 64}, {.window = 1024}};
static const tulle_convert_options widths[] = {{0}, {.width = 1}, {.width = 3}, {.width = 1000000}};

/* Blocks that are not square, after all sizes of square ones. */
static const tulle_convert_options rectangles[] = {
    {.block = 1, .block_cols = 16}, {.block = 16, .block_cols = 1}, {.block = 2, .block_cols = 3},
    {.block = 3, .block_cols = 2},  {.block = 3, .block_cols = 6},  {.block = 6, .block_cols = 3},
    {.block = 5, .block_cols = 13}, {.block = 11, .block_cols = 4}};

int layout_count(tulle_format format) {
    switch (format) {
        case TULLE_SELL:
            return sizeof sell / sizeof *sell;
        case TULLE_PACKED:
            return sizeof packed / sizeof *packed;
        case TULLE_HYB:
        case TULLE_CSR_COO:
            return sizeof widths / sizeof *widths;
        case TULLE_BSR:
            return 1 + LARGEST_BLOCK + (int)(sizeof rectangles / sizeof *rectangles);
        default:
            return 1;
    }
}

tulle_convert_options layout_options(tulle_format format, int i) {
    tulle_convert_options options = {0};
    if (format == TULLE_SELL) options = sell[i];
    if (format == TULLE_PACKED) options = packed[i];
    if (format == TULLE_HYB || format == TULLE_CSR_COO) options = widths[i];
    if (format == TULLE_BSR && i <= LARGEST_BLOCK) options.block = i;
    if (format == TULLE_BSR && i > LARGEST_BLOCK) options = rectangles[i - LARGEST_BLOCK - 1];
    return options;
}

tulle_mat *layout_make(tulle_ctx *ctx, const tulle_mat *A, tulle_format format, tulle_index index,
                       int i) {
    tulle_convert_options options = layout_options(format, i);
    tulle_mat *B = NULL;
    tulle_status status = tulle_mat_convert_with(ctx, A, format, index, &options, &B);
    if (status != TULLE_OK && status != TULLE_TOO_LARGE) {
        fail_msg("layout %d of %s: %s", i, tulle_format_name(format), tulle_last_error()->message);
    }
    return B;
}
