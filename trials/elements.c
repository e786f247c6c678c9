/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/elements.h"

#include <math.h>
#include <stdlib.h>

#include "tools/common/error.h"

static void fill(trial_elements *b) {
    const int64_t edge = b->side - 1, row = b->side, layer = b->side * b->side;
    const int64_t corners[TRIAL_HEXAHEDRON] = {0,     1,         row + 1,         row,
                                               layer, layer + 1, layer + row + 1, layer + row};
#pragma omp parallel for
    for (int64_t e = 0; e < b->elements.count; e++) {
        const int64_t x = e % edge, y = e / edge % edge, z = e / (edge * edge);
        for (int i = 0; i < TRIAL_HEXAHEDRON; i++) {
            b->list[e * TRIAL_HEXAHEDRON + i] = (int32_t)(z * layer + y * row + x + corners[i]);
        }
    }
}

void trial_elements_open(trial_elements *b, int64_t n, int unknowns, tulle_element_layout layout) {
    const int64_t side = llround(cbrt((double)n / unknowns));
    b->side = side < 2 ? 2 : side;
    b->nodes = b->side * b->side * b->side;
    b->unknowns = unknowns;
    const int64_t edge = b->side - 1, count = edge * edge * edge;
    b->list = tool_alloc((size_t)(count * TRIAL_HEXAHEDRON), sizeof *b->list);
    b->elements = (tulle_elements){
        .count = count, .nodes = TRIAL_HEXAHEDRON, .list = b->list, .layout = layout};
    fill(b);
}

void trial_elements_close(trial_elements *b) {
    free(b->list);
    b->list = NULL;
}

int trial_elements_rows(const trial_elements *b) {
    return TRIAL_HEXAHEDRON * b->unknowns;
}

int64_t trial_elements_numbers(const trial_elements *b) {
    const int64_t m = trial_elements_rows(b);
    return b->elements.count * m * m;
}
