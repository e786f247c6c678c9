/* SPDX-License-Identifier: Apache-2.0 */
#include "tulle/version.h"

#ifndef TULLE__COMMIT
#define TULLE__COMMIT "unknown"
#endif

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const char *tulle_version(void) {
    return TEXT(TULLE_VERSION_MAJOR) "." TEXT(TULLE_VERSION_MINOR) "." TEXT(TULLE_VERSION_PATCH);
}

const char *tulle_commit(void) {
    return TULLE__COMMIT;
}
