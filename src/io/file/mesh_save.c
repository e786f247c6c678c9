/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_mesh_save: checks the options, opens the file and calls the writer for its format. */
#include "io/file/mesh_save.h"
#include "core/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/file/host.h"

static tulle_status bad(const char *format, ...) __attribute__((format(printf, 1, 2)));

static tulle_status bad(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const tulle_status status =
        tulle__fail_v(TULLE_INVALID_ARGUMENT, "tulle_mesh_save", "options", -1, format, arguments);
    va_end(arguments);
    return status;
}

/* Returns true when a path has the ending, with or without the ending of a compressed file behind
 * it. */
static bool is_named(const char *path, const char *ending) {
    static const char *const packed[] = {"", ".gz", ".xz", ".zst"};
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        char whole[16];
        snprintf(whole, sizeof whole, "%s%s", ending, packed[i]);
        if (tulle__has_suffix(path, whole)) return true;
    }
    return false;
}

static tulle_status check_format(const char *path, tulle_mesh_save_options *o) {
    if (o->format == TULLE_MESH_BY_NAME) {
        if (is_named(path, ".msh")) o->format = TULLE_MSH;
        if (is_named(path, ".vtu")) o->format = TULLE_VTU;
    }
    if (o->format != TULLE_MSH && o->format != TULLE_VTU) {
        return bad(
            "%.200s: the name must end in .msh or .vtu, or in one of them with .gz, .xz or "
            ".zst behind it",
            path);
    }
    if (o->encoding == TULLE_ENCODE_BY_FORMAT) {
        o->encoding = o->format == TULLE_MSH ? TULLE_ENCODE_RAW : TULLE_ENCODE_BASE64;
    }
    if (o->encoding != TULLE_ENCODE_RAW && o->encoding != TULLE_ENCODE_TEXT &&
        o->encoding != TULLE_ENCODE_BASE64) {
        return bad("%d is no encoding", (int)o->encoding);
    }
    if (o->format == TULLE_MSH && o->encoding == TULLE_ENCODE_BASE64) {
        return bad("a .msh file is text or raw; base64 is for .vtu files");
    }
    if (o->field_count < 0 || (o->field_count > 0 && !o->fields)) return bad("fields are missing");
    if (o->format == TULLE_MSH && o->field_count > 0) return bad("a .msh file has no fields");
    return TULLE_OK;
}

static bool is_name(const char *name) {
    if (!name || !name[0] || strlen(name) > TULLE__PAGE_LINE / 2) return false;
    for (; *name; name++) {
        if ((unsigned char)*name < ' ') return false;
    }
    return true;
}

static tulle_status check_finite(tulle_ctx *ctx, const tulle_mesh_field *field, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        TULLE__TRY(tulle__ask(ctx, "checking fields", i, count));
        const double value = field->type == TULLE_F32 ? ((const float *)field->values)[i]
                                                      : ((const double *)field->values)[i];
        if (isfinite(value)) continue;
        return bad("field %.40s has a value that is not finite, which text cannot hold",
                   field->name);
    }
    return TULLE_OK;
}

static tulle_status check_fields(tulle_ctx *ctx, const tulle_mesh *mesh,
                                 const tulle_mesh_save_options *o) {
    for (int64_t f = 0; f < o->field_count; f++) {
        const tulle_mesh_field *field = &o->fields[f];
        const int64_t count = field->of_cells ? mesh->info.cells : mesh->info.nodes;
        if (!is_name(field->name)) return bad("field %lld has no proper name", (long long)f);
        if (!tulle__is_type(field->type)) {
            return bad("field %.40s: its type is neither TULLE_F32 nor TULLE_F64", field->name);
        }
        if (field->components < 1 || field->components > 9) {
            return bad("field %.40s: %d components; there may be 1 to 9", field->name,
                       field->components);
        }
        if (count > 0 && !field->values) return bad("field %.40s: no values", field->name);
        if (o->encoding == TULLE_ENCODE_TEXT)
            TULLE__TRY(check_finite(ctx, field, count * field->components));
    }
    return TULLE_OK;
}

static tulle_status save(tulle__mesh_saver *s, const char *path) {
    tulle__trouble trouble = {0};
    tulle__sink sink;
    if (!tulle__sink_open(&sink, s->cpu, path, &trouble))
        return tulle__fail_trouble(path, &trouble);
    tulle_status status = TULLE_OK;
    if (tulle__page_open(&s->page, &sink, &trouble)) {
        status = s->options.format == TULLE_MSH ? tulle__msh_write(s) : tulle__vtu_write(s);
        tulle__page_close(&s->page, status == TULLE_OK);
    }
    const bool good = status == TULLE_OK && trouble.status == TULLE_OK;
    if (!tulle__sink_close(&sink, good, &trouble) && status == TULLE_OK)
        return tulle__fail_trouble(path, &trouble);
    return trouble.status != TULLE_OK ? tulle__fail_trouble(path, &trouble) : status;
}

tulle_status tulle_mesh_save_sized(tulle_ctx *ctx, const tulle_mesh *mesh, const char *path,
                                   const tulle_mesh_save_options *options, size_t options_size) {
    TULLE__NEED(ctx);
    TULLE__NEED(mesh);
    TULLE__NEED(path);
    tulle__mesh_saver saver = {.mesh = mesh};
    TULLE__TRY(
        tulle__options_take(__func__, options, options_size, &saver.options, sizeof saver.options));
    TULLE__TRY(check_format(path, &saver.options));
    TULLE__TRY(check_fields(ctx, mesh, &saver.options));
    TULLE__TRY(tulle__host_context(ctx, &saver.cpu));
    const tulle_status status = save(&saver, path);
    tulle__host_context_done(ctx, saver.cpu);
    return status;
}
