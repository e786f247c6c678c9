/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the backends: the CPU's is part of libtulle, the GPU's and the emulator's are libraries
 * that are opened at the first use, so that libtulle installs and loads anywhere. A static build
 * has them linked in. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/context.h"
#include "tulle/advanced.h"
#include "tulle/version.h"

static const tulle__services services = {
    .fail = tulle__fail, .alloc = tulle__alloc, .free = tulle__free, .progress = tulle__progress};

typedef struct {
    const char *library; /* file name, or NULL where it is linked in */
    const char *symbol;
    const char *what;
    const char *source; /* place from which a user gets the library, for the message that it is
                           missing */
    tulle__backend_entry entry;
    pthread_once_t once;
    const tulle__backend *backend;
    char missing[512];
} slot;

#ifdef TULLE__STATIC_CUDA
extern const tulle__backend *tulle__cuda_backend(const tulle__services *);
#define CUDA_ENTRY tulle__cuda_backend
#else
#define CUDA_ENTRY NULL
#endif
#ifdef TULLE__STATIC_EMU
extern const tulle__backend *tulle__emu_backend(const tulle__services *);
#define EMU_ENTRY tulle__emu_backend
#else
#define EMU_ENTRY NULL
#endif

static slot cuda = {"libtulle-cuda.so." TULLE__SOVERSION,
                    "tulle__cuda_backend",
                    "the CUDA part of tulle",
                    "'make gpu' in tulle's source tree builds it, 'make wheel' the Python package "
                    "tulle-cuda",
                    CUDA_ENTRY,
                    PTHREAD_ONCE_INIT,
                    NULL,
                    ""};
static slot emulator = {
    "libtulle-emu.so." TULLE__SOVERSION,
    "tulle__emu_backend",
    "the GPU emulator of tulle",
    "'make build' in tulle's source tree builds it, and build/release/tulle has it",
    EMU_ENTRY,
    PTHREAD_ONCE_INIT,
    NULL,
    ""};

/* Finds the file that this code is part of, as the system itself names it: the path by which a
 * library was opened may be relative to a folder that is no longer the current one, and that by
 * which a program was called may be anything. A line of the list is "begin-end rwxp offset
 * device inode path". */
static bool own_path(char *path, size_t room) {
    FILE *maps = fopen("/proc/self/maps", "re");
    char *line = NULL;
    size_t size = 0;
    bool found = false;
    while (maps && !found && getline(&line, &size, maps) > 0) {
        unsigned long begin, end;
        const char *file = strchr(line, '/');
        if (!file || sscanf(line, "%lx-%lx", &begin, &end) != 2) continue;
        const unsigned long own = (unsigned long)(uintptr_t)&services;
        if (own < begin || own >= end) continue;
        const size_t length = strcspn(file, "\n");
        found = length < room;
        if (found) snprintf(path, room, "%.*s", (int)length, file);
    }
    free(line);
    if (maps) fclose(maps);
    return found;
}

/* Makes the path of a library beside libtulle; false where it cannot be told. */
static bool path_beside(const char *name, char *path, size_t room) {
    char own[4096];
    if (!own_path(own, sizeof own)) return false;
    const int folder = (int)(strrchr(own, '/') - own);
    const int length = snprintf(path, room, "%.*s/%s", folder, own, name);
    return length > 0 && (size_t)length < room;
}

/* Opens a library: first beside libtulle, where a file that cannot be opened is the answer; then
 * where the loader looks. */
static void *open_library(const char *name) {
    char path[4096];
    bool beside = path_beside(name, path, sizeof path) && access(path, F_OK) == 0;
    return dlopen(beside ? path : name, RTLD_NOW | RTLD_LOCAL);
}

static void open_slot(slot *s) {
    if (!s->entry) {
        void *library = open_library(s->library);
        if (!library) {
            snprintf(s->missing, sizeof s->missing, "%s cannot be opened: %s (%s)", s->what,
                     dlerror(), s->source);
            return;
        }
        /* ISO C has no conversion from object to function pointers; POSIX has. */
        *(void **)&s->entry = dlsym(library, s->symbol);
    }
    const tulle__backend *backend = s->entry ? s->entry(&services) : NULL;
    if (!backend || backend->abi != TULLE__ABI) {
        snprintf(s->missing, sizeof s->missing, "%s is of another version than libtulle %s",
                 s->library, tulle_version());
        return;
    }
    s->backend = backend;
}

static void open_cuda(void) {
    open_slot(&cuda);
}
static void open_emulator(void) {
    open_slot(&emulator);
}

static slot *slot_of(tulle_backend kind) {
    if (kind == TULLE_CUDA) {
        pthread_once(&cuda.once, open_cuda);
        return &cuda;
    }
    if (kind == TULLE_EMULATED) {
        pthread_once(&emulator.once, open_emulator);
        return &emulator;
    }
    return NULL;
}

const tulle__backend *tulle__backend_find(tulle_backend kind, const char **missing) {
    *missing = "";
    if (kind == TULLE_CPU) return &tulle__cpu_backend;
    const slot *s = slot_of(kind);
    *missing = s ? s->missing : "no such backend";
    return s ? s->backend : NULL;
}

tulle_status tulle__backend_open(const char *function, const char *argument, tulle_backend kind,
                                 const tulle__backend **backend) {
    const char *missing = NULL;
    *backend = tulle__backend_find(kind, &missing);
    if (*backend) return TULLE_OK;
    tulle_status status = slot_of(kind) ? TULLE_NO_DEVICE : TULLE_INVALID_ARGUMENT;
    return tulle__fail(status, function, argument, -1, "%s", missing);
}

static int count_devices(tulle_backend kind, const char **why) {
    const tulle__backend *backend = tulle__backend_find(kind, why);
    int count = 0;
    if (backend && backend->device_count(&count, why) != TULLE_OK) count = 0;
    return count;
}

int tulle_device_count(tulle_backend backend) {
    const char *why = NULL;
    return count_devices(backend, &why);
}

const char *tulle_device_missing(tulle_backend backend) {
    const char *why = "";
    return count_devices(backend, &why) > 0 ? "" : why;
}
