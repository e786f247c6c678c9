/* SPDX-License-Identifier: Apache-2.0 */
/* Suggests names close to a name that does not exist. */
#ifndef TOOL_SUGGEST_H
#define TOOL_SUGGEST_H

/* Keeps the nearest names of those that are offered. */
typedef struct tool_suggestions {
    const char *wanted;
    const char *name[3];
    int distance[3];
    int count;
} tool_suggestions;

tool_suggestions tool_suggest(const char *wanted);

/* Offers a name; it is kept if it is close enough and among the nearest. */
void tool_suggest_offer(tool_suggestions *suggestions, const char *name);

/* Returns "; did you mean a, b or c?", or "" without a close name. Valid until the next call. */
const char *tool_suggest_text(const tool_suggestions *suggestions);

#endif
