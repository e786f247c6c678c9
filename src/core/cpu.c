/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU as a back end: memory and clock. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/context.h"
#include "core/cpu_vectors.h"
#include "core/pieces.h"

struct tulle__device {
    int ordinal;
};

static struct tulle__device the_cpu;

enum { ALIGNMENT = 64, PAGE = 4096, LARGE_COPY = 4 << 20 };

int64_t tulle__cpu_memory(void) {
    return (int64_t)sysconf(_SC_PHYS_PAGES) * (int64_t)sysconf(_SC_PAGESIZE);
}

tulle_status tulle__cpu_device_count(int *count, const char **why_none) {
    *count = 1;
    *why_none = "";
    return TULLE_OK;
}

tulle_status tulle__cpu_open(int ordinal, tulle__device **device) {
    (void)ordinal;
    *device = &the_cpu;
    return TULLE_OK;
}

tulle_status tulle__cpu_close(tulle__device *device) {
    (void)device;
    return TULLE_OK;
}

static void processor_name(char *name, size_t room) {
    snprintf(name, room, "CPU");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file) return;
    char line[512];
    while (fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        snprintf(name, room, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    fclose(file);
}

/* Reads a size as "300M"; without a letter, bytes. 0: not a size. */
static int64_t size_in(const char *text) {
    static const char units[] = "KMG";
    char *end;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    const int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (end == text || end[unit ? 1 : 0] != '\0' || errno != 0) return 0;
    return number > 0 && number <= INT64_MAX >> shift ? (int64_t)number << shift : 0;
}

/* Bytes of the last-level cache. The system may name the whole socket's, of which a virtual
 * machine may have two cores. */
static int64_t last_level_cache(void) {
    static const int levels[] = {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE,
                                 _SC_LEVEL2_CACHE_SIZE};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        long bytes = sysconf(levels[i]);
        if (bytes > 0) return bytes;
    }
    return 0;
}

tulle_status tulle__cpu_describe(tulle__device *device, tulle_device_info *info) {
    (void)device;
    const char *chosen = secure_getenv("TULLE_CACHE_SIZE");
    const int64_t cache = chosen && *chosen ? size_in(chosen) : last_level_cache();
    if (chosen && *chosen && cache == 0) {
        return tulle__fail(
            TULLE_INVALID_ARGUMENT, "tulle_ctx_create", "TULLE_CACHE_SIZE", -1,
            "the environment's TULLE_CACHE_SIZE=%s is no size; use bytes, or K, M or "
            "G behind a number, as in 32M",
            chosen);
    }
    *info = (tulle_device_info){.backend = TULLE_CPU,
                                .threads = tulle__cpu_threads(),
                                .cache_bytes = cache,
                                .memory_bytes = tulle__cpu_memory(),
                                .vector_bits = tulle__cpu_vector_bits()};
    processor_name(info->name, sizeof info->name);
    return TULLE_OK;
}

tulle_status tulle__cpu_allocate(tulle__device *device, size_t bytes, void **pointer) {
    (void)device;
    *pointer = NULL;
    return posix_memalign(pointer, ALIGNMENT, bytes) == 0 ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

tulle_status tulle__cpu_release(tulle__device *device, void *pointer) {
    (void)device;
    free(pointer);
    return TULLE_OK;
}

tulle_status tulle__cpu_host_allocate(tulle__device *device, size_t bytes, void **pointer) {
    return tulle__cpu_allocate(device, bytes, pointer);
}

tulle_status tulle__cpu_host_release(tulle__device *device, void *pointer) {
    return tulle__cpu_release(device, pointer);
}

tulle_status tulle__cpu_stream_create(tulle__device *device, void **stream) {
    (void)device;
    *stream = NULL;
    return TULLE_OK;
}

tulle_status tulle__cpu_stream_destroy(tulle__device *device, void *stream) {
    (void)device;
    (void)stream;
    return TULLE_OK;
}

tulle_status tulle__cpu_stream_wait(tulle__device *device, void *stream) {
    (void)device;
    (void)stream;
    return TULLE_OK;
}

static tulle_status no_graphs(void) {
    return tulle__fail(TULLE_UNSUPPORTED, NULL, NULL, -1, "a CPU captures no graphs");
}

tulle_status tulle__cpu_capture_begin(const tulle__place *place) {
    (void)place;
    return no_graphs();
}

tulle_status tulle__cpu_capture_end(const tulle__place *place, void **graph) {
    (void)place;
    *graph = NULL;
    return no_graphs();
}

tulle_status tulle__cpu_graph_launch(const tulle__place *place, void *graph) {
    (void)place;
    (void)graph;
    return no_graphs();
}

tulle_status tulle__cpu_graph_destroy(tulle__device *device, void *graph) {
    (void)device;
    (void)graph;
    return no_graphs();
}

tulle_status tulle__cpu_watch(tulle__device *device, void *pointer, size_t bytes,
                              tulle__watch how) {
    (void)device;
    (void)pointer;
    (void)bytes;
    (void)how;
    return TULLE_OK;
}

/* Number of parts in which large memory is filled or copied. Memory belongs to the part of the
 * machine that touches it first, so large arrays are written in one part a thread, in their
 * order, as kernels read them: the part of an array of rows or entries that a thread writes is,
 * but for its ends, the part that it will multiply. */
static int parts_of(const tulle__place *place, size_t bytes) {
    return bytes < LARGE_COPY ? 1 : place->threads;
}

static size_t part_begin(size_t bytes, int p, int parts) {
    return p == parts ? bytes : bytes / (size_t)parts / PAGE * PAGE * (size_t)p;
}

/* Fills with bytes of `from`, or, where it is NULL, with the same byte. */
typedef struct transfer {
    char *to;
    const char *from;
    int byte;
    size_t bytes;
    int parts;
} transfer;

static void copy_part(const void *any, int64_t p) {
    const transfer *job = any;
    const size_t begin = part_begin(job->bytes, (int)p, job->parts);
    const size_t end = part_begin(job->bytes, (int)p + 1, job->parts);
    if (end > begin) memcpy(job->to + begin, job->from + begin, end - begin);
}

static void set_part(const void *any, int64_t p) {
    const transfer *job = any;
    const size_t begin = part_begin(job->bytes, (int)p, job->parts);
    const size_t end = part_begin(job->bytes, (int)p + 1, job->parts);
    if (end > begin) memset(job->to + begin, job->byte, end - begin);
}

tulle_status tulle__cpu_copy(const tulle__place *place, void *to, const void *from, size_t bytes) {
    const transfer job = {to, from, 0, bytes, parts_of(place, bytes)};
    tulle__in_pieces(job.parts, job.parts, copy_part, &job);
    return TULLE_OK;
}

tulle_status tulle__cpu_set_bytes(const tulle__place *place, void *to, int byte, size_t bytes) {
    const transfer job = {to, NULL, byte, bytes, parts_of(place, bytes)};
    tulle__in_pieces(job.parts, job.parts, set_part, &job);
    return TULLE_OK;
}

tulle_status tulle__cpu_event_create(tulle__device *device, void **event) {
    (void)device;
    *event = malloc(sizeof(struct timespec));
    return *event ? TULLE_OK
                  : tulle__fail(TULLE_OUT_OF_MEMORY, NULL, NULL, -1, "no memory for a clock mark");
}

tulle_status tulle__cpu_event_destroy(tulle__device *device, void *event) {
    (void)device;
    free(event);
    return TULLE_OK;
}

tulle_status tulle__cpu_event_record(const tulle__place *place, void *event) {
    (void)place;
    clock_gettime(CLOCK_MONOTONIC, event);
    return TULLE_OK;
}

tulle_status tulle__cpu_event_between(tulle__device *device, void *from, void *to, double *ms) {
    (void)device;
    const struct timespec *a = from, *b = to;
    *ms = 1e3 * (double)(b->tv_sec - a->tv_sec) + 1e-6 * (double)(b->tv_nsec - a->tv_nsec);
    return TULLE_OK;
}

tulle_status tulle__cpu_event_done(tulle__device *device, void *event, bool *done) {
    (void)device;
    (void)event;
    *done = true;
    return TULLE_OK;
}
