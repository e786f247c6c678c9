/* SPDX-License-Identifier: Apache-2.0 */
/* VTK's unstructured grids in XML: Kitware, "VTK XML formats". The nodes and elements that are read
 * go into the struct that Gmsh's files are read into (msh.h), so that both kinds of files become
 * meshes in one way. */
#ifndef TULLE_IO_FILE_VTU_H
#define TULLE_IO_FILE_VTU_H

#include "io/file/msh.h"

/* A piece of the file's text. */
typedef struct tulle__slice {
    const char *begin, *end;
} tulle__slice;

/* A tag: "<name attributes>", "</name>" or "<name attributes/>". */
typedef struct tulle__tag {
    const char *at; /* place of the tag's '<' */
    tulle__slice name, attributes;
    bool closes, empty;
    tulle__slice before; /* text between the previous tag and this one */
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
    TULLE__VTU_BINARY, /* base64 within the array's element */
    TULLE__VTU_APPENDED
} tulle__vtu_format;

/* An array, as the attributes of its element describe it. */
typedef struct tulle__vtu_array {
    const char *at;   /* place of the element; NULL: the file has no such array */
    const char *name; /* name of the array in messages */
    tulle__vtu_type type;
    int64_t components;
    tulle__vtu_format format;
    tulle__slice text; /* text within the element */
    int64_t offset;    /* appended arrays: position behind the '_' of AppendedData, in bytes */
} tulle__vtu_array;

typedef struct tulle__vtu {
    tulle__msh *msh;
    char version[8];
    int header;      /* bytes of a size in front of an array: 4 or 8 */
    bool compressed; /* true when arrays are compressed with zlib */
    tulle__slice appended;
    bool appended_base64;
    int64_t cells;
    tulle__vtu_array points, nodes, ends, types, groups;
} tulle__vtu;

/* vtu_xml.c: reads the next tag from msh->at on, and moves msh->at behind the tag. Comments and
 * processing instructions are skipped. Notes a failure and returns false where no tag follows. */
bool tulle__vtu_next(tulle__vtu *vtu, tulle__tag *tag);

bool tulle__slice_is(tulle__slice slice, const char *text);

/* Reads the value of an attribute; *has is true when the tag has the attribute. */
bool tulle__vtu_attribute(tulle__vtu *vtu, const tulle__tag *tag, const char *name,
                          tulle__slice *value, bool *has);

/* Reads a whole number that is not negative. */
bool tulle__vtu_number(tulle__vtu *vtu, tulle__slice text, const char *what, int64_t *number);

/* vtu_data.c: each of these functions allocates and reads `count` numbers of an array. Reals must
 * be finite. */
bool tulle__vtu_reals(tulle__vtu *vtu, const tulle__vtu_array *array, int64_t count,
                      double **numbers);
bool tulle__vtu_integers(tulle__vtu *vtu, const tulle__vtu_array *array, int64_t count,
                         int64_t **numbers);

/* vtu_read.c: tulle__is_vtu returns true when the text begins like a file of VTK's; tulle__vtu_read
 * reads the whole file. */
bool tulle__is_vtu(const tulle__msh *msh);
bool tulle__vtu_read(tulle__vtu *vtu);

#endif
