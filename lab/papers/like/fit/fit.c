/* SPDX-License-Identifier: Apache-2.0 */
/* Fits the stand-ins of like:NAME: computes what meets the counts of matrices.c exactly and
 * prints it as lab/papers/like/fitted.h; measures the result on the error output.
 * lab/papers/like/fit/fit.sh builds and runs it. With names as arguments it only measures those. */
#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/papers/like/like.h"
#include "lab/papers/like/rows.h"

static void stop(const char *name, const char *why) {
    fprintf(stderr, "%s: %s\n", name, why);
    exit(1);
}

static void *get(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    if (!memory) stop("fit_like", "out of memory");
    return memory;
}

static int by_size(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Returns the threshold below which exactly `wanted` of the random bits lie. */
static uint64_t threshold_for(const char *name, uint64_t *bits, int64_t count, int64_t wanted) {
    if (wanted < 0 || wanted > count) {
        fprintf(stderr, "%" PRId64 " of %" PRId64 " wanted: ", wanted, count);
        stop(name, wanted < 0 ? "too many entries" : "too few entries");
    }
    qsort(bits, (size_t)count, sizeof *bits, by_size);
    return wanted == 0 ? 0 : bits[wanted - 1] + 1;
}

static int64_t total(const tulle__generator_args *g) {
    int64_t sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 1024)
    for (int64_t row = 0; row < g->rows; row++) sum += paper_row_count(g, row);
    return sum;
}

/* Returns the random bits of all pairs of entries beside the diagonal that could be kept, without
 * rays. */
static uint64_t *cloud_bits(const tulle__generator_args *given, int64_t *count) {
    tulle__generator_args g = *given;
    g.number[PAPER_CLOUD_KEEP] = -1;
    g.number[PAPER_CLOUD_RAYS] = 0;
    g.number[PAPER_CLOUD_LOWER] = 1;
    uint64_t *bits = get((size_t)total(&g), sizeof *bits);
    int64_t *columns = get((size_t)g.cols, sizeof *columns);
    *count = 0;
    for (int64_t row = 0; row < g.rows; row++) {
        int64_t n = paper_row_columns(&g, row, (tulle__columns){NULL, columns});
        for (int64_t k = 0; k < n; k++) {
            if (columns[k] != row) bits[(*count)++] = paper_cloud_entry_bits(&g, row, columns[k]);
        }
    }
    free(columns);
    return bits;
}

/* Fits the number of rays, which fill the star's row up to the longest row's length, and the
 * threshold of the other entries. A ray counts as two entries, since the pattern is symmetric. */
static void fit_cloud(paper_like *like) {
    const paper_matrix *m = like->matrix;
    int64_t *number = like->args.number, count, star = number[PAPER_CLOUD_STAR];
    int64_t rays = number[PAPER_CLOUD_RAYS];
    uint64_t *bits = cloud_bits(&like->args, &count);
    for (int round = 0; round < 4; round++) {
        int64_t beside = m->nnz - number[PAPER_CLOUD_USED] - 2 * rays;
        if (beside % 2 != 0) stop(m->name, "an odd number of entries beside the diagonal");
        number[PAPER_CLOUD_KEEP] = (int64_t)threshold_for(m->name, bits, count, beside / 2);
        number[PAPER_CLOUD_RAYS] = 0;
        if (m->max_row >= 0) rays = m->max_row - paper_row_count(&like->args, star);
        if (rays < 0) rays = 0;
        number[PAPER_CLOUD_RAYS] = rays;
    }
    free(bits);
}

static void fit_scatter(paper_like *like) {
    tulle__generator_args *g = &like->args;
    uint64_t *bits = get((size_t)g->rows, sizeof *bits);
    int64_t count = 0;
    g->number[TULLE__SCATTER_EXTRA] = 0;
    for (int64_t row = 0; row < g->rows; row++) {
        if (!tulle__scatter_is_plain(g, row) ||
            tulle__scatter_base(g, row) >= g->number[TULLE__SCATTER_CAP]) {
            continue;
        }
        bits[count++] = tulle__scatter_draw(g, row, TULLE__SCATTER_DRAW_EXTRA);
    }
    g->number[TULLE__SCATTER_EXTRA] =
        (int64_t)threshold_for(like->matrix->name, bits, count, like->matrix->nnz - total(g));
    free(bits);
}

typedef struct csr {
    int64_t rows, *offsets;
    int32_t *cols_of;
} csr;

static csr make(const tulle__generator_args *g) {
    csr a = {g->rows, get((size_t)g->rows + 1, sizeof(int64_t)), NULL};
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t row = 0; row < g->rows; row++) a.offsets[row + 1] = paper_row_count(g, row);
    for (int64_t row = 0; row < g->rows; row++) a.offsets[row + 1] += a.offsets[row];
    a.cols_of = get((size_t)a.offsets[g->rows], sizeof(int32_t));
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t row = 0; row < g->rows; row++) {
        paper_row_columns(g, row, (tulle__columns){a.cols_of + a.offsets[row], NULL});
    }
    return a;
}

static int64_t square_entries(const csr *a, int64_t cols) {
    int64_t entries = 0;
#pragma omp parallel reduction(+ : entries)
    {
        int32_t *seen = get((size_t)cols, sizeof *seen);
#pragma omp for schedule(dynamic, 256)
        for (int64_t row = 0; row < a->rows; row++) {
            for (int64_t k = a->offsets[row]; k < a->offsets[row + 1]; k++) {
                int32_t middle = a->cols_of[k];
                for (int64_t j = a->offsets[middle]; j < a->offsets[middle + 1]; j++) {
                    entries += seen[a->cols_of[j]] != row + 1;
                    seen[a->cols_of[j]] = (int32_t)(row + 1);
                }
            }
        }
        free(seen);
    }
    return entries;
}

static void compare(const char *what, int64_t got, int64_t wanted) {
    fprintf(stderr, "  %s %" PRId64, what, got);
    if (wanted >= 0)
        fprintf(stderr, " (%+.1f %%)", 100.0 * (double)(got - wanted) / (double)wanted);
}

static void measure(const paper_like *like) {
    const paper_matrix *m = like->matrix;
    csr a = make(&like->args);
    int64_t longest = 0, products = 0;
    for (int64_t row = 0; row < a.rows; row++) {
        int64_t length = a.offsets[row + 1] - a.offsets[row];
        if (length > longest) longest = length;
    }
    fprintf(stderr, "%s:", m->name);
    compare("nnz", a.offsets[a.rows], m->nnz);
    compare("longest", longest, m->max_row);
    if (m->rows == m->cols) {
        for (int64_t k = 0; k < a.offsets[a.rows]; k++) {
            products += a.offsets[a.cols_of[k] + 1] - a.offsets[a.cols_of[k]];
        }
        compare("products", products, m->products);
        if (m->products >= 0) compare("square", square_entries(&a, m->cols), m->square_nnz);
    }
    fprintf(stderr, "\n");
    free(a.offsets);
    free(a.cols_of);
}

static bool asked_for(const char *name, int count, char **names) {
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) return true;
    }
    return count == 0;
}

int main(int argc, char **argv) {
    printf(
        "/* SPDX-License-Identifier: Apache-2.0 */\n"
        "/* Written by lab/papers/like/fit/fit.sh; see shapes.c. */\n");
    for (int i = 0; i < paper_matrix_count; i++) {
        const char *name = paper_matrices[i].name;
        paper_like like;
        if (!paper_like_find(name, strlen(name), &like)) stop(name, "no shape");
        if (!asked_for(name, argc - 1, argv + 1)) continue;
        int64_t rays = 0;
        uint64_t threshold = 0;
        if (like.args.kind == PAPER_ROWS_cloud) {
            fit_cloud(&like);
            rays = like.args.number[PAPER_CLOUD_RAYS];
            threshold = (uint64_t)like.args.number[PAPER_CLOUD_KEEP];
        } else if (like.args.kind == PAPER_ROWS_scatter) {
            fit_scatter(&like);
            threshold = (uint64_t)like.args.number[TULLE__SCATTER_EXTRA];
        }
        measure(&like);
        if (threshold == 0) continue;
        printf("X(\"%s\", 0x%016" PRIx64 "u, %" PRId64 ")\n", name, threshold, rays);
    }
    return 0;
}
