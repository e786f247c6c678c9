/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix in host memory that is to be written, with the options and the open file: CSR or DCSR,
 * or BSR for the binary form. */
#ifndef TULLE_IO_FILE_SAVE_H
#define TULLE_IO_FILE_SAVE_H

#include "io/file/sink.h"
#include "tulle/io.h"

typedef struct tulle__saver {
    tulle_ctx *cpu;
    tulle_mat_info about;
    tulle_mat_arrays arrays;
    tulle_save_options options;
    tulle__sink sink;
} tulle__saver;

/* Each of these functions writes the whole file into the open sink. */
tulle_status tulle__mtx_write(tulle__saver *saver);
tulle_status tulle__binary_write(tulle__saver *saver);

#endif
