/* SPDX-License-Identifier: Apache-2.0 */
/* A mesh that is to be written, with the options and the page that its text goes through. */
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

/* Each of these functions writes the whole file. A failure to write the file is noted in the page;
 * the status is for all other failures. */
tulle_status tulle__msh_write(tulle__mesh_saver *saver);
tulle_status tulle__vtu_write(tulle__mesh_saver *saver);

#endif
