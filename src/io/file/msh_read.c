/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the sections of a file, one after the other; skips sections that do not concern nodes,
 * elements or groups. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "io/file/blocks.h"
#include "io/file/msh.h"

enum { NAME_ROOM = 32 };

static void skip_space(tulle__msh *msh) {
    while (msh->at < msh->end && (tulle__is_blank(*msh->at) || *msh->at == '\n')) msh->at++;
}

/* Returns true, and moves behind the line, when the text goes on with this word as a whole line. */
static bool take_line(tulle__msh *msh, const char *line) {
    const size_t length = strlen(line);
    if ((size_t)(msh->end - msh->at) < length || strncmp(msh->at, line, length) != 0) return false;
    const char *behind = tulle__skip_blanks(msh->at + length);
    if (*behind != '\n') return false;
    msh->at = behind < msh->end ? behind + 1 : msh->end;
    return true;
}

static bool expect_end(tulle__msh *msh, const char *name) {
    char end[NAME_ROOM + 8], word[TULLE__WORD_ROOM];
    snprintf(end, sizeof end, "$End%s", name);
    skip_space(msh);
    if (msh->at < msh->end && take_line(msh, end)) return true;
    if (msh->at == msh->end) {
        return tulle__msh_bad(msh, msh->end, TULLE_PARSE_ERROR, "the file ends before %s", end);
    }
    return tulle__msh_bad(msh, msh->at, TULLE_PARSE_ERROR, "'%s' stands in place of %s",
                          tulle__word(msh->at, word), end);
}

/* Reads the section of the format: "4.1 0 8" or "2.2 0 8", and in binary files the integer 1. */
static bool read_format(tulle__msh *msh) {
    double version;
    int64_t type, size, one;
    const char *at;
    msh->section = "$MeshFormat";
    if (!take_line(msh, "$MeshFormat")) {
        return tulle__msh_bad(msh, msh->at, TULLE_PARSE_ERROR,
                              "this is not a mesh of Gmsh's: it does not start with "
                              "$MeshFormat; of others: meshio convert FILE out.msh");
    }
    at = msh->at;
    if (!tulle__msh_real(msh, "the version", &version) ||
        !tulle__msh_int(msh, "the type of the file", &type) ||
        !tulle__msh_int(msh, "the size of numbers", &size))
        return false;
    msh->old = version == 2.2;
    if (version != 4.1 && !msh->old) {
        char word[TULLE__WORD_ROOM];
        return tulle__msh_bad(msh, at, TULLE_UNSUPPORTED,
                              "version %s is not read; 4.1 and 2.2 are: gmsh -save -format msh41 "
                              "makes it",
                              tulle__word(at, word));
    }
    if (type < 0 || type > 1 || size != 8) {
        return tulle__msh_bad(msh, at, TULLE_UNSUPPORTED,
                              "type %lld with numbers of %lld bytes is not read; 0 (text) and 1 "
                              "(binary) with 8 bytes are",
                              (long long)type, (long long)size);
    }
    msh->at = (const char *)memchr(msh->at, '\n', (size_t)(msh->end + 1 - msh->at)) + 1;
    if (msh->at > msh->end) msh->at = msh->end;
    msh->binary = type == 1;
    if (msh->binary) {
        at = msh->at;
        if (!tulle__msh_int(msh, "the integer 1", &one)) return false;
        msh->swapped = one == 1 << 24;
        if (one != 1 && !msh->swapped) {
            return tulle__msh_bad(msh, at, TULLE_PARSE_ERROR,
                                  "%lld stands in place of the integer 1, which tells the order "
                                  "of bytes",
                                  (long long)one);
        }
    }
    return expect_end(msh, "MeshFormat");
}

/* Skips a section. */
static bool read_over(tulle__msh *msh, const char *name) {
    char end[NAME_ROOM + 8];
    snprintf(end, sizeof end, "$End%s", name);
    const int64_t length = (int64_t)strlen(end), piece = 1 << 24;
    for (; msh->end - msh->at >= length; msh->at += piece) {
        const int64_t left = msh->end - msh->at;
        const int64_t window = left < piece + length - 1 ? left : piece + length - 1;
        const char *found = memmem(msh->at, (size_t)window, end, (size_t)length);
        if (found) msh->at = found;
        if (found) return true;
        if (left <= piece) break;
        if (!tulle__msh_done(msh,
                             tulle__progress(msh->cpu, "parsing", msh->at - msh->text, msh->bytes)))
            return false;
    }
    return tulle__msh_bad(msh, msh->end, TULLE_PARSE_ERROR, "the file ends before %s", end);
}

static bool read_partitions(tulle__msh *msh) {
    return tulle__msh_bad(msh, msh->at, TULLE_UNSUPPORTED,
                          "partitioned meshes are not read; gmsh -part 0 -save joins them");
}

static bool read_section(tulle__msh *msh, const char *name) {
    static const struct {
        const char *name;
        bool (*read)(tulle__msh *msh);
    } sections[] = {{"PhysicalNames", tulle__msh_read_names},
                    {"Entities", tulle__msh_read_entities},
                    {"PartitionedEntities", read_partitions},
                    {"Nodes", tulle__msh_read_nodes},
                    {"Elements", tulle__msh_read_elements}};
    if (msh->old && strcmp(name, "Nodes") == 0) return tulle__msh_read_old_nodes(msh);
    if (msh->old && strcmp(name, "Elements") == 0) return tulle__msh_read_old_elements(msh);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (strcmp(name, sections[i].name) == 0) return sections[i].read(msh);
    }
    return read_over(msh, name);
}

/* Reads a line "$Name". */
static bool read_name(tulle__msh *msh, char name[NAME_ROOM]) {
    char word[TULLE__WORD_ROOM];
    size_t length = 0;
    const char *at = msh->at + 1;
    while (at + length < msh->end && length + 1 < NAME_ROOM && at[length] > ' ') length++;
    const char *behind = tulle__skip_blanks(at + length);
    if (*msh->at != '$' || length == 0 || *behind != '\n') {
        return tulle__msh_bad(msh, msh->at, TULLE_PARSE_ERROR, "'%s' stands where a section begins",
                              tulle__word(msh->at, word));
    }
    memcpy(name, at, length);
    name[length] = 0;
    msh->at = behind < msh->end ? behind + 1 : msh->end;
    return true;
}

static bool read_sections(tulle__msh *msh) {
    char name[NAME_ROOM], section[NAME_ROOM + 1];
    msh->section = section;
    for (skip_space(msh); msh->at < msh->end; skip_space(msh)) {
        if (!read_name(msh, name)) return false;
        snprintf(section, sizeof section, "$%s", name);
        if (!read_section(msh, name) || !expect_end(msh, name)) return false;
    }
    msh->section = "";
    if (!tulle__msh_check_names(msh)) return false;
    if (msh->has_nodes && msh->has_elements) return true;
    return tulle__msh_bad(msh, msh->end, TULLE_PARSE_ERROR, "the file ends before $%s",
                          msh->has_nodes ? "Elements" : "Nodes");
}

bool tulle__msh_read(tulle__msh *msh) {
    msh->at = msh->ask_at = msh->text;
    msh->end = msh->text + msh->bytes;
    return read_format(msh) && read_sections(msh);
}

static void free_block(const tulle__msh *msh, const tulle__msh_block *block) {
    tulle__free(msh->cpu, block->nodes);
    tulle__free(msh->cpu, block->groups);
    tulle__free(msh->cpu, block->tags);
}

void tulle__msh_free(tulle__msh *msh) {
    void *const arrays[] = {msh->text, msh->entity, msh->group,  msh->set,        msh->member,
                            msh->tags, msh->by_tag, msh->sorted, msh->coordinates};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tulle__free(msh->cpu, arrays[i]);
    free_block(msh, &msh->points);
    for (int s = 0; s < TULLE__SHAPES; s++) free_block(msh, &msh->block[s]);
}
