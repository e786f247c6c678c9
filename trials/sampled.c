/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/sampled.h"

#include <math.h>
#include <stdlib.h>

#include "tools/common/error.h"
#include "trials/vectors.h"

enum { ROWS = 4096 };

static int64_t count_of(const trial_sampled *s) {
    return (s->pattern->rows + s->step - 1) / s->step;
}

trial_sampled trial_sampled_open(const tool_csr *pattern) {
    const int64_t step = (pattern->rows + ROWS - 1) / ROWS;
    trial_sampled s = {.pattern = pattern, .step = step > 0 ? step : 1};
    const int64_t rows = count_of(&s);
    s.begins = tool_alloc((size_t)rows + 1, sizeof *s.begins);
    s.begins[0] = 0;
    for (int64_t k = 0; k < rows; k++) {
        s.begins[k + 1] = s.begins[k] + tool_csr_offset(pattern, k * s.step + 1) -
                          tool_csr_offset(pattern, k * s.step);
    }
    const size_t entries = (size_t)s.begins[rows] + 1;
    s.sums = tool_alloc(entries, sizeof *s.sums);
    s.sizes = tool_alloc(entries, sizeof *s.sizes);
    s.terms = tool_alloc(entries, sizeof *s.terms);
    for (size_t k = 0; k < entries; k++) {
        s.sums[k] = s.sizes[k] = 0;
        s.terms[k] = 0;
    }
    return s;
}

void trial_sampled_close(trial_sampled *s) {
    free(s->begins);
    free(s->sums);
    free(s->sizes);
    free(s->terms);
}

void trial_sampled_add(const trial_sampled *s, int64_t row, int64_t column, long double number,
                       long double size) {
    const int64_t begin = tool_csr_offset(s->pattern, row);
    int64_t k = 0;
    while (tool_csr_column(s->pattern, begin + k) != column) k++;
    k += s->begins[row / s->step];
    s->sums[k] += number;
    s->sizes[k] += size;
    s->terms[k]++;
}

double trial_sampled_worst(const trial_sampled *s, const tool_csr *values, double more) {
    const tulle_type type = values->type;
    double units = 0;
    for (int64_t k = 0; k < count_of(s); k++) {
        const int64_t begin = tool_csr_offset(values, k * s->step);
        for (int64_t at = s->begins[k]; at < s->begins[k + 1]; at++) {
            const long double got = tool_csr_value(values, begin + at - s->begins[k]);
            const long double bound =
                trial_gamma(type, (double)s->terms[at] + more) * s->sizes[at] +
                2 * trial_least(type);
            const long double off = fabsl(got - s->sums[at]) / bound;
            if (isnan(off)) return (double)INFINITY;
            if ((double)off > units) units = (double)off;
        }
    }
    return units;
}
