/* SPDX-License-Identifier: Apache-2.0 */
#include "crew.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/comm.h"
#include "core/context.h"
#include "tools/common/error.h"
#include "tools/common/numbers.h"
#include "tools/common/progress.h"
#include "tulle/advanced.h"

enum { WORDS = 512, PLACE = 64 };

/* One member's part of a run. */
typedef struct part {
    tool_member member;
    const tool_crew *crew;
    const char *on;
    tool_member_fn work;
    void *user;
    tulle_status status;
    char words[WORDS]; /* message of its failure */
} part;

void tool_crew_begin(tool_crew *crew) {
    crew->launch = tool_launched();
    if (crew->launch.rank == 0) return;
    tool_silence(true);
    tool_progress_allow(false);
    if (!freopen("/dev/null", "w", stdout)) fclose(stdout);
}

static int count_gpus(const char *command, const char *text, int *count) {
    const int there = tulle_device_count(TULLE_CUDA);
    int64_t number = there;
    if (strcmp(text, "all") != 0 && !tool_parse_int(text, 1, 1024, &number)) {
        return tool_misuse(command, "--gpus: '%s' is neither all nor a number from 1 on", text);
    }
    if (there == 0 || number > there) {
        return tool_complain(
            TOOL_NO_RESOURCE, "--gpus %s: %s", text,
            there == 0 ? tulle_device_missing(TULLE_CUDA) : "this machine has fewer usable GPUs");
    }
    *count = (int)number;
    return TOOL_OK;
}

int tool_crew_count(const char *command, tool_crew *crew) {
    crew->ranks = crew->launch.ranks;
    const bool alone = !crew->launch.found && !crew->gpus && crew->threads == 0;
    if (crew->partition != TOOL_BY_ROWS && alone) {
        return tool_misuse(command,
                           "--partition: one process has all rows: share them by --ranks, --gpus "
                           "or a launcher of MPI");
    }
    if (crew->gpus && crew->threads > 0) {
        return tool_misuse(command, "--gpus and --ranks both say how many share the rows");
    }
    if (crew->ranks > 1 && (crew->gpus || crew->threads > 0)) {
        const char *option = crew->gpus ? "gpus" : "ranks";
        return tool_misuse(command,
                           "--%s: the %d processes of the launcher share the rows: leave --%s out",
                           option, crew->ranks, option);
    }
    if (crew->threads > 0) crew->ranks = (int)crew->threads;
    return crew->gpus ? count_gpus(command, crew->gpus, &crew->ranks) : TOOL_OK;
}

static bool is_launched(const tool_crew *crew) {
    return crew->launch.ranks > 1;
}

/* Names a member's place. Threads on a CPU have an equal part of the cores each; processes have
 * those that the launcher leaves them. Each member has a GPU of its own, as far as there are
 * enough.
 */
static void place_of(const part *p, char place[PLACE]) {
    const tool_crew *crew = p->crew;
    const int gpus = tulle_device_count(TULLE_CUDA);
    const int local = is_launched(crew) ? crew->launch.local_rank : p->member.rank;
    const bool chosen = strcmp(p->on, "auto") == 0, cpu = strcmp(p->on, "cpu") == 0;
    const bool cuda =
        crew->gpus || strcmp(p->on, "cuda") == 0 || (chosen && is_launched(crew) && gpus > 0);
    const int cores = tulle__cpu_threads() / p->member.ranks;
    if (cuda) {
        snprintf(place, PLACE, "cuda:%d", gpus > 0 ? local % gpus : 0);
    } else if (!is_launched(crew) && (chosen || cpu)) {
        snprintf(place, PLACE, "cpu:%d", cores > 0 ? cores : 1);
    } else {
        snprintf(place, PLACE, "%s", p->on);
    }
}

tulle_status tool_member_agree(const tool_member *m, tulle_status status) {
    return tulle__comm_agree(m->comm, NULL, status, NULL, 0);
}

/* Makes one number of a text, by FNV-1a. */
static uint64_t number_of(const char *text) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

tulle_status tool_member_alike(const tool_member *m, const tool_alike *options, int count) {
    tulle__agreement facts[TULLE__MOST_AGREEMENTS];
    for (int i = 0; i < count; i++) {
        facts[i].name = options[i].name;
        if (options[i].text) {
            facts[i].value = number_of(options[i].text);
        } else {
            memcpy(&facts[i].value, &options[i].number, sizeof facts[i].value);
        }
    }
    return tulle__comm_agree(m->comm, NULL, TULLE_OK, facts, count);
}

tulle_status tool_member_partition(const tool_member *m, tulle_dist_mat **A, tulle_dist_order **P) {
    tulle_dist_mat *moved = NULL;
    *P = NULL;
    if (m->partition == TOOL_BY_ROWS) return TULLE_OK;
    const tulle_status status = tulle_dist_mat_partition(m->ctx, *A, &moved, P);
    if (m->rank == 0) tool_progress_end();
    if (status != TULLE_OK) return status;
    tulle_dist_mat_destroy(*A);
    *A = moved;
    return TULLE_OK;
}

int tool_member_heed(void *user, int64_t iteration, double norm) {
    (void)user;
    (void)iteration;
    (void)norm;
    return tool_interrupted();
}

/* A tulle_progress_fn of members that draw nothing. */
static int heed(void *user, const char *what, int64_t done, int64_t total) {
    (void)user;
    (void)what;
    (void)done;
    (void)total;
    return tool_interrupted();
}

static tulle_status open_place(part *p) {
    char place[PLACE];
    place_of(p, place);
    tulle_status status = tool_open_place(place, &p->member.ctx);
    if (status == TULLE_OK && p->member.rank > 0) {
        status = tulle_ctx_set_progress(p->member.ctx, heed, NULL);
    }
    return tool_member_agree(&p->member, status);
}

/* Stores the address of a function; POSIX promises that it fits. */
static bool find_function(void *library, const char *name, void *function) {
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

/* Names one of tulle's libraries as they are installed. */
static void name_library(const char *of, char name[PLACE]) {
    if (TULLE_VERSION_MAJOR > 0) {
        snprintf(name, PLACE, "libtulle-%s.so.%d", of, TULLE_VERSION_MAJOR);
    } else {
        snprintf(name, PLACE, "libtulle-%s.so.%d.%d", of, TULLE_VERSION_MAJOR, TULLE_VERSION_MINOR);
    }
}

/* tulle_comm_create_nccl (tulle/comm_nccl.h). */
typedef tulle_status (*make_nccl)(tulle_ctx *ctx, tulle_comm *host, tulle_comm **comm);

/* Makes a communicator over NCCL where all members have a GPU and libtulle-nccl, which need not be
 * installed: then messages go from GPU to GPU, and not by way of host memory. NVLink's multicast
 * stays off unless the user's environment says otherwise. */
static tulle_status look_for_nccl(const part *p, tulle_comm **made) {
    char name[PLACE];
    tulle_device_info device;
    make_nccl make = NULL;
    *made = NULL;
    tulle_status status = tulle_ctx_device(p->member.ctx, &device);
    if (status == TULLE_OK && device.backend == TULLE_CUDA) {
        name_library("nccl", name);
        void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library) find_function(library, "tulle_comm_create_nccl", &make);
    }
    const int ranks = p->member.ranks;
    const int32_t own = make != NULL;
    int32_t *all = tool_alloc((size_t)ranks, sizeof *all);
    bool have = true;
    if (status == TULLE_OK) status = tulle__comm_gather(p->member.comm, &own, sizeof own, all);
    for (int r = 0; r < ranks; r++) have = have && all[r] != 0;
    free(all);
    if (status != TULLE_OK || !have) return status;
    setenv("NCCL_NVLS_ENABLE", "0", 0);
    return make(p->member.ctx, p->member.comm, made);
}

static void run_part(part *p) {
    tulle_comm *const host = p->member.comm;
    tulle_comm *nccl = NULL;
    p->status = open_place(p);
    if (p->status == TULLE_OK) p->status = look_for_nccl(p, &nccl);
    if (nccl) p->member.comm = nccl;
    if (p->status == TULLE_OK) p->status = p->work(&p->member, p->user);
    if (p->status != TULLE_OK) snprintf(p->words, WORDS, "%s", tool_error_line());
    p->member.comm = host;
    tulle_comm_destroy(nccl);
    tulle_ctx_destroy(p->member.ctx);
    p->member.ctx = NULL;
}

/* Prints the message of a member that failed; returns the exit code. */
static int complain(const part *p) {
    if (p->status == TULLE_CANCELLED) return tool_complain(TOOL_INTERRUPTED, "interrupted");
    return tool_complain(tool_exit_code(p->status), "%s", p->words);
}

static void *run_thread(void *user) {
    part *p = user;
    run_part(p);
    tulle_comm_destroy(p->member.comm);
    return NULL;
}

/* Returns the first part that failed by itself, or else the first that failed; NULL: none did. */
static const part *first_failure(const part *parts, int count) {
    const part *found = NULL;
    for (int r = count; r-- > 0;) {
        if (parts[r].status == TULLE_OK) continue;
        if (!found || parts[r].status != TULLE_PEER_FAILED || found->status == TULLE_PEER_FAILED) {
            found = parts + r;
        }
    }
    return found;
}

static int run_threads(const part *model, int ranks) {
    tulle_comm **comms = tool_alloc((size_t)ranks, sizeof(tulle_comm *));
    pthread_t *threads = tool_alloc((size_t)ranks, sizeof *threads);
    part *parts = tool_alloc((size_t)ranks, sizeof *parts);
    const tulle_status made = tulle_comm_create_threads(ranks, 0, comms);
    int started = 0, code = made == TULLE_OK ? TOOL_OK : tool_fail(made);
    for (; code == TOOL_OK && started < ranks; started++) {
        part *p = parts + started;
        *p = *model;
        p->member = (tool_member){.rank = started,
                                  .ranks = ranks,
                                  .keeps = started == 0,
                                  .partition = (tool_partition)model->crew->partition,
                                  .comm = comms[started]};
        if (pthread_create(threads + started, NULL, run_thread, p) != 0) {
            code = tool_complain(TOOL_NO_RESOURCE, "no thread can be made for rank %d", started);
            break;
        }
    }
    for (int r = started; code != TOOL_OK && r < ranks; r++) tulle_comm_destroy(comms[r]);
    for (int r = 0; r < started; r++) pthread_join(threads[r], NULL);
    const part *failed = first_failure(parts, started);
    if (code == TOOL_OK && failed) code = complain(failed);
    free(parts);
    free(threads);
    free(comms);
    return code;
}

/* Functions of libtulle-mpi (tulle/comm_mpi.h). */
typedef struct mpi_library {
    tulle_status (*begin)(double timeout, tulle_comm **comm);
    void (*end)(void);
    void (*abort)(int code);
} mpi_library;

/* Opens the library, which a program without a launcher need not have. Plugins of Open MPI look for
 * MPI's symbols among the program's. */
static int open_mpi(mpi_library *mpi) {
    char name[PLACE];
    name_library("mpi", name);
    void *library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (library && find_function(library, "tulle_mpi_begin", &mpi->begin) &&
        find_function(library, "tulle_mpi_end", &mpi->end) &&
        find_function(library, "tulle_mpi_abort", &mpi->abort)) {
        return TOOL_OK;
    }
    return tool_complain(TOOL_NO_RESOURCE,
                         "a launcher of MPI has started this program, and %s cannot be opened: "
                         "build tulle where MPI is found, or start one process",
                         name);
}

/* Code of a process that has failed as others have told it. */
enum { TOLD = -1 };

/* Tells all processes the exit code of this one, whose error is held back, and looks for the one
 * that is to speak: the first that failed by itself. Returns its code. Where processes cannot hear
 * each other any more, each speaks, and ends them all. */
static int settle(const part *p, const mpi_library *mpi, int code) {
    const int ranks = p->member.ranks, rank = p->member.rank;
    const int32_t own = code;
    int32_t *all = tool_alloc((size_t)ranks, sizeof *all);
    const tulle_status heard = tulle__comm_gather(p->member.comm, &own, sizeof own, all);
    if (heard != TULLE_OK) {
        tool_speak();
        if (code == TOOL_OK) code = tool_fail(heard);
        mpi->abort(code > 0 ? code : tool_exit_code(heard));
    }
    int speaker = -1;
    for (int r = ranks; r-- > 0;) {
        if (all[r] > 0 || (all[r] == TOLD && speaker < 0)) speaker = r;
    }
    code = speaker < 0 ? TOOL_OK : all[speaker];
    free(all);
    if (rank == (speaker < 0 ? 0 : speaker)) tool_speak();
    if (speaker >= 0 && rank != speaker) tool_silence(true);
    return code == TOLD ? tool_exit_code(TULLE_PEER_FAILED) : code;
}

/* Enters MPI beside the other processes, and hears how they fare. *mpi has no functions where it
 * cannot be entered. */
static int enter(part *p, mpi_library *mpi, int code) {
    const int opened = open_mpi(mpi);
    if (opened != TOOL_OK) return opened;
    const tulle_status begun = mpi->begin(0, &p->member.comm);
    if (begun != TULLE_OK) mpi->abort(tool_fail(begun));
    p->member.ranks = p->crew->launch.ranks;
    p->member.rank = tulle_comm_rank(p->member.comm);
    p->member.keeps = true;
    p->member.partition = (tool_partition)p->crew->partition;
    return settle(p, mpi, code);
}

static void leave(part *p, const mpi_library *mpi) {
    tulle_comm_destroy(p->member.comm);
    if (mpi->end) mpi->end();
}

int tool_crew_leave(const tool_crew *crew, int code) {
    part p = {.crew = crew};
    mpi_library mpi = {NULL, NULL, NULL};
    if (code == TOOL_OK || !is_launched(crew)) return code;
    code = enter(&p, &mpi, code);
    leave(&p, &mpi);
    return code;
}

static int run_process(part *p) {
    mpi_library mpi = {NULL, NULL, NULL};
    int code = enter(p, &mpi, TOOL_OK);
    if (code == TOOL_OK) {
        run_part(p);
        tool_silence(true);
        if (p->status != TULLE_OK) code = complain(p);
        code = settle(p, &mpi, p->status == TULLE_PEER_FAILED ? TOLD : code);
    }
    leave(p, &mpi);
    return code;
}

int tool_crew_run(const tool_crew *crew, const char *on, tool_member_fn work, void *user) {
    part model = {.crew = crew, .on = on, .work = work, .user = user};
    return is_launched(crew) ? run_process(&model) : run_threads(&model, crew->ranks);
}
