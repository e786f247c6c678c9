/* SPDX-License-Identifier: Apache-2.0 */
/* Harwell-Boeing and Rutherford-Boeing files: a head of four or five lines, then the offsets, row
 * indices and values of compressed columns. Each list is in fields whose width a Fortran format in
 * the head gives. Sources: I. S. Duff, R. G. Grimes, J. G. Lewis, Users' guide for the
 * Harwell-Boeing sparse matrix collection, TR/PA/92/86, CERFACS, 1992; by the same authors, The
 * Rutherford-Boeing sparse matrix collection, RAL-TR-97-031, 1997. */
#ifndef TULLE_IO_FILE_RB_H
#define TULLE_IO_FILE_RB_H

#include "io/file/lines.h"
#include "io/file/mtx.h"

/* A format such as (1P,4E20.12): the number of fields per line, and of characters per field. */
typedef struct tulle__rb_format {
    int repeat; /* number of fields per line */
    int gap;    /* number of characters before each field, which the format skips with X */
    int width;  /* number of characters of a field */
    /* number of digits behind the point of a number that is written without a point */
    int decimals;
    /* scale factor, which stands before P: a number without exponent is written as 10^scale times
     * its value */
    int scale;
    bool integer; /* true when fields hold integers */
} tulle__rb_format;

/* The lists of a file, in the order of the file. */
typedef enum tulle__rb_list {
    TULLE__RB_OFFSETS,
    TULLE__RB_INDICES,
    TULLE__RB_VALUES,
    TULLE__RB_LISTS
} tulle__rb_list;

typedef struct tulle__rb_head {
    tulle__mtx_head *head;
    tulle__rb_format format[TULLE__RB_LISTS];
    int64_t value_lines; /* number of lines of values that the head promises */
    int64_t side_lines;  /* number of lines of right-hand sides that the head promises */
} tulle__rb_head;

/* Returns true when the source is a Harwell-Boeing or Rutherford-Boeing file, by its third line or
 * else by its name. */
bool tulle__is_rb(const tulle__source *source);

/* rb_format.c: reads a format from a text that ends with NUL; returns the text behind the format,
 * or NULL. */
const char *tulle__rb_read_format(const char *text, tulle__rb_format *format);

/* rb_head.c: reads the lines of the head; the last of them stays the current line. */
bool tulle__rb_read_head(tulle__lines *lines, tulle__rb_head *rb, tulle__trouble *trouble);

/* rb_field.c: the fields of a list. */
typedef struct tulle__fields {
    tulle__lines *lines;
    const tulle__rb_format *format;
    const char *what; /* name of a number of the list in messages: "offset" */
    int64_t left;     /* number of fields of the list that have not been read yet */
    int on_line;      /* number of fields of the current line that have been read */
    /* true when the current line's fields are not at the places that the format gives */
    bool by_words;
    /* the current field without the blanks around it; NULL before the first field */
    const char *text, *end;
} tulle__fields;

/* Begins a list of so many fields, on the next line. */
tulle__fields tulle__fields_of(tulle__lines *lines, const tulle__rb_format *format,
                               const char *what, int64_t count);

/* Each of these functions reads the next field: an integer from 0 on, or a number that becomes
 * values[at] in the type of the head. `vanished` and `rounded` count numbers that the type does not
 * have. */
bool tulle__field_integer(tulle__fields *fields, int64_t *number, tulle__trouble *trouble);
bool tulle__field_value(tulle__fields *fields, const tulle__mtx_head *head, void *values,
                        int64_t at, tulle__chunks *counts, tulle__trouble *trouble);

/* Ends a list; fails if the rest of its last line is not blank. */
bool tulle__fields_end(const tulle__fields *fields, tulle__trouble *trouble);

/* rb_read.c: reads a whole source into chunks, with the results of tulle__mtx_read. */
tulle_status tulle__rb_read(tulle_ctx *cpu, tulle__source *source, tulle__mtx_head *head,
                            tulle__chunks *chunks);

#endif
