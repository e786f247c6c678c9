/* SPDX-License-Identifier: Apache-2.0 */
/* Files of scipy.sparse.save_npz (.npz): a zip archive with one NumPy array for the name of the
 * matrix's form (format.npy), one for the sizes (shape.npy), and one for each array of the
 * matrix. */
#ifndef TULLE_IO_FILE_NPZ_H
#define TULLE_IO_FILE_NPZ_H

#include "io/file/npy.h"
#include "io/file/source.h"
#include "io/file/stored.h"

/* Members of the archive that are read. All other members are ignored. */
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
    /* bytes of all members that were read, after unpacking */
    int64_t bytes;
} tulle__npz;

/* Returns the file name of a member in the archive. */
const char *tulle__npz_name(tulle__npz_member member);

/* Returns true when the source is a zip archive with members. */
bool tulle__is_zip(const tulle__source *source);

/* npz_archive.c: reads the members. They must be freed, also after a failure. */
bool tulle__npz_read(tulle_ctx *cpu, tulle__source *source, tulle__npz *npz,
                     tulle__trouble *trouble);

/* npz_load.c: reads the archive, and moves its arrays to *stored; *bytes is the size of the
 * unpacked members. *stored must be freed, also after a failure. */
tulle_status tulle__npz_load(tulle_ctx *cpu, tulle__source *source, tulle__stored *stored,
                             int64_t *bytes);

#endif
