/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "core/print.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

/* The calling thread's locales: the one that it leaves and the one that it enters. */
typedef struct places {
    locale_t before, here;
} places;

/* Enters the C locale; without memory for it the program's own stays. */
static places enter(void) {
    places p = {.here = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    p.before = uselocale(p.here);
    return p;
}

static void leave(places p) {
    uselocale(p.before);
    if (p.here) freelocale(p.here);
}

int tulle__print_v(char *to, size_t room, const char *format, va_list arguments) {
    const places p = enter();
    const int length = vsnprintf(to, room, format, arguments);
    leave(p);
    return length;
}

int tulle__print(char *to, size_t room, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = tulle__print_v(to, room, format, arguments);
    va_end(arguments);
    return length;
}

double tulle__read_real(const char *text, char **end) {
    const places p = enter();
    const double value = strtod(text, end);
    leave(p);
    return value;
}
