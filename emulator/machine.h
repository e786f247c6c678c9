/* SPDX-License-Identifier: Apache-2.0 */
/* The emulated device's state: the blocks that are resident, their threads and shared memory. */
#ifndef TULLE_GPU_EMULATOR_MACHINE_H
#define TULLE_GPU_EMULATOR_MACHINE_H

#include <mutex>
#include <vector>

#include "emulator/fiber.h"
#include "emulator/history.h"
#include "emulator/order.h"
#include "gpu/gpu.cuh"

namespace tulle_emu::emulator {

constexpr int warp_lanes = 32;
constexpr int most_threads = 1024;
constexpr size_t most_shared = 227 << 10;       /* of a block, as on an H100 */
constexpr size_t most_static_shared = 48 << 10; /* of that, what a kernel may declare */
constexpr uint32_t most_words = most_shared;    /* a word for a byte: see shared.cuh */
constexpr int most_arrays = 64;

enum class state { ready, at_barrier, at_collective, ended };

/* An asynchronous copy into shared memory that its thread has yet to wait for. */
struct copy_in_flight {
    extent array;
    int64_t at; /* words */
    uint32_t words;
    unsigned group;
    site issued;
    const void *from;
    uint32_t data[4]; /* as they were when it started */
};

struct thread_state : position, lore {
    state now;
    fiber *on; /* NULL: not started, or ended */
    site at;   /* where it waits */
    request wanted;
    uint64_t result;
    unsigned copy_groups;  /* of asynchronous copies, committed */
    uint32_t polls;        /* looks at what it has seen before, since it last came to new memory */
    bool awaited;          /* what ran before its grid is complete */
    uint32_t moment;       /* 0: to be numbered at its next access */
    uint32_t last_fence;   /* moments before this one came before it */
    news found;            /* what its last atomic operation would acquire */
    const void *looked_at; /* the word that it looked at in vain, and has done nothing since */
    bool saw_older;        /* there, an overwritten number */
    bool wrote_same;       /* its last atomic write left the number as it was */
    std::vector<copy_in_flight> copies;
};

/* clock[i][j]: what lane i knows of lane j's time. A lane's own time passes at sync_warp. */
struct warp_state {
    unsigned ended, waiting; /* lanes; those that the block does not have count as ended */
    unsigned alike;          /* of the waiting: lanes that ask for the same as the last one */
    request last;
    uint32_t clock[warp_lanes][warp_lanes];
};

struct shared_array {
    const void *key; /* the declaration; NULL: the dynamic one */
    const char *name;
    extent words;
    uint32_t element; /* words */
};

struct block_state {
    unsigned index, size;
    unsigned ended;
    unsigned arrived; /* at the barrier */
    unsigned first_arrived;
    uint32_t epoch; /* goes on from block to block */
    uint32_t syncs; /* bounds every clock */
    bool learned;   /* a thread has acquired something since all last shared what they know */
    uint16_t ready[most_threads];
    unsigned ready_first, ready_count; /* a ring */
    int array_count;
    uint32_t words_used;
    size_t bytes_used;
    shared_array arrays[most_arrays];
    thread_state threads[most_threads];
    warp_state warps[most_threads / warp_lanes];
    uint32_t words[most_words];
    word_history history[most_words];
};

/* A pointer among a kernel's arguments. */
struct argument {
    const void *pointer;
    size_t element; /* bytes; 0: unknown */
    int place;      /* from 1 */
    bool constant;  /* it points to const */
    bool input;     /* and so do all others into its part of an array, which has these bytes: */
    const char *first;
    size_t bytes;
};

/* machine.cpp: it is no input, or only a part of its array is, where a struct that cannot be taken
 * apart has a pointer into the array, which may be any. Asked where a kernel writes there. */
void look_through_structs(argument *input);

struct memory {
    const void *first;
    size_t bytes;
    bool has(const void *p) const {
        return static_cast<size_t>(static_cast<const char *>(p) -
                                   static_cast<const char *>(first)) < bytes;
    }
};

enum class direction { forward, backward, random };

struct machine {
    std::mutex lock; /* one launch at a time */
    direction order = direction::forward;
    uint64_t seed = 0, random_state = 0;
    int resident = TULLE__EMU_RESIDENT;
    block_state *slots[TULLE__EMU_MAX_RESIDENT] = {}; /* kept from launch to launch */

    std::vector<memory> lent; /* of the host's, as the device's own */

    /* the launch */
    const launch_shape *shape = nullptr;
    void (*call)(void *) = nullptr;
    void *closure = nullptr;
    argument arguments[most_pointers];
    int argument_count = 0;
    int active = 0;         /* slots in use */
    unsigned runs_left = 0; /* of the block's turn */
    bool progress = false;  /* something happened that others may wait for */
    uint64_t moves = 0;     /* goes up while threads run, come to new memory, or write */
    uint64_t in_vain = 0;   /* waits since anything was new: see is_in_vain */
    uint64_t news = 0;      /* how often something was */
    volatile bool waits_for_seconds = false; /* the watchdog says */
    bool overlaps = false;                   /* launches before it may not be complete */
    bool faulted = false;
    bool no_memory = false;
    char report[1600] = "";

    /* the running thread */
    block_state *block = nullptr;
    thread_state *thread = nullptr;
};
extern machine device;

inline warp_state &warp_of(block_state &block, unsigned thread) {
    return block.warps[thread / warp_lanes];
}

/* The running host thread runs an emulated one. */
extern __thread bool in_kernel __attribute__((tls_model("initial-exec")));

/* What kernels that this host thread launches read and must not write. */
extern thread_local std::vector<memory> inputs;

/* global.cpp: host memory that was lent is the host's again; whether it is lent; whether the
 * program or a library has a constant there. */
void lent_back(const void *first);
bool is_lent(const void *p);
bool is_constant(const void *p);

/* host_work.cpp: what the host does in the stream, or a plain loop for a kernel, keeps to the
 * arrays of the device, and reads (copies: moves) what was written. TULLE_DEVICE_FAULT, naming the
 * work. */
enum class use { reads, moves, writes };
tulle_status check_use(const char *work, const void *stream, use how, const void *p, size_t bytes);

/* Such work has written it. */
void written_by_host(const void *p, size_t bytes);

/* Only the second half: in no race with a side that has yet to be joined. */
tulle_status check_sides(const char *work, const void *stream, use how, const void *p,
                         size_t bytes);

/* A fault of work that could not tell, once. */
void keep_fault(tulle_status status);
tulle_status kept_fault();

/* What the launch stands for, "a copy of 8 bytes"; NULL: a kernel. */
extern thread_local const char *host_work;

/* global.cpp: the running thread does it. */
void touch_by_host(use how, const void *p, size_t bytes);

/* A pseudo-random number below `below`. */
unsigned random_below(unsigned below);

/* machine.cpp: a thread may run again; the running one gives way to those that are ready; waits. */
void make_ready(block_state &block, unsigned thread);
void make_all_ready(block_state &block);
void let_others_run();
void wait_as(state how, site at);

/* barrier.cpp, warp.cpp: the running thread's kernel has returned; reports whoever waits for it. */
void leave_barrier();
void leave_warp();

/* shared_memory.cpp: a new block with no arrays. */
void reset_shared(block_state &block);

/* synchronising.cpp: a launch begins; what the last write to an address released; a load has met
 * what a write released. */
void forget_releases();
news found_at(const void *address);
void heard_older(const void *address, const news &told, uint32_t writer);

/* overwritten.cpp: whether the thread's atomic operations have met every update of a word, and no
 * store came between; a launch begins that overlaps with none before it; another order is set. */
bool has_met_updates(const void *address);
void forget_overwritten();
void forget_looks();

/* watchdog.cpp: ends a launch in which nothing moves. */
void watchdog_starts();
void watchdog_stops();

/* Threads wait and count: each of them so often, or for so many seconds of processor time, in which
 * none ended or came to anything new. Whether there is anything new is asked after many turns
 * alone. */
constexpr uint64_t most_in_vain = 1 << 12, least_in_vain = 1 << 20, many_in_vain = 1 << 12;
inline bool is_in_vain() {
    const int threads = device.active * device.shape->size.threads;
    bool often = device.in_vain > least_in_vain &&
                 device.in_vain / static_cast<uint64_t>(threads) > most_in_vain;
    return often || device.waits_for_seconds;
}
inline void something_is_new() {
    device.in_vain = 0;
    device.waits_for_seconds = false;
    device.news++;
}

/* barrier.cpp: looks again at what the thread has seen before. */
void poll(where at);

/* fault.cpp: records what a thread did wrong; the running one also stops for good. */
void record_fault(const thread_state &who, site at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
[[noreturn]] void fault(where at, const char *format, ...) __attribute__((format(printf, 2, 3)));
void record_deadlock();
void record_livelock();
void record_turns_in_vain();
const char *collective_name(collective op);
const char *file_of(site at);

}  // namespace tulle_emu::emulator

#endif
