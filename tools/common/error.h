/* SPDX-License-Identifier: Apache-2.0 */
/* When the tool fails, it prints one line on standard error and returns an exit code. */
#ifndef TOOL_ERROR_H
#define TOOL_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tulle/status.h"

enum {
    TOOL_OK = 0,
    TOOL_FAILED = 1,      /* the work failed, or a verified result is wrong */
    TOOL_BAD_INPUT = 2,   /* a bad file, matrix, specification or command line */
    TOOL_NO_RESOURCE = 3, /* no memory, no device, device trouble */
    TOOL_INTERRUPTED = 130
};

/* Returns the exit code for a status of the library. */
int tool_exit_code(tulle_status status);

/* Records a failure of the tool's own, which is then reported in place of the library's last error.
 * Returns the status. */
tulle_status tool_record(tulle_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns the last failure as one line, "FILE:LINE: message", and forgets the failure that
 * tool_record recorded. Valid until the next call. */
const char *tool_error_line(void);

/* Prints "tulle: " and tool_error_line() on standard error; returns the exit code. */
int tool_fail(tulle_status status);

/* Prints "tulle: NAME: message" and how to get help; returns TOOL_BAD_INPUT. The name may be "". */
int tool_misuse(const char *subcommand, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Holds back everything that the functions below print, in a process beside which another one
 * speaks. Such a process ends with TOOL_OK: a launcher ends all processes at the first other code,
 * also the one that is just speaking. */
void tool_silence(bool on);

/* Ends the silence, and prints the first error that was held back. */
void tool_speak(void);

/* Prints "tulle: message" on standard error; returns `code`. */
int tool_complain(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns memory of the tool itself (count elements, zeroed); ends the program with
 * TOOL_NO_RESOURCE and one line when there is no memory. Release with free. */
void *tool_alloc(size_t count, size_t size);

/* Ends the output: flushes standard output, and makes a code of 0 into TOOL_FAILED when the output
 * could not be written. A reader that went away is no error. Returns TOOL_OK in a silent process.
 */
int tool_finish(int code);

#endif
