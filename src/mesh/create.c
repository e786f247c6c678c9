/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_mesh_create: checks the caller's arrays, and makes a mesh of copies of them. */
#include <math.h>
#include <string.h>

#include "mesh/mesh.h"
#include "mesh/sort.h"

static tulle_status bad(int64_t row, const char *format, ...) __attribute__((format(printf, 2, 3)));

static const char *const what = "checking arrays";

static tulle_status bad(int64_t row, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const tulle_status status = tulle__fail_v(TULLE_INVALID_ARGUMENT, "tulle_mesh_create", "arrays",
                                              row, format, arguments);
    va_end(arguments);
    return status;
}

static tulle_status check_numbers(const tulle_mesh_arrays *a) {
    if (a->dimension < 1 || a->dimension > 3) {
        return bad(-1, "the dimension is %d; it must be 1, 2 or 3", a->dimension);
    }
    if (a->node_count < 0 || a->block_count < 0 || a->group_count < 0) {
        return bad(-1, "a number of nodes, blocks or groups is below 0");
    }
    if (a->node_count > INT32_MAX) {
        return tulle__fail(TULLE_TOO_LARGE, "tulle_mesh_create", "arrays", -1,
                           "%lld nodes; a mesh has at most %d", (long long)a->node_count,
                           INT32_MAX);
    }
    if ((a->node_count > 0 && !a->coordinates) || (a->block_count > 0 && !a->blocks) ||
        (a->group_count > 0 && !a->groups)) {
        return bad(-1, "coordinates, blocks or groups are NULL");
    }
    return TULLE_OK;
}

static tulle_status check_coordinates(tulle_ctx *ctx, const tulle_mesh_arrays *a) {
    for (int64_t i = 0; i < a->node_count * a->dimension; i++) {
        TULLE__TRY(tulle__ask(ctx, what, i, a->node_count * a->dimension));
        if (isfinite(a->coordinates[i])) continue;
        return bad(i / a->dimension, "a coordinate of node %lld is not finite",
                   (long long)(i / a->dimension));
    }
    return TULLE_OK;
}

/* Fails if the shape of block b may not follow the earlier blocks, because of their dimension and
 * order. */
static tulle_status check_shape(const tulle_mesh_arrays *a, int64_t b) {
    const tulle__shape *shape = tulle__shape_of(a->blocks[b].shape);
    if (!shape) return bad(-1, "block %lld: %d is no shape", (long long)b, a->blocks[b].shape);
    const tulle_shape_info *first = &tulle__shape_of(a->blocks[0].shape)->info;
    const tulle_shape_info *before = &tulle__shape_of(a->blocks[b > 0 ? b - 1 : 0].shape)->info;
    if (shape->info.dimension > a->dimension) {
        return bad(-1, "block %lld: %s elements in %d dimensions", (long long)b, shape->info.name,
                   a->dimension);
    }
    if (shape->info.dimension < first->dimension - 1 || shape->info.dimension > before->dimension) {
        return bad(-1,
                   "block %lld: %s elements cannot stand behind %s elements: blocks of cells come "
                   "first, then those of facets, of one dimension less",
                   (long long)b, shape->info.name, before->name);
    }
    if (shape->info.order != first->order) {
        return bad(-1, "block %lld: elements of order %d and of order %d in one mesh", (long long)b,
                   first->order, shape->info.order);
    }
    return TULLE_OK;
}

static tulle_status check_elements(tulle_ctx *ctx, const tulle_mesh_arrays *a, int64_t b) {
    const tulle_mesh_block *block = &a->blocks[b];
    const tulle_shape_info *shape = &tulle__shape_of(block->shape)->info;
    if (block->count < 0) return bad(-1, "block %lld: its count is below 0", (long long)b);
    if (block->count > INT64_MAX / TULLE_MESH_MOST_NODES / 8) {
        return tulle__fail(TULLE_TOO_LARGE, "tulle_mesh_create", "arrays", -1,
                           "block %lld: %lld elements", (long long)b, (long long)block->count);
    }
    if (block->count > 0 && !block->nodes) return bad(-1, "block %lld: no nodes", (long long)b);
    for (int64_t k = 0; k < block->count * shape->nodes; k++) {
        const int32_t node = block->nodes[k];
        TULLE__TRY(tulle__ask(ctx, what, k, block->count * shape->nodes));
        if (node >= 0 && node < a->node_count) continue;
        return bad(k / shape->nodes, "block %lld: element %lld has node %d; nodes are 0 to %lld",
                   (long long)b, (long long)(k / shape->nodes), node, (long long)a->node_count - 1);
    }
    for (int64_t i = 0; block->groups && i < block->count; i++) {
        TULLE__TRY(tulle__ask(ctx, what, i, block->count));
        if (block->groups[i] >= 0) continue;
        return bad(i, "block %lld: element %lld is in group %d; numbers are from 1 on, 0: none",
                   (long long)b, (long long)i, block->groups[i]);
    }
    return TULLE_OK;
}

/* Returns true for a name that files can hold: short, and without quotes and control characters. */
static bool is_name(const char *name) {
    if (!name) return true;
    if (strlen(name) > TULLE__MESH_NAME) return false;
    for (; *name; name++) {
        if ((unsigned char)*name < ' ' || *name == '"') return false;
    }
    return true;
}

static int compare_groups(const void *a, const void *b) {
    const tulle_mesh_group *left = a, *right = b;
    if (left->dimension != right->dimension) return left->dimension < right->dimension ? -1 : 1;
    return left->number < right->number ? -1 : left->number > right->number;
}

/* Sorts the groups; fails if two groups of one dimension have the same number. */
static tulle_status check_numbers_of_groups(tulle_ctx *ctx, tulle_mesh_group *group,
                                            int64_t count) {
    TULLE__TRY(tulle__sort(ctx, what, group, count, sizeof *group, compare_groups));
    for (int64_t g = 1; g < count; g++) {
        if (compare_groups(&group[g - 1], &group[g]) != 0) continue;
        return bad(-1, "two groups of dimension %d have the number %d", group[g].dimension,
                   group[g].number);
    }
    return TULLE_OK;
}

static tulle_status check_groups(tulle_ctx *ctx, const tulle_mesh_arrays *a) {
    for (int64_t g = 0; g < a->group_count; g++) {
        TULLE__TRY(tulle__ask(ctx, what, g, a->group_count));
        const tulle_mesh_group *group = &a->groups[g];
        if (group->number < 1) {
            return bad(-1, "group %lld has the number %d; numbers are from 1 on", (long long)g,
                       group->number);
        }
        if (group->dimension < 0 || group->dimension > 3) {
            return bad(-1, "group %d has dimension %d", group->number, group->dimension);
        }
        if (!is_name(group->name)) {
            return bad(-1,
                       "the name of group %d has more than 127 characters, a quote or a control "
                       "character",
                       group->number);
        }
    }
    void *array;
    TULLE__TRY(tulle__mesh_array(ctx, a->group_count, sizeof *a->groups, &array));
    if (a->group_count > 0) memcpy(array, a->groups, (size_t)a->group_count * sizeof *a->groups);
    const tulle_status status = check_numbers_of_groups(ctx, array, a->group_count);
    tulle__host_free(ctx, array);
    return status;
}

static tulle_status copy_block(tulle_mesh *mesh, const tulle_mesh_block *from,
                               tulle_mesh_block *to) {
    TULLE__TRY(
        tulle__mesh_block_new(mesh->ctx, from->shape, from->count, from->groups != NULL, to));
    const size_t count = (size_t)from->count;
    const size_t nodes = (size_t)tulle__shape_of(from->shape)->info.nodes;
    if (count > 0) memcpy((void *)to->nodes, from->nodes, count * nodes * sizeof *to->nodes);
    if (count > 0 && to->groups) {
        memcpy((void *)to->groups, from->groups, count * sizeof *to->groups);
    }
    return TULLE_OK;
}

static tulle_status copy(const tulle_mesh_arrays *a, tulle_mesh *mesh) {
    void *array;
    const int64_t numbers = a->node_count * a->dimension;
    TULLE__TRY(tulle__mesh_array(mesh->ctx, numbers, sizeof(double), &array));
    mesh->coordinates = array;
    mesh->arrays.node_count = a->node_count;
    if (numbers > 0) memcpy(array, a->coordinates, (size_t)numbers * sizeof(double));
    TULLE__TRY(tulle__mesh_array(mesh->ctx, a->block_count, sizeof *mesh->blocks, &array));
    mesh->blocks = array;
    mesh->arrays.block_count = a->block_count;
    for (int64_t b = 0; b < a->block_count; b++) {
        TULLE__TRY(copy_block(mesh, &a->blocks[b], &mesh->blocks[b]));
    }
    TULLE__TRY(tulle__mesh_groups_copy(mesh, a->groups, a->group_count));
    TULLE__TRY(tulle__mesh_unions_copy(mesh, a->unions, a->union_count));
    return tulle__mesh_ready(mesh);
}

tulle_status tulle_mesh_create(tulle_ctx *ctx, const tulle_mesh_arrays *arrays, tulle_mesh **mesh) {
    TULLE__NEED(mesh);
    *mesh = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(arrays);
    TULLE__TRY(check_numbers(arrays));
    TULLE__TRY(check_coordinates(ctx, arrays));
    for (int64_t b = 0; b < arrays->block_count; b++) {
        TULLE__TRY(check_shape(arrays, b));
        TULLE__TRY(check_elements(ctx, arrays, b));
    }
    TULLE__TRY(check_groups(ctx, arrays));
    int64_t which;
    const char *fault = tulle__mesh_unions_fault(arrays, &which);
    if (fault && which < 0) return bad(-1, "%s", fault);
    if (fault) return bad(-1, "union %lld (from 0): %s", (long long)which, fault);
    tulle_mesh *made;
    TULLE__TRY(tulle__mesh_new(ctx, arrays->dimension, &made));
    const tulle_status status = copy(arrays, made);
    if (status == TULLE_OK) {
        *mesh = made;
    } else {
        tulle_mesh_destroy(made);
    }
    return status;
}
