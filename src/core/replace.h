/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces a file by new contents as a whole or not at all: a new file is written beside it and at
 * the end gets its name. */
#ifndef TULLE_CORE_REPLACE_H
#define TULLE_CORE_REPLACE_H

#include <stdbool.h>

#include "tulle/export.h"

TULLE_BEGIN

enum { TULLE__PATH = 4096 }; /* room for a path: Linux takes none that is longer */

typedef struct tulle__replacement {
    int descriptor;              /* descriptor to write to; -1: not open */
    const char *failed;          /* the failed step, as a participle for the message: "created",
                                    "opened", ... */
    char target[TULLE__PATH];    /* path of the file itself, where symbolic links lead to */
    char temporary[TULLE__PATH]; /* path of the new file, which gets the name of target at the
                                    end; "": written in place */
} tulle__replacement;

/* Opens what becomes the file of that name. A symbolic link stays, and the file that the link leads
 * to is replaced, or made where there is none. The new file has the mode of the replaced one, and
 * its owner and its group where the system permits that. A device or a pipe is written in place. On
 * failure nothing is left, and errno says why. */
TULLE_API bool tulle__replace_open(tulle__replacement *file, const char *path);

/* Closes the file, if it is open: with keep the new one takes the name of the old one, else it goes
 * away and the old one stays. False: it could not be kept, nothing is left, and errno says why. */
TULLE_API bool tulle__replace_close(tulle__replacement *file, bool keep);

TULLE_END
#endif
