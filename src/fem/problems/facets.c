/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the boundary, by the names of their groups. */
#include <stdio.h>
#include <string.h>

#include "fem/problems/problem.h"

/* The names of groups of facets: "x-min, x-max". */
enum { NAMES_ROOM = 160 };
static const char *names_of(const tulle_mesh *mesh, char names[NAMES_ROOM]) {
    size_t used = 0;
    names[0] = 0;
    for (int64_t g = 0; g < mesh->arrays.group_count; g++) {
        const tulle_mesh_group *group = &mesh->groups[g];
        if (group->dimension != mesh->info.cell_dimension - 1 || !group->name[0]) continue;
        if (used + strlen(group->name) + 3 >= NAMES_ROOM) break;
        used += (size_t)snprintf(names + used, NAMES_ROOM - used, "%s%s", used > 0 ? ", " : "",
                                 group->name);
    }
    return names;
}

tulle_status tulle__facets_find(tulle__problem_draft *draft, const char *group,
                                tulle__facets *facets) {
    const tulle_mesh *mesh = draft->mesh;
    if (!group) {
        if (!draft->boundary) {
            TULLE__TRY(tulle_mesh_boundary(draft->ctx, mesh, &draft->boundary, NULL));
        }
        *facets =
            (tulle__facets){.mesh = draft->boundary, .count = draft->boundary->info.cell_blocks};
        return TULLE_OK;
    }
    *facets = (tulle__facets){
        .mesh = mesh, .first = mesh->info.cell_blocks, .count = mesh->info.facet_blocks};
    for (int64_t g = 0; g < mesh->arrays.group_count; g++) {
        const tulle_mesh_group *one = &mesh->groups[g];
        if (one->dimension != mesh->info.cell_dimension - 1) continue;
        if (strcmp(one->name, group) == 0) facets->group = one->number;
    }
    if (facets->group > 0) return TULLE_OK;
    char names[NAMES_ROOM];
    names_of(mesh, names);
    return tulle__fail(TULLE_NOT_FOUND, draft->kind->create, "problem", -1,
                       "no part of the boundary is called '%s'%s%s", group,
                       names[0] ? "; there are " : ", nor does any have a name", names);
}
