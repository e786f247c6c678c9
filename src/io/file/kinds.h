/* SPDX-License-Identifier: Apache-2.0 */
/* Files of other kinds than those that are read here, which a user may well have. */
#ifndef TULLE_IO_FILE_KINDS_H
#define TULLE_IO_FILE_KINDS_H

#include <stdint.h>

/* Says of a file that begins so what it is, and what to do with it; NULL: nothing is known of it.
 */
const char *tulle__other_kind(const char *head, int64_t size);

#endif
