/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/suggest.h"

#include <stdio.h>
#include <string.h>

enum { KEPT = 3, LONGEST = 63 };

static int smaller(int a, int b) {
    return a < b ? a : b;
}

/* Returns the number of edits (insert, delete, replace) from a to b by the classic table, one row
 * at a time. Only the first LONGEST characters count. */
static int distance(const char *a, const char *b) {
    int row[LONGEST + 1];
    int length = smaller((int)strlen(b), LONGEST);
    for (int j = 0; j <= length; j++) row[j] = j;
    for (int i = 1; a[i - 1] && i <= LONGEST; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= length; j++) {
            int replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = smaller(replaced, smaller(row[j], row[j - 1]) + 1);
        }
    }
    return row[length];
}

tool_suggestions tool_suggest(const char *wanted) {
    return (tool_suggestions){.wanted = wanted};
}

/* Returns the distance of a name, which is 0 if the wanted text is its beginning. */
static int closeness(const char *wanted, const char *name) {
    size_t length = strlen(wanted);
    int edits = distance(wanted, name);
    return length >= 3 && strncmp(wanted, name, length) == 0 ? 0 : edits;
}

void tool_suggest_offer(tool_suggestions *suggestions, const char *name) {
    int found = closeness(suggestions->wanted, name);
    if (found > 1 + (int)strlen(suggestions->wanted) / 4) return;
    int at = suggestions->count;
    while (at > 0 && suggestions->distance[at - 1] > found) at--;
    if (at == KEPT) return;
    for (int i = smaller(suggestions->count, KEPT - 1); i > at; i--) {
        suggestions->name[i] = suggestions->name[i - 1];
        suggestions->distance[i] = suggestions->distance[i - 1];
    }
    suggestions->name[at] = name;
    suggestions->distance[at] = found;
    suggestions->count = smaller(suggestions->count + 1, KEPT);
}

/* Returns the number of kept names that are as close as the nearest one, or nearly so. */
static int count_nearest(const tool_suggestions *suggestions) {
    int count = 0;
    while (count < suggestions->count &&
           suggestions->distance[count] <= suggestions->distance[0] + 1)
        count++;
    return count;
}

const char *tool_suggest_text(const tool_suggestions *suggestions) {
    static char text[512];
    const char *const *name = suggestions->name;
    switch (count_nearest(suggestions)) {
        case 0:
            text[0] = '\0';
            break;
        case 1:
            snprintf(text, sizeof text, "; did you mean %s?", name[0]);
            break;
        case 2:
            snprintf(text, sizeof text, "; did you mean %s or %s?", name[0], name[1]);
            break;
        default:
            snprintf(text, sizeof text, "; did you mean %s, %s or %s?", name[0], name[1], name[2]);
    }
    return text;
}
