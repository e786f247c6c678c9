/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of files of meshes share these texts, in the format of Gmsh. */
#ifndef TESTS_MESH_FILES_H
#define TESTS_MESH_FILES_H

#include <stdbool.h>

#include "io_help.h"
#include "tulle/mesh_io.h"

/* Version 4.1 has two triangles and a line as Gmsh writes them: numbers with gaps, a point, a node
 * of no element, names, an entity around others, and a section that the library skips. */
#define MSH_FORMAT "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define MSH_NAMES "$PhysicalNames\n2\n1 5 \"left side\"\n2 7 \"all\"\n$EndPhysicalNames\n"
#define MSH_ENTITIES                                                                               \
    "$Entities\n1 1 1 0\n1 0 0 0 0\n1 0 0 0 0 1 0 1 -5 2 1 -1\n1 0 0 0 1 1 0 1 7 1 1\n"            \
    "$EndEntities\n"
#define MSH_NODES                                                                                  \
    "$Nodes\n2 5 10 400\n0 1 0 1\n10\n0 0 0\n2 1 0 4\n20\n30\n400\n35\n1 0 0\n1 1 0\n"             \
    "0 1 0\n9 9 9\n$EndNodes\n"
#define MSH_ELEMENTS                                                                               \
    "$Elements\n3 4 1 9\n0 1 15 1\n1 10\n1 1 1 1\n2 400 10\n2 1 2 2\n8 10 20 30\n9 10 30 400\n"    \
    "$EndElements\n"
#define MSH_WHOLE                                                                                  \
    MSH_FORMAT MSH_NAMES MSH_ENTITIES MSH_NODES "$Comments\nanything\n$EndComments\n" MSH_ELEMENTS

/* Version 2.2 of the format, and the corners of a square in it. */
#define MSH_OLD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define MSH_OLD_NODES "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"

/* The triangles of MSH_WHOLE, binary, in either order of bytes; to be freed. */
io_text msh_binary_text(bool swapped);

/* A square of two triangles, a side of which is in two groups, as binary text of version 2.2, which
 * has that side twice; to be freed. */
io_text msh_old_binary_text(void);

/* Saves a mesh, or fails the test. */
void mesh_save_as(tulle_ctx *ctx, const tulle_mesh *mesh, const char *path,
                  tulle_mesh_encoding encoding);

#endif
