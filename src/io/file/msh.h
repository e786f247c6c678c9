/* SPDX-License-Identifier: Apache-2.0 */
/* Gmsh's files, versions 4.1 and 2.2: Gmsh reference manual, "MSH file format". A file has sections
 * between "$Name" and "$EndName". The numbers in a section are text, freely laid out, or bytes
 * without any layout. */
#ifndef TULLE_IO_FILE_MSH_H
#define TULLE_IO_FILE_MSH_H

#include "io/file/slabs.h"
#include "io/file/source.h"
#include "mesh/mesh.h"

enum {
    TULLE__MSH_POINT = 15, /* Gmsh's number for the type of an element that is a single node */
    /* bytes below which memory is taken without a look at how much is free */
    TULLE__MSH_SMALL = 1 << 20
};

/* A piece of geometry (an entity), and the physical group of its elements. */
typedef struct tulle__msh_entity {
    int64_t dimension, tag;
    /* number of the physical group; 0: none; below 0: a set of groups, see msh_unions.c */
    int32_t group;
} tulle__msh_entity;

/* A set of groups that elements are in at the same time: `count` numbers in the array member, from
 * index `first` on. */
typedef struct tulle__msh_set {
    int64_t dimension, first, count;
    int32_t number; /* number of the union that the set becomes, once all sections have been read */
} tulle__msh_set;

/* A node's number in the file (its tag), and its index among the nodes read. */
typedef struct tulle__msh_tag {
    int64_t tag;
    int32_t node;
} tulle__msh_tag;

/* Elements of one shape; the arrays grow with the elements read. */
typedef struct tulle__msh_block {
    int64_t count, room;
    int32_t *nodes, *groups;
    int64_t *tags;
} tulle__msh_block;

/* A file that is being read, and the nodes, elements and groups read so far. */
typedef struct tulle__msh {
    tulle_ctx *cpu;
    const char *name;
    tulle__trouble *trouble;
    char *text; /* the whole file, and a newline behind it */
    int64_t bytes;
    const char *at, *end;
    const char *ask_at;  /* place in the text from which on the next report of progress is due */
    const char *section; /* name of the section that is being read, for messages */
    bool binary, swapped;
    bool old; /* true when the file has version 2.2 */
    bool has_nodes, has_elements;
    int64_t elements, left_out;
    int64_t turned; /* number of cells whose orientation was reversed */
    bool rise;      /* true while the elements' numbers in the file rise */
    int64_t last_element;
    int64_t entities, entity_room;
    tulle__msh_entity *entity; /* entities, sorted before elements are read */
    int64_t sets, set_room, members, member_room;
    tulle__msh_set *set;
    int32_t *member;
    int64_t groups, group_room;
    /* physical groups; their names point into the text, and each ends with a NUL */
    tulle_mesh_group *group;
    int64_t nodes;
    int64_t *tags;       /* number of each node in the file */
    double *coordinates; /* coordinates of the nodes, three per node */
    /* least number of a node; by_tag[tag - first_tag] is the node's index, or -1 */
    int64_t first_tag;
    int64_t tag_span;
    int32_t *by_tag;
    /* nodes sorted by their numbers, in place of by_tag where the numbers are far apart */
    tulle__msh_tag *sorted;
    tulle__msh_block block[TULLE__SHAPES];
    tulle__msh_block points; /* elements that are single nodes, which the mesh leaves out */
} tulle__msh;

/* msh_text.c: notes a failure at a place of the text; returns false. */
bool tulle__msh_bad(tulle__msh *msh, const char *at, tulle_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Returns the place of the next number in the text, for messages. */
const char *tulle__msh_here(tulle__msh *msh);

/* Each of these functions reads the next number, which messages call `what`. A size is not
 * negative. tulle__msh_skip passes over so many reals, then so many integers. */
bool tulle__msh_int(tulle__msh *msh, const char *what, int64_t *number);
bool tulle__msh_size(tulle__msh *msh, const char *what, int64_t *number);
bool tulle__msh_real(tulle__msh *msh, const char *what, double *number);
bool tulle__msh_skip(tulle__msh *msh, const char *what, int64_t integers, int64_t reals);

/* Returns true when the rest of the file can hold `count` things of `sizes` integers and `reals`
 * reals each, and memory has room for `bytes` bytes of each. */
bool tulle__msh_holds(tulle__msh *msh, const char *what, int64_t count, int64_t sizes,
                      int64_t reals, int64_t bytes);

/* Enlarges an array with `count` items of `size` bytes to at least `wanted` items; *room is the
 * number of items that fit. */
bool tulle__msh_grow(tulle__msh *msh, void *array, int64_t count, int64_t *room, int64_t wanted,
                     int64_t size);

/* Returns true after a success; notes a failure as the trouble with the file, and returns false. */
bool tulle__msh_done(tulle__msh *msh, tulle_status status);

/* msh_entities.c: tulle__msh_sort_entities sorts the entities, and tulle__msh_check_names looks for
 * groups with two names, once all sections of them have been read. */
bool tulle__msh_sort_entities(tulle__msh *msh);
bool tulle__msh_check_names(tulle__msh *msh);

/* msh_entities.c, msh_nodes.c, msh_elements.c: each function reads one section. */
bool tulle__msh_read_names(tulle__msh *msh);
bool tulle__msh_read_entities(tulle__msh *msh);
bool tulle__msh_read_nodes(tulle__msh *msh);
bool tulle__msh_read_elements(tulle__msh *msh);

/* tulle__msh_group_of returns the group of an entity, or 0; tulle__msh_node_of returns the index of
 * the node with a number in the file, or -1. */
int32_t tulle__msh_group_of(const tulle__msh *msh, int64_t dimension, int64_t tag);
int64_t tulle__msh_node_of(const tulle__msh *msh, int64_t tag);

/* Makes the index by which tulle__msh_node_of finds nodes, from the numbers of all nodes. */
bool tulle__msh_index_nodes(tulle__msh *msh);

/* Allocates the arrays for msh->nodes nodes; fails if the file cannot hold as many. */
bool tulle__msh_room_for_nodes(tulle__msh *msh);

/* msh_elements.c: finds the shape and number of nodes of elements with Gmsh's number `type`; *shape
 * is -1 for single nodes. Notes a failure and returns false if the type is not known. */
bool tulle__msh_find_shape(tulle__msh *msh, const char *at, int64_t type, int *shape, int *nodes);

/* Enlarges the block of a shape by `count` elements; -1 stands for the block of single nodes. */
bool tulle__msh_room_for_elements(tulle__msh *msh, int shape, int64_t count,
                                  tulle__msh_block **block);

/* Fails if two elements have the same number. */
bool tulle__msh_check_tags(tulle__msh *msh);

/* msh_old.c: reads the two sections that are different in version 2.2. */
bool tulle__msh_read_old_nodes(tulle__msh *msh);
bool tulle__msh_read_old_elements(tulle__msh *msh);

/* msh_unions.c: tulle__msh_add_set sorts the numbers of a set of groups, and sets *group to the
 * number that stands for the set: the group itself for a set of one group, 0 for none. Once all is
 * read, tulle__msh_make_unions makes the mesh's unions of the sets; then tulle__msh_number returns
 * the final number of a group or set. */
bool tulle__msh_add_set(tulle__msh *msh, int64_t dimension, int32_t *number, int64_t count,
                        int32_t *group);
tulle_status tulle__msh_make_unions(tulle__msh *msh, int cell_dimension, tulle_mesh *mesh);
int32_t tulle__msh_number(const tulle__msh *msh, int32_t group);

/* msh_read.c: reads all sections of the text. */
bool tulle__msh_read(tulle__msh *msh);
void tulle__msh_free(tulle__msh *msh);

/* msh_mesh.c: makes a checked mesh of a context from the nodes, elements and groups read. */
tulle_status tulle__msh_mesh(tulle_ctx *ctx, tulle__msh *msh, tulle_mesh **mesh);

#endif
