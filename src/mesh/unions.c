/* SPDX-License-Identifier: Apache-2.0 */
/* Functions for elements of several groups; see tulle_mesh_union. */
#include <stdlib.h>
#include <string.h>

#include "mesh/mesh.h"

static int compare(const void *a, const void *b) {
    const tulle_mesh_union *left = a, *right = b;
    if (left->dimension != right->dimension) return left->dimension < right->dimension ? -1 : 1;
    return left->number < right->number ? -1 : left->number > right->number;
}

static const tulle_mesh_union *find(const tulle_mesh_arrays *arrays, int dimension,
                                    int32_t number) {
    const tulle_mesh_union key = {.number = number, .dimension = dimension};
    if (arrays->union_count == 0) return NULL;
    return bsearch(&key, arrays->unions, (size_t)arrays->union_count, sizeof key, compare);
}

bool tulle_mesh_in_group(const tulle_mesh_arrays *arrays, int dimension, int32_t number,
                         int32_t group) {
    if (!arrays || number == group) return number == group;
    const tulle_mesh_union *together = number == 0 ? NULL : find(arrays, dimension, number);
    for (int32_t i = 0; together && i < together->count; i++) {
        if (together->groups[i] == group) return true;
    }
    return false;
}

void tulle__mesh_groups_of(const tulle_mesh *mesh, int dimension, const int32_t **number,
                           int32_t *count) {
    const tulle_mesh_union *together = find(&mesh->arrays, dimension, **number);
    if (!together) return;
    *number = together->groups;
    *count = together->count;
}

const char *tulle__mesh_unions_fault(const tulle_mesh_arrays *a, int64_t *which) {
    *which = -1;
    if (a->union_count < 0) return "the number of unions is below 0";
    if (a->union_count > 0 && !a->unions) return "unions are NULL";
    for (int64_t u = 0; u < a->union_count; u++) {
        const tulle_mesh_union *one = &a->unions[u];
        *which = u;
        if (u > 0 && compare(one - 1, one) >= 0) {
            return "unions must rise by dimension and then by number";
        }
        if (one->number < 1 || one->count < 2 || !one->groups) {
            return "it has a number below 1, or fewer than two groups";
        }
        for (int32_t i = 0; i < one->count; i++) {
            if (one->groups[i] < 1 || (i > 0 && one->groups[i] <= one->groups[i - 1])) {
                return "its groups do not rise, from 1 on";
            }
            if (find(a, one->dimension, one->groups[i])) return "another union is in it";
        }
    }
    for (int64_t g = 0; g < a->group_count; g++) {
        const tulle_mesh_union *one = find(a, a->groups[g].dimension, a->groups[g].number);
        if (!one) continue;
        *which = one - a->unions;
        return "it has the number of a group";
    }
    return NULL;
}

tulle_status tulle__mesh_unions_copy(tulle_mesh *mesh, const tulle_mesh_union *unions,
                                     int64_t count) {
    void *array;
    TULLE__TRY(tulle__mesh_array(mesh->ctx, count, sizeof *unions, &array));
    mesh->unions = array;
    mesh->arrays.union_count = count;
    for (int64_t u = 0; u < count; u++) {
        TULLE__TRY(tulle__mesh_array(mesh->ctx, unions[u].count, sizeof(int32_t), &array));
        memcpy(array, unions[u].groups, (size_t)unions[u].count * sizeof(int32_t));
        mesh->unions[u] = unions[u];
        mesh->unions[u].groups = array;
    }
    return TULLE_OK;
}
