/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/elements.h"

#include <math.h>
#include <stdlib.h>

#include "tools/common/error.h"

static void fill(bench_elements *b) {
    const int64_t edge = b->side - 1, row = b->side, layer = b->side * b->side;
    const int64_t corners[BENCH_HEXAHEDRON] = {0,     1,         row + 1,         row,
                                               layer, layer + 1, layer + row + 1, layer + row};
#pragma omp parallel for
    for (int64_t e = 0; e < b->elements.count; e++) {
        const int64_t x = e % edge, y = e / edge % edge, z = e / (edge * edge);
        for (int i = 0; i < BENCH_HEXAHEDRON; i++) {
            b->list[e * BENCH_HEXAHEDRON + i] = (int32_t)(z * layer + y * row + x + corners[i]);
        }
    }
}

void bench_elements_open(bench_elements *b, int64_t n, int unknowns, tulle_element_layout layout) {
    const int64_t side = llround(cbrt((double)n / unknowns));
    b->side = side < 2 ? 2 : side;
    b->nodes = b->side * b->side * b->side;
    b->unknowns = unknowns;
    const int64_t edge = b->side - 1, count = edge * edge * edge;
    b->list = tool_alloc((size_t)(count * BENCH_HEXAHEDRON), sizeof *b->list);
    b->elements = (tulle_elements){
        .count = count, .nodes = BENCH_HEXAHEDRON, .list = b->list, .layout = layout};
    fill(b);
}

void bench_elements_close(bench_elements *b) {
    free(b->list);
    b->list = NULL;
}

int bench_elements_rows(const bench_elements *b) {
    return BENCH_HEXAHEDRON * b->unknowns;
}

int64_t bench_elements_numbers(const bench_elements *b) {
    const int64_t m = bench_elements_rows(b);
    return b->elements.count * m * m;
}
