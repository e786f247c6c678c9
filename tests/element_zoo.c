/* SPDX-License-Identifier: Apache-2.0 */
#include "element_zoo.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "entries.h"
#include "zoo.h"

static void *room(int64_t count, size_t size) {
    void *memory = calloc((size_t)count + 1, size);
    assert_non_null(memory);
    return memory;
}

static void add_block(element_list *l, int64_t count, int nodes) {
    const int b = l->blocks++;
    l->block[b].count = count;
    l->block[b].nodes = nodes;
    l->block[b].list = room(count * nodes, sizeof(int64_t));
}

/* Of all nodes, with every tenth number left out. */
static void fill_random(element_list *l, int b, uint64_t seed) {
    for (int64_t i = 0; i < l->block[b].count * l->block[b].nodes; i++) {
        const uint64_t bits = zoo_bits(&seed);
        l->block[b].list[i] = bits % 10 == 0 ? -1 : (int64_t)(bits / 16 % (uint64_t)l->nodes);
    }
}

static void nothing(element_list *l) {
    l->nodes = 0;
    add_block(l, 2, 3);
    for (int i = 0; i < 6; i++) l->block[0].list[i] = -1;
}

static void no_blocks(element_list *l) {
    l->nodes = 5;
}

static void no_elements(element_list *l) {
    l->nodes = 5;
    add_block(l, 0, 4);
}

static void left_out(element_list *l) {
    l->nodes = 7;
    add_block(l, 3, 4);
    for (int i = 0; i < 12; i++) l->block[0].list[i] = -1;
}

static void repeated(element_list *l) {
    static const int64_t list[] = {3, 3, 1, 1, 1, 1, 0, 5, 0, 5, 3, 3};
    l->nodes = 6;
    add_block(l, 4, 3);
    for (int i = 0; i < 12; i++) l->block[0].list[i] = list[i];
}

static void huge(element_list *l) {
    l->nodes = 40;
    add_block(l, 1, 37);
    for (int i = 0; i < 37; i++) l->block[0].list[i] = (11 * i + 3) % 40;
}

/* One node that all elements have, and an edge that most have: long lists of few entries. */
static void star(element_list *l) {
    l->nodes = 30;
    add_block(l, 260, 3);
    for (int64_t e = 0; e < 260; e++) {
        l->block[0].list[3 * e] = 29;
        l->block[0].list[3 * e + 1] = e % 5 == 0 ? e % 29 : 7;
        l->block[0].list[3 * e + 2] = (5 * e) % 29;
    }
}

static void unsorted(element_list *l) {
    l->nodes = 53;
    add_block(l, 150, 4);
    fill_random(l, 0, 5);
}

static void quads(element_list *l) {
    enum { SIDE = 7 };
    l->nodes = (SIDE + 1) * (SIDE + 1);
    add_block(l, SIDE * SIDE, 4);
    for (int64_t e = 0; e < SIDE * SIDE; e++) {
        const int64_t corner = e / SIDE * (SIDE + 1) + e % SIDE;
        const int64_t nodes[] = {corner, corner + 1, corner + SIDE + 2, corner + SIDE + 1};
        for (int i = 0; i < 4; i++) l->block[0].list[4 * e + i] = nodes[i];
    }
}

/* Blocks of three sizes, one of them empty. */
static void mixed(element_list *l) {
    l->nodes = 45;
    add_block(l, 40, 4);
    add_block(l, 0, 8);
    add_block(l, 33, 3);
    fill_random(l, 0, 6);
    fill_random(l, 2, 7);
}

/* Nodes that an element has once each, one in seven left out, but not the first of its block. */
static void fill_apart(element_list *l, int b) {
    const int nodes = l->block[b].nodes;
    for (int64_t i = 0; i < l->block[b].count * nodes; i++) {
        l->block[b].list[i] = i % 7 == 6 ? -1 : (i / nodes * 11 + i % nodes * 5) % l->nodes;
    }
}

/* The same blocks, of elements that have no node twice. */
static void apart(element_list *l) {
    l->nodes = 45;
    add_block(l, 40, 4);
    add_block(l, 0, 8);
    add_block(l, 33, 3);
    fill_apart(l, 0);
    fill_apart(l, 2);
}

static const struct {
    const char *name;
    void (*make)(element_list *l);
} zoo[] = {{"nothing", nothing},   {"no blocks", no_blocks}, {"no elements", no_elements},
           {"left out", left_out}, {"repeated", repeated},   {"huge", huge},
           {"star", star},         {"unsorted", unsorted},   {"quads", quads},
           {"mixed", mixed},       {"apart", apart}};

int element_zoo_count(void) {
    return (int)(sizeof zoo / sizeof *zoo);
}

element_list element_zoo_make(int i) {
    element_list l = {.name = zoo[i].name};
    zoo[i].make(&l);
    return l;
}

void element_zoo_free(element_list *l) {
    for (int b = 0; b < l->blocks; b++) free(l->block[b].list);
}

static double get(const void *values, tulle_type type, int64_t i) {
    return type == TULLE_F32 ? (double)((const float *)values)[i] : ((const double *)values)[i];
}

static void put(void *values, tulle_type type, int64_t i, double value) {
    if (type == TULLE_F32) {
        ((float *)values)[i] = (float)value;
    } else {
        ((double *)values)[i] = value;
    }
}

static int64_t size_of(const element_case *c, const tulle_elements *e) {
    return (int64_t)e->nodes * c->unknowns;
}

/* Where number q of element e of `count` numbers each stands. */
static int64_t place_of(const tulle_elements *e, int64_t element, int64_t q, int64_t count) {
    if (e->layout == TULLE_ELEMENT_MAJOR) return element * count + q;
    return q * (e->stride > 0 ? e->stride : e->count) + element;
}

static void *poisoned(int64_t count, tulle_type type) {
    void *values = room(count, sizeof(double));
    for (int64_t i = 0; i < count; i++) put(values, type, i, (double)NAN);
    return values;
}

/* Number (i, j) before it is rounded: the same for both where matrices are symmetric. */
static double fresh(const element_case *c, uint64_t *seed, int i, int j, int64_t m) {
    const double number = zoo_number(seed);
    return c->symmetric && i == j ? number + 2 * (double)m : number;
}

static void fill(element_arrays *a, const element_case *c, int b, uint64_t *seed) {
    const tulle_elements *e = &a->elements[b];
    const int m = (int)size_of(c, e);
    for (int64_t k = 0; k < e->count; k++) {
        for (int i = 0; i < m; i++) {
            put(a->f[b], c->type, place_of(e, k, i, m), zoo_number(seed));
            for (int j = 0; j < m; j++) {
                const bool mirrored = c->symmetric && j < i;
                const double number =
                    mirrored ? element_entry(a, c, b, k, j, i) : fresh(c, seed, i, j, m);
                put(a->K[b], c->type, place_of(e, k, (int64_t)i * m + j, (int64_t)m * m), number);
            }
        }
    }
}

element_arrays element_arrays_make(const element_list *l, const element_case *c) {
    element_arrays a = {.unknowns = l->nodes * c->unknowns};
    uint64_t seed = c->seed;
    for (int b = 0; b < l->blocks; b++) {
        tulle_elements *e = &a.elements[b];
        const bool interleaved = (c->layout == TULLE_INTERLEAVED) != (b % 2 == 1);
        *e = (tulle_elements){.count = l->block[b].count,
                              .nodes = l->block[b].nodes,
                              .index = c->index,
                              .layout = interleaved ? TULLE_INTERLEAVED : TULLE_ELEMENT_MAJOR,
                              .stride = c->gap > 0 ? l->block[b].count + c->gap : 0};
        a.lists[b] = widths(l->block[b].list, e->count * e->nodes, tulle_index_size(c->index), 0);
        e->list = a.lists[b];
        const int64_t m = size_of(c, e), far = e->count + c->gap;
        a.K_count[b] = m * m * far;
        a.f_count[b] = m * far;
        a.K[b] = poisoned(a.K_count[b], c->type);
        a.f[b] = poisoned(a.f_count[b], c->type);
        fill(&a, c, b, &seed);
    }
    if (c->masked) {
        a.masked = room(a.unknowns, 1);
        for (int64_t i = 0; i < a.unknowns; i++) a.masked[i] = zoo_bits(&seed) % 5 == 0;
    }
    return a;
}

void element_arrays_free(element_arrays *a) {
    for (int b = 0; b < ELEMENT_ZOO_BLOCKS; b++) {
        free(a->lists[b]);
        free(a->K[b]);
        free(a->f[b]);
    }
    free(a->masked);
}

double element_entry(const element_arrays *a, const element_case *c, int block, int64_t e, int i,
                     int j) {
    const tulle_elements *of = &a->elements[block];
    const int64_t m = size_of(c, of);
    return get(a->K[block], c->type, place_of(of, e, i * m + j, m * m));
}

double element_number(const element_arrays *a, const element_case *c, int block, int64_t e, int i) {
    const tulle_elements *of = &a->elements[block];
    return get(a->f[block], c->type, place_of(of, e, i, size_of(c, of)));
}

static double rounded(tulle_type type, double sum) {
    return type == TULLE_F32 ? (double)(float)sum : sum;
}

static void add(element_reference *r, const element_case *c, int64_t at, double number) {
    r->there[at] = true;
    r->in_type[at] = rounded(c->type, r->in_type[at] + number);
    r->sum[at] += (long double)number;
    r->size[at] += fabsl((long double)number);
    r->terms[at]++;
}

static void add_to_vector(element_reference *r, const element_case *c, int64_t at, double number) {
    r->b_in_type[at] = rounded(c->type, r->b_in_type[at] + number);
    r->b_sum[at] += (long double)number;
    r->b_size[at] += fabsl((long double)number);
    r->b_terms[at]++;
}

/* The unknown of row i of an element's matrix, or -1. */
static int64_t unknown_of(const element_list *l, const element_case *c, int b, int64_t e, int i) {
    const int64_t node = l->block[b].list[e * l->block[b].nodes + i / c->unknowns];
    return node < 0 ? -1 : node * c->unknowns + i % c->unknowns;
}

static void add_element(element_reference *r, const element_list *l, const element_arrays *a,
                        const element_case *c, int b, int64_t e) {
    const int m = l->block[b].nodes * c->unknowns;
    for (int i = 0; i < m; i++) {
        const int64_t row = unknown_of(l, c, b, e, i);
        if (row < 0) continue;
        add_to_vector(r, c, row, element_number(a, c, b, e, i));
        for (int j = 0; j < m; j++) {
            const int64_t col = unknown_of(l, c, b, e, j);
            if (col >= 0) add(r, c, row * r->n + col, element_entry(a, c, b, e, i, j));
        }
    }
}

static void set(element_reference *r, int64_t at, double value) {
    r->in_type[at] = value;
    r->sum[at] = (long double)value;
    r->size[at] = 0;
    r->terms[at] = 0;
}

/* What is 0 on the diagonal of masked rows becomes the largest that they have there, or 1. */
static void fill_zeros(element_reference *r, const uint8_t *masked) {
    double largest = 0;
    for (int64_t i = 0; i < r->n; i++) {
        if (masked[i]) largest = fmax(largest, fabs(r->in_type[i * r->n + i]));
    }
    for (int64_t i = 0; i < r->n; i++) {
        const int64_t at = i * r->n + i;
        if (masked[i] && r->in_type[at] == 0) set(r, at, largest > 0 ? largest : 1);
    }
}

static void mask(element_reference *r, const element_case *c, const uint8_t *masked, bool blocks) {
    for (int64_t i = 0; i < r->n; i++) {
        if (!masked[i]) continue;
        const int64_t first = blocks ? i - i % c->unknowns : i;
        const int64_t end = blocks ? first + c->unknowns : i + 1;
        for (int64_t row = first; row < end; row++) {
            for (int64_t col = first; col < end; col++) r->there[row * r->n + col] = true;
        }
        for (int64_t j = 0; j < r->n; j++) {
            if (j == i) continue;
            set(r, i * r->n + j, 0);
            set(r, j * r->n + i, 0);
        }
        r->b_in_type[i] = 0;
        r->b_sum[i] = r->b_size[i] = 0;
        r->b_terms[i] = 0;
    }
    fill_zeros(r, masked);
}

element_reference element_reference_make(const element_list *l, const element_arrays *a,
                                         const element_case *c, bool blocks) {
    const int64_t n = a->unknowns;
    element_reference r = {.n = n,
                           .there = room(n * n, sizeof *r.there),
                           .in_type = room(n * n, sizeof *r.in_type),
                           .sum = room(n * n, sizeof *r.sum),
                           .size = room(n * n, sizeof *r.size),
                           .terms = room(n * n, sizeof *r.terms),
                           .b_in_type = room(n, sizeof *r.b_in_type),
                           .b_sum = room(n, sizeof *r.b_sum),
                           .b_size = room(n, sizeof *r.b_size),
                           .b_terms = room(n, sizeof *r.b_terms)};
    for (int b = 0; b < l->blocks; b++) {
        for (int64_t e = 0; e < l->block[b].count; e++) add_element(&r, l, a, c, b, e);
    }
    if (a->masked) mask(&r, c, a->masked, blocks);
    return r;
}

void element_reference_free(element_reference *r) {
    void *const all[] = {r->there, r->in_type,   r->sum,    r->size,   r->terms,
                         r->b_sum, r->b_in_type, r->b_size, r->b_terms};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}
