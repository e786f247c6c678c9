/* SPDX-License-Identifier: Apache-2.0 */
#include "quantity.h"

#include <string.h>

#include "tools/common/error.h"
#include "tools/common/numbers.h"

const char *tool_number_part(const char *text, int *name_length) {
    const char *mark = strrchr(text, '=');
    *name_length = mark ? (int)(mark - text) : 0;
    return mark ? mark + 1 : text;
}

bool tool_parse_axes(const char *text, int axes, double *numbers) {
    for (int d = 0; d < axes; d++) {
        char one[64];
        const size_t length = strcspn(text, ",");
        const bool ends = text[length] == 0;
        if (length >= sizeof one || ends != (d + 1 == axes)) return false;
        memcpy(one, text, length);
        one[length] = 0;
        if (!tool_parse_real(one, &numbers[d])) return false;
        text += ends ? length : length + 1;
    }
    return true;
}

/* Finds the number of the group of cells whose name a text begins with. */
static tulle_status find_cells(const char *option, const tulle_mesh *mesh, const char *text,
                               int length, int32_t *group) {
    tulle_mesh_arrays a;
    tulle_mesh_info info;
    tulle_status status = tulle_mesh_view(mesh, &a);
    if (status == TULLE_OK) status = tulle_mesh_describe(mesh, &info);
    if (status != TULLE_OK) return status;
    for (int64_t g = 0; g < a.group_count; g++) {
        const tulle_mesh_group *of = &a.groups[g];
        if (of->dimension != info.cell_dimension || strlen(of->name) != (size_t)length) continue;
        *group = of->number;
        if (strncmp(of->name, text, (size_t)length) == 0) return TULLE_OK;
    }
    return tool_record(TULLE_NOT_FOUND,
                       "--%s: no group of cells is called '%.*s' (tulle mesh info says which "
                       "there are)",
                       option, length, text);
}

/* Puts a number into the cells of a group; group 0: into all cells. */
static tulle_status put_number(const tulle_mesh *mesh, int32_t group, double number,
                               double *of_cells) {
    tulle_mesh_arrays a;
    tulle_mesh_info info;
    int64_t cell = 0;
    tulle_status status = tulle_mesh_view(mesh, &a);
    if (status == TULLE_OK) status = tulle_mesh_describe(mesh, &info);
    if (status != TULLE_OK) return status;
    for (int64_t b = 0; b < info.cell_blocks; b++) {
        const tulle_mesh_block *block = &a.blocks[b];
        for (int64_t i = 0; i < block->count; i++, cell++) {
            const bool here =
                group == 0 || (block->groups && tulle_mesh_in_group(&a, info.cell_dimension,
                                                                    block->groups[i], group));
            if (here) of_cells[cell] = number;
        }
    }
    return TULLE_OK;
}

static tulle_status no_numbers(const char *option, const char *text, int axes) {
    static const char *const forms[] = {"NUMBER", "X,Y", "X,Y,Z"};
    return tool_record(TULLE_INVALID_ARGUMENT, "--%s: '%s' is not of the form [GROUP=]%s", option,
                       text, forms[axes - 1]);
}

/* Makes the numbers of cells along one axis, which the quantity is the first time that there are
 * some. */
static tulle_status put_axis(const tulle_mesh *mesh, int32_t group, double usual, double number,
                             tulle_quantity *quantity, double **of_cells) {
    tulle_mesh_info info;
    tulle_status status = tulle_mesh_describe(mesh, &info);
    if (status == TULLE_OK && !*of_cells) {
        *of_cells = tool_alloc((size_t)info.cells + 1, sizeof **of_cells);
        status = put_number(mesh, 0, usual, *of_cells);
    }
    if (status == TULLE_OK) status = put_number(mesh, group, number, *of_cells);
    quantity->of_elements = *of_cells;
    return status;
}

tulle_status tool_axes_make(const char *option, const tool_list *list, const tulle_mesh *mesh,
                            int axes, const double *usual, tulle_quantity *quantity,
                            double **of_cells) {
    tulle_status status = TULLE_OK;
    for (int d = 0; d < axes; d++) quantity[d].number = usual[d];
    for (int i = 0; status == TULLE_OK && i < list->count; i++) {
        int length;
        int32_t group = 0;
        double numbers[3];
        if (!tool_parse_axes(tool_number_part(list->item[i], &length), axes, numbers)) {
            return no_numbers(option, list->item[i], axes);
        }
        if (length > 0) status = find_cells(option, mesh, list->item[i], length, &group);
        for (int d = 0; d < axes && status == TULLE_OK; d++) {
            status = put_axis(mesh, group, usual[d], numbers[d], &quantity[d], &of_cells[d]);
        }
    }
    return status;
}

tulle_status tool_quantity_make(const char *option, const tool_list *list, const tulle_mesh *mesh,
                                double usual, tulle_quantity *quantity, double **of_cells) {
    return tool_axes_make(option, list, mesh, 1, &usual, quantity, of_cells);
}
