/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The version of tulle.
 */
#ifndef TULLE_VERSION_H
#define TULLE_VERSION_H

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

TULLE_END
#endif
