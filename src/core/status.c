/* SPDX-License-Identifier: Apache-2.0 */
#include "tulle/status.h"

const char *tulle_status_name(tulle_status status) {
    switch (status) {
#define X(name, number, text)                                                                      \
    case name:                                                                                     \
        return #name;
        TULLE_STATUSES(X)
#undef X
    }
    return "TULLE_UNKNOWN";
}

const char *tulle_status_text(tulle_status status) {
    switch (status) {
#define X(name, number, text)                                                                      \
    case name:                                                                                     \
        return text;
        TULLE_STATUSES(X)
#undef X
    }
    return "unknown status";
}
