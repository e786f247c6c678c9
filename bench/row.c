/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/row.h"

#include <math.h>

#include "tools/common/names.h"
#include "trials/making.h"

static bool makes(const bench_row *row) {
    return row->problem->operation->makes;
}

double bench_row_gflops(const bench_row *row) {
    const trial_problem *p = row->problem;
    const double flops = makes(row) ? 2 * (double)trial_making_of(p)->products : p->flops;
    return flops > 0 ? 1e-6 * flops / row->timing.ms : (double)NAN;
}

int64_t bench_row_minimal_bytes(const bench_row *row) {
    const trial_problem *p = row->problem;
    return makes(row) ? trial_making_bytes(trial_making_of(p), row->made.nnz) : p->minimal_bytes;
}

double bench_row_gbs(const bench_row *row) {
    return 1e-6 * (double)bench_row_minimal_bytes(row) / row->timing.ms;
}

double bench_row_floor_ms(const bench_row *row) {
    return 1e-6 * (double)bench_row_minimal_bytes(row) / row->place->copy_gbs;
}

double bench_row_floor(const bench_row *row) {
    return bench_row_floor_ms(row) / row->timing.ms;
}

bool bench_row_wrong(const bench_row *row) {
    return row->err > 1;
}

double bench_row_parts_ms(const bench_row *row) {
    const trial_problem *p = row->problem;
    return p->product_ms + 1e-6 * (double)p->vector_bytes / row->place->copy_gbs;
}

double bench_row_of_parts(const bench_row *row) {
    return bench_row_parts_ms(row) / row->timing.ms;
}

double bench_row_whole_ms(const bench_row *row) {
    const int64_t parts = row->iterations > 0 ? row->iterations : 1;
    return row->prep_ms + (double)parts * row->timing.ms;
}

double bench_row_cost_ms(const bench_row *row) {
    return row->problem->whole ? bench_row_whole_ms(row) : row->timing.ms;
}

/* "launch": the fewest bytes move in so short a time that launching counts most; "memory": the
 * bytes are far more than the caches hold. */
const char *bench_row_class(const bench_row *row) {
    static const double launch_ms = 5e-3;
    if (bench_row_floor_ms(row) < launch_ms) return "launch";
    return bench_row_minimal_bytes(row) < 4 * row->place->device.cache_bytes ? "cache" : "memory";
}

const char *bench_row_text(const bench_row *row, char text[BENCH_ROW_TEXT]) {
    const trial_problem *p = row->problem;
    const char *trans = p->trans == TULLE_T ? "t " : "n ";
    snprintf(text, BENCH_ROW_TEXT, "%s %s %s%s", row->matrix->name, tool_type_name(p->info.type),
             p->operation->transposed ? trans : "", row->variant->request);
    return text;
}
