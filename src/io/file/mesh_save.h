/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be written of a mesh. */
#ifndef TULLE_IO_FILE_MESH_SAVE_H
#define TULLE_IO_FILE_MESH_SAVE_H

#include "io/file/page.h"
#include "mesh/mesh.h"
#include "tulle/mesh_io.h"

typedef struct tulle__mesh_saver {
    tulle_ctx *cpu;
    const tulle_mesh *mesh;
    tulle_mesh_save_options options;
    tulle__page page;
} tulle__mesh_saver;

/* Each writes the whole file; what goes wrong with the file itself is noted in the page. */
tulle_status tulle__msh_write(tulle__mesh_saver *saver);
tulle_status tulle__vtu_write(tulle__mesh_saver *saver);

#endif
