/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/where.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace tulle_emu::emulator {

/* Kernels are in the same file as the emulator, and so within reach of 31 bits. */
static const char anchor = 0;
enum : int64_t { is_code = 1 };

static int32_t offset_to(const void *to, int64_t kind) {
    if (!to) return 0;
    int64_t far = 2 * (static_cast<const char *>(to) - &anchor) + kind;
    return far == static_cast<int32_t>(far) ? static_cast<int32_t>(far) : 0;
}

#if defined(__clang__)

/* The sites that were met; beyond this many they are unknown. */
static site met[1 << 14];

static const void *data_of(const site &at) {
    constexpr size_t places = sizeof met / sizeof *met;
    size_t i = (reinterpret_cast<uintptr_t>(at.file_name()) / 32 + at.line()) % places;
    for (size_t looks = 0; at != site() && looks < places; looks++, i = (i + 1) % places) {
        if (met[i] == site()) met[i] = at;
        if (met[i] == at) return &met[i];
    }
    return nullptr;
}
static site site_of(const void *data) {
    return *static_cast<const site *>(data);
}

#else

/* A source_location is one pointer to constant data, which nothing else gives. */
static_assert(sizeof(site) == sizeof(void *));

static const void *data_of(const site &at) {
    const void *data = nullptr;
    memcpy(&data, &at, sizeof data);
    return data;
}
static site site_of(const void *data) {
    site at;
    memcpy(static_cast<void *>(&at), &data, sizeof at);
    return at;
}

#endif

where::where(site at) : offset(offset_to(data_of(at), 0)) {}

where::where(const void *code) : offset(offset_to(code, is_code)) {}

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* One frame of addr2line's: the function, and then FILE:LINE. False: there are no more. */
static bool read_frame(FILE *pipe, source_line *line, bool *of_emulator) {
    char place[1024] = "";
    if (!fgets(line->function, sizeof line->function, pipe) || !fgets(place, sizeof place, pipe)) {
        return false;
    }
    line->function[strcspn(line->function, "\n")] = 0;
    /* The emulator's own tests have kernels in a folder of the same name. */
    *of_emulator = strstr(place, "/emulator/") != nullptr && !strstr(place, "/tests/emulator/");
    char *colon = strrchr(place, ':');
    if (colon) {
        *colon = 0;
        line->line = static_cast<unsigned>(strtoul(colon + 1, nullptr, 10));
        snprintf(line->file, sizeof line->file, "%s", last_part(place));
    }
    return true;
}

/* Of what was inlined there, the innermost that is a kernel's own code. */
static void ask_addr2line(const void *code, source_line *line) {
    Dl_info image;
    if (!dladdr(code, &image) || !image.dli_fname) return;
    char command[1024];
    unsigned long in_file = static_cast<unsigned long>(static_cast<const char *>(code) -
                                                       static_cast<const char *>(image.dli_fbase));
    snprintf(command, sizeof command, "addr2line -C -i -f -e '%s' 0x%lx 2>/dev/null",
             image.dli_fname, in_file - 1); /* a return address: the call is before it */
    FILE *pipe = popen(command, "r"); /* NOLINT(bugprone-command-processor): a path in quotes */
    if (!pipe) return;
    source_line frame = *line;
    bool of_emulator = true;
    while (of_emulator && read_frame(pipe, &frame, &of_emulator)) *line = frame;
    pclose(pipe);
}

source_line line_of(where at) {
    source_line line = {"a kernel", 0, "a kernel"};
    const char *to = &anchor + (at.offset - (at.offset & 1)) / 2;
    asm("" : "+r"(to)); /* it leads out of the anchor */
    if (at.offset & is_code) {
        ask_addr2line(to, &line);
    } else if (at.offset != 0) {
        site known = site_of(to);
        snprintf(line.file, sizeof line.file, "%s", last_part(known.file_name()));
        snprintf(line.function, sizeof line.function, "%s", known.function_name());
        line.line = static_cast<unsigned>(known.line());
    }
    return line;
}

}  // namespace tulle_emu::emulator
