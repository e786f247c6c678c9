/* SPDX-License-Identifier: Apache-2.0 */
/* VTK's unstructured grids in XML: Kitware, "VTK XML formats". What is read becomes what is read of
 * a file of Gmsh's (msh.h), so that a mesh is made of both in one way. */
#ifndef TULLE_IO_FILE_VTU_H
#define TULLE_IO_FILE_VTU_H

#include "io/file/msh.h"

/* A piece of the text. */
typedef struct tulle__slice {
    const char *begin, *end;
} tulle__slice;

/* "<name attributes>", "</name>" or "<name attributes/>". */
typedef struct tulle__tag {
    const char *at; /* its '<' */
    tulle__slice name, attributes;
    bool closes, empty;
    tulle__slice before; /* the text since the tag before it */
} tulle__tag;

typedef enum tulle__vtu_type {
    TULLE__VTU_INT8,
    TULLE__VTU_UINT8,
    TULLE__VTU_INT16,
    TULLE__VTU_UINT16,
    TULLE__VTU_INT32,
    TULLE__VTU_UINT32,
    TULLE__VTU_INT64,
    TULLE__VTU_UINT64,
    TULLE__VTU_FLOAT32,
    TULLE__VTU_FLOAT64,
    TULLE__VTU_TYPES
} tulle__vtu_type;

typedef enum tulle__vtu_format {
    TULLE__VTU_ASCII,
    TULLE__VTU_BINARY, /* base64, in its element */
    TULLE__VTU_APPENDED
} tulle__vtu_format;

/* An array, as its element says. */
typedef struct tulle__vtu_array {
    const char *at;   /* of the element; NULL: there is none */
    const char *name; /* for messages */
    tulle__vtu_type type;
    int64_t components;
    tulle__vtu_format format;
    tulle__slice text; /* of the element */
    int64_t offset;    /* of an appended one */
} tulle__vtu_array;

typedef struct tulle__vtu {
    tulle__msh *msh;
    char version[8];
    int header;      /* bytes of a size: 4 or 8 */
    bool compressed; /* by zlib */
    tulle__slice appended;
    bool appended_base64;
    int64_t cells;
    tulle__vtu_array points, nodes, ends, types, groups;
} tulle__vtu;

/* vtu_xml.c: the next tag behind msh->at, which then is behind it; comments and processing
 * instructions are gone over. False: there is none, or it is none; that is noted. */
bool tulle__vtu_next(tulle__vtu *vtu, tulle__tag *tag);

bool tulle__slice_is(tulle__slice slice, const char *text);

/* An attribute's value; `has` says whether it is there. */
bool tulle__vtu_attribute(tulle__vtu *vtu, const tulle__tag *tag, const char *name,
                          tulle__slice *value, bool *has);

/* A whole number that is not negative. */
bool tulle__vtu_number(tulle__vtu *vtu, tulle__slice text, const char *what, int64_t *number);

/* vtu_data.c: so many numbers of an array, which are allocated; coordinates are finite. */
bool tulle__vtu_reals(tulle__vtu *vtu, const tulle__vtu_array *array, int64_t count,
                      double **numbers);
bool tulle__vtu_integers(tulle__vtu *vtu, const tulle__vtu_array *array, int64_t count,
                         int64_t **numbers);

/* vtu_read.c: whether a text is such a file; all of it. */
bool tulle__is_vtu(const tulle__msh *msh);
bool tulle__vtu_read(tulle__vtu *vtu);

#endif
