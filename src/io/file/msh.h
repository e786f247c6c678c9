/* SPDX-License-Identifier: Apache-2.0 */
/* Gmsh's files, versions 4.1 and 2.2: Gmsh reference manual, "MSH file format". Sections between
 * "$Name" and
 * "$EndName"; numbers in them are text, freely laid out, or bytes without any layout. */
#ifndef TULLE_IO_FILE_MSH_H
#define TULLE_IO_FILE_MSH_H

#include "io/file/slabs.h"
#include "io/file/source.h"
#include "mesh/mesh.h"

enum {
    TULLE__MSH_POINT = 15,     /* Gmsh's number of a single node */
    TULLE__MSH_SMALL = 1 << 20 /* bytes below which nobody asks how much memory there is */
};

/* A piece of geometry, and the physical group that its elements are in. */
typedef struct tulle__msh_entity {
    int64_t dimension, tag;
    int32_t group; /* 0: none; below 0: see msh_unions.c */
} tulle__msh_entity;

/* Groups that elements are in together, `count` numbers from `first` on among all members. */
typedef struct tulle__msh_set {
    int64_t dimension, first, count;
    int32_t number; /* of its union, in the end */
} tulle__msh_set;

/* A node's number in the file, and which one it is. */
typedef struct tulle__msh_tag {
    int64_t tag;
    int32_t node;
} tulle__msh_tag;

/* Elements of one shape; arrays grow with what has been read. */
typedef struct tulle__msh_block {
    int64_t count, room;
    int32_t *nodes, *groups;
    int64_t *tags;
} tulle__msh_block;

/* A file that is being read. */
typedef struct tulle__msh {
    tulle_ctx *cpu;
    const char *name;
    tulle__trouble *trouble;
    char *text; /* all of it, and a newline */
    int64_t bytes;
    const char *at, *end;
    const char *ask_at;  /* behind which the next report is due */
    const char *section; /* that is being read, for messages */
    bool binary, swapped;
    bool old; /* version 2.2 */
    bool has_nodes, has_elements;
    int64_t elements, left_out;
    int64_t turned; /* cells whose nodes were put into the other order */
    bool rise;      /* the numbers of elements; the last one */
    int64_t last_element;
    int64_t entities, entity_room;
    tulle__msh_entity *entity; /* sorted before elements are read */
    int64_t sets, set_room, members, member_room;
    tulle__msh_set *set;
    int32_t *member;
    int64_t groups, group_room;
    tulle_mesh_group *group; /* names are in the text, each ended by a NUL */
    int64_t nodes;
    int64_t *tags;       /* of nodes */
    double *coordinates; /* nodes x 3 */
    int64_t first_tag;   /* by_tag[tag - first_tag]: 1 + the node; or NULL */
    int64_t tag_span;
    int32_t *by_tag;
    tulle__msh_tag *sorted; /* where tags are far apart */
    tulle__msh_block block[TULLE__SHAPES];
    tulle__msh_block points; /* single nodes, which are left out */
} tulle__msh;

/* msh_text.c: notes trouble where the reading is, or at a place of the text; returns false. */
bool tulle__msh_bad(tulle__msh *msh, const char *at, tulle_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Where the next number stands, for messages. */
const char *tulle__msh_here(tulle__msh *msh);

/* The next number; `what` stands for it in messages. A size is not negative. */
bool tulle__msh_int(tulle__msh *msh, const char *what, int64_t *number);
bool tulle__msh_size(tulle__msh *msh, const char *what, int64_t *number);
bool tulle__msh_real(tulle__msh *msh, const char *what, double *number);
bool tulle__msh_skip(tulle__msh *msh, const char *what, int64_t integers, int64_t reals);

/* Whether so many things can still be there, of so many sizes and reals each; with room for them
 * in memory, of so many bytes each. */
bool tulle__msh_holds(tulle__msh *msh, const char *what, int64_t count, int64_t sizes,
                      int64_t reals, int64_t bytes);

/* More room for an array of things of `size` bytes that has `count` of them. */
bool tulle__msh_grow(tulle__msh *msh, void *array, int64_t count, int64_t *room, int64_t wanted,
                     int64_t size);

/* Whether a step went well; else its failure is noted as the trouble with the file. */
bool tulle__msh_done(tulle__msh *msh, tulle_status status);

/* msh_entities.c: once all of them are read, however many sections there are. */
bool tulle__msh_sort_entities(tulle__msh *msh);
bool tulle__msh_check_names(tulle__msh *msh);

/* msh_entities.c, msh_nodes.c, msh_elements.c: one section each. */
bool tulle__msh_read_names(tulle__msh *msh);
bool tulle__msh_read_entities(tulle__msh *msh);
bool tulle__msh_read_nodes(tulle__msh *msh);
bool tulle__msh_read_elements(tulle__msh *msh);

/* The group of an entity, 0 where it has none; and a node by its number in the file, -1: none. */
int32_t tulle__msh_group_of(const tulle__msh *msh, int64_t dimension, int64_t tag);
int64_t tulle__msh_node_of(const tulle__msh *msh, int64_t tag);

/* What the index of nodes is made of: numbers of all nodes are there. */
bool tulle__msh_index_nodes(tulle__msh *msh);

/* Room for so many nodes, that the file can hold. */
bool tulle__msh_room_for_nodes(tulle__msh *msh);

/* msh_elements.c: the shape with Gmsh's number of a type, -1: a point; false: it is not known,
 * which is noted. */
bool tulle__msh_find_shape(tulle__msh *msh, const char *at, int64_t type, int *shape, int *nodes);

/* Room for so many more elements in the block of a shape, -1: of points. */
bool tulle__msh_room_for_elements(tulle__msh *msh, int shape, int64_t count,
                                  tulle__msh_block **block);

/* Whether the numbers of all elements differ. */
bool tulle__msh_check_tags(tulle__msh *msh);

/* msh_old.c: the sections that version 2.2 has otherwise. */
bool tulle__msh_read_old_nodes(tulle__msh *msh);
bool tulle__msh_read_old_elements(tulle__msh *msh);

/* msh_unions.c: what stands for a set of groups, whose numbers are put into order; 0 and one number
 * stand for themselves. And, when all is read, the unions of a mesh, and the number of a group. */
bool tulle__msh_add_set(tulle__msh *msh, int64_t dimension, int32_t *number, int64_t count,
                        int32_t *group);
tulle_status tulle__msh_make_unions(tulle__msh *msh, int cell_dimension, tulle_mesh *mesh);
int32_t tulle__msh_number(const tulle__msh *msh, int32_t group);

/* msh_read.c: all sections of a text that is in memory. */
bool tulle__msh_read(tulle__msh *msh);
void tulle__msh_free(tulle__msh *msh);

/* msh_mesh.c: what was read as a mesh of a context, checked. */
tulle_status tulle__msh_mesh(tulle_ctx *ctx, tulle__msh *msh, tulle_mesh **mesh);

#endif
