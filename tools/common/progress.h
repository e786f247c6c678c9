/* SPDX-License-Identifier: Apache-2.0 */
/* Long work: a progress line on standard error after two seconds, on a terminal only; and the
 * interrupt key, which cancels through the library's progress callback. */
#ifndef TOOL_PROGRESS_H
#define TOOL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "tulle/context.h"

/* Catches SIGINT and SIGTERM: the first asks the work to stop, the second ends the program. */
void tool_catch_interrupt(void);

/* True if the user asked to stop. */
bool tool_interrupted(void);

/* Says whether progress may be shown at all; --quiet forbids it. */
void tool_progress_allow(bool allowed);

/* A tulle_progress_fn; user is not used. Draws the line when it is time; nonzero: stop. The tool's
 * own long loops call it too. */
int tool_progress(void *user, const char *what, int64_t done, int64_t total);

/* The same for a line with a text of its own: whether it is time, which is so once each time; and
 * what draws it then. */
bool tool_progress_due(void);
void tool_progress_draw(const char *text);

/* Erases the line, if there is one, and starts the two seconds anew. */
void tool_progress_end(void);

/* A context on a place, which reports progress here. */
tulle_status tool_open_place(const char *where, tulle_ctx **ctx);
/* The same for one that may hold so many bytes; 0: any number. */
tulle_status tool_open_capped(const char *where, int64_t cap, tulle_ctx **ctx);

#endif
