/* SPDX-License-Identifier: Apache-2.0 */
/* What a running kernel asks of the emulated device; the names of gpu.cuh are thin shells around
 * these calls. Everything here belongs to the thread that runs: a launch runs all threads of its
 * grid, one at a time, on the host thread that launched it. Included by gpu.cuh alone. */
#ifndef TULLE_GPU_EMULATOR_DEVICE_H
#define TULLE_GPU_EMULATOR_DEVICE_H

#include <stddef.h>

#include "emulator/site.h"

namespace tulle_emu::emulator {

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
    void *stream = nullptr;
};

constexpr int most_pointers = 64;

/* What a kernel is given: pointers, with the size of what they point to; 0: words of a struct that
 * look like pointers. */
struct pointer_argument {
    const void *pointer;
    size_t element;
    int place; /* from 1 */
    bool constant;
    bool table; /* to pointers through which the kernel may write */
};

/* Whether the device has it. */
bool is_of_device(const void *p);

/* What a thread of the grid runs: call(closure), and the pointers in it. */
struct grid_work {
    void (*call)(void *);
    void *closure;
    const pointer_argument *pointers;
    int pointer_count;
};

/* Runs all blocks of a grid. */
tulle_status run_grid(const launch_shape &shape, const grid_work &work);

/* How many blocks run at the same time. */
int resident();

/* Whether the place's stream is being captured. */
bool is_captured(const tulle__place *place);

/* Adds run(step) to the graph that the place's stream is captured into; copies the step. */
tulle_status capture_launch(const tulle__place *place, tulle_status (*run)(const void *step),
                            const void *step, size_t bytes);

/* Places whose work comes after what is in another place's stream now, and whose end that stream
 * waits for: sides.cpp. */
struct sides;
const tulle__place *side_begins(const tulle__place *place, sides **all);
void sides_end(const tulle__place *place, sides **all);

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

/* read_constant: through the path that takes memory for constant. copy: an asynchronous one starts.
 */
enum class touch { read, read_constant, write, atomic_read, atomic_write, update, copy };

/* Around every atomic operation, acquire and release, at a word. */
void before_atomic(const void *word, site at);
void after_atomic(const void *word, bool changed_memory, site at);

/* An atomic write is about to overwrite a number; an atomic load or update may see one that was
 * overwritten, which then takes the place of the newest: overwritten.cpp. */
void overwrites(const void *address, const void *old, const void *number, size_t bytes, touch how);
bool sees_overwritten(const void *address, void *number, size_t bytes, touch how, const site &at);

/* Whether somebody has written the number there, and no load might still come before that. */
bool has_number(const void *address, size_t bytes);

/* What an atomic operation at an address lets the thread know, and others: synchronising.cpp.
 * acquired: of the load just before. */
void heard(const void *address, touch how);
void acquired();
void told(const void *address, touch how);
void released(const void *address);
void fence();

/* An access to global memory by one of gpu.cuh's names. Of a struct, as a pack is one, parts may be
 * unwritten: they have other bits in every order from then on. */
void touch_global(touch how, const void *p, size_t bytes, const site &at);
void touch_struct(touch how, const void *p, size_t bytes, const site &at);

/* memcpy, memmove and memset of a kernel, which the compiler's hooks do not see. */
void *copy_bytes(void *to, const void *from, size_t bytes, const site &at = site::current());
void *set_bytes(void *to, int value, size_t bytes, const site &at = site::current());

/* Memory as it is, without a check. */
void raw_read(void *to, const void *from, size_t bytes);
void raw_write(void *to, const void *from, size_t bytes);

/* An array in the block's shared memory, counted in words of 4 bytes. */
struct extent {
    uint32_t first = 0, words = 0;
    bool dynamic = false; /* all that was asked for at launch */
};
extent static_array(const void *key, const char *name, size_t count, size_t element, site at);
extent dynamic_array(const char *name, size_t element, site at);

/* A part of an array, as far as the array goes. */
extent part_of_array(extent array, int64_t first, int64_t words);

/* Checks an access and records it; gives the words. */
uint32_t *touch_shared(touch how, extent array, int64_t at, uint32_t words, uint32_t alignment,
                       site where);

/* Whether all words are written, as far as the array has them. */
bool shared_has_number(extent array, int64_t at, uint32_t words);

/* Whoever takes what an exchange has found where nothing was written. */
[[noreturn]] void fault_of_exchange(site at);

/* The memory asked for at launch is cut into arrays, and nothing says where they end. */
[[noreturn]] void fault_of_cut(touch how, site at);

/* Asynchronous copies into shared memory, 4 to 16 bytes each: copies.cpp. */
void copy_starts(extent array, int64_t at, const void *from, uint32_t words, site where);
void copies_committed();
void copies_awaited(unsigned groups_left, site where);

}  // namespace tulle_emu::emulator

#endif
