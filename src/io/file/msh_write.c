/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a mesh as Gmsh's file. Nodes and elements are numbered from 1 on, in the mesh's order.
 * There is one entity for each dimension and group; its box is the box of the mesh, and its list of
 * bounding entities is empty. */
#include <stdlib.h>

#include "io/file/mesh_save.h"
#include "mesh/sort.h"

/* The groups that elements of a dimension are in, ascending. The number of a group's entity is 1
 * plus the group's index in this list. */
typedef struct groups {
    int dimension;
    int64_t count, room;
    int32_t *number;
} groups;

typedef struct writer {
    tulle__mesh_saver *saver;
    tulle__page *page;
    bool text;
    groups of[2]; /* groups of the cells, and groups of the facets */
} writer;

static void put_int(writer *w, int64_t number, char behind) {
    if (w->text) {
        tulle__page_integer(w->page, number, behind);
    } else {
        tulle__page_word(w->page, (int32_t)number);
    }
}

static void put_size(writer *w, int64_t number, char behind) {
    if (w->text) {
        tulle__page_integer(w->page, number, behind);
    } else {
        tulle__page_long(w->page, number);
    }
}

static void put_real(writer *w, double number, char behind) {
    if (w->text) {
        tulle__page_real(w->page, number, behind);
    } else {
        tulle__page_double(w->page, number);
    }
}

static void end_section(writer *w, const char *name) {
    tulle__page_print(w->page, "%s$End%s\n", w->text ? "" : "\n", name);
}

static int compare(const void *a, const void *b) {
    const int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;
    return left < right ? -1 : left > right;
}

static int64_t entity_of(const groups *g, int32_t number) {
    if (g->count == 0) return 0;
    const int32_t *found = bsearch(&number, g->number, (size_t)g->count, sizeof number, compare);
    return found ? found - g->number + 1 : 0;
}

static int32_t group_at(const tulle_mesh_block *block, int64_t i) {
    return block->groups ? block->groups[i] : 0;
}

/* Adds a number to the list, even if the list has it already. */
static tulle_status add_number(writer *w, groups *g, int32_t number) {
    if (g->count == g->room) {
        const int64_t room = 2 * g->room + 16;
        int32_t *larger = tulle__host_alloc(w->saver->cpu, (size_t)room * sizeof *larger);
        if (!larger) return TULLE_OUT_OF_MEMORY;
        for (int64_t i = 0; i < g->count; i++) larger[i] = g->number[i];
        tulle__host_free(w->saver->cpu, g->number);
        g->number = larger;
        g->room = room;
    }
    g->number[g->count++] = number;
    return TULLE_OK;
}

/* Sorts the numbers, and removes repetitions. */
static tulle_status sort_numbers(writer *w, groups *g) {
    int64_t kept = 0;
    TULLE__TRY(tulle__sort(w->saver->cpu, "sorting groups", g->number, g->count, sizeof *g->number,
                           compare));
    for (int64_t i = 0; i < g->count; i++) {
        if (i == 0 || g->number[i] != g->number[i - 1]) g->number[kept++] = g->number[i];
    }
    g->count = kept;
    return TULLE_OK;
}

/* Lists the groups of the elements. Elements that follow each other are often in the same group, so
 * a number is added only where it differs from the last one. */
static tulle_status find_groups(writer *w) {
    const tulle_mesh *mesh = w->saver->mesh;
    for (int64_t b = 0; b < mesh->arrays.block_count; b++) {
        groups *g = &w->of[b >= mesh->info.cell_blocks];
        for (int64_t i = 0; i < mesh->blocks[b].count; i++) {
            const int32_t number = group_at(&mesh->blocks[b], i);
            TULLE__TRY(tulle__ask(w->saver->cpu, "looking for groups", i, mesh->blocks[b].count));
            if (g->count == 0 || g->number[g->count - 1] != number)
                TULLE__TRY(add_number(w, g, number));
        }
    }
    for (int k = 0; k < 2; k++) TULLE__TRY(sort_numbers(w, &w->of[k]));
    return TULLE_OK;
}

static void write_head(writer *w) {
    const tulle_mesh_arrays *a = &w->saver->mesh->arrays;
    tulle__page_print(w->page, "$MeshFormat\n4.1 %d 8\n", w->text ? 0 : 1);
    if (!w->text) tulle__page_word(w->page, 1);
    end_section(w, "MeshFormat");
    if (a->group_count == 0) return;
    tulle__page_print(w->page, "$PhysicalNames\n%lld\n", (long long)a->group_count);
    for (int64_t g = 0; g < a->group_count; g++) {
        if (!tulle__page_tell(w->page, "writing names", g, a->group_count)) break;
        tulle__page_print(w->page, "%d %d \"%.200s\"\n", a->groups[g].dimension,
                          a->groups[g].number, a->groups[g].name);
    }
    tulle__page_print(w->page, "$EndPhysicalNames\n");
}

/* Writes an entity: a point with a place, any other entity with the box of the mesh. */
static void write_entity(writer *w, const groups *g, int64_t entity) {
    const tulle_mesh_info *info = &w->saver->mesh->info;
    const int32_t *number = &g->number[entity];
    int32_t count = *number > 0;
    tulle__mesh_groups_of(w->saver->mesh, g->dimension, &number, &count);
    put_int(w, entity + 1, ' ');
    for (int d = 0; d < 3; d++) put_real(w, info->low[d], ' ');
    for (int d = 0; d < 3; d++) put_real(w, info->high[d], ' ');
    put_size(w, count, ' ');
    for (int32_t i = 0; i < count; i++) put_int(w, number[i], ' ');
    put_size(w, 0, '\n');
}

static void write_entities(writer *w) {
    tulle__page_print(w->page, "$Entities\n");
    for (int d = 0; d < 4; d++) {
        int64_t count = 0;
        for (int k = 0; k < 2; k++) count += w->of[k].dimension == d ? w->of[k].count : 0;
        put_size(w, count, d < 3 ? ' ' : '\n');
    }
    for (int k = 1; k >= 0; k--) {
        for (int64_t e = 0; e < w->of[k].count; e++) {
            if (!tulle__page_tell(w->page, "writing entities", e, w->of[k].count)) return;
            write_entity(w, &w->of[k], e);
        }
    }
    end_section(w, "Entities");
}

static void write_nodes(writer *w) {
    const tulle_mesh *mesh = w->saver->mesh;
    const int64_t nodes = mesh->info.nodes;
    tulle__page_print(w->page, "$Nodes\n");
    put_size(w, nodes > 0, ' ');
    put_size(w, nodes, ' ');
    put_size(w, nodes > 0, ' ');
    put_size(w, nodes, '\n');
    if (nodes > 0) {
        put_int(w, w->of[0].dimension, ' ');
        put_int(w, 1, ' ');
        put_int(w, 0, ' ');
        put_size(w, nodes, '\n');
    }
    for (int64_t i = 0; i < nodes; i++) {
        if (!tulle__page_tell(w->page, "writing nodes", i, 2 * nodes)) break;
        put_size(w, i + 1, '\n');
    }
    for (int64_t i = 0; i < nodes; i++) {
        if (!tulle__page_tell(w->page, "writing nodes", nodes + i, 2 * nodes)) break;
        for (int d = 0; d < 3; d++) {
            put_real(w, d < mesh->info.dimension ? tulle__node(mesh, i)[d] : 0, d < 2 ? ' ' : '\n');
        }
    }
    end_section(w, "Nodes");
}

/* Returns the number of elements from element i on that are in the same group. */
static int64_t run_from(const tulle_mesh_block *block, int64_t i) {
    int64_t end = i + 1;
    while (end < block->count && group_at(block, end) == group_at(block, i)) end++;
    return end - i;
}

static tulle_status count_runs(const writer *w, int64_t *runs) {
    const tulle_mesh *mesh = w->saver->mesh;
    *runs = 0;
    for (int64_t b = 0; b < mesh->arrays.block_count; b++) {
        const tulle_mesh_block *block = &mesh->blocks[b];
        for (int64_t i = 0; i < block->count; i++) {
            TULLE__TRY(tulle__ask(w->saver->cpu, "writing elements", i, block->count));
            *runs += i == 0 || group_at(block, i) != group_at(block, i - 1);
        }
    }
    return TULLE_OK;
}

static void write_element(writer *w, const tulle_mesh_block *block, int64_t i, int64_t tag) {
    const tulle__shape *shape = tulle__shape_of(block->shape);
    const int32_t *node = tulle__element(block, i);
    put_size(w, tag, ' ');
    for (int n = 0; n < shape->info.nodes; n++) {
        const int from = shape->gmsh_order ? shape->gmsh_order[n] : n;
        put_size(w, (int64_t)node[from] + 1, n + 1 < shape->info.nodes ? ' ' : '\n');
    }
}

static void write_block(writer *w, const tulle_mesh_block *block, const groups *g, int64_t *tag) {
    const int64_t all = w->saver->mesh->info.cells + w->saver->mesh->info.facets;
    for (int64_t i = 0, run; i < block->count; i += run) {
        run = run_from(block, i);
        put_int(w, g->dimension, ' ');
        put_int(w, entity_of(g, group_at(block, i)), ' ');
        put_int(w, tulle__shape_of(block->shape)->gmsh, ' ');
        put_size(w, run, '\n');
        for (int64_t k = i; k < i + run; k++) {
            if (!tulle__page_tell(w->page, "writing elements", *tag, all)) return;
            write_element(w, block, k, ++*tag);
        }
    }
}

static tulle_status write_elements(writer *w) {
    const tulle_mesh *mesh = w->saver->mesh;
    const int64_t all = mesh->info.cells + mesh->info.facets;
    int64_t tag = 0, runs;
    TULLE__TRY(count_runs(w, &runs));
    tulle__page_print(w->page, "$Elements\n");
    put_size(w, runs, ' ');
    put_size(w, all, ' ');
    put_size(w, all > 0, ' ');
    put_size(w, all, '\n');
    for (int64_t b = 0; b < mesh->arrays.block_count; b++) {
        const groups *g = &w->of[b >= mesh->info.cell_blocks];
        write_block(w, &mesh->blocks[b], g, &tag);
    }
    end_section(w, "Elements");
    return TULLE_OK;
}

tulle_status tulle__msh_write(tulle__mesh_saver *saver) {
    const int dimension = saver->mesh->info.cell_dimension;
    writer w = {.saver = saver,
                .page = &saver->page,
                .text = saver->options.encoding == TULLE_ENCODE_TEXT,
                .of = {{.dimension = dimension}, {.dimension = dimension - 1}}};
    tulle_status status = find_groups(&w);
    if (status == TULLE_OK) {
        write_head(&w);
        write_entities(&w);
        write_nodes(&w);
        if (w.page->trouble->status == TULLE_OK) status = write_elements(&w);
    }
    tulle__host_free(saver->cpu, w.of[0].number);
    tulle__host_free(saver->cpu, w.of[1].number);
    return status;
}
