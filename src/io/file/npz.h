/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices of scipy.sparse.save_npz (.npz): a zip archive with an array of NumPy's for the form of
 * the matrix (format.npy), one for its sizes (shape.npy) and one for each of its arrays. */
#ifndef TULLE_IO_FILE_NPZ_H
#define TULLE_IO_FILE_NPZ_H

#include "io/file/npy.h"
#include "io/file/source.h"
#include "io/file/stored.h"

/* Members of the archive that are read; others are passed over. */
typedef enum tulle__npz_member {
    TULLE__NPZ_FORMAT,
    TULLE__NPZ_SHAPE,
    TULLE__NPZ_INDPTR,
    TULLE__NPZ_INDICES,
    TULLE__NPZ_DATA,
    TULLE__NPZ_ROW,
    TULLE__NPZ_COL,
    TULLE__NPZ_MEMBERS
} tulle__npz_member;

typedef struct tulle__npz {
    tulle__npy member[TULLE__NPZ_MEMBERS]; /* arrays that the archive lacks have no bytes */
    int64_t bytes;                         /* bytes of all members that were read, unpacked */
} tulle__npz;

/* Returns the name of a member in the archive. */
const char *tulle__npz_name(tulle__npz_member member);

/* Returns true when the source is a zip archive with members. */
bool tulle__is_zip(const tulle__source *source);

/* npz_archive.c: reads the members. On failure they must still be freed. */
bool tulle__npz_read(tulle_ctx *cpu, tulle__source *source, tulle__npz *npz,
                     tulle__trouble *trouble);

/* npz_load.c: reads the archive and moves its arrays to *stored; *bytes: of the unpacked members.
 * On failure *stored must still be freed. */
tulle_status tulle__npz_load(tulle_ctx *cpu, tulle__source *source, tulle__stored *stored,
                             int64_t *bytes);

#endif
