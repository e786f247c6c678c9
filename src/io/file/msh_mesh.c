/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a mesh from the elements of a file: chooses cells and facets, keeps the nodes that these
 * have, and finds the dimension. */
#include <math.h>

#include "io/file/msh.h"
#include "mesh/fault.h"
#include "mesh/turn.h"

/* A mesh that is being made. */
typedef struct making {
    tulle__msh *msh;
    tulle_mesh *mesh;
    int cell_dimension;
    tulle_shape shape[TULLE__SHAPES]; /* shape of each block of the mesh */
    /* index in the mesh of each node of the file; -1: the mesh leaves the node out */
    int32_t *place;
    int64_t *element_tags, *node_tags;
} making;

static const char *const what = "making the mesh";

static const tulle_shape_info *info_of(int shape) {
    return &tulle__shape_of((tulle_shape)shape)->info;
}

/* Chooses the blocks of the mesh: the shapes of the highest dimension, then those of one dimension
 * less. All other elements are left out. */
static tulle_status choose_blocks(making *m) {
    const tulle__msh *msh = m->msh;
    int64_t blocks = 0;
    for (int s = 0; s < tulle__shape_count(); s++) {
        if (msh->block[s].count > 0 && info_of(s)->dimension > m->cell_dimension)
            m->cell_dimension = info_of(s)->dimension;
    }
    for (int lower = 0; lower < 2; lower++) {
        for (int s = 0; s < tulle__shape_count(); s++) {
            if (msh->block[s].count > 0 && info_of(s)->dimension == m->cell_dimension - lower)
                m->shape[blocks++] = (tulle_shape)s;
        }
    }
    for (int s = 0; s < tulle__shape_count(); s++) {
        if (info_of(s)->dimension < m->cell_dimension - 1) m->msh->left_out += msh->block[s].count;
    }
    m->mesh->arrays.block_count = blocks;
    if (blocks == 0) {
        return tulle__fail_file(TULLE_PARSE_ERROR, msh->name, 0,
                                "the mesh has no elements but points");
    }
    for (int64_t b = 1; b < blocks; b++) {
        if (info_of((int)m->shape[b])->order == info_of((int)m->shape[0])->order) continue;
        return tulle__fail_file(TULLE_UNSUPPORTED, msh->name, 0,
                                "elements of order 1 and of order 2 in one mesh");
    }
    return TULLE_OK;
}

/* Numbers the nodes that are in use, in the order of the file. */
static tulle_status number_nodes(making *m) {
    const tulle__msh *msh = m->msh;
    void *array;
    TULLE__TRY(tulle__alloc(msh->cpu, (size_t)msh->nodes * sizeof *m->place, &array));
    m->place = array;
    for (int64_t i = 0; i < msh->nodes; i++) m->place[i] = -1;
    for (int64_t b = 0; b < m->mesh->arrays.block_count; b++) {
        const tulle__msh_block *block = &msh->block[m->shape[b]];
        const int64_t all = block->count * info_of((int)m->shape[b])->nodes;
        for (int64_t k = 0; k < all; k++) {
            TULLE__TRY(tulle__ask(msh->cpu, what, k, all));
            m->place[block->nodes[k]] = 0;
        }
    }
    int32_t next = 0;
    for (int64_t i = 0; i < msh->nodes; i++) {
        if (m->place[i] == 0) m->place[i] = next++;
    }
    m->mesh->arrays.node_count = next;
    return TULLE_OK;
}

/* Part of the largest coordinate, in magnitude, below which coordinates beyond the dimension of the
 * cells count as 0: rounding may leave such numbers where the mesh is plane. */
static const double plane = 1e-12;

/* Returns the number of coordinates per node: the dimension of the cells, or more where further
 * coordinates are not 0. */
static int find_dimension(const making *m) {
    double size[3] = {0, 0, 0};
    for (int64_t i = 0; i < m->msh->nodes; i++) {
        for (int d = 0; m->place[i] >= 0 && d < 3; d++) {
            size[d] = fmax(size[d], fabs(m->msh->coordinates[3 * i + d]));
        }
    }
    int dimension = m->cell_dimension;
    const double largest = fmax(size[0], fmax(size[1], size[2]));
    for (int d = dimension; d < 3; d++) {
        if (size[d] > plane * largest) dimension = d + 1;
    }
    return dimension;
}

static tulle_status place_nodes(making *m) {
    tulle_mesh_arrays *a = &m->mesh->arrays;
    void *array;
    a->dimension = find_dimension(m);
    const size_t bytes = (size_t)a->node_count * (size_t)a->dimension * sizeof(double);
    m->mesh->coordinates = tulle__host_alloc(m->mesh->ctx, bytes);
    if (!m->mesh->coordinates) return TULLE_OUT_OF_MEMORY;
    TULLE__TRY(tulle__alloc(m->msh->cpu, (size_t)a->node_count * sizeof *m->node_tags, &array));
    m->node_tags = array;
    for (int64_t i = 0; i < m->msh->nodes; i++) {
        const int64_t to = m->place[i];
        TULLE__TRY(tulle__ask(m->msh->cpu, what, i, m->msh->nodes));
        if (to < 0) continue;
        for (int d = 0; d < a->dimension; d++) {
            m->mesh->coordinates[to * a->dimension + d] = m->msh->coordinates[3 * i + d];
        }
        m->node_tags[to] = m->msh->tags[i];
    }
    return TULLE_OK;
}

static bool has_groups(const tulle__msh_block *block) {
    for (int64_t i = 0; i < block->count; i++) {
        if (block->groups[i] != 0) return true;
    }
    return false;
}

static tulle_status place_block(making *m, int64_t b, int64_t first) {
    const tulle__msh_block *from = &m->msh->block[m->shape[b]];
    const bool grouped = has_groups(from);
    tulle_mesh_block *to = &m->mesh->blocks[b];
    TULLE__TRY(tulle__mesh_block_new(m->mesh->ctx, m->shape[b], from->count, grouped, to));
    const int64_t all = from->count * info_of((int)m->shape[b])->nodes;
    for (int64_t k = 0; k < all; k++) {
        TULLE__TRY(tulle__ask(m->msh->cpu, what, k, all));
        ((int32_t *)to->nodes)[k] = m->place[from->nodes[k]];
    }
    for (int64_t i = 0; i < from->count; i++) {
        if (grouped) ((int32_t *)to->groups)[i] = tulle__msh_number(m->msh, from->groups[i]);
        m->element_tags[first + i] = from->tags[i];
    }
    return TULLE_OK;
}

static tulle_status place_elements(making *m) {
    tulle_mesh *mesh = m->mesh;
    int64_t all = 0, first = 0;
    void *array;
    for (int64_t b = 0; b < mesh->arrays.block_count; b++) all += m->msh->block[m->shape[b]].count;
    mesh->blocks =
        tulle__host_alloc(mesh->ctx, (size_t)mesh->arrays.block_count * sizeof *mesh->blocks);
    if (!mesh->blocks) return TULLE_OUT_OF_MEMORY;
    TULLE__TRY(tulle__alloc(m->msh->cpu, (size_t)all * sizeof *m->element_tags, &array));
    m->element_tags = array;
    for (int64_t b = 0; b < mesh->arrays.block_count; b++) {
        TULLE__TRY(place_block(m, b, first));
        first += mesh->blocks[b].count;
    }
    return TULLE_OK;
}

/* Copies the names of groups that cells or facets may be in. */
static tulle_status name_groups(making *m) {
    tulle__msh *msh = m->msh;
    int64_t kept = 0;
    for (int64_t g = 0; g < msh->groups; g++) {
        const int dimension = msh->group[g].dimension;
        if (dimension != m->cell_dimension && dimension != m->cell_dimension - 1) continue;
        msh->group[kept++] = msh->group[g];
    }
    return tulle__mesh_groups_copy(m->mesh, msh->group, kept);
}

static tulle_status check(const making *m) {
    tulle__mesh_fault fault;
    char words[TULLE__MESH_FAULT_TEXT];
    TULLE__TRY(tulle__mesh_find_fault(m->msh->cpu, m->mesh, &fault));
    if (fault.kind == TULLE__MESH_GOOD) return TULLE_OK;
    const tulle__mesh_names names = {m->element_tags, m->node_tags};
    tulle__mesh_fault_words(m->mesh, &fault, &names, words);
    return tulle__fail_file(TULLE_INVALID_MESH, m->msh->name, 0, "%s", words);
}

static tulle_status make(making *m) {
    TULLE__TRY(choose_blocks(m));
    TULLE__TRY(number_nodes(m));
    TULLE__TRY(place_nodes(m));
    TULLE__TRY(tulle__msh_make_unions(m->msh, m->cell_dimension, m->mesh));
    TULLE__TRY(place_elements(m));
    TULLE__TRY(name_groups(m));
    TULLE__TRY(tulle__mesh_ready(m->mesh));
    TULLE__TRY(tulle__mesh_turn(m->msh->cpu, m->mesh, &m->msh->turned));
    return check(m);
}

tulle_status tulle__msh_mesh(tulle_ctx *ctx, tulle__msh *msh, tulle_mesh **mesh) {
    making m = {.msh = msh};
    tulle_status status = tulle__mesh_new(ctx, 3, &m.mesh);
    if (status == TULLE_OK) status = make(&m);
    tulle__free(msh->cpu, m.place);
    tulle__free(msh->cpu, m.element_tags);
    tulle__free(msh->cpu, m.node_tags);
    if (status == TULLE_OK) {
        *mesh = m.mesh;
    } else {
        tulle_mesh_destroy(m.mesh);
    }
    return status;
}
