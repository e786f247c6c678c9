/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the XML elements of a file, and makes nodes and blocks of mesh elements. The groups are the
 * cells' array "group", as tulle writes files, or "gmsh:physical", as meshio does. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "io/file/vtu.h"

enum { DEEPEST = 16, VTK_VERTEX = 1 };

/* State of the reading: the XML elements that are open, and the progress so far. */
typedef struct state {
    tulle__vtu *vtu;
    int depth;
    tulle__slice open[DEEPEST];
    bool has_piece, done;
} state;

static bool bad(const state *s, const char *at, tulle_status status, const char *what) {
    return tulle__msh_bad(s->vtu->msh, at, status, "%s", what);
}

bool tulle__is_vtu(const tulle__msh *msh) {
    const char *at = msh->text, *end = msh->text + msh->bytes;
    if (end - at >= 3 && !memcmp(at, "\xef\xbb\xbf", 3)) at += 3;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) at++;
    return (end - at >= 5 && !memcmp(at, "<?xml", 5)) ||
           (end - at >= 8 && !memcmp(at, "<VTKFile", 8));
}

/* Copies a piece of text for messages. */
static const char *word_of(tulle__slice slice, char word[32]) {
    const int64_t length = slice.end - slice.begin;
    snprintf(word, 32, "%.*s", (int)(length < 31 ? length : 31), slice.begin);
    for (char *c = word; *c; c++) {
        if (*c < ' ' || *c > '~') *c = '?';
    }
    return word;
}

static bool refuse(const state *s, const char *at, const char *what, tulle__slice value,
                   const char *wanted) {
    char word[32];
    return tulle__msh_bad(s->vtu->msh, at, TULLE_UNSUPPORTED, "%s '%s' is not read; %s", what,
                          word_of(value, word), wanted);
}

/* Reads the tag VTKFile: the type of the file, and the way in which arrays are written. */
static bool read_file(state *s, const tulle__tag *tag) {
    tulle__vtu *vtu = s->vtu;
    tulle__slice value;
    bool has;
    if (!tulle__vtu_attribute(vtu, tag, "type", &value, &has)) return false;
    if (!has || !tulle__slice_is(value, "UnstructuredGrid")) {
        return refuse(s, tag->at, "a VTKFile of type", has ? value : tag->name,
                      "UnstructuredGrid is");
    }
    if (!tulle__vtu_attribute(vtu, tag, "byte_order", &value, &has)) return false;
    if (has && !tulle__slice_is(value, "LittleEndian")) {
        return refuse(s, tag->at, "byte_order", value, "LittleEndian is");
    }
    if (!tulle__vtu_attribute(vtu, tag, "header_type", &value, &has)) return false;
    vtu->header = has && tulle__slice_is(value, "UInt64") ? 8 : 4;
    if (has && vtu->header == 4 && !tulle__slice_is(value, "UInt32")) {
        return refuse(s, tag->at, "header_type", value, "UInt32 and UInt64 are");
    }
    if (!tulle__vtu_attribute(vtu, tag, "compressor", &value, &has)) return false;
    vtu->compressed = has && value.end > value.begin;
    if (vtu->compressed && !tulle__slice_is(value, "vtkZLibDataCompressor")) {
        return refuse(s, tag->at, "compressor", value,
                      "vtkZLibDataCompressor is: choose it, or none, where the file is written");
    }
    if (!tulle__vtu_attribute(vtu, tag, "version", &value, &has)) return false;
    snprintf(vtu->version, sizeof vtu->version, "%.*s",
             has ? (int)(value.end - value.begin < 7 ? value.end - value.begin : 7) : 0,
             has ? value.begin : "");
    return true;
}

static bool read_piece(state *s, const tulle__tag *tag) {
    tulle__slice points, cells;
    bool has_points, has_cells;
    if (s->has_piece) {
        return bad(s, tag->at, TULLE_UNSUPPORTED,
                   "a second Piece; a grid of one is read: merge them where the file is written");
    }
    s->has_piece = true;
    if (!tulle__vtu_attribute(s->vtu, tag, "NumberOfPoints", &points, &has_points) ||
        !tulle__vtu_attribute(s->vtu, tag, "NumberOfCells", &cells, &has_cells))
        return false;
    if (!has_points || !has_cells) {
        return bad(s, tag->at, TULLE_PARSE_ERROR,
                   "the Piece has no NumberOfPoints or "
                   "NumberOfCells");
    }
    return tulle__vtu_number(s->vtu, points, "NumberOfPoints", &s->vtu->msh->nodes) &&
           tulle__vtu_number(s->vtu, cells, "NumberOfCells", &s->vtu->cells);
}

/* Returns the array for an element with a name inside an element `inside`, or NULL if the array
 * does not matter. */
static tulle__vtu_array *array_of(tulle__vtu *vtu, tulle__slice inside, tulle__slice name) {
    if (tulle__slice_is(inside, "Points")) return &vtu->points;
    if (tulle__slice_is(inside, "Cells")) {
        if (tulle__slice_is(name, "connectivity")) return &vtu->nodes;
        if (tulle__slice_is(name, "offsets")) return &vtu->ends;
        if (tulle__slice_is(name, "types")) return &vtu->types;
    }
    if (!tulle__slice_is(inside, "CellData")) return NULL;
    if (tulle__slice_is(name, "group")) {
        vtu->groups.at = NULL; /* "group" replaces "gmsh:physical" */
        return &vtu->groups;
    }
    return tulle__slice_is(name, "gmsh:physical") && !vtu->groups.at ? &vtu->groups : NULL;
}

static bool find_type(const state *s, const tulle__tag *tag, tulle__slice name,
                      tulle__vtu_type *type) {
    static const char *const names[TULLE__VTU_TYPES] = {"Int8",    "UInt8",  "Int16", "UInt16",
                                                        "Int32",   "UInt32", "Int64", "UInt64",
                                                        "Float32", "Float64"};
    for (int t = 0; t < TULLE__VTU_TYPES; t++) {
        *type = (tulle__vtu_type)t;
        if (tulle__slice_is(name, names[t])) return true;
    }
    return refuse(s, tag->at, "an array of type", name, "Int8 to UInt64, Float32 and Float64 are");
}

/* Reads the attributes of an array. */
static bool describe(const state *s, const tulle__tag *tag, tulle__vtu_array *array) {
    static const char *const names[] = {"type", "format", "NumberOfComponents", "offset"};
    tulle__slice value[4] = {{0}};
    bool has[4];
    if (array->at) return bad(s, tag->at, TULLE_PARSE_ERROR, "an array that stood before");
    for (int i = 0; i < 4; i++) {
        if (!tulle__vtu_attribute(s->vtu, tag, names[i], &value[i], &has[i])) return false;
    }
    array->at = tag->at;
    if (!find_type(s, tag, has[0] ? value[0] : tag->name, &array->type)) return false;
    array->format = TULLE__VTU_ASCII;
    if (has[1] && tulle__slice_is(value[1], "binary")) array->format = TULLE__VTU_BINARY;
    if (has[1] && tulle__slice_is(value[1], "appended")) array->format = TULLE__VTU_APPENDED;
    if (has[1] && array->format == TULLE__VTU_ASCII && !tulle__slice_is(value[1], "ascii")) {
        return refuse(s, tag->at, "an array of format", value[1], "ascii, binary and appended are");
    }
    array->components = 1;
    if (has[2] && !tulle__vtu_number(s->vtu, value[2], names[2], &array->components)) return false;
    if (array->format != TULLE__VTU_APPENDED) return true;
    if (!has[3]) return bad(s, tag->at, TULLE_PARSE_ERROR, "an appended array without an offset");
    return tulle__vtu_number(s->vtu, value[3], names[3], &array->offset);
}

static bool is_blank(tulle__slice text) {
    for (const char *c = text.begin; c < text.end; c++) {
        if ((unsigned char)*c > ' ') return false;
    }
    return true;
}

/* Takes the text of an array's element, up to the end of the element. Elements inside, such as
 * ParaView's notes, are skipped. */
static bool take_text(const state *s, tulle__vtu_array *array) {
    int inside = 0;
    tulle__tag tag;
    for (;;) {
        if (!tulle__vtu_next(s->vtu, &tag)) return false;
        if (inside == 0 && !is_blank(tag.before)) {
            if (!is_blank(array->text)) {
                return bad(s, tag.at, TULLE_PARSE_ERROR, "an array's text is in two parts");
            }
            array->text = tag.before;
        }
        if (tag.closes && inside == 0) {
            return tulle__slice_is(tag.name, "DataArray") ||
                   bad(s, tag.at, TULLE_PARSE_ERROR, "another tag stands in place of </DataArray>");
        }
        if (!tag.empty) inside += tag.closes ? -1 : 1;
    }
}

static bool read_array(state *s, const tulle__tag *tag) {
    tulle__vtu_array other = {.at = NULL}, *array = NULL;
    tulle__slice name = {tag->at, tag->at};
    bool has = false;
    if (!tulle__vtu_attribute(s->vtu, tag, "Name", &name, &has)) return false;
    if (s->has_piece && s->depth > 0) array = array_of(s->vtu, s->open[s->depth - 1], name);
    if (array && !describe(s, tag, array)) return false;
    if (!array) array = &other;
    array->text = (tulle__slice){s->vtu->msh->at, s->vtu->msh->at};
    return tag->empty || take_text(s, array);
}

/* Finds the appended data, which begin with '_'. Raw bytes may be any bytes, so they are taken to
 * go on to the end of the file. */
static bool read_appended(state *s, const tulle__tag *tag) {
    tulle__vtu *vtu = s->vtu;
    tulle__msh *msh = vtu->msh;
    tulle__slice value;
    bool has;
    if (!tulle__vtu_attribute(vtu, tag, "encoding", &value, &has)) return false;
    vtu->appended_base64 = has && tulle__slice_is(value, "base64");
    if (!vtu->appended_base64 && !(has && tulle__slice_is(value, "raw"))) {
        return refuse(s, tag->at, "AppendedData of encoding", has ? value : tag->name,
                      "raw and base64 are");
    }
    while (msh->at < msh->end && (unsigned char)*msh->at <= ' ') msh->at++;
    if (msh->at == msh->end || *msh->at != '_') {
        return bad(s, tag->at, TULLE_PARSE_ERROR, "AppendedData does not begin with '_'");
    }
    vtu->appended = (tulle__slice){msh->at + 1, msh->end};
    if (vtu->appended_base64) {
        const char *end = memchr(msh->at, '<', (size_t)(msh->end - msh->at));
        if (!end) return bad(s, msh->end, TULLE_PARSE_ERROR, "the file ends in AppendedData");
        vtu->appended.end = end;
    }
    s->done = true;
    return true;
}

static bool read_opening(state *s, const tulle__tag *tag) {
    if (s->depth == 0 && !tulle__slice_is(tag->name, "VTKFile")) {
        return bad(s, tag->at, TULLE_PARSE_ERROR,
                   "this is no file of VTK's: its first tag is not "
                   "<VTKFile>");
    }
    if (s->depth == 0 && !read_file(s, tag)) return false;
    if (tulle__slice_is(tag->name, "DataArray")) return read_array(s, tag);
    if (tulle__slice_is(tag->name, "Piece") && !read_piece(s, tag)) return false;
    if (tulle__slice_is(tag->name, "AppendedData")) return read_appended(s, tag);
    if (tag->empty) return true;
    if (s->depth == DEEPEST) return bad(s, tag->at, TULLE_PARSE_ERROR, "tags inside too many tags");
    s->open[s->depth++] = tag->name;
    return true;
}

static bool read_closing(state *s, const tulle__tag *tag) {
    const tulle__slice *open = s->depth > 0 ? &s->open[s->depth - 1] : NULL;
    const int64_t length = open ? open->end - open->begin : -1;
    if (length != tag->name.end - tag->name.begin ||
        memcmp(open->begin, tag->name.begin, (size_t)length) != 0) {
        char word[32];
        return tulle__msh_bad(s->vtu->msh, tag->at, TULLE_PARSE_ERROR,
                              "</%s> closes a tag that is not open", word_of(tag->name, word));
    }
    s->done = --s->depth == 0;
    return true;
}

/* Reads all tags, and notes the arrays that matter. */
static bool read_tags(state *s) {
    tulle__msh *msh = s->vtu->msh;
    tulle__tag tag;
    msh->at = msh->text;
    msh->end = msh->text + msh->bytes;
    while (!s->done) {
        if (!tulle__vtu_next(s->vtu, &tag)) return false;
        if (!(tag.closes ? read_closing(s, &tag) : read_opening(s, &tag))) return false;
    }
    return s->has_piece || bad(s, msh->end, TULLE_PARSE_ERROR, "the file has no Piece");
}

/* Checks that the arrays that a mesh needs are there, with the right number of components. */
static bool check_arrays(const state *s) {
    const tulle__vtu *vtu = s->vtu;
    const struct {
        const tulle__vtu_array *array;
        const char *what;
        int64_t components;
    } all[] = {{&vtu->points, "Points", 3},
               {&vtu->nodes, "connectivity", 1},
               {&vtu->ends, "offsets", 1},
               {&vtu->types, "types", 1},
               {&vtu->groups, "group", 1}};
    for (int i = 0; i < 5; i++) {
        if (!all[i].array->at && all[i].array != &vtu->groups) {
            return tulle__msh_bad(vtu->msh, vtu->msh->at, TULLE_PARSE_ERROR,
                                  "the file has no array of %s", all[i].what);
        }
        if (!all[i].array->at || all[i].array->components == all[i].components) continue;
        return tulle__msh_bad(vtu->msh, all[i].array->at, TULLE_PARSE_ERROR,
                              "the array of %s has %lld components, not %lld", all[i].what,
                              (long long)all[i].array->components, (long long)all[i].components);
    }
    return true;
}

/* Reads the nodes, whose numbers are their indices. */
static bool read_nodes(tulle__vtu *vtu) {
    tulle__msh *msh = vtu->msh;
    if (msh->nodes > INT32_MAX) {
        return tulle__msh_bad(msh, vtu->points.at, TULLE_TOO_LARGE, "%lld points, more than %d",
                              (long long)msh->nodes, INT32_MAX);
    }
    int64_t room = 0;
    if (!tulle__vtu_reals(vtu, &vtu->points, 3 * msh->nodes, &msh->coordinates)) return false;
    if (msh->nodes > 0 &&
        !tulle__msh_grow(msh, &msh->tags, 0, &room, msh->nodes, sizeof *msh->tags))
        return false;
    for (int64_t i = 0; i < msh->nodes; i++) msh->tags[i] = i;
    return true;
}

/* The arrays of the cells: ends of the nodes' lists, shapes, nodes and groups. */
typedef struct cells {
    int64_t *ends, *types, *nodes, *groups;
} cells;

static bool find_shape(const tulle__vtu *vtu, int64_t cell, int64_t type, int *shape) {
    *shape = -1;
    for (int s = 0; s < tulle__shape_count(); s++) {
        if (tulle__shape_of((tulle_shape)s)->vtk == type) *shape = s;
    }
    return *shape >= 0 || type == VTK_VERTEX ||
           tulle__msh_bad(vtu->msh, vtu->types.at, TULLE_UNSUPPORTED,
                          "cell %lld is of VTK's type %lld, which is not read; lines, triangles, "
                          "quadrilaterals, tetrahedra and hexahedra of order 1 and 2 are, and "
                          "wedges and pyramids of order 1",
                          (long long)cell, (long long)type);
}

static bool add_cell(tulle__vtu *vtu, const cells *c, int64_t cell) {
    tulle__msh *msh = vtu->msh;
    const int64_t begin = cell > 0 ? c->ends[cell - 1] : 0, group = c->groups ? c->groups[cell] : 0;
    int which;
    tulle__msh_block *block;
    if (!find_shape(vtu, cell, c->types[cell], &which)) return false;
    const tulle__shape *shape = which >= 0 ? tulle__shape_of((tulle_shape)which) : NULL;
    const int nodes = shape ? shape->info.nodes : 1;
    if (c->ends[cell] - begin != nodes) {
        return tulle__msh_bad(msh, vtu->ends.at, TULLE_PARSE_ERROR,
                              "cell %lld, of VTK's type %lld, has %lld nodes, not %d",
                              (long long)cell, (long long)c->types[cell],
                              (long long)(c->ends[cell] - begin), nodes);
    }
    if (group < 0 || group > INT32_MAX) {
        return tulle__msh_bad(msh, vtu->groups.at, TULLE_PARSE_ERROR,
                              "cell %lld is in group %lld, which is out of range", (long long)cell,
                              (long long)group);
    }
    if (!tulle__msh_room_for_elements(msh, which, 1, &block)) return false;
    for (int n = 0; n < nodes; n++) {
        const int64_t node = c->nodes[begin + n];
        const int own = shape && shape->vtk_order ? shape->vtk_order[n] : n;
        if (node < 0 || node >= msh->nodes) {
            return tulle__msh_bad(msh, vtu->nodes.at, TULLE_PARSE_ERROR,
                                  "cell %lld has node %lld, which there is not", (long long)cell,
                                  (long long)node);
        }
        block->nodes[block->count * nodes + own] = (int32_t)node;
    }
    block->groups[block->count] = (int32_t)group;
    block->tags[block->count++] = cell;
    return true;
}

/* Checks that the ends of the cells' lists of nodes rise. */
static bool check_ends(const tulle__vtu *vtu, const int64_t *ends) {
    for (int64_t i = 0; i < vtu->cells; i++) {
        if (ends[i] > (i > 0 ? ends[i - 1] : 0)) continue;
        return tulle__msh_bad(vtu->msh, vtu->ends.at, TULLE_PARSE_ERROR,
                              "the nodes of cell %lld end at %lld, before they begin", (long long)i,
                              (long long)ends[i]);
    }
    return true;
}

static bool fill_cells(tulle__vtu *vtu, cells *c) {
    tulle__msh *msh = vtu->msh;
    if (!tulle__vtu_integers(vtu, &vtu->ends, vtu->cells, &c->ends) || !check_ends(vtu, c->ends) ||
        !tulle__vtu_integers(vtu, &vtu->types, vtu->cells, &c->types) ||
        !tulle__vtu_integers(vtu, &vtu->nodes, vtu->cells > 0 ? c->ends[vtu->cells - 1] : 0,
                             &c->nodes))
        return false;
    if (vtu->groups.at && !tulle__vtu_integers(vtu, &vtu->groups, vtu->cells, &c->groups)) {
        return false;
    }
    for (int64_t i = 0; i < vtu->cells; i++) {
        if (!add_cell(vtu, c, i)) return false;
    }
    msh->elements = vtu->cells;
    msh->left_out = msh->points.count;
    return true;
}

bool tulle__vtu_read(tulle__vtu *vtu) {
    state s = {.vtu = vtu};
    cells c = {.types = NULL};
    vtu->points.name = "points";
    vtu->nodes.name = "nodes of cells";
    vtu->ends.name = "offsets of cells";
    vtu->types.name = "types of cells";
    vtu->groups.name = "groups of cells";
    if (!read_tags(&s) || !check_arrays(&s) || !read_nodes(vtu)) return false;
    vtu->msh->has_nodes = vtu->msh->has_elements = true;
    const bool good = fill_cells(vtu, &c);
    int64_t *const arrays[] = {c.groups, c.nodes, c.types, c.ends};
    for (int i = 0; i < 4; i++) tulle__free(vtu->msh->cpu, arrays[i]);
    return good;
}
