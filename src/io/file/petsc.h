/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices in PETSc's binary form, as MatView writes them: a number for the class, the numbers of
 * rows, columns and entries, the lengths of the rows, the columns and the values. The highest byte
 * of each number comes first. Integers have 32 or 64 bits, as PETSc was built. Source: the manual
 * page of MatLoad. */
#ifndef TULLE_IO_FILE_PETSC_H
#define TULLE_IO_FILE_PETSC_H

#include "io/file/source.h"
#include "io/file/stored.h"

/* Returns true when the source begins like a matrix in PETSc's form. */
bool tulle__is_petsc(const tulle__source *source);

/* Reads the arrays; *bytes is the number of bytes read. *stored must be freed, also after a
 * failure. */
tulle_status tulle__petsc_load(tulle_ctx *cpu, tulle__source *source, tulle__stored *stored,
                               int64_t *bytes);

#endif
