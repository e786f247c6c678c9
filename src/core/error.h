/* SPDX-License-Identifier: Apache-2.0 */
/* The record of the last failure on this thread. Every failing path ends in one of these calls. */
#ifndef TULLE_CORE_ERROR_H
#define TULLE_CORE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "tulle/status.h"

TULLE_BEGIN

/* Records a failure and returns its status. function: __func__ of the public call, or NULL to
 * keep none; argument: the parameter at fault, or NULL; row: the row at fault, or -1. The
 * message is one line. Exported for tulle's own libraries. */
TULLE_API tulle_status tulle__fail(tulle_status status, const char *function, const char *argument,
                                   int64_t row, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

TULLE_API tulle_status tulle__fail_v(tulle_status status, const char *function,
                                     const char *argument, int64_t row, const char *format,
                                     va_list arguments);

/* tulle__fail for files: the message becomes "FILE:LINE: message". line 0: no line. */
TULLE_API tulle_status tulle__fail_file(tulle_status status, const char *file, int64_t line,
                                        const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Returns TULLE_INVALID_ARGUMENT unless the caller's array, or NULL, is aligned as its elements
 * must be. */
tulle_status tulle__check_aligned(const char *function, const char *argument, const void *array,
                                  int64_t alignment);

/* Says that this thread tries a way that may turn out to be none (tulle__no_way): such failures
 * then leave the record of the last failure alone. */
void tulle__error_trying(bool on);

/* True for a failure that another way of doing the same may avoid. */
static inline bool tulle__no_way(tulle_status status) {
    return status == TULLE_UNSUPPORTED || status == TULLE_TOO_LARGE;
}

/* Writes a number of bytes as "1.5 GB" into a buffer of the caller; returns the buffer. Exported
 * for the tool too. */
enum { TULLE__HUMAN = 24 };
TULLE_API const char *tulle__human_bytes(double bytes, char buffer[TULLE__HUMAN]);

TULLE_END

/* Records a bad argument of the public function that this stands in, and returns its status. */
#define TULLE__BAD(argument, ...)                                                                  \
    tulle__fail(TULLE_INVALID_ARGUMENT, __func__, argument, -1, __VA_ARGS__)

/* Returns from the public function unless the pointer argument is there. */
#define TULLE__NEED(argument)                                                                      \
    do {                                                                                           \
        if (!(argument)) return TULLE__BAD(#argument, "%s is NULL", #argument);                    \
    } while (0)

/* As TULLE__NEED, where one function checks the arguments of another. */
#define TULLE__NEED_OF(function, argument)                                                         \
    do {                                                                                           \
        if (!(argument)) {                                                                         \
            return tulle__fail(TULLE_INVALID_ARGUMENT, function, #argument, -1, "%s is NULL",      \
                               #argument);                                                         \
        }                                                                                          \
    } while (0)

/* Returns from the function with the status of a failing call. */
#define TULLE__TRY(call)                                                                           \
    do {                                                                                           \
        tulle_status tulle__status_ = (call);                                                      \
        if (tulle__status_ != TULLE_OK) return tulle__status_;                                     \
    } while (0)

#endif
