/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of several physical groups. While a file is being read, the group number -1 - u stands
 * for set u of groups. In the end equal sets become one union; the unions of a dimension are
 * numbered behind all groups of that dimension. */
#include <stdlib.h>
#include <string.h>

#include "io/file/msh.h"

static int compare_numbers(const void *a, const void *b) {
    const int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;
    return left < right ? -1 : left > right;
}

bool tulle__msh_add_set(tulle__msh *msh, int64_t dimension, int32_t *number, int64_t count,
                        int32_t *group) {
    int64_t kept = 0;
    qsort(number, (size_t)count, sizeof *number, compare_numbers);
    for (int64_t i = 0; i < count; i++) {
        if (number[i] != 0 && (kept == 0 || number[i] != number[kept - 1]))
            number[kept++] = number[i];
    }
    *group = kept == 0 ? 0 : number[0];
    if (kept < 2) return true;
    if (!tulle__msh_grow(msh, &msh->member, msh->members, &msh->member_room, msh->members + kept,
                         sizeof *msh->member) ||
        !tulle__msh_grow(msh, &msh->set, msh->sets, &msh->set_room, msh->sets + 1,
                         sizeof *msh->set))
        return false;
    memcpy(msh->member + msh->members, number, (size_t)kept * sizeof *number);
    *group = (int32_t)(-1 - msh->sets);
    msh->set[msh->sets++] =
        (tulle__msh_set){.dimension = dimension, .first = msh->members, .count = kept};
    msh->members += kept;
    return true;
}

/* A set, and the numbers of its groups. */
typedef struct entry {
    int32_t dimension;
    int32_t count;
    const int32_t *number;
    int64_t set;
} entry;

static int compare_sets(const void *a, const void *b) {
    const entry *left = a, *right = b;
    if (left->dimension != right->dimension) return left->dimension < right->dimension ? -1 : 1;
    for (int32_t i = 0; i < left->count && i < right->count; i++) {
        if (left->number[i] != right->number[i]) return left->number[i] < right->number[i] ? -1 : 1;
    }
    return left->count < right->count ? -1 : left->count > right->count;
}

static void raise(int64_t *highest, int64_t number) {
    if (number > *highest) *highest = number;
}

/* Finds the highest number of a group of each dimension. */
static void find_highest(const tulle__msh *msh, int64_t highest[4]) {
    for (int64_t g = 0; g < msh->groups; g++) {
        raise(&highest[msh->group[g].dimension], msh->group[g].number);
    }
    for (int64_t s = 0; s < msh->sets; s++) {
        const tulle__msh_set *set = &msh->set[s];
        raise(&highest[set->dimension], msh->member[set->first + set->count - 1]);
    }
    for (int s = 0; s < TULLE__SHAPES; s++) {
        const tulle__msh_block *block = &msh->block[s];
        const int dimension = tulle__shape_of((tulle_shape)s)->info.dimension;
        for (int64_t i = 0; i < block->count; i++) raise(&highest[dimension], block->groups[i]);
    }
}

/* Numbers the sorted sets, gives equal sets one number, and lists the unions of the mesh's
 * dimensions. */
static tulle_status number_sets(tulle__msh *msh, const entry *of, int cell_dimension,
                                tulle_mesh_union *unions, int64_t *count) {
    int64_t highest[4] = {0};
    find_highest(msh, highest);
    for (int64_t i = 0; i < msh->sets; i++) {
        const entry *e = &of[i];
        int64_t *next = &highest[e->dimension];
        const bool same = i > 0 && compare_sets(e - 1, e) == 0;
        if (!same && ++*next > INT32_MAX) {
            return tulle__fail_file(TULLE_TOO_LARGE, msh->name, 0,
                                    "no numbers are left for elements of several groups: a "
                                    "physical group has a number near 2147483647");
        }
        msh->set[e->set].number = (int32_t)*next;
        const bool in_mesh = e->dimension == cell_dimension || e->dimension == cell_dimension - 1;
        if (same || !in_mesh) continue;
        unions[(*count)++] = (tulle_mesh_union){.number = (int32_t)*next,
                                                .dimension = e->dimension,
                                                .count = e->count,
                                                .groups = e->number};
    }
    return TULLE_OK;
}

tulle_status tulle__msh_make_unions(tulle__msh *msh, int cell_dimension, tulle_mesh *mesh) {
    void *array = NULL, *listed = NULL;
    int64_t count = 0;
    if (msh->sets == 0) return TULLE_OK;
    tulle_status status = tulle__alloc(msh->cpu, (size_t)msh->sets * sizeof(entry), &array);
    if (status == TULLE_OK) {
        status = tulle__alloc(msh->cpu, (size_t)msh->sets * sizeof(tulle_mesh_union), &listed);
    }
    if (status == TULLE_OK) {
        entry *of = array;
        for (int64_t s = 0; s < msh->sets; s++) {
            const tulle__msh_set *set = &msh->set[s];
            of[s] =
                (entry){(int32_t)set->dimension, (int32_t)set->count, msh->member + set->first, s};
        }
        qsort(of, (size_t)msh->sets, sizeof *of, compare_sets);
        status = number_sets(msh, of, cell_dimension, listed, &count);
    }
    if (status == TULLE_OK) status = tulle__mesh_unions_copy(mesh, listed, count);
    tulle__free(msh->cpu, listed);
    tulle__free(msh->cpu, array);
    return status;
}

int32_t tulle__msh_number(const tulle__msh *msh, int32_t group) {
    return group < 0 ? msh->set[-1 - group].number : group;
}
