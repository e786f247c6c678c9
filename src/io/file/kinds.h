/* SPDX-License-Identifier: Apache-2.0 */
/* Recognises files of kinds that tulle does not read as a matrix, and that a user may well have. */
#ifndef TULLE_IO_FILE_KINDS_H
#define TULLE_IO_FILE_KINDS_H

#include "io/file/source.h"

/* Fails with TULLE_UNSUPPORTED if the first bytes of the source are those of a kind that is not
 * read; the message says what the file is and what to do with it. */
tulle_status tulle__check_kind(const tulle__source *source);

#endif
