/* SPDX-License-Identifier: Apache-2.0 */
/* Follows long work by a progress line on standard error after two seconds, on a terminal only, and
 * by the interrupt key, which cancels through the library's progress callback. */
#ifndef TOOL_PROGRESS_H
#define TOOL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "tulle/context.h"

/* Catches SIGINT and SIGTERM: the first asks the work to stop, the second ends the program. */
void tool_catch_interrupt(void);

/* Returns true if the user asked to stop. */
bool tool_interrupted(void);

/* Says whether progress may be shown at all; --quiet forbids it. */
void tool_progress_allow(bool allowed);

/* A tulle_progress_fn that draws the line when it is time; user is not used. Returns nonzero to
 * stop the work. The tool's own long loops call it too. */
int tool_progress(void *user, const char *what, int64_t done, int64_t total);

/* tool_progress_due says whether it is time to draw the line, once each time; tool_progress_draw
 * then draws a line with a text of the caller's own. */
bool tool_progress_due(void);
void tool_progress_draw(const char *text);

/* Erases the line, if there is one, and starts to wait for two seconds anew. */
void tool_progress_end(void);

/* Opens a context on a place; the context reports its progress here. */
tulle_status tool_open_place(const char *where, tulle_ctx **ctx);
/* Opens such a context that may hold at most `cap` bytes; 0: any number. */
tulle_status tool_open_capped(const char *where, int64_t cap, tulle_ctx **ctx);

#endif
