/* SPDX-License-Identifier: Apache-2.0 */
/* The sections about groups: the names of the physical groups, which are text in binary files too,
 * and the entities that the groups consist of. */
#include <stdlib.h>
#include <string.h>

#include "io/file/msh.h"
#include "mesh/sort.h"

/* Reads a text between quotes. The text stays in place; its closing quote becomes a NUL. */
static bool read_quoted(tulle__msh *msh, const char **name) {
    tulle__msh_here(msh);
    char *line_end = memchr(msh->at, '\n', (size_t)(msh->end - msh->at));
    if (*msh->at != '"' || !line_end) {
        return tulle__msh_bad(msh, msh->at, TULLE_PARSE_ERROR,
                              "the name of a physical group does not stand between quotes");
    }
    char *close = line_end;
    while (*close != '"') close--;
    if (close == msh->at) {
        return tulle__msh_bad(msh, msh->at, TULLE_PARSE_ERROR,
                              "the name of a physical group has no closing quote");
    }
    *name = msh->at + 1;
    for (const char *c = *name; c < close; c++) {
        if ((unsigned char)*c < ' ' || *c == '"') {
            return tulle__msh_bad(
                msh, c, TULLE_PARSE_ERROR,
                "the name of a physical group has a control character or a quote");
        }
    }
    if (close - *name > TULLE__MESH_NAME) {
        return tulle__msh_bad(msh, *name, TULLE_PARSE_ERROR,
                              "the name of a physical group has %lld characters; %d are the most",
                              (long long)(close - *name), (int)TULLE__MESH_NAME);
    }
    *close = 0;
    msh->at = line_end;
    return true;
}

static bool read_name(tulle__msh *msh) {
    int64_t dimension, number;
    const char *at = tulle__msh_here(msh);
    tulle_mesh_group group;
    if (!tulle__msh_int(msh, "the dimension of a physical group", &dimension) ||
        !tulle__msh_int(msh, "the number of a physical group", &number) ||
        !read_quoted(msh, &group.name))
        return false;
    group.number = (int32_t)number;
    group.dimension = (int32_t)dimension;
    if (dimension < 0 || dimension > 3 || number < 1) {
        return tulle__msh_bad(msh, at, TULLE_PARSE_ERROR,
                              "physical group %lld of dimension %lld is out of range",
                              (long long)number, (long long)dimension);
    }
    if (!tulle__msh_grow(msh, &msh->group, msh->groups, &msh->group_room, msh->groups + 1,
                         sizeof group))
        return false;
    msh->group[msh->groups++] = group;
    return true;
}

/* Compares groups by dimension and number, then by the place of the name in the text. */
static int compare_groups(const void *a, const void *b) {
    const tulle_mesh_group *left = a, *right = b;
    if (left->dimension != right->dimension) return left->dimension < right->dimension ? -1 : 1;
    if (left->number != right->number) return left->number < right->number ? -1 : 1;
    return left->name < right->name ? -1 : left->name > right->name;
}

/* Returns the first group of which the list has a second name, or NULL. */
static const tulle_mesh_group *find_repeated(const tulle_mesh_group *sorted, int64_t count) {
    const tulle_mesh_group *first = NULL;
    for (int64_t g = 1; g < count; g++) {
        const tulle_mesh_group *before = &sorted[g - 1], *group = &sorted[g];
        if (before->dimension != group->dimension || before->number != group->number) continue;
        if (!first || group->name < first->name) first = group;
    }
    return first;
}

bool tulle__msh_check_names(tulle__msh *msh) {
    const bool binary = msh->binary;
    const tulle_mesh_group *twice = NULL;
    tulle_mesh_group *sorted = NULL;
    int64_t room = 0;
    if (msh->groups < 2) return true;
    if (!tulle__msh_grow(msh, &sorted, 0, &room, msh->groups, sizeof *sorted)) return false;
    memcpy(sorted, msh->group, (size_t)msh->groups * sizeof *sorted);
    bool good = tulle__msh_done(msh, tulle__sort(msh->cpu, "sorting groups", sorted, msh->groups,
                                                 sizeof *sorted, compare_groups));
    if (good) twice = find_repeated(sorted, msh->groups);
    msh->binary = false; /* names are text in binary files too, one group per line */
    if (twice) {
        good = tulle__msh_bad(msh, twice->name, TULLE_PARSE_ERROR,
                              "physical group %d of dimension %d is named twice", twice->number,
                              twice->dimension);
    }
    msh->binary = binary;
    tulle__free(msh->cpu, sorted);
    return good;
}

bool tulle__msh_read_names(tulle__msh *msh) {
    const bool binary = msh->binary;
    int64_t count;
    msh->binary = false;
    bool good = tulle__msh_size(msh, "the number of physical groups", &count);
    for (int64_t i = 0; good && i < count; i++) good = read_name(msh);
    msh->binary = binary;
    return good;
}

static bool add_entity(tulle__msh *msh, tulle__msh_entity entity) {
    if (!tulle__msh_grow(msh, &msh->entity, msh->entities, &msh->entity_room, msh->entities + 1,
                         sizeof entity))
        return false;
    msh->entity[msh->entities++] = entity;
    return true;
}

/* Reads the physical groups of an entity. The list grows with the numbers that have been read, so
 * it stays smaller than a few times the file, whatever count the file promises. */
static bool read_groups(tulle__msh *msh, tulle__msh_entity *entity) {
    int64_t count, number, room = 0;
    int32_t *list = NULL;
    const char *at = tulle__msh_here(msh);
    if (!tulle__msh_size(msh, "the number of an entity's physical groups", &count)) return false;
    bool good = true;
    for (int64_t i = 0; good && i < count; i++) {
        good = tulle__msh_int(msh, "the physical group of an entity", &number) &&
               tulle__msh_grow(msh, &list, i, &room, i + 1, sizeof *list);
        if (good && number == INT32_MIN) {
            good = tulle__msh_bad(msh, at, TULLE_PARSE_ERROR, "physical group %lld is out of range",
                                  (long long)number);
        }
        /* the sign is an orientation, which is ignored */
        if (good) list[i] = (int32_t)(number < 0 ? -number : number);
    }
    good = good &&
           (count == 0 || tulle__msh_add_set(msh, entity->dimension, list, count, &entity->group));
    tulle__free(msh->cpu, list);
    return good;
}

/* Reads an entity. A point has its coordinates; every other entity has a box and a list of the
 * entities on its boundary. */
static bool read_entity(tulle__msh *msh, int64_t dimension) {
    tulle__msh_entity entity = {.dimension = dimension};
    int64_t around;
    if (!tulle__msh_int(msh, "the number of an entity", &entity.tag) ||
        !tulle__msh_skip(msh, "the box of an entity", 0, dimension == 0 ? 3 : 6) ||
        !read_groups(msh, &entity))
        return false;
    if (dimension > 0 && (!tulle__msh_size(msh, "the number of entities around one", &around) ||
                          !tulle__msh_skip(msh, "an entity around one", around, 0)))
        return false;
    return add_entity(msh, entity);
}

static int compare(const void *a, const void *b) {
    const tulle__msh_entity *left = a, *right = b;
    if (left->dimension != right->dimension) return left->dimension < right->dimension ? -1 : 1;
    return left->tag < right->tag ? -1 : left->tag > right->tag;
}

bool tulle__msh_read_entities(tulle__msh *msh) {
    int64_t count[4];
    for (int d = 0; d < 4; d++) {
        if (!tulle__msh_size(msh, "the number of entities", &count[d])) return false;
    }
    for (int d = 0; d < 4; d++) {
        for (int64_t i = 0; i < count[d]; i++) {
            if (!read_entity(msh, d)) return false;
        }
    }
    return true;
}

bool tulle__msh_sort_entities(tulle__msh *msh) {
    return tulle__msh_done(msh, tulle__sort(msh->cpu, "sorting entities", msh->entity,
                                            msh->entities, sizeof *msh->entity, compare));
}

int32_t tulle__msh_group_of(const tulle__msh *msh, int64_t dimension, int64_t tag) {
    const tulle__msh_entity key = {.dimension = dimension, .tag = tag};
    if (msh->entities == 0) return 0;
    const tulle__msh_entity *found =
        bsearch(&key, msh->entity, (size_t)msh->entities, sizeof key, compare);
    return found ? found->group : 0;
}
