/* SPDX-License-Identifier: Apache-2.0 */
/* What gpu.cuh gives kernels to meet and to move data with, tried on the emulator
 * (test_primitives.cpp) and on a GPU (tests/cuda/test_primitives.cu): the same kernels and the same
 * checks. Each check is true when all is well. */
#ifndef TULLE_TESTS_EMULATOR_PRIMITIVES_CUH
#define TULLE_TESTS_EMULATOR_PRIMITIVES_CUH

#include <math.h>
#include <string.h>

#include <vector>

#include "gpu/gpu.cuh"
#include "gpu/scan.cuh"
#include "gpu/tile.cuh"

namespace primitives {

/* An array of the device's, with a copy of it on the host. */
template <class T>
class numbers {
  public:
    numbers(const tulle__place *place, int64_t count, T value)
        : host(static_cast<size_t>(count), value), place_(place) {
        void *raw = nullptr;
        GPU_SYMBOL(allocate)(place->device, bytes(), &raw);
        device = static_cast<T *>(raw);
        write();
    }
    numbers(const numbers &) = delete;
    ~numbers() { GPU_SYMBOL(release)(place_->device, device); }
    void write() {
        GPU_SYMBOL(copy)(place_, device, host.data(), bytes());
        GPU_SYMBOL(stream_wait)(place_->device, place_->stream);
    }
    void read() {
        GPU_SYMBOL(copy)(place_, host.data(), device, bytes());
        GPU_SYMBOL(stream_wait)(place_->device, place_->stream);
    }
    T *device = nullptr;
    std::vector<T> host;

  private:
    size_t bytes() const { return host.size() * sizeof(T); }
    const tulle__place *place_;
};

/* Each block waits for the one before it. A ticket gives the blocks their order, so that those that
 * wait were started later. */
template <class Flag>
GPU_KERNEL void chain(int *ticket, Flag *flag, int64_t *value) {
    GPU_SHARED(int, mine, 1);
    if (gpu::thread() == 0) mine[0] = gpu::atomic_add(ticket, 1);
    gpu::sync();
    int b = mine[0];
    int64_t threads = gpu::block_size(), me = gpu::thread();
    if (me == 0 && b > 0) {
        while (gpu::load_acquire(flag + b - 1) == Flag(0)) gpu::spin();
    }
    gpu::sync();
    value[b * threads + me] = 1 + (b > 0 ? value[b * threads - 1 - me] : 0);
    gpu::sync();
    if (me == 0) gpu::store_release(flag + b, Flag(1));
}

template <class Flag>
bool check_chain(const tulle__place *place) {
    constexpr int blocks = 300, threads = 64;
    numbers<int> ticket(place, 1, 0);
    numbers<Flag> flag(place, blocks, Flag(0));
    numbers<int64_t> value(place, blocks * threads, 0);
    tulle_status status = gpu::launch(place, chain<Flag>, {blocks, threads}, ticket.device,
                                      flag.device, value.device);
    value.read();
    bool right = status == TULLE_OK;
    for (int t = 0; t < threads; t++)
        right = right && value.host[(blocks - 1) * threads + t] == blocks;
    return right;
}

/* The same with values that are their own flags, and no fence. */
template <class T>
GPU_KERNEL void chain_of_values(int *ticket, T *value) {
    if (gpu::thread() > 0) return;
    int b = gpu::atomic_add(ticket, 1);
    T before = T(0);
    if (b > 0) {
        while ((before = gpu::load_relaxed(value + b - 1)) == T(0)) gpu::spin_awake();
    }
    gpu::store_relaxed(value + b, before + T(1));
}

template <class T>
bool check_values(const tulle__place *place) {
    constexpr int blocks = 300;
    numbers<int> ticket(place, 1, 0);
    numbers<T> value(place, blocks, T(0));
    tulle_status status =
        gpu::launch(place, chain_of_values<T>, {blocks, 32}, ticket.device, value.device);
    value.read();
    return status == TULLE_OK && value.host[blocks - 1] == T(blocks);
}

/* added, greatest, least, exchanged, and the least free place taken by comparing. */
template <class T>
GPU_KERNEL void update(T *result, T *places) {
    T me = static_cast<T>(gpu::block() * gpu::block_size() + gpu::thread());
    gpu::atomic_add(result, me);
    gpu::atomic_max(result + 1, me + 5);
    gpu::atomic_min(result + 2, me + 5);
    gpu::atomic_exchange(result + 3, me + 5);
    int64_t at = static_cast<int64_t>(me) / 2;
    while (gpu::atomic_cas(places + at, T(0), me + 1) != T(0)) at++;
}

template <class T>
bool check_updates(const tulle__place *place) {
    constexpr int blocks = 3, threads = 64, all = blocks * threads;
    const T large = static_cast<T>(sizeof(T) == 8 ? int64_t{1} << 40 : 1 << 20);
    numbers<T> result(place, 4, large), places(place, 2 * all, T(0));
    result.host[1] = 0;
    result.write();
    tulle_status status =
        gpu::launch(place, update<T>, {blocks, threads}, result.device, places.device);
    result.read();
    places.read();
    T sum = 0;
    for (T taken : places.host) sum += taken;
    return status == TULLE_OK && result.host[0] == large + T(all * (all - 1) / 2) &&
           result.host[1] == T(all + 4) && result.host[2] == T(5) && result.host[3] >= T(5) &&
           result.host[3] < T(all + 5) && sum == T(all * (all + 1) / 2);
}

GPU_KERNEL void multiply(const double *A, const double *B, double *C) {
    unsigned l = gpu::lane();
    gpu::tile_f64 c = {{C[l / 4 * 8 + 2 * (l % 4)], C[l / 4 * 8 + 2 * (l % 4) + 1]}};
    gpu::multiply_add_8x8x4(c, A[l], B[l % 4 * 8 + l / 4]);
    for (unsigned i = 0; i < 2; i++) C[l / 4 * 8 + 2 * (l % 4) + i] = c.c[i];
}

inline bool check_tile(const tulle__place *place) {
    numbers<double> A(place, 32, 0), B(place, 32, 0), C(place, 64, 0.5);
    for (int i = 0; i < 32; i++) A.host[i] = 1.0 / (i + 1), B.host[i] = i - 11.25;
    A.write();
    B.write();
    tulle_status status = gpu::launch(place, multiply, {1, 32}, A.device, B.device, C.device);
    C.read();
    bool right = status == TULLE_OK;
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 8; j++) {
            double sum = 0.5, size = 0.5;
            for (int k = 0; k < 4; k++) {
                sum += A.host[4 * i + k] * B.host[8 * k + j];
                size += fabs(A.host[4 * i + k] * B.host[8 * k + j]);
            }
            right = right && fabs(C.host[8 * i + j] - sum) <= 5 * 0x1p-52 * size;
        }
    }
    return right;
}

/* Sums of tiles, the next one on its way while one is added up. */
template <int bytes, class T>
GPU_KERNEL void sum_tiles(const T *in, int tiles, T *out) {
    GPU_SHARED(T, room, 2 * 64 * (16 / sizeof(T)));
    constexpr int width = bytes / sizeof(T), tile = 64 * width;
    int me = static_cast<int>(gpu::thread());
    gpu::shared<T> mine = room + me * width;
    gpu::copy_async<bytes>(mine, in + me * width);
    gpu::copy_commit();
    T sum = 0;
    for (int t = 0; t < tiles; t++) {
        if (t + 1 < tiles) {
            gpu::copy_async<bytes>(mine + (t + 1) % 2 * tile, in + (t + 1) * tile + me * width);
        }
        gpu::copy_commit();
        gpu::copy_wait<1>();
        gpu::sync();
        for (int i = 0; i < width; i++)
            sum += room[t % 2 * tile + (64 * width - 1 - me * width - i)];
        gpu::sync();
    }
    out[me] = sum;
}

template <int bytes, class T>
bool check_copies(const tulle__place *place) {
    constexpr int tiles = 5, width = bytes / sizeof(T), tile = 64 * width;
    numbers<T> in(place, tiles * tile, T(0)), out(place, 64, T(0));
    for (int i = 0; i < tiles * tile; i++) in.host[i] = T(i);
    in.write();
    tulle_status status =
        gpu::launch(place, sum_tiles<bytes, T>, {1, 64}, in.device, tiles, out.device);
    out.read();
    bool right = status == TULLE_OK;
    for (int me = 0; me < 64; me++) {
        T sum = 0;
        for (int t = 0; t < tiles; t++) {
            for (int i = 0; i < width; i++) sum += T(t * tile + tile - 1 - me * width - i);
        }
        right = right && out.host[me] == sum;
    }
    return right;
}

GPU_KERNEL void turn_round(int count, int *out) {
    GPU_DYNAMIC_SHARED(int, room);
    int threads = static_cast<int>(gpu::block_size());
    for (int i = static_cast<int>(gpu::thread()); i < count; i += threads) room[i] = i;
    gpu::sync();
    for (int i = static_cast<int>(gpu::thread()); i < count; i += threads) {
        out[i] = room[count - 1 - i];
    }
}

/* All the shared memory that a block may have. */
inline bool check_large_shared(const tulle__place *place, size_t bytes) {
    int count = static_cast<int>(bytes / sizeof(int));
    numbers<int> out(place, count, -1);
    tulle_status status = gpu::launch(place, turn_round, {1, 256, bytes}, count, out.device);
    out.read();
    bool right = status == TULLE_OK;
    for (int i = 0; i < count; i++) right = right && out.host[i] == count - 1 - i;
    return right;
}

/* A grid that waits for itself. */
GPU_KERNEL void meet(int *arrived, int rounds) {
    for (int r = 1; r <= rounds; r++) {
        gpu::sync();
        if (gpu::thread() == 0) {
            gpu::atomic_add(arrived, 1);
            while (gpu::load_acquire(arrived) < r * static_cast<int>(gpu::grid_size())) gpu::spin();
        }
        gpu::sync();
    }
}

inline bool check_resident(const tulle__place *place) {
    constexpr int rounds = 3;
    int64_t blocks = 0;
    if (gpu::resident_blocks(place, meet, 64, 0, &blocks) != TULLE_OK || blocks < 1) return false;
    numbers<int> arrived(place, 1, 0);
    tulle_status status = gpu::launch(place, meet, {blocks, 64}, arrived.device, rounds);
    arrived.read();
    return status == TULLE_OK && arrived.host[0] == rounds * blocks;
}

GPU_KERNEL void add_to(const int *in, int *out, int what) {
    out[gpu::thread()] = in[gpu::thread()] + what;
}

/* Work beside each other comes after what was there before, and before what comes later; more of it
 * than there are streams, again and again. */
inline bool check_side_by_side(const tulle__place *place) {
    constexpr int threads = 32, sides = 12, rounds = 3;
    numbers<int> start(place, threads, 1), middle(place, threads, 0), end(place, threads, 0);
    numbers<int> parts(place, sides * threads, 0);
    bool right = true;
    for (int round = 0; round < rounds; round++) {
        tulle_status status =
            gpu::launch(place, add_to, {1, threads}, start.device, middle.device, round);
        {
            gpu::side_by_side beside(place);
            for (int k = 0; status == TULLE_OK && k < sides; k++) {
                const tulle__place *other = nullptr;
                status = beside.next(&other);
                if (status != TULLE_OK) break;
                status = gpu::launch(other, add_to, {1, threads}, middle.device,
                                     parts.device + k * threads, k);
            }
            if (status == TULLE_OK && round > 0) status = beside.join();
        }
        int *last = parts.device + (sides - 1) * threads;
        if (status == TULLE_OK) {
            status = gpu::launch(place, add_to, {1, threads}, last, end.device, 100);
        }
        parts.read();
        end.read();
        right = right && status == TULLE_OK && end.host[0] == 1 + round + sides - 1 + 100;
        for (int k = 0; k < sides; k++) {
            right = right && parts.host[k * threads + threads - 1] == 1 + round + k;
        }
    }
    return right;
}

/* Each thread sets a bit of its own and one that others set, too; then counts those below its own,
 * and looks for its own. */
GPU_KERNEL void set_bits(unsigned *words, int *below, int *lowest, int *sums) {
    GPU_SHARED(unsigned, near, 4);
    GPU_SHARED(int, room, 4);
    unsigned me = gpu::thread();
    if (me < 4) near[me] = 0;
    gpu::sync();
    gpu::atomic_or(words + me / 32, 1u << me % 32);
    gpu::atomic_or(near + me / 32, 1u << me % 32 | 1u << 31);
    gpu::sync();
    unsigned word = near[me / 32];
    below[me] = gpu::count_bits(word & ((1u << me % 32) - 1u));
    lowest[me] = gpu::first_bit(word & ~((1u << me % 32) - 1u));
    int all = 0, before = gpu::block_scan(static_cast<int>(me), room, &all);
    int64_t least = gpu::block_total(1, room);
    sums[me] = before + all + static_cast<int>(least);
}

inline bool check_bits(const tulle__place *place) {
    constexpr int threads = 128;
    numbers<unsigned> words(place, threads / 32, 0u);
    numbers<int> below(place, threads, -1), lowest(place, threads, -1), sums(place, threads, -1);
    tulle_status status = gpu::launch(place, set_bits, {1, threads}, words.device, below.device,
                                      lowest.device, sums.device);
    words.read();
    below.read();
    lowest.read();
    sums.read();
    bool right = status == TULLE_OK;
    for (int t = 0; t < threads; t++) {
        right = right && below.host[t] == t % 32 && lowest.host[t] == t % 32;
        right = right && sums.host[t] == t * (t - 1) / 2 + threads * (threads - 1) / 2 + threads;
    }
    for (unsigned word : words.host) right = right && word == ~0u;
    return right;
}

/* What is captured has not been done; a graph does it as often as it is launched. */
inline bool check_graph(const tulle__place *place) {
    numbers<int> a(place, 32, 1), b(place, 32, 0);
    void *graph = nullptr;
    if (GPU_SYMBOL(capture_begin)(place) != TULLE_OK) return false;
    tulle_status first = gpu::launch(place, add_to, {1, 32}, a.device, b.device, 10);
    tulle_status second = gpu::launch(place, add_to, {1, 32}, b.device, a.device, 100);
    tulle_status third = GPU_SYMBOL(set_bytes)(place, b.device, 0, 4);
    if (GPU_SYMBOL(capture_end)(place, &graph) != TULLE_OK) return false;
    a.read();
    bool right = first == TULLE_OK && second == TULLE_OK && third == TULLE_OK && a.host[5] == 1;
    for (int i = 0; i < 2; i++) right = right && GPU_SYMBOL(graph_launch)(place, graph) == TULLE_OK;
    a.read();
    b.read();
    right = right && a.host[5] == 221 && b.host[5] == 121 && b.host[0] == 0;
    return GPU_SYMBOL(graph_destroy)(place->device, graph) == TULLE_OK && right;
}

}  // namespace primitives

#endif
