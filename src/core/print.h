/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in text: with a point, whatever the locale of the program that calls the library. They
 * are only needed for reals; whole numbers look the same in every locale. */
#ifndef TULLE_CORE_PRINT_H
#define TULLE_CORE_PRINT_H

#include <stdarg.h>
#include <stddef.h>

/* Do as snprintf, vsnprintf and strtod, with a point. */
int tulle__print(char *to, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int tulle__print_v(char *to, size_t room, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));
double tulle__read_real(const char *text, char **end);

#endif
