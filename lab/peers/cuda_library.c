/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/peers/cuda_library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/common/error.h"

static void *open_one(const char *folder, const char *name, const char *ending) {
    char path[256];
    snprintf(path, sizeof path, "%slib%s.so%s", folder, name, ending);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

void *cuda_library_open(const char *name, const char *variable) {
    static const char *const folders[] = {"", "/usr/local/cuda/lib64/"};
    static const char *const endings[] = {".13", ".12", ".11", ""};
    const char *chosen = getenv(variable);
    const bool given = chosen && chosen[0];
    void *handle = given ? dlopen(chosen, RTLD_NOW | RTLD_LOCAL) : NULL;
    for (size_t f = 0; !given && f < sizeof folders / sizeof *folders; f++) {
        for (size_t e = 0; e < sizeof endings / sizeof *endings && !handle; e++) {
            handle = open_one(folders[f], name, endings[e]);
        }
    }
    if (!handle) {
        (void)tool_record(TULLE_NOT_FOUND, "lib%s cannot be opened (name it in %s): %s", name,
                          variable, dlerror());
    }
    return handle;
}
