/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities of problems on meshes as people write them on the command line: "NUMBER" for all cells
 * or "GROUP=NUMBER" for a group of them, again and again. */
#ifndef TOOL_QUANTITY_H
#define TOOL_QUANTITY_H

#include "tools/common/args.h"
#include "tulle/tulle.h"

/* Returns the part of "GROUP=NUMBER" behind the group; name_length: length of the group's name, 0
 * without a group. */
const char *tool_number_part(const char *text, int *name_length);

/* Reads "NUMBER,NUMBER,...": `axes` numbers. */
bool tool_parse_axes(const char *text, int axes, double *numbers);

/* Takes the numbers that are given of a quantity in their order; in each cell the last one counts,
 * and `usual` where there is none. of_cells: receives the numbers of cells that the quantity refers
 * to, to be freed; NULL stays where one number is for all. Fails with TULLE_INVALID_ARGUMENT (text
 * that is no number) or TULLE_NOT_FOUND (no group of cells has that name). */
tulle_status tool_quantity_make(const char *option, const tool_list *list, const tulle_mesh *mesh,
                                double usual, tulle_quantity *quantity, double **of_cells);

/* Does the same for a quantity that has a number along each axis, "X,Y,Z". */
tulle_status tool_axes_make(const char *option, const tool_list *list, const tulle_mesh *mesh,
                            int axes, const double *usual, tulle_quantity *quantity,
                            double **of_cells);

#endif
