/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the numbers of a specification. strtod is not used, because its result depends on the
 * locale. */
#include <math.h>
#include <stdarg.h>

#include "core/print.h"
#include "io/generators.h"

tulle_status tulle__spec_bad(const tulle__generation *g, const char *format, ...) {
    char what[160];
    va_list arguments;
    va_start(arguments, format);
    tulle__print_v(what, sizeof what, format, arguments);
    va_end(arguments);
    return tulle__fail(TULLE_INVALID_ARGUMENT, "tulle_generate", "spec", -1,
                       "\"%.60s\": %s; usage: %s", g->spec, what, g->generator->info.usage);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Reads digits, with at most one point among them; returns their end, or NULL when there is no
 * digit. */
static const char *read_decimal(const char *text, double *value) {
    const char *at = text;
    double digits = 0, unit = 1;
    for (; is_digit(*at); at++) digits = 10 * digits + (*at - '0');
    bool any = at > text;
    if (*at == '.') {
        const char *point = at++;
        for (; is_digit(*at); at++, unit *= 10) digits = 10 * digits + (*at - '0');
        any = any || at > point + 1;
    }
    *value = digits / unit;
    return any ? at : NULL;
}

static tulle_status check(const tulle__generation *g, const tulle__spec_number *n) {
    if (n->whole && n->value != floor(n->value)) {
        return tulle__spec_bad(g, "%s must be a whole number", n->name);
    }
    if (!(n->value >= n->low && n->value <= n->high)) {
        return tulle__spec_bad(g, "%s must be from %.12g to %.12g", n->name, n->low, n->high);
    }
    return TULLE_OK;
}

tulle_status tulle__spec_numbers(const tulle__generation *g, tulle__spec_number *numbers, int least,
                                 int most, int *given) {
    const char *at = g->numbers;
    for (*given = 0;; at++) {
        tulle__spec_number *n = &numbers[*given];
        at = read_decimal(at, &n->value);
        if (!at) return tulle__spec_bad(g, "%s is not a number", n->name);
        TULLE__TRY(check(g, n));
        ++*given;
        if (*at != ',' || *given == most) break;
    }
    if (*given < least) return tulle__spec_bad(g, "%s is missing", numbers[*given].name);
    return *at ? tulle__spec_bad(g, "what does \"%.20s\" mean?", at) : TULLE_OK;
}

tulle_status tulle__spec_rows(const tulle__generation *g, const int64_t factors[4], int64_t *rows) {
    *rows = 1;
    for (int i = 0; i < 4; i++) {
        if (factors[i] > INT32_MAX / *rows) {
            return tulle__fail(TULLE_TOO_LARGE, "tulle_generate", "spec", -1,
                               "\"%.60s\" has more than %d rows; usage: %s", g->spec, INT32_MAX,
                               g->generator->info.usage);
        }
        *rows *= factors[i];
    }
    return TULLE_OK;
}
