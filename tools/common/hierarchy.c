/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/hierarchy.h"

#include <stdio.h>
#include <string.h>

#include "tools/common/error.h"
#include "tools/common/numbers.h"
#include "tools/common/suggest.h"

enum { PIECE = 32 };

typedef bool (*take_fn)(const char *value, tulle_amg_options *options);

static bool take_int(const char *value, int *to) {
    int64_t number = 0;
    if (!tool_parse_int(value, 0, INT32_MAX, &number)) return false;
    *to = (int)number;
    return true;
}

static bool take_degree(const char *value, tulle_amg_options *o) {
    return take_int(value, &o->degree);
}

static bool take_entries(const char *value, tulle_amg_options *o) {
    return take_int(value, &o->interpolation_entries);
}

static bool take_levels(const char *value, tulle_amg_options *o) {
    return take_int(value, &o->most_levels);
}

static bool take_coarsest(const char *value, tulle_amg_options *o) {
    return tool_parse_int(value, 0, INT64_MAX, &o->coarsest_rows);
}

static bool take_strength(const char *value, tulle_amg_options *o) {
    return tool_parse_real(value, &o->strength);
}

static bool take_sum(const char *value, tulle_amg_options *o) {
    return tool_parse_real(value, &o->most_sum);
}

/* Finds the index of a value among words. */
static bool take_word(const char *value, const char *const words[], int count, int *index) {
    for (int i = 0; i < count; i++) {
        if (strcmp(value, words[i]) != 0) continue;
        *index = i;
        return true;
    }
    return false;
}

static bool take_passing(const char *value, tulle_amg_options *o) {
    static const char *const words[] = {[TULLE_AMG_PASS_CHOOSE] = "choose",
                                        [TULLE_AMG_PASS_NONE] = "none",
                                        [TULLE_AMG_PASS_FIRST] = "first"};
    int index = 0;
    if (!take_word(value, words, sizeof words / sizeof *words, &index)) return false;
    o->passing = (tulle_amg_passing)index;
    return true;
}

static bool take_family(const char *value, tulle_amg_options *o) {
    static const char *const words[] = {[TULLE_AMG_FAMILY_CHOOSE] = "choose",
                                        [TULLE_AMG_CLASSICAL] = "classical",
                                        [TULLE_AMG_AGGREGATION] = "plain",
                                        [TULLE_AMG_SMOOTHED] = "smoothed"};
    int index = 0;
    if (!take_word(value, words, sizeof words / sizeof *words, &index)) return false;
    o->family = (tulle_amg_family)index;
    return true;
}

static bool take_precision(const char *value, tulle_amg_options *o) {
    static const char *const words[] = {
        [TULLE_AMG_PRECISION_CHOOSE] = "choose", [TULLE_AMG_SAME] = "same"};
    int index = 0;
    if (!take_word(value, words, sizeof words / sizeof *words, &index)) return false;
    o->precision = (tulle_amg_precision)index;
    return true;
}

static bool take_plans(const char *value, tulle_amg_options *o) {
    static const char *const words[] = {"none", "keep"};
    int index = 0;
    if (!take_word(value, words, sizeof words / sizeof *words, &index)) return false;
    o->keep_plans = index == 1;
    return true;
}

static const struct {
    const char *name;
    take_fn take;
} all[] = {{"degree", take_degree},     {"passing", take_passing}, {"strength", take_strength},
           {"entries", take_entries},   {"sum", take_sum},         {"levels", take_levels},
           {"coarsest", take_coarsest}, {"family", take_family},   {"precision", take_precision},
           {"plans", take_plans}};

enum { ALL = sizeof all / sizeof *all };

/* Takes "NAME=VALUE", which it cuts in two. */
static int take(const char *command, char *piece, tulle_amg_options *options) {
    char *value = strchr(piece, '=');
    if (!value) return tool_misuse(command, "--hierarchy: '%s' is not NAME=VALUE", piece);
    *value++ = '\0';
    tool_suggestions close = tool_suggest(piece);
    for (int i = 0; i < ALL; i++) {
        tool_suggest_offer(&close, all[i].name);
        if (strcmp(all[i].name, piece) != 0) continue;
        if (all[i].take(value, options)) return TOOL_OK;
        return tool_misuse(command, "--hierarchy: '%s' is no value of %s", value, piece);
    }
    return tool_misuse(command, "--hierarchy: there is no option '%s'%s", piece,
                       tool_suggest_text(&close));
}

int tool_hierarchy_parse(const char *command, tool_hierarchy *hierarchy) {
    const char *text = hierarchy->text;
    int code = TOOL_OK;
    while (text && code == TOOL_OK) {
        char piece[PIECE];
        const size_t length = strcspn(text, ",");
        snprintf(piece, sizeof piece, "%.*s", (int)length, text);
        code = length < PIECE ? take(command, piece, &hierarchy->options)
                              : tool_misuse(command, "--hierarchy: '%s' is too long", text);
        text = text[length] ? text + length + 1 : NULL;
    }
    return code;
}
