/* SPDX-License-Identifier: Apache-2.0 */
/* What a running kernel asks of the emulated device; the names of gpu.cuh are thin shells around
 * these calls. Everything here belongs to the thread that runs: a launch runs all threads of its
 * grid, one at a time, on the host thread that launched it. Included by gpu.cuh alone. */
#ifndef TULLE_GPU_EMULATOR_DEVICE_H
#define TULLE_GPU_EMULATOR_DEVICE_H

#include <source_location>

namespace tulle_emu::emulator {

/* A place in a kernel's source; taken as a default argument, it is where the kernel called. */
using site = std::source_location;

/* Who the running thread is. */
struct position {
    unsigned thread, block, block_size, grid_size;
};
extern const position *here;

/* A grid, and where it was launched. */
struct launch_shape {
    launch_shape(int64_t count, int threads, size_t dynamic_shared = 0,
                 site where = site::current())
        : size{count, threads, dynamic_shared}, at(where) {}
    launch_shape(const grid &given, site where = site::current()) : size(given), at(where) {}
    grid size;
    site at;
    bool early = false;
};

/* Runs all blocks of a grid; every thread calls call(closure). */
tulle_status run_grid(const launch_shape &shape, void (*call)(void *), void *closure);

void block_barrier(site at);

enum class collective { sync, ballot, any, all, shuffle, shuffle_up, shuffle_down, shuffle_xor };

struct request {
    collective op;
    unsigned mask;
    uint64_t bits;   /* the lane's value */
    int64_t operand; /* of a shuffle: lane, delta or lane mask */
    int width;
};

/* Waits for all lanes of the mask; gives the lane's result. */
uint64_t warp_collective(const request &wanted, site at);

/* The running thread has waited for the grids before its own. */
void awaited();

/* Lets others run: the thread waits for something that another one does. */
void spin(site at);

/* Around every atomic operation, acquire and release. */
void before_atomic(site at);
void after_atomic(bool changed_memory, site at);

/* An array in the block's shared memory, counted in words of 4 bytes. */
struct extent {
    uint32_t first = 0, words = 0;
};
extent static_array(const void *key, const char *name, size_t count, size_t element, site at);
extent dynamic_array(const char *name, size_t element, site at);

enum class touch { read, write, atomic };

/* Checks an access and records it; gives the words. */
uint32_t *touch_shared(touch how, extent array, int64_t at, uint32_t words, uint32_t alignment,
                       site where);

}  // namespace tulle_emu::emulator

#endif
