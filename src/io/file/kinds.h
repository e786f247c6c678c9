/* SPDX-License-Identifier: Apache-2.0 */
/* Files of other kinds than those that are read here, which a user may well have. */
#ifndef TULLE_IO_FILE_KINDS_H
#define TULLE_IO_FILE_KINDS_H

#include "io/file/source.h"

/* Returns TULLE_UNSUPPORTED, and says what the file is and what to do with it, where its first
 * bytes are those of another kind. */
tulle_status tulle__check_kind(const tulle__source *source);

#endif
