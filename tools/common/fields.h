/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a report, made of the fields of its JSON object, so that a number is taken once.
 * Fields for the text alone have keys that begin with '_'; JSON leaves them out (json.h).
 *
 *   {key}         the field: a text, a whole number in digits, another number as by %g
 *   {object.key}  a field of an object in the object
 *   {}            the item itself, in a list of numbers or texts
 *   {key:count}   1,234,567
 *   {key:bytes}   12.3 kB
 *   {key:ms}      12.3 ms, of a time in milliseconds
 *   {key:s}       12.3 ms, of a time in seconds
 *   {key:4g}      printf's %.4g; likewise of the letters e and f
 *   {key:plural}  nothing where the number is 1, else s
 *   <...>         a part that is left out where one of its fields is missing or null
 *   {?key}        no text; the part is left out unless the field is true, a number other than 0, a
 *                 text that is not empty, a list or an object
 *   {!key}        no text; the part is left out where {?key} would keep it
 *   {*key}        no text, at the beginning of a part: the part stands once for each item of the
 *                 list, filled with the item's fields
 *
 * A part may have parts in it. A text that has one of the signs itself comes from a field. A field
 * that is missing outside of all parts stands in the text by its key, in braces. */
#ifndef TOOL_FIELDS_H
#define TOOL_FIELDS_H

#include <cjson/cJSON.h>

/* Prints a pattern, filled with the fields, by tool_say. */
void tool_say_fields(const cJSON *fields, const char *pattern);

/* A column of a table: its heading (table.h), and the pattern of its cells. In a column that is
 * aligned right, an empty cell is "-". A column whose pattern begins with {?key} or {!key} is left
 * out unless that field lets it stand in at least one row. */
enum { TOOL_COLUMNS = 24 };
typedef struct tool_column {
    const char *heading, *pattern;
} tool_column;

/* Prints the list of the key as a table with a row for each item; an empty list is not printed. The
 * heading behind the last column, of at most TOOL_COLUMNS, is NULL. */
void tool_say_table(const cJSON *fields, const char *key, const tool_column *columns);

/* Prints a table at the left edge, where it is all that a command says and programs read it. */
void tool_say_list(const cJSON *fields, const char *key, const tool_column *columns);

#endif
