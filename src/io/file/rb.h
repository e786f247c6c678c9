/* SPDX-License-Identifier: Apache-2.0 */
/* Harwell-Boeing and Rutherford-Boeing files: a head of four lines or five, then offsets, row
 * indices and values of compressed columns, each list in fields of the width that a format of
 * Fortran's names. Sources: I. S. Duff, R. G. Grimes, J. G. Lewis, Users' guide for the
 * Harwell-Boeing sparse matrix collection, TR/PA/92/86, CERFACS, 1992; the same, The
 * Rutherford-Boeing sparse matrix collection, RAL-TR-97-031, 1997. */
#ifndef TULLE_IO_FILE_RB_H
#define TULLE_IO_FILE_RB_H

#include "io/file/lines.h"
#include "io/file/mtx.h"

/* A format such as (1P,4E20.12): so many fields a line, each of so many characters. */
typedef struct tulle__rb_format {
    int repeat;   /* fields of a line */
    int gap;      /* characters before each field, which X skips */
    int width;    /* characters of a field */
    int decimals; /* digits behind the point of a number that is written without one */
    int scale; /* scale factor, before P: a number without exponent is 10^scale times its value */
    bool integer; /* true when fields hold integers */
} tulle__rb_format;

/* Lists of a file, in its order. */
typedef enum tulle__rb_list {
    TULLE__RB_OFFSETS,
    TULLE__RB_INDICES,
    TULLE__RB_VALUES,
    TULLE__RB_LISTS
} tulle__rb_list;

typedef struct tulle__rb_head {
    tulle__mtx_head *head;
    tulle__rb_format format[TULLE__RB_LISTS];
    int64_t value_lines; /* lines of values that the head promises */
    int64_t side_lines;  /* lines of right-hand sides that the head promises */
} tulle__rb_head;

/* Returns true when the file is of one of these kinds, by its third line or else by its name. */
bool tulle__is_rb(const tulle__source *source);

/* rb_format.c: reads a format from a text that ends with NUL; returns the text behind it, or NULL.
 */
const char *tulle__rb_read_format(const char *text, tulle__rb_format *format);

/* rb_head.c: reads the lines of the head, and leaves the last of them as the current one. */
bool tulle__rb_read_head(tulle__lines *lines, tulle__rb_head *rb, tulle__trouble *trouble);

/* rb_field.c: the fields of a list. */
typedef struct tulle__fields {
    tulle__lines *lines;
    const tulle__rb_format *format;
    const char *what;       /* name of a number of the list in messages: "offset" */
    int64_t left;           /* fields of the list that were not given yet */
    int on_line;            /* fields of the current line that were given */
    bool by_words;          /* true when the line's fields are not where the format says */
    const char *text, *end; /* the field without the blanks around it; NULL: none was given yet */
} tulle__fields;

/* Begins a list of so many fields on the next line. */
tulle__fields tulle__fields_of(tulle__lines *lines, const tulle__rb_format *format,
                               const char *what, int64_t count);

/* Each goes to the next field and reads it: an integer from 0 on, or a number of the head's type as
 * values[at], which `vanished` and `rounded` count where it is no number of the type. */
bool tulle__field_integer(tulle__fields *fields, int64_t *number, tulle__trouble *trouble);
bool tulle__field_value(tulle__fields *fields, const tulle__mtx_head *head, void *values,
                        int64_t at, tulle__chunks *counts, tulle__trouble *trouble);

/* Ends a list: the rest of its last line is blank. */
bool tulle__fields_end(const tulle__fields *fields, tulle__trouble *trouble);

/* rb_read.c: reads a whole source, as tulle__mtx_read does. */
tulle_status tulle__rb_read(tulle_ctx *cpu, tulle__source *source, tulle__mtx_head *head,
                            tulle__chunks *chunks);

#endif
