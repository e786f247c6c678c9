/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Reading and writing meshes (mesh.h); in libtulle-io, as io.h. Not included by tulle.h.
 */
#ifndef TULLE_MESH_IO_H
#define TULLE_MESH_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context.h"
#include "export.h"
#include "mesh.h"
#include "status.h"
#include "types.h"

/** The format of a file of a mesh. */
typedef enum tulle_mesh_format {
    TULLE_MESH_BY_NAME = 0, /**< the format that the path ends in, .msh or .vtu, before .gz, .xz
                                 or .zst */
    TULLE_MSH = 1, /**< Gmsh's: cells, facets and groups; written as version 4.1, read as 4.1
                        or 2.2 */
    TULLE_VTU = 2  /**< VTK's unstructured grid in XML: cells, their groups, and fields */
} tulle_mesh_format;

/** Description of a file that holds a mesh. */
typedef struct tulle_mesh_file_info {
    tulle_mesh_format format; /**< format of the file */
    char version[8];          /**< version that the file names: "4.1", "2.2", for .vtu "1.0" */
    int64_t nodes;            /**< number of nodes in the file; those of no cell or facet are
                                   left out of the mesh */
    int64_t elements;         /**< number of elements in the file */
    int64_t left_out;         /**< number of elements that were left out: those of less than the
                                   dimension of facets */
    int64_t turned;     /**< number of cells that were turned over: their nodes were put into the
                             other order */
    bool binary;        /**< true: binary; false: text */
    char container[8];  /**< packing of the file, as in tulle_file_info */
    int64_t file_bytes; /**< bytes of the file on disk */
    int64_t text_bytes; /**< bytes of the text after decompression */
    double seconds;     /**< time of reading and checking, in seconds */
} tulle_mesh_file_info;

/** Encodings of the numbers of a file; reading gives the same bits in each. */
typedef enum tulle_mesh_encoding {
    TULLE_ENCODE_BY_FORMAT = 0, /**< raw in a .msh file, base64 in a .vtu file */
    TULLE_ENCODE_RAW = 1,       /**< numbers as bytes; a .vtu file has them appended, behind its
                                     XML, where readers that want all of it to be XML stumble */
    TULLE_ENCODE_TEXT = 2,      /**< decimal, the fewest digits that are read as the same number */
    TULLE_ENCODE_BASE64 = 3     /**< .vtu alone: the bytes as text, so that all of it is XML */
} tulle_mesh_encoding;

/** Numbers at nodes or in cells. */
typedef struct tulle_mesh_field {
    const char *name;   /**< name, as viewers show it */
    bool of_cells;      /**< true: values of cells; false: values of nodes */
    tulle_type type;    /**< type of the values */
    int components;     /**< number of values of each node or cell: 1, or 3 for what viewers draw
                             as arrows */
    const void *values; /**< values, (nodes or cells) x components, in host memory */
} tulle_mesh_field;

/** Options of tulle_mesh_save. */
typedef struct tulle_mesh_save_options {
    tulle_mesh_format format;       /**< format of the file */
    tulle_mesh_encoding encoding;   /**< encoding of its numbers */
    int64_t field_count;            /**< number of fields, for .vtu alone */
    const tulle_mesh_field *fields; /**< fields, field_count of them */
} tulle_mesh_save_options;

TULLE_BEGIN

/**
 * Reads a mesh from a file of Gmsh's, version 4.1 or 2.2, text or binary in either order of bytes,
 * or of VTK's (.vtu), plain or compressed (.gz, .xz, .zst), and checks it (tulle_mesh_check). The
 * file's first bytes say which of them it is. Elements of one shape are a block, in the order of
 * the file; cells are those of the highest dimension, facets those of one less, all others are left
 * out, and so are nodes that none of them has. Nodes are numbered in the order of the file. An
 * element is in the physical groups of its entity, in version 2.2 in those of all elements with its
 * nodes in its order; see tulle_mesh_union. Coordinates that are 0 in all nodes, to 1e-12 of the
 * largest coordinate, do not count as a dimension beyond that of the cells. Cells that are turned
 * over, and good with their nodes in mirrored order, are put into that (info->turned).
 *
 * @param info  may be NULL.
 *
 * The whole text is in memory while it is read; the sizes that it names take memory only as far as
 * it can hold so much. 1 MiB of blanks and empty lines in a row is refused as soon as it is met,
 * since a few compressed bytes may stand for more of them than memory holds. Host work, by one
 * thread; checking by all. Deterministic. Errors: TULLE_INVALID_ARGUMENT, TULLE_IO_ERROR,
 * TULLE_PARSE_ERROR (the record has file and line; of binary files the message has the byte),
 * TULLE_UNSUPPORTED (an unknown type of elements, another version, partitions), TULLE_INVALID_MESH
 * (the message has the file's numbers of element and nodes), TULLE_TOO_LARGE, TULLE_OUT_OF_MEMORY,
 * TULLE_CANCELLED. Source: Gmsh reference manual, "MSH file format", version 4.1.
 */
TULLE_API tulle_status tulle_mesh_load(tulle_ctx *ctx, const char *path, tulle_mesh **mesh,
                                       tulle_mesh_file_info *info);

/** tulle_mesh_load from memory; @a name stands for the file in messages. */
TULLE_API tulle_status tulle_mesh_load_memory(tulle_ctx *ctx, const void *bytes, int64_t size,
                                              const char *name, tulle_mesh **mesh,
                                              tulle_mesh_file_info *info);

/** tulle_mesh_save with the size of its options in bytes: bindings for other languages call it. */
TULLE_API tulle_status tulle_mesh_save_sized(tulle_ctx *ctx, const tulle_mesh *mesh,
                                             const char *path,
                                             const tulle_mesh_save_options *options,
                                             size_t options_size);

/**
 * Writes a mesh to a file; NULL options: by the path's name, without fields. A path that ends
 * in .gz, .xz or .zst is compressed. The file appears whole or not at all, as with tulle_mat_save.
 * A .msh file numbers nodes and elements from 1 on, in the mesh's order, and has an entity for each
 * group. A .vtu file has no facets: save tulle_mesh_boundary for them.
 * Errors: TULLE_INVALID_ARGUMENT (also: a name that says no format, fields in a .msh file, an
 * encoding that the format has not, a field that is not finite as text), TULLE_IO_ERROR,
 * TULLE_OUT_OF_MEMORY, TULLE_CANCELLED. Source: as of tulle_mesh_load; "VTK XML formats", Kitware.
 */
TULLE_HOST_INLINE tulle_status tulle_mesh_save(tulle_ctx *ctx, const tulle_mesh *mesh,
                                               const char *path,
                                               const tulle_mesh_save_options *options) {
    return tulle_mesh_save_sized(ctx, mesh, path, options, sizeof(tulle_mesh_save_options));
}

TULLE_END
#endif
