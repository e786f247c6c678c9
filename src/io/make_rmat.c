/* SPDX-License-Identifier: Apache-2.0 */
/* Makes R-MAT graphs (Chakrabarti, Zhan and Faloutsos, 2004): each edge picks one quarter of the
 * matrix, with probabilities a, b, c, d, then a quarter of that quarter, and so on. Edges that are
 * drawn more than once count once. Edges are drawn on the host, by counter, and sorted at the
 * context's place. */
#include "core/threads/sizes.h"
#include "io/generators.h"
#include "io/rows_common.h"

typedef struct graph {
    int scale;
    int64_t edges;
    uint32_t upto_a, upto_b, upto_c; /* a, a + b and a + b + c, in units of 2^-32 */
} graph;

typedef struct edges {
    int32_t *rows_of, *cols_of;
    void *values;
} edges;

enum { CHUNK = 1 << 20 };

/* Draws an edge; 32 random bits decide each level. */
static void draw_edge(const graph *p, uint64_t seed, int64_t edge, int32_t *row, int32_t *col) {
    int32_t i = 0, j = 0;
    uint64_t bits = 0;
    for (int level = 0; level < p->scale; level++) {
        bits = level % 2 == 0 ? tulle__bits(seed, (uint64_t)edge, (uint64_t)level) : bits >> 32;
        uint32_t u = (uint32_t)bits;
        bool right = u >= p->upto_a && (u < p->upto_b || u >= p->upto_c), low = u >= p->upto_b;
        i = 2 * i + low;
        j = 2 * j + right;
    }
    *row = i;
    *col = j;
}

static tulle_status draw_edges(const tulle__generation *g, const graph *p, const edges *e) {
    for (int64_t first = 0; first < p->edges; first += CHUNK) {
        TULLE__TRY(tulle__progress(g->ctx, "drawing edges", first, p->edges));
        int64_t end = p->edges - first < CHUNK ? p->edges : first + CHUNK;
        const int threads = tulle__host_threads_for(g->ctx, TULLE__WORK_EDGES, end - first);
#pragma omp parallel for num_threads(threads)
        for (int64_t k = first; k < end; k++) {
            draw_edge(p, g->seed, k, &e->rows_of[k], &e->cols_of[k]);
        }
    }
    return tulle__progress(g->ctx, "drawing edges", p->edges, p->edges);
}

static void draw_values(const tulle__generation *g, int64_t count, void *values) {
    const int threads = tulle__host_threads_for(g->ctx, TULLE__WORK_ROWS, count);
#pragma omp parallel for num_threads(threads)
    for (int64_t k = 0; k < count; k++) {
        double value = tulle__signed_unit(tulle__bits(~g->seed, (uint64_t)k, 0));
        if (g->type == TULLE_F32) {
            ((float *)values)[k] = (float)value;
        } else {
            ((double *)values)[k] = value;
        }
    }
}

/* Makes the pattern first, with zeros as values, because only then the number of different edges is
 * known; then the values. */
static tulle_status build(const tulle__generation *g, const graph *p, const edges *e,
                          tulle_mat **A) {
    TULLE__TRY(draw_edges(g, p, e));
    int64_t size = (int64_t)1 << p->scale;
    tulle_index index = p->edges > INT32_MAX ? TULLE_I64_I32 : TULLE_I32;
    tulle_mat *coo = NULL, *csr = NULL;
    TULLE__TRY(tulle_mat_create_coo(g->ctx, size, size, p->edges, index, e->rows_of, e->cols_of,
                                    g->type, e->values, NULL, &coo));
    tulle_status status =
        tulle_mat_convert(g->ctx, coo, TULLE_CSR, index, TULLE_SUM_DUPLICATES, &csr);
    tulle_mat_destroy(coo);
    if (status != TULLE_OK) return status;
    tulle_mat_info info;
    status = tulle_mat_describe(csr, &info);
    if (status == TULLE_OK) {
        draw_values(g, info.nnz, e->values);
        status = tulle_mat_with_values(g->ctx, csr, g->type, info.nnz, e->values, A);
    }
    tulle_mat_destroy(csr);
    return status;
}

static tulle_status make(const tulle__generation *g, const graph *p, tulle_mat **A) {
    size_t index_bytes, value_bytes;
    /* memory on the host for the edges, and on a CPU also for their copy */
    double edge = 2 * sizeof(int32_t) + (double)tulle_type_size(g->type);
    TULLE__TRY(tulle__check_room(g, (g->ctx->kind == TULLE_CPU ? 2 : 1) * edge * (double)p->edges));
    TULLE__TRY(tulle__size(p->edges, sizeof(int32_t), 0, &index_bytes));
    TULLE__TRY(tulle__size(p->edges, tulle_type_size(g->type), 0, &value_bytes));
    edges e = {0};
    tulle_status status = TULLE_OUT_OF_MEMORY;
    if ((e.rows_of = tulle__host_alloc(g->ctx, index_bytes)) &&
        (e.cols_of = tulle__host_alloc(g->ctx, index_bytes)) &&
        (e.values = tulle__host_alloc(g->ctx, value_bytes))) {
        status = build(g, p, &e, A);
    }
    tulle__host_free(g->ctx, e.rows_of);
    tulle__host_free(g->ctx, e.cols_of);
    tulle__host_free(g->ctx, e.values);
    return status;
}

static uint32_t of_2_32(double percent) {
    double scaled = percent / 100 * 0x1p32;
    return scaled < UINT32_MAX ? (uint32_t)scaled : UINT32_MAX;
}

tulle_status tulle__make_rmat(const tulle__generation *g, tulle_mat **A) {
    tulle__spec_number n[] = {{"SCALE", 1, 30, true, 0},
                              {"EDGE_FACTOR", 1, 4096, true, 0},
                              {"A", 0, 100, false, 57},
                              {"B", 0, 100, false, 19},
                              {"C", 0, 100, false, 19}};
    int given;
    TULLE__TRY(tulle__spec_numbers(g, n, 2, 5, &given));
    if (given == 3 || given == 4) return tulle__spec_bad(g, "%s is missing", n[given].name);
    double a = n[2].value, b = a + n[3].value, c = b + n[4].value;
    if (c > 100) return tulle__spec_bad(g, "A + B + C is more than 100");
    graph p = {.scale = (int)n[0].value,
               .edges = (int64_t)n[1].value << (int)n[0].value,
               .upto_a = of_2_32(a),
               .upto_b = of_2_32(b),
               .upto_c = of_2_32(c)};
    return make(g, &p, A);
}
