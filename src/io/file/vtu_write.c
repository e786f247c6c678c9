/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a mesh as VTK's unstructured grid in XML (Kitware, "VTK XML formats"). An array is in its
 * XML element, as text or as base64 behind its size in bytes; or its raw bytes stand behind the
 * XML, and the XML element has their position. So there are two passes over the arrays: for the
 * elements, and for the raw bytes. */
#include "io/file/mesh_save.h"

/* The arrays of a grid, in the order of their raw bytes behind the XML. */
typedef enum kind { POINT_FIELD, CELL_GROUPS, CELL_FIELD, POINTS, NODES, ENDS, SHAPES } kind;

typedef struct writer {
    const tulle__mesh_saver *saver;
    const tulle_mesh *mesh;
    tulle__page *page;
    tulle_mesh_encoding encoding;
    int64_t at;  /* position of the next array behind the XML, in bytes */
    bool behind; /* true while the raw bytes behind the XML are written */
} writer;

static const char *encoding_name(const writer *w) {
    return w->encoding == TULLE_ENCODE_TEXT     ? "ascii"
           : w->encoding == TULLE_ENCODE_BASE64 ? "binary"
                                                : "appended";
}

/* Writes the part before the numbers of an array: its element, or its size. Returns true if the
 * caller must write the numbers now. */
static bool begin_array(writer *w, const char *type, const char *name, int components,
                        int64_t bytes) {
    if (!w->behind) {
        tulle__page_print(w->page, "        <DataArray type=\"%s\" Name=\"", type);
        tulle__page_quote(w->page, name);
        tulle__page_print(w->page, "\" NumberOfComponents=\"%d\" format=\"%s\"", components,
                          encoding_name(w));
        if (w->encoding == TULLE_ENCODE_RAW) {
            tulle__page_print(w->page, " offset=\"%lld\"/>\n", (long long)w->at);
            w->at += bytes + (int64_t)sizeof w->at;
            return false;
        }
        tulle__page_print(w->page, ">\n");
    }
    w->page->base64 = w->encoding == TULLE_ENCODE_BASE64;
    if (w->encoding != TULLE_ENCODE_TEXT) tulle__page_long(w->page, bytes);
    return true;
}

static void end_array(writer *w) {
    if (w->page->base64) tulle__page_end_base64(w->page);
    w->page->base64 = false;
    if (!w->behind) tulle__page_print(w->page, "\n        </DataArray>\n");
}

static void put_integer(writer *w, int64_t number, int size) {
    if (w->encoding == TULLE_ENCODE_TEXT) {
        tulle__page_integer(w->page, number, '\n');
    } else if (size == 8) {
        tulle__page_long(w->page, number);
    } else if (size == 4) {
        tulle__page_word(w->page, (int32_t)number);
    } else {
        const unsigned char byte = (unsigned char)number;
        tulle__page_bytes(w->page, &byte, 1);
    }
}

static void write_values(writer *w, const tulle_mesh_field *field, int64_t count) {
    const int64_t all = count * field->components;
    tulle__page_tell(w->page, "writing fields", 0, all);
    if (w->encoding != TULLE_ENCODE_TEXT) {
        tulle__page_bytes(w->page, field->values, (size_t)(all * tulle_type_size(field->type)));
        return;
    }
    for (int64_t i = 0; i < all; i++) {
        const char behind = (i + 1) % field->components == 0 ? '\n' : ' ';
        if (!tulle__page_tell(w->page, "writing fields", i, all)) return;
        if (field->type == TULLE_F32) {
            tulle__page_single(w->page, ((const float *)field->values)[i], behind);
        } else {
            tulle__page_real(w->page, ((const double *)field->values)[i], behind);
        }
    }
}

static void write_fields(writer *w, bool of_cells) {
    const tulle_mesh_save_options *o = &w->saver->options;
    const int64_t count = of_cells ? w->mesh->info.cells : w->mesh->info.nodes;
    for (int64_t f = 0; f < o->field_count; f++) {
        const tulle_mesh_field *field = &o->fields[f];
        if (field->of_cells != of_cells) continue;
        if (!begin_array(w, field->type == TULLE_F32 ? "Float32" : "Float64", field->name,
                         field->components,
                         count * field->components * tulle_type_size(field->type)))
            continue;
        write_values(w, field, count);
        end_array(w);
    }
}

static void write_groups(writer *w) {
    bool grouped = false;
    for (int64_t b = 0; b < w->mesh->info.cell_blocks; b++) {
        grouped = grouped || w->mesh->blocks[b].groups;
    }
    if (!grouped || !begin_array(w, "Int32", "group", 1, w->mesh->info.cells * 4)) return;
    for (int64_t b = 0; b < w->mesh->info.cell_blocks; b++) {
        const tulle_mesh_block *block = &w->mesh->blocks[b];
        for (int64_t i = 0; i < block->count; i++) {
            if (!tulle__page_tell(w->page, "writing groups", i, block->count)) return;
            put_integer(w, block->groups ? block->groups[i] : 0, 4);
        }
    }
    end_array(w);
}

/* Writes the points with three coordinates each. */
static void write_points(writer *w) {
    const tulle_mesh_info *info = &w->mesh->info;
    if (!begin_array(w, "Float64", "points", 3, info->nodes * 24)) return;
    for (int64_t i = 0; i < info->nodes; i++) {
        if (!tulle__page_tell(w->page, "writing nodes", i, info->nodes)) return;
        for (int d = 0; d < 3; d++) {
            const double x = d < info->dimension ? tulle__node(w->mesh, i)[d] : 0;
            if (w->encoding == TULLE_ENCODE_TEXT) {
                tulle__page_real(w->page, x, d < 2 ? ' ' : '\n');
            } else {
                tulle__page_double(w->page, x);
            }
        }
    }
    end_array(w);
}

static int64_t count_nodes(const tulle_mesh *mesh) {
    int64_t count = 0;
    for (int64_t b = 0; b < mesh->info.cell_blocks; b++) {
        count += mesh->blocks[b].count * tulle__shape_of(mesh->blocks[b].shape)->info.nodes;
    }
    return count;
}

/* Writes one array of the cells: the nodes, the ends of the lists of nodes, or the shapes. */
static void write_cells(writer *w, kind what) {
    static const char *const types[] = {[NODES] = "Int32", [ENDS] = "Int64", [SHAPES] = "UInt8"};
    static const char *const names[] = {
        [NODES] = "connectivity", [ENDS] = "offsets", [SHAPES] = "types"};
    const int size = what == NODES ? 4 : what == ENDS ? 8 : 1;
    const int64_t count = what == NODES ? count_nodes(w->mesh) : w->mesh->info.cells;
    int64_t end = 0;
    if (!begin_array(w, types[what], names[what], 1, count * size)) return;
    for (int64_t b = 0; b < w->mesh->info.cell_blocks; b++) {
        const tulle_mesh_block *block = &w->mesh->blocks[b];
        const tulle__shape *shape = tulle__shape_of(block->shape);
        for (int64_t i = 0; what == NODES && i < block->count; i++) {
            const int32_t *node = tulle__element(block, i);
            if (!tulle__page_tell(w->page, "writing cells", i, block->count)) return;
            for (int n = 0; n < shape->info.nodes; n++) {
                put_integer(w, node[shape->vtk_order ? shape->vtk_order[n] : n], size);
            }
        }
        for (int64_t i = 0; what != NODES && i < block->count; i++) {
            end += shape->info.nodes;
            if (!tulle__page_tell(w->page, "writing cells", i, block->count)) return;
            put_integer(w, what == ENDS ? end : shape->vtk, size);
        }
    }
    end_array(w);
}

static tulle_status write_array(writer *w, kind what) {
    switch (what) {
        case POINT_FIELD:
            write_fields(w, false);
            break;
        case CELL_GROUPS:
            write_groups(w);
            break;
        case CELL_FIELD:
            write_fields(w, true);
            break;
        case POINTS:
            write_points(w);
            break;
        default:
            write_cells(w, what);
    }
    /* after trouble nothing more is written */
    if (w->page->trouble->status != TULLE_OK) return TULLE_OK;
    return tulle__progress(w->saver->cpu, w->behind ? "writing arrays" : "writing the grid", what,
                           SHAPES);
}

static tulle_status write_section(writer *w, const char *name, kind first, kind last) {
    tulle__page_print(w->page, "      <%s>\n", name);
    for (int k = (int)first; k <= (int)last; k++) TULLE__TRY(write_array(w, (kind)k));
    tulle__page_print(w->page, "      </%s>\n", name);
    return TULLE_OK;
}

static tulle_status write_grid(writer *w) {
    const tulle_mesh_info *info = &w->mesh->info;
    tulle__page_print(w->page,
                      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                      "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
                      "  <UnstructuredGrid>\n"
                      "    <Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n",
                      (long long)info->nodes, (long long)info->cells);
    TULLE__TRY(write_section(w, "PointData", POINT_FIELD, POINT_FIELD));
    TULLE__TRY(write_section(w, "CellData", CELL_GROUPS, CELL_FIELD));
    TULLE__TRY(write_section(w, "Points", POINTS, POINTS));
    TULLE__TRY(write_section(w, "Cells", NODES, SHAPES));
    tulle__page_print(w->page, "    </Piece>\n  </UnstructuredGrid>\n");
    return TULLE_OK;
}

static tulle_status write_behind(writer *w) {
    if (w->encoding == TULLE_ENCODE_RAW) {
        tulle__page_print(w->page, "  <AppendedData encoding=\"raw\">\n_");
        w->behind = true;
        for (int k = POINT_FIELD; k <= SHAPES; k++) TULLE__TRY(write_array(w, (kind)k));
        tulle__page_print(w->page, "\n  </AppendedData>\n");
    }
    tulle__page_print(w->page, "</VTKFile>\n");
    return TULLE_OK;
}

tulle_status tulle__vtu_write(tulle__mesh_saver *saver) {
    writer w = {.saver = saver,
                .mesh = saver->mesh,
                .page = &saver->page,
                .encoding = saver->options.encoding};
    TULLE__TRY(write_grid(&w));
    return write_behind(&w);
}
