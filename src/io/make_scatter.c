/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the matrices of random rows: random, powerlaw, peaks, rail. */
#include "io/generators.h"
#include "io/rows.h"

static tulle__generator_args uniform(const tulle__generation *g, int64_t rows, int64_t cols,
                                     int64_t per_row) {
    tulle__generator_args args = tulle__rows_args_of(g, TULLE__ROWS_scatter, rows, cols);
    args.max_row = per_row;
    args.entries = (double)rows * (double)per_row;
    args.number[TULLE__SCATTER_LOW] = per_row;
    args.number[TULLE__SCATTER_CAP] = per_row;
    args.number[TULLE__SCATTER_SKEW] = 1;
    return args;
}

tulle_status tulle__make_random(const tulle__generation *g, tulle_mat **A) {
    tulle__spec_number n[] = {{"ROWS", 0, INT32_MAX, true, 0},
                              {"COLS", 0, INT32_MAX, true, 0},
                              {"PER_ROW", 0, INT32_MAX, true, 0}};
    int given;
    TULLE__TRY(tulle__spec_numbers(g, n, 3, 3, &given));
    if (n[2].value > n[1].value) return tulle__spec_bad(g, "PER_ROW is more than COLS");
    tulle__generator_args args =
        uniform(g, (int64_t)n[0].value, (int64_t)n[1].value, (int64_t)n[2].value);
    return tulle__from_rows(g, &args, A);
}

tulle_status tulle__make_rail(const tulle__generation *g, tulle_mat **A) {
    tulle__spec_number n[] = {{"ROWS", 0, INT32_MAX, true, 0},
                              {"COLS", 0, INT32_MAX, true, 0},
                              {"PER_COLUMN", 0, INT32_MAX, true, 0}};
    int given;
    TULLE__TRY(tulle__spec_numbers(g, n, 3, 3, &given));
    if (n[2].value > n[0].value) return tulle__spec_bad(g, "PER_COLUMN is more than ROWS");
    tulle__generator_args args =
        uniform(g, (int64_t)n[1].value, (int64_t)n[0].value, (int64_t)n[2].value);
    return tulle__from_rows_transposed(g, &args, A);
}

/* Returns the mean length of the rows of rows_scatter.h with classes from `least` up to `cap`. A
 * row is in class [low, 2 low) with probability chance (1 - tail), and in the last class with
 * probability chance. */
static double mean_length(double tail, int64_t least, int64_t cap) {
    double mean = 0, chance = 1;
    for (int64_t low = least; low <= cap; low *= 2, chance *= tail) {
        bool last = 2 * low > cap;
        double middle = 0.5 * (double)(low + (last ? cap : 2 * low - 1));
        mean += chance * (last ? 1 : 1 - tail) * middle;
    }
    return mean;
}

/* Returns the tail that gives a mean length, by bisection: mean_length grows with the tail. */
static double find_tail(double mean, int64_t least, int64_t cap) {
    double low = 0, high = 1;
    for (int step = 0; step < 60; step++) {
        double middle = 0.5 * (low + high);
        if (mean_length(middle, least, cap) < mean) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

tulle_status tulle__make_powerlaw(const tulle__generation *g, tulle_mat **A) {
    tulle__spec_number n[] = {{"ROWS", 1, INT32_MAX, true, 0},  {"MEAN", 1, INT32_MAX, false, 0},
                              {"MAX", 1, INT32_MAX, true, 0},   {"LOCAL_PERCENT", 0, 100, false, 0},
                              {"WIDTH", 0, INT32_MAX, true, 0}, {"LEAST", 1, INT32_MAX, true, 1},
                              {"COLS", 1, INT32_MAX, true, 0}};
    int given;
    TULLE__TRY(tulle__spec_numbers(g, n, 3, 7, &given));
    if (given == 4) return tulle__spec_bad(g, "WIDTH is missing");
    int64_t rows = (int64_t)n[0].value, longest = (int64_t)n[2].value;
    int64_t least = (int64_t)n[5].value, cols = given == 7 ? (int64_t)n[6].value : rows;
    if (longest > cols) {
        return tulle__spec_bad(g, "MAX is more than %s", given == 7 ? "COLS" : "ROWS");
    }
    if (least > longest) return tulle__spec_bad(g, "LEAST is more than MAX");
    double fewest = mean_length(0, least, longest), most = mean_length(1, least, longest);
    if (n[1].value < fewest) return tulle__spec_bad(g, "MEAN is less than %.12g", fewest);
    if (n[1].value > most) return tulle__spec_bad(g, "MEAN is more than %.12g", most);
    tulle__generator_args args = tulle__rows_args_of(g, TULLE__ROWS_scatter, rows, cols);
    args.max_row = longest;
    /* a margin of 5 %, because the lengths are random */
    args.entries = 0.95 * (double)rows * n[1].value;
    args.real[TULLE__SCATTER_TAIL] = find_tail(n[1].value, least, longest);
    args.number[TULLE__SCATTER_LOW] = least;
    args.number[TULLE__SCATTER_CAP] = longest;
    args.number[TULLE__SCATTER_STAR] = (int64_t)(tulle__mix(g->seed) % (uint64_t)rows);
    args.number[TULLE__SCATTER_STAR_LENGTH] = longest;
    args.number[TULLE__SCATTER_LOCAL_SHARE] = (int64_t)(n[3].value / 100 * 65536);
    args.number[TULLE__SCATTER_WIDTH] = (int64_t)n[4].value;
    args.number[TULLE__SCATTER_SKEW] = 3;
    return tulle__from_rows(g, &args, A);
}

tulle_status tulle__make_peaks(const tulle__generation *g, tulle_mat **A) {
    tulle__spec_number n[] = {{"ROWS", 1, INT32_MAX, true, 0},  {"FEW", 0, INT32_MAX, true, 0},
                              {"MANY", 0, INT32_MAX, true, 0},  {"APART", 1, INT32_MAX, true, 0},
                              {"EMPTY", 0, 100, false, 0},      {"LOCAL", 0, 100, false, 0},
                              {"WIDTH", 0, INT32_MAX, true, 0}, {"RUN", 1, INT32_MAX, true, 1},
                              {"COLS", 1, INT32_MAX, true, 0}};
    int given;
    TULLE__TRY(tulle__spec_numbers(g, n, 4, 9, &given));
    if (given == 6) return tulle__spec_bad(g, "WIDTH is missing");
    const int64_t rows = (int64_t)n[0].value, cols = given == 9 ? (int64_t)n[8].value : rows;
    const int64_t few = (int64_t)n[1].value, many = (int64_t)n[2].value, run = (int64_t)n[7].value;
    const int64_t period = (int64_t)n[3].value * run, left = rows % period;
    const int64_t most = few > many ? few : many;
    if (most > cols) {
        return tulle__spec_bad(g, "%s is more than %s", few > many ? "FEW" : "MANY",
                               given == 9 ? "COLS" : "ROWS");
    }
    const double empty = n[4].value / 100;
    const double of_many = (double)(rows / period * run + (left < run ? left : run));
    tulle__generator_args args = tulle__rows_args_of(g, TULLE__ROWS_scatter, rows, cols);
    args.max_row = most;
    /* a margin of 5 %, because the empty rows are random */
    const double filled = empty > 0 ? 0.95 * (1 - empty) : 1;
    args.entries = of_many * (double)many + ((double)rows - of_many) * filled * (double)few;
    args.number[TULLE__SCATTER_LOW] = few;
    args.number[TULLE__SCATTER_CAP] = most;
    args.number[TULLE__SCATTER_HUB_LOW] = many;
    args.number[TULLE__SCATTER_HUB_STRIDE] = (int64_t)n[3].value;
    args.number[TULLE__SCATTER_HUB_RUN] = run;
    args.number[TULLE__SCATTER_EMPTY_SHARE] = (int64_t)(empty * 65536);
    args.number[TULLE__SCATTER_LOCAL_SHARE] = (int64_t)(n[5].value / 100 * 65536);
    args.number[TULLE__SCATTER_WIDTH] = (int64_t)n[6].value;
    args.number[TULLE__SCATTER_SKEW] = 1;
    return tulle__from_rows(g, &args, A);
}
