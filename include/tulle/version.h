/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The version of tulle.
 */
#ifndef TULLE_VERSION_H
#define TULLE_VERSION_H

#include <stdint.h>

#include "export.h"

/** The version of these headers. The build reads the project's version from here. */
#define TULLE_VERSION_MAJOR 0
/** The minor version, which grows with what is added. */
#define TULLE_VERSION_MINOR 1
/** The patch version, which grows with what is mended. */
#define TULLE_VERSION_PATCH 0

TULLE_BEGIN

/** The version of the library that is loaded, "MAJOR.MINOR.PATCH". Static storage. */
TULLE_API const char *tulle_version(void);

/** The commit that the library was built from, or "unknown". Static storage. */
TULLE_API const char *tulle_commit(void);

/**
 * Returns the bytes of a public struct as the library was compiled; -1 for any other name, and for
 * NULL. A binding for another language compares them with its own declarations before it calls
 * anything else.
 *
 * @param name name of the type, such as "tulle_mat_options".
 */
TULLE_API int64_t tulle_struct_size(const char *name);

TULLE_END
#endif
