/* SPDX-License-Identifier: Apache-2.0 */
/* Facets with a flux or a traction count once: one that its group has twice, that lies between two
 * cells, or that no cell has is refused by the number of its element, whatever its shape. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mesh/shape.h"
#include "meshes.h"
#include "places.h"
#include "tulle/diffusion.h"
#include "tulle/elasticity.h"

/* A facet that is added to a mesh as the last element, in the group of its first facet. */
enum { TWICE, TURNED, INSIDE, LOOSE, OTHER_GROUP, ADDITIONS };

/* Facet f of a cell, in the order of the facet's shape. */
static void take_facet(const tulle_mesh_block *cells, int64_t cell, int f, int32_t *nodes) {
    const tulle__shape *shape = tulle__shape_of(cells->shape);
    const int32_t *own = cells->nodes + cell * shape->info.nodes;
    const int count = tulle__shape_of(shape->info.facet_shape)->info.nodes;
    for (int i = 0; i < count; i++) nodes[i] = own[tulle__facet_node(shape, f, i)];
}

static bool has_all(const int32_t *cell, int of_cell, const int32_t *nodes, int count) {
    for (int i = 0; i < count; i++) {
        bool has = false;
        for (int k = 0; k < of_cell; k++) has = has || cell[k] == nodes[i];
        if (!has) return false;
    }
    return true;
}

/* A facet of the first cell that another one has. */
static void take_inner(const tulle_mesh_block *cells, int32_t *nodes) {
    const tulle_shape_info *info = &tulle__shape_of(cells->shape)->info;
    const int count = tulle__shape_of(info->facet_shape)->info.nodes;
    for (int f = 0; f < info->facets; f++) {
        take_facet(cells, 0, f, nodes);
        for (int64_t e = 1; e < cells->count; e++) {
            if (has_all(cells->nodes + e * info->nodes, info->nodes, nodes, count)) return;
        }
    }
    fail_msg("no facet lies inside");
}

/* A facet with a first node that no cell has together with the others. */
static void take_loose(const tulle_mesh_block *cells, int64_t node_count, int32_t *nodes,
                       int count) {
    const int of_cell = tulle__shape_of(cells->shape)->info.nodes;
    for (int32_t node = 0; node < node_count; node++) {
        bool found = false;
        nodes[0] = node;
        for (int i = 1; i < count; i++) found = found || nodes[i] == node;
        for (int64_t e = 0; e < cells->count && !found; e++) {
            found = has_all(cells->nodes + e * of_cell, of_cell, nodes, count);
        }
        if (!found) return;
    }
    fail_msg("all nodes are near");
}

/* The mesh with the addition; *element is the number that the new facet has, *first that of the
 * first facet. */
static tulle_mesh *add(tulle_ctx *ctx, const char *spec, int addition, int64_t *first,
                       int64_t *element) {
    tulle_mesh *box = mesh_of(ctx, spec), *mesh = NULL;
    tulle_mesh_arrays a = mesh_arrays(box);
    tulle_mesh_block blocks[2] = {a.blocks[0], a.blocks[1]}, *facets = &blocks[1];
    const tulle_shape_info *info = &tulle__shape_of(facets->shape)->info;
    const int nodes = info->nodes;
    const int64_t numbers = facets->count * nodes;
    int32_t *list = calloc((size_t)(numbers + nodes), sizeof *list);
    int32_t *groups = calloc((size_t)facets->count + 1, sizeof *groups);
    assert_true(list && groups && a.block_count == 2);
    memcpy(list, facets->nodes, (size_t)numbers * sizeof *list);
    memcpy(groups, facets->groups, (size_t)facets->count * sizeof *groups);
    int32_t *more = list + numbers;
    memcpy(more, list, (size_t)nodes * sizeof *list);
    groups[facets->count] = groups[0];
    if (addition == TURNED) { /* corners alone say which facet it is */
        more[0] = list[1];
        more[1] = list[0];
    }
    if (addition == INSIDE) take_inner(&blocks[0], more);
    if (addition == LOOSE) take_loose(&blocks[0], a.node_count, more, nodes);
    for (int64_t i = 0; addition == OTHER_GROUP && i < facets->count; i++) {
        if (groups[i] != groups[0]) groups[facets->count] = groups[i];
    }
    *first = blocks[0].count;
    *element = blocks[0].count + facets->count++;
    facets->nodes = list;
    facets->groups = groups;
    a.blocks = blocks;
    must(tulle_mesh_create(ctx, &a, &mesh));
    tulle_mesh_destroy(box);
    free(list);
    free(groups);
    return mesh;
}

/* The name of the group of the first facet. */
static const char *group_of(const tulle_mesh *mesh) {
    const tulle_mesh_arrays a = mesh_arrays(mesh);
    const int dimension = tulle__shape_of(a.blocks[1].shape)->info.dimension;
    for (int64_t g = 0; g < a.group_count; g++) {
        const tulle_mesh_group *group = &a.groups[g];
        if (group->dimension == dimension && group->number == a.blocks[1].groups[0]) {
            return group->name;
        }
    }
    fail_msg("the first facet has no group");
    return NULL;
}

static tulle_status diffuse(tulle_ctx *ctx, const tulle_mesh *mesh, tulle_condition_kind kind) {
    const tulle_condition c = {.group = group_of(mesh), .kind = kind, .factor = {.number = 1}};
    const tulle_diffusion_problem p = {.condition_count = 1, .conditions = &c};
    tulle_diffusion *D = NULL;
    const tulle_status status = tulle_diffusion_create(ctx, mesh, &p, &D);
    assert_int_equal(D != NULL, status == TULLE_OK);
    tulle_diffusion_destroy(D);
    return status;
}

static tulle_status pull(tulle_ctx *ctx, const tulle_mesh *mesh, tulle_condition_kind kind) {
    const tulle_elastic_condition c = {
        .group = group_of(mesh), .kind = kind, .factor = {.number = 1}};
    const tulle_elasticity_problem p = {
        .first = {.number = 1}, .second = {.number = 0.3}, .condition_count = 1, .conditions = &c};
    tulle_elasticity *E = NULL;
    const tulle_status status = tulle_elasticity_create(ctx, mesh, &p, &E);
    assert_int_equal(E != NULL, status == TULLE_OK);
    tulle_elasticity_destroy(E);
    return status;
}

/* Of an addition, what the message has to have in it; NULL: there is no fault. */
static const char *words_of(int addition, int64_t first, int64_t element, char words[96]) {
    static const char *const reasons[ADDITIONS] = {
        [INSIDE] = "lies between two cells", [LOOSE] = "is no cell's"};
    if (addition == OTHER_GROUP) return NULL;
    if (addition == TWICE || addition == TURNED) {
        snprintf(words, 96, "as elements %lld and %lld", (long long)first, (long long)element);
    } else {
        snprintf(words, 96, "element %lld (from 0, cells first), %s", (long long)element,
                 reasons[addition]);
    }
    return words;
}

static void check(tulle_ctx *ctx, const char *spec, int addition,
                  tulle_status (*make)(tulle_ctx *, const tulle_mesh *, tulle_condition_kind)) {
    char room[96];
    int64_t first, element;
    tulle_mesh *mesh = add(ctx, spec, addition, &first, &element);
    const char *words = words_of(addition, first, element, room);
    assert_int_equal(make(ctx, mesh, TULLE_DIRICHLET), TULLE_OK);
    for (tulle_condition_kind kind = TULLE_NEUMANN; kind <= TULLE_ROBIN; kind++) {
        const tulle_status status = make(ctx, mesh, kind);
        const tulle_error *error = tulle_last_error();
        if (!words) {
            assert_int_equal(status, TULLE_OK);
        } else if (status != TULLE_INVALID_MESH || !strstr(error->message, words)) {
            fail_msg("%s: %d, '%s', not '%s'", spec, (int)status, error->message, words);
        } else {
            assert_int_equal(error->row, element);
        }
    }
    tulle_mesh_destroy(mesh);
}

static void test_once(void **state) {
    static const char *const specs[] = {"box-tri:2", "box-quad:2x3", "box-tet:2", "box-hex:2",
                                        "box-hex27:2"};
    tulle_ctx *ctx = NULL;
    (void)state;
    must(tulle_ctx_create("cpu", NULL, &ctx));
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        for (int addition = 0; addition < ADDITIONS; addition++) {
            check(ctx, specs[i], addition, diffuse);
            if (!strstr(specs[i], "27")) check(ctx, specs[i], addition, pull);
        }
    }
    tulle_ctx_destroy(ctx);
}

/* Facets of order 2 in a plane: two squares of 9 nodes, and the lower side of the first, listed
 * once, twice, or beside the side between both. */
static void test_quadratic_lines(void **state) {
    static const double x[] = {0,  0,  1,  0, 1, 1, 0, 1,   .5, 0, 1,  .5,  .5, 1,   0,
                               .5, .5, .5, 2, 0, 2, 1, 1.5, 0,  2, .5, 1.5, 1,  1.5, .5};
    static const int32_t cells[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 9, 10, 2, 11, 12, 13, 5, 14};
    static const int32_t facets[] = {0, 1, 4, 1, 0, 4, 1, 2, 5};
    static const int32_t one[] = {1, 1}, none[] = {0, 0};
    static const tulle_mesh_group group = {.number = 1, .dimension = 1, .name = "side"};
    static const char *const words[] = {NULL, "as elements 2 and 3", "element 2 (from 0"};
    tulle_ctx *ctx = NULL;
    (void)state;
    must(tulle_ctx_create("cpu", NULL, &ctx));
    for (int i = 0; i < 3; i++) {
        const tulle_mesh_block blocks[] = {
            {.shape = TULLE_QUADRILATERAL9, .count = 2, .nodes = cells, .groups = none},
            {.shape = TULLE_LINE3,
             .count = i == 1 ? 2 : 1,
             .nodes = facets + (i == 2 ? 6 : 0),
             .groups = one}};
        tulle_mesh_arrays a = mesh_small(2, 15, x, blocks, 2);
        tulle_mesh *mesh = NULL;
        a.group_count = 1;
        a.groups = &group;
        must(tulle_mesh_create(ctx, &a, &mesh));
        const tulle_status status = diffuse(ctx, mesh, TULLE_NEUMANN);
        assert_int_equal(status, words[i] ? TULLE_INVALID_MESH : TULLE_OK);
        if (words[i]) assert_non_null(strstr(tulle_last_error()->message, words[i]));
        tulle_mesh_destroy(mesh);
    }
    tulle_ctx_destroy(ctx);
}

static int stop_at_facets(void *user, const char *what, int64_t done, int64_t total) {
    (void)user, (void)done, (void)total;
    return strcmp(what, "checking facets") == 0;
}

/* The check goes through all cells, and asks whether to go on. */
static void test_cancelling(void **state) {
    tulle_ctx *ctx = NULL;
    (void)state;
    must(tulle_ctx_create("cpu", NULL, &ctx));
    tulle_mesh *mesh = mesh_of(ctx, "box-hex:2");
    must(tulle_ctx_set_progress(ctx, stop_at_facets, NULL));
    assert_int_equal(diffuse(ctx, mesh, TULLE_DIRICHLET), TULLE_OK);
    assert_int_equal(diffuse(ctx, mesh, TULLE_NEUMANN), TULLE_CANCELLED);
    assert_int_equal(pull(ctx, mesh, TULLE_ROBIN), TULLE_CANCELLED);
    tulle_mesh_destroy(mesh);
    tulle_ctx_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cancelling),
        cmocka_unit_test(test_once),
        cmocka_unit_test(test_quadratic_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
