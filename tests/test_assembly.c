/* SPDX-License-Identifier: Apache-2.0 */
/* Assembly from lists of elements: patterns, and values bit by bit or within their bounds, against
 * the definition; masks; what is refused, allocated, and captured. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "columns.h"
#include "core/context.h"
#include "counting.h"
#include "element_zoo.h"
#include "entries.h"
#include "meshes.h"
#include "pairwise.h"
#include "places.h"

/* Numbers of the host in the context's memory. */
static tulle_vec *sent(tulle_ctx *ctx, tulle_type type, int64_t count, const void *numbers) {
    tulle_vec *v = NULL;
    must(tulle_vec_create(ctx, type, count, &v));
    must(tulle_vec_write(ctx, v, numbers, 0));
    return v;
}

static void *data_of(const tulle_vec *v) {
    tulle_vec_info info;
    must(tulle_vec_describe(v, &info));
    return info.data;
}

/* Element data of all blocks, on the host or where the context is. */
typedef struct {
    tulle_element_data data[ELEMENT_ZOO_BLOCKS];
    tulle_vec *sent[ELEMENT_ZOO_BLOCKS];
} handed;

static handed hand_over(tulle_ctx *ctx, const element_list *l, tulle_type type, void *const *values,
                        const int64_t *counts, bool on_host) {
    handed h = {0};
    for (int b = 0; b < l->blocks; b++) {
        h.data[b] = (tulle_element_data){values[b], true};
        if (on_host || counts[b] == 0) continue;
        h.sent[b] = sent(ctx, type, counts[b], values[b]);
        h.data[b] = (tulle_element_data){data_of(h.sent[b]), false};
    }
    return h;
}

static void take_back(handed *h) {
    for (int b = 0; b < ELEMENT_ZOO_BLOCKS; b++) tulle_vec_destroy(h->sent[b]);
}

/* What each entry of A should be, after it was `before` everywhere. */
static void check_entry(const element_reference *r, const element_case *c, int64_t at, double got,
                        double beta, double before, bool masked) {
    if (beta == 0 || masked) {
        assert_near((long double)got, (long double)r->in_type[at], 0, "an entry");
        return;
    }
    const long double old = (long double)beta * (long double)before;
    /* Where nobody contributes, there is only what was. */
    const long double sum = r->terms[at] > 0 || old == 0 ? r->sum[at] : 0;
    const long double bound =
        gamma_of((long double)(r->terms[at] + 2), c->type) * (fabsl(old) + r->size[at]) +
        2 * least_of(c->type);
    assert_near((long double)got, old + sum, bound, "an entry");
}

static bool is_masked(const element_arrays *a, int64_t i) {
    return a->masked && a->masked[i];
}

static void check_matrix(tulle_ctx *ctx, const tulle_mat *A, const element_reference *r,
                         const element_arrays *a, const element_case *c, double beta,
                         double before) {
    tulle_mat *csr = NULL;
    must(tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I32, 0, &csr));
    entries got = entries_read(ctx, csr);
    int64_t wanted = 0;
    for (int64_t at = 0; at < r->n * r->n; at++) wanted += r->there[at];
    assert_int_equal(got.rows, r->n);
    assert_int_equal(got.cols, r->n);
    assert_int_equal(got.nnz, wanted);
    entries_sort(&got);
    for (int64_t k = 0; k < got.nnz; k++) {
        const int64_t at = got.row[k] * r->n + got.col[k];
        assert_true(r->there[at]);
        if (k > 0) {
            assert_true(got.row[k] != got.row[k - 1] || got.col[k] != got.col[k - 1]);
        }
        check_entry(
            r, c, at, got.value[k], beta, before,
            got.row[k] != got.col[k] && (is_masked(a, got.row[k]) || is_masked(a, got.col[k])));
    }
    entries_free(&got);
    tulle_mat_destroy(csr);
}

static void check_vector(tulle_ctx *ctx, const tulle_vec *b, const element_reference *r,
                         const element_arrays *a, const element_case *c, double beta,
                         double before) {
    void *got = calloc((size_t)r->n + 1, sizeof(double));
    must(tulle_vec_read(ctx, b, got, 0));
    for (int64_t i = 0; i < r->n; i++) {
        const double number = c->type == TULLE_F32 ? (double)((float *)got)[i] : ((double *)got)[i];
        if (beta == 0 || is_masked(a, i)) {
            assert_near((long double)number, (long double)r->b_in_type[i], 0, "a number of b");
            continue;
        }
        const long double old = (long double)beta * (long double)before;
        const long double bound =
            gamma_of((long double)(r->b_terms[i] + 2), c->type) * (fabsl(old) + r->b_size[i]) +
            2 * least_of(c->type);
        assert_near((long double)number, old + r->b_sum[i], bound, "a number of b");
    }
    free(got);
}

enum { LIST, UNKNOWNS, FORMAT, LAYOUT, GAP, TYPE, INDEX, MASKED, BETA, ON_HOST, FACTORS };
static const int unknowns_of[] = {1, 2, 3, 6};
static const tulle_format formats[] = {TULLE_CSR, TULLE_ELL, TULLE_BSR};
static const double betas[] = {0, 1, -0.5};

typedef struct {
    tulle_ctx *ctx;
    const char *where;
    int number;
} runner;

/* Each value twice, from different values before. */
static void assemble(tulle_ctx *ctx, tulle_assembly *S, const element_list *l,
                     const element_arrays *a, const element_case *c, double beta, bool on_host,
                     bool blocks) {
    element_reference r = element_reference_make(l, a, c, blocks);
    handed K = hand_over(ctx, l, c->type, a->K, a->K_count, on_host);
    handed f = hand_over(ctx, l, c->type, a->f, a->f_count, on_host);
    tulle_mat *A = NULL;
    tulle_vec *b = NULL, *scalar = NULL;
    const double values[] = {beta, 0};
    const float narrow[] = {(float)beta, 0};
    scalar = sent(ctx, c->type, 2, c->type == TULLE_F32 ? (const void *)narrow : values);
    must(tulle_assembly_matrix(ctx, S, c->type, &A));
    must(tulle_vec_create(ctx, c->type, r.n, &b));
    must(tulle_vec_fill(ctx, b, beta == 0 ? (double)NAN : 0.75));
    must(tulle_assembly_vector(ctx, S, f.data, tulle_at(data_of(scalar)), b));
    check_vector(ctx, b, &r, a, c, beta, 0.75);
    must(tulle_assembly_values(ctx, S, K.data, tulle_num(beta), A));
    check_matrix(ctx, A, &r, a, c, beta, 0);
    must(tulle_assembly_values(ctx, S, K.data, tulle_num((double)NAN), A));
    must(tulle_assembly_values(ctx, S, K.data, tulle_num(0), A));
    check_matrix(ctx, A, &r, a, c, 0, 0);
    tulle_vec_destroy(scalar);
    tulle_vec_destroy(b);
    tulle_mat_destroy(A);
    take_back(&K);
    take_back(&f);
    element_reference_free(&r);
}

static void run_case(const int *v, void *user) {
    const runner *run = user;
    element_list l = element_zoo_make(v[LIST]);
    const element_case c = {.unknowns = unknowns_of[v[UNKNOWNS]],
                            .index = v[INDEX] ? TULLE_I64 : TULLE_I32,
                            .layout = v[LAYOUT] ? TULLE_INTERLEAVED : TULLE_ELEMENT_MAJOR,
                            .gap = v[GAP] ? 5 : 0,
                            .type = v[TYPE] ? TULLE_F64 : TULLE_F32,
                            .masked = v[MASKED],
                            .seed = 17};
    element_arrays a = element_arrays_make(&l, &c);
    const tulle_assembly_options options = {
        .unknowns = c.unknowns, .format = formats[v[FORMAT]], .masked = a.masked};
    tulle_assembly *S = NULL;
    tulle_assembly_info info;
    must(tulle_assembly_create(run->ctx, l.nodes, l.blocks, a.elements, &options, &S));
    must(tulle_assembly_describe(S, &info));
    assert_int_equal(info.format, options.format);
    assert_int_equal(info.rows, a.unknowns);
    assemble(run->ctx, S, &l, &a, &c, betas[v[BETA]], v[ON_HOST], options.format == TULLE_BSR);
    tulle_assembly_destroy(S);
    element_arrays_free(&a);
    element_zoo_free(&l);
}

static void zoo(tulle_ctx *ctx, const char *where) {
    const int levels[FACTORS] = {element_zoo_count(), 4, 3, 2, 2, 2, 2, 2, 3, 2};
    runner run = {ctx, where, 0};
    pairwise(FACTORS, levels, run_case, &run);
}
static void test_zoo(void **state) {
    (void)state;
    on_each_place(zoo);
}

/* Values that are not what they were, added to themselves: K + 2 K. */
static void values_again(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const int32_t list[] = {0, 1, 2, 1, 2, 3};
    double K[18], sums[16] = {0}, got[16];
    for (int i = 0; i < 18; i++) K[i] = i + 1;
    for (int e = 0; e < 2; e++) {
        for (int ij = 0; ij < 9; ij++) {
            sums[4 * list[3 * e + ij / 3] + list[3 * e + ij % 3]] += K[9 * e + ij];
        }
    }
    const tulle_elements triangles = {.count = 2, .nodes = 3, .list = list};
    const tulle_element_data data = {K, true};
    tulle_assembly *S = NULL;
    tulle_mat *A = NULL, *B = NULL;
    must(tulle_assembly_create(ctx, 4, 1, &triangles, NULL, &S));
    must(tulle_assembly_matrix(ctx, S, TULLE_F64, &A));
    must(tulle_assembly_matrix(ctx, S, TULLE_F64, &B));
    must(tulle_assembly_values(ctx, S, &data, tulle_num(0), A));
    must(tulle_assembly_values(ctx, S, &data, tulle_num(2), A));
    tulle_assembly_destroy(S); /* the matrix goes on without it */
    entries e = entries_read(ctx, A);
    memset(got, 0, sizeof got);
    for (int64_t k = 0; k < e.nnz; k++) got[4 * e.row[k] + e.col[k]] = e.value[k];
    for (int i = 0; i < 16; i++) assert_true(got[i] == 3 * sums[i]);
    assert_int_equal(e.nnz, 14);
    entries_free(&e);
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
}
ONCE_ON_EACH_PLACE(values_again)

static void refuses(tulle_status got, tulle_status wanted, const char *words) {
    assert_int_equal(got, wanted);
    if (!strstr(tulle_last_error()->message, words)) {
        fail_msg("\"%s\" has no \"%s\"", tulle_last_error()->message, words);
    }
}

static void errors(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const int32_t list[] = {0, 1, 2, 1, 4, 3}, low[] = {0, 1, 2, 1, 2, -2};
    static const int64_t wide[] = {0, 1, 2, 1, INT64_C(1) << 33, 3};
    tulle_elements e[2] = {{.count = 2, .nodes = 3, .list = list},
                           {.count = 0, .nodes = 3, .list = NULL}};
    tulle_assembly *S = NULL;
    refuses(tulle_assembly_create(ctx, 4, 1, e, NULL, &S), TULLE_INVALID_ARGUMENT,
            "elements: node 1 of element 1 is 4; it must be 0 to 3, or -1");
    assert_null(S);
    refuses(tulle_assembly_create(ctx, 4, 2, e, NULL, &S), TULLE_INVALID_ARGUMENT,
            "elements[0]: node 1 of element 1 is 4");
    e[0].list = low;
    refuses(tulle_assembly_create(ctx, 4, 1, e, NULL, &S), TULLE_INVALID_ARGUMENT,
            "node 2 of element 1 is -2");
    e[0].list = wide;
    e[0].index = TULLE_I64;
    refuses(tulle_assembly_create(ctx, 4, 1, e, NULL, &S), TULLE_INVALID_ARGUMENT,
            "node 1 of element 1 is 8589934592");
    e[0] = (tulle_elements){.count = 2, .nodes = 0, .list = list};
    refuses(tulle_assembly_create(ctx, 9, 1, e, NULL, &S), TULLE_INVALID_ARGUMENT, "nodes is 0");
    e[0] = (tulle_elements){.count = -1, .nodes = 3, .list = list};
    refuses(tulle_assembly_create(ctx, 9, 1, e, NULL, &S), TULLE_INVALID_ARGUMENT, "count is -1");
    e[0] = (tulle_elements){.count = 2, .nodes = 3};
    refuses(tulle_assembly_create(ctx, 9, 1, e, NULL, &S), TULLE_INVALID_ARGUMENT, "list is NULL");
    e[0] = (tulle_elements){
        .count = 2, .nodes = 3, .list = list, .layout = TULLE_INTERLEAVED, .stride = 1};
    refuses(tulle_assembly_create(ctx, 9, 1, e, NULL, &S), TULLE_INVALID_ARGUMENT, "stride is 1");
    e[0] = (tulle_elements){.count = 2, .nodes = 3, .list = list, .index = TULLE_I64_I32};
    refuses(tulle_assembly_create(ctx, 9, 1, e, NULL, &S), TULLE_INVALID_ARGUMENT, "index is 1");
    e[0] = (tulle_elements){.count = INT64_C(1) << 50, .nodes = 300, .list = list};
    refuses(tulle_assembly_create(ctx, 9, 1, e, NULL, &S), TULLE_TOO_LARGE, "64 bits");
    e[0] = (tulle_elements){.count = 2, .nodes = 3, .list = list};
    refuses(tulle_assembly_create(ctx, 9, 17, e, NULL, &S), TULLE_INVALID_ARGUMENT, "0 to 16");
    refuses(tulle_assembly_create(ctx, -9, 1, e, NULL, &S), TULLE_INVALID_ARGUMENT, "nodes is -9");
    refuses(tulle_assembly_create(ctx, INT32_MAX, 1, e, NULL, &S), TULLE_TOO_LARGE, "rows end at");
    tulle_assembly_options o = {.unknowns = 7};
    refuses(tulle_assembly_create(ctx, 9, 1, e, &o, &S), TULLE_INVALID_ARGUMENT, "unknowns is 7");
    o = (tulle_assembly_options){.format = TULLE_SELL};
    refuses(tulle_assembly_create(ctx, 9, 1, e, &o, &S), TULLE_INVALID_ARGUMENT, "CSR, ELL or BSR");

    tulle_mat *A = NULL, *B = NULL;
    tulle_assembly *other = NULL;
    tulle_vec *b = NULL;
    must(tulle_assembly_create(ctx, 9, 1, e, NULL, &S));
    must(tulle_assembly_create(ctx, 9, 1, e, NULL, &other));
    must(tulle_assembly_matrix(ctx, S, TULLE_F64, &A));
    must(tulle_assembly_matrix(ctx, other, TULLE_F64, &B));
    must(tulle_vec_create(ctx, TULLE_F64, 8, &b));
    const double K[18] = {0};
    const tulle_element_data data = {K, true}, none = {NULL, true};
    refuses(tulle_assembly_values(ctx, S, &data, tulle_num(0), B), TULLE_INVALID_ARGUMENT,
            "another pattern");
    refuses(tulle_assembly_values(ctx, S, &none, tulle_num(0), A), TULLE_INVALID_ARGUMENT,
            "K[0].values is NULL");
    refuses(tulle_assembly_values(ctx, S, NULL, tulle_num(0), A), TULLE_INVALID_ARGUMENT,
            "K is NULL");
    refuses(tulle_assembly_vector(ctx, S, &data, tulle_num(0), b), TULLE_SHAPE_MISMATCH,
            "b is 8 x 1");
    tulle_vec_destroy(b);
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
    tulle_assembly_destroy(S);
    tulle_assembly_destroy(other);
    tulle_assembly_destroy(NULL);
}
ONCE_ON_EACH_PLACE(errors)

/* From the second time on nothing is allocated; a graph does the same again with new numbers. */
static void captured(tulle_ctx *ctx, const char *where) {
    (void)where;
    element_list l = element_zoo_make(element_zoo_count() - 1);
    const element_case c = {.unknowns = 2, .type = TULLE_F64, .masked = true, .seed = 3};
    element_case twice = c;
    twice.seed = 4;
    element_arrays a = element_arrays_make(&l, &c), other = element_arrays_make(&l, &twice);
    const tulle_assembly_options options = {.unknowns = 2, .masked = a.masked};
    handed K = hand_over(ctx, &l, c.type, a.K, a.K_count, false);
    handed f = hand_over(ctx, &l, c.type, a.f, a.f_count, false);
    tulle_assembly *S = NULL;
    tulle_mat *A = NULL;
    tulle_vec *b = NULL;
    tulle_memory_usage before, after;
    void *graph = NULL;
    must(tulle_assembly_create(ctx, l.nodes, l.blocks, a.elements, &options, &S));
    must(tulle_assembly_matrix(ctx, S, TULLE_F64, &A));
    must(tulle_vec_create(ctx, TULLE_F64, a.unknowns, &b));
    must(tulle_assembly_values(ctx, S, K.data, tulle_num(0), A));
    must(tulle_assembly_vector(ctx, S, f.data, tulle_num(0), b));
    must(tulle_ctx_memory(ctx, &before));
    if (ctx->kind != TULLE_CPU) must(ctx->backend->capture_begin(&ctx->place));
    must(tulle_assembly_values(ctx, S, K.data, tulle_num(0), A));
    must(tulle_assembly_vector(ctx, S, f.data, tulle_num(0), b));
    if (ctx->kind != TULLE_CPU) must(ctx->backend->capture_end(&ctx->place, &graph));
    must(tulle_ctx_memory(ctx, &after));
    assert_int_equal(before.in_use, after.in_use);
    assert_int_equal(before.high, after.high);
    for (int k = 0; k < l.blocks; k++) { /* the mask stays the first one's */
        if (K.sent[k]) must(tulle_vec_write(ctx, K.sent[k], other.K[k], 0));
        if (f.sent[k]) must(tulle_vec_write(ctx, f.sent[k], other.f[k], 0));
    }
    if (ctx->kind == TULLE_CPU) {
        must(tulle_assembly_values(ctx, S, K.data, tulle_num(0), A));
        must(tulle_assembly_vector(ctx, S, f.data, tulle_num(0), b));
    } else {
        must(ctx->backend->graph_launch(&ctx->place, graph));
    }
    memcpy(other.masked, a.masked, (size_t)a.unknowns);
    element_reference r = element_reference_make(&l, &other, &twice, true);
    check_matrix(ctx, A, &r, &other, &twice, 0, 0);
    check_vector(ctx, b, &r, &other, &twice, 0, 0);
    if (graph) must(ctx->backend->graph_destroy(ctx->place.device, graph));
    element_reference_free(&r);
    tulle_vec_destroy(b);
    tulle_mat_destroy(A);
    tulle_assembly_destroy(S);
    take_back(&K);
    take_back(&f);
    element_arrays_free(&a);
    element_arrays_free(&other);
    element_zoo_free(&l);
}
ONCE_ON_EACH_PLACE(captured)

/* Fails the n-th allocation; whether nothing gets that far any more. */
static bool fail_once(const char *where, tulle_format format, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    static const int32_t list[] = {0, 1, 2, 1, 2, 3};
    static const uint8_t masked[] = {0, 1, 0, 0};
    const tulle_elements triangles = {.count = 2, .nodes = 3, .list = list};
    const tulle_assembly_options o = {.format = format, .masked = masked};
    const double K[18] = {1};
    const tulle_element_data data = {K, true};
    tulle_ctx *ctx = NULL;
    tulle_assembly *S = NULL;
    tulle_mat *A = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    c.fail_at = c.requests + n;
    tulle_status status = tulle_assembly_create(ctx, 4, 1, &triangles, &o, &S);
    if (status == TULLE_OK) status = tulle_assembly_matrix(ctx, S, TULLE_F64, &A);
    if (status == TULLE_OK) status = tulle_assembly_values(ctx, S, &data, tulle_num(0), A);
    const bool done = c.requests < c.fail_at;
    assert_true(status == TULLE_OK || status == TULLE_OUT_OF_MEMORY);
    assert_true(!done || status == TULLE_OK);
    tulle_mat_destroy(A);
    tulle_assembly_destroy(S);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return done;
}

static void out_of_memory(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        int64_t n = 1;
        while (!fail_once(where, formats[f], n)) n++;
        assert_true(n > 1);
    }
}
ONCE_ON_EACH_PLACE(out_of_memory)

/* Bytes for each contribution of a box of hexahedra, in whose last element `twice` stands for its
 * first node. */
static double bytes_of(tulle_ctx *ctx, tulle_format format, int unknowns, bool twice) {
    tulle_mesh *mesh = mesh_of(ctx, "box-hex:4");
    const tulle_mesh_block block = mesh_arrays(mesh).blocks[0];
    const size_t places = (size_t)block.count * 8;
    int32_t *list = malloc(places * sizeof *list);
    assert_non_null(list);
    memcpy(list, block.nodes, places * sizeof *list);
    if (twice) list[places - 8] = list[places - 1];
    const tulle_elements e = {.count = block.count, .nodes = 8, .list = list};
    const tulle_assembly_options o = {.unknowns = unknowns, .format = format};
    tulle_assembly *S = NULL;
    tulle_assembly_info info;
    must(tulle_assembly_create(ctx, mesh_info(mesh).nodes, 1, &e, &o, &S));
    must(tulle_assembly_describe(S, &info));
    tulle_assembly_destroy(S);
    free(list);
    tulle_mesh_destroy(mesh);
    return (double)info.bytes / (double)info.contributions;
}

/* What an assembly holds, as its header says: of rows, where it can; else of contributions. */
static void held(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        const int unknowns = formats[f] == TULLE_BSR ? 3 : 1;
        const double cells = unknowns * unknowns;
        assert_true(bytes_of(ctx, formats[f], unknowns, false) < 3 / cells);
        assert_true(bytes_of(ctx, formats[f], unknowns, true) > 4 / cells);
    }
    assert_true(bytes_of(ctx, TULLE_BSR, 4, false) > 4.0 / 16);
}
ONCE_ON_EACH_PLACE(held)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zoo),      cmocka_unit_test(test_values_again),
        cmocka_unit_test(test_held),     cmocka_unit_test(test_errors),
        cmocka_unit_test(test_captured), cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
