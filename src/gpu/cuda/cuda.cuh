/* SPDX-License-Identifier: Apache-2.0 */
/* The names of gpu.cuh on a CUDA device. */
#ifndef TULLE_GPU_CUDA_CUDA_CUH
#define TULLE_GPU_CUDA_CUDA_CUH

#include <cuda_runtime.h>
#include <string.h>

#include <type_traits>

/* Kernels are static, so that two files may use the same name. */
#define GPU_KERNEL static __global__ __attribute__((unused))
#define GPU_RESIDENT(threads, blocks) __launch_bounds__(threads, blocks)
#define GPU_FUNCTION __device__ __forceinline__
#define GPU_SHARED(T, name, count) __shared__ T name[count]
/* Templates instantiated for several T share one symbol, so the memory is declared as bytes. */
#define GPU_DYNAMIC_SHARED(T, name)                                                                \
    extern __shared__ __align__(16) unsigned char gpu_dynamic_shared[];                            \
    T *name = reinterpret_cast<T *>(gpu_dynamic_shared)

namespace tulle_cuda {

template <class T>
using shared = T *;

GPU_FUNCTION unsigned thread() {
    return threadIdx.x;
}
GPU_FUNCTION unsigned block() {
    return blockIdx.x;
}
GPU_FUNCTION unsigned block_size() {
    return blockDim.x;
}
GPU_FUNCTION unsigned grid_size() {
    return gridDim.x;
}
GPU_FUNCTION unsigned lane() {
    return threadIdx.x & 31;
}

GPU_FUNCTION void sync() {
    __syncthreads();
}
GPU_FUNCTION void sync_warp(unsigned mask) {
    __syncwarp(mask);
}

template <class T>
GPU_FUNCTION T shuffle(unsigned mask, T v, int from, int width = 32) {
    return __shfl_sync(mask, v, from, width);
}
template <class T>
GPU_FUNCTION T shuffle_up(unsigned mask, T v, unsigned delta, int width = 32) {
    return __shfl_up_sync(mask, v, delta, width);
}
template <class T>
GPU_FUNCTION T shuffle_down(unsigned mask, T v, unsigned delta, int width = 32) {
    return __shfl_down_sync(mask, v, delta, width);
}
template <class T>
GPU_FUNCTION T shuffle_xor(unsigned mask, T v, int lanes, int width = 32) {
    return __shfl_xor_sync(mask, v, lanes, width);
}

GPU_FUNCTION unsigned ballot(unsigned mask, bool p) {
    return __ballot_sync(mask, p);
}
GPU_FUNCTION bool any(unsigned mask, bool p) {
    return __any_sync(mask, p);
}
GPU_FUNCTION bool all(unsigned mask, bool p) {
    return __all_sync(mask, p);
}

/* The types that atomics and flags take, and CUDA's own type for each: for 64-bit integers that is
 * long long. */
template <class T>
struct cuda_name {};
template <>
struct cuda_name<int> {
    using type = int;
};
template <>
struct cuda_name<unsigned> {
    using type = unsigned;
};
template <>
struct cuda_name<float> {
    using type = float;
};
template <>
struct cuda_name<double> {
    using type = double;
};
template <>
struct cuda_name<int64_t> {
    using type = long long;
};
template <>
struct cuda_name<uint64_t> {
    using type = unsigned long long;
};
template <class T>
using cuda_type = typename cuda_name<T>::type;

template <class T>
GPU_FUNCTION cuda_type<T> *as_cuda(T *p) {
    return reinterpret_cast<cuda_type<T> *>(p);
}
/* Sums, exchanges and comparisons of int64_t are made with the same bits as unsigned numbers. */
template <class T>
GPU_FUNCTION auto *as_word(T *p) {
    if constexpr (sizeof(T) == 8 && requires { T() << 1; }) {
        return reinterpret_cast<unsigned long long *>(p);
    } else {
        return p;
    }
}
template <class T>
GPU_FUNCTION auto as_word_number(T v) {
    if constexpr (sizeof(T) == 8 && requires { T() << 1; }) {
        return static_cast<unsigned long long>(v);
    } else {
        return v;
    }
}

template <class T>
struct not_deduced {
    using type = T;
};
template <class T>
using as_given = typename not_deduced<T>::type;

template <class T>
GPU_FUNCTION T atomic_add(T *p, as_given<T> v) {
    return static_cast<T>(atomicAdd(as_word(p), as_word_number(v)));
}
template <class T>
GPU_FUNCTION T atomic_max(T *p, as_given<T> v) {
    return static_cast<T>(atomicMax(as_cuda(p), static_cast<cuda_type<T>>(v)));
}
template <class T>
GPU_FUNCTION T atomic_min(T *p, as_given<T> v) {
    return static_cast<T>(atomicMin(as_cuda(p), static_cast<cuda_type<T>>(v)));
}
template <class T>
GPU_FUNCTION T atomic_exchange(T *p, as_given<T> v) {
    return static_cast<T>(atomicExch(as_word(p), as_word_number(v)));
}
template <class T>
GPU_FUNCTION T atomic_cas(T *p, as_given<T> expected, as_given<T> v) {
    return static_cast<T>(atomicCAS(as_word(p), as_word_number(expected), as_word_number(v)));
}

GPU_FUNCTION unsigned atomic_or(unsigned *p, unsigned v) {
    return atomicOr(p, v);
}

GPU_FUNCTION int count_bits(unsigned v) {
    return __popc(v);
}
GPU_FUNCTION int first_bit(unsigned v) {
    return __ffs(static_cast<int>(v)) - 1;
}

/* Flags of all types are loaded and stored as bits. */
#define GPU_FLAG_OF(bits, word, letter)                                                            \
    GPU_FUNCTION word flag_load_relaxed(const word *p) {                                           \
        word v;                                                                                    \
        asm volatile("ld.relaxed.gpu.b" #bits " %0, [%1];" : "=" letter(v) : "l"(p) : "memory");   \
        return v;                                                                                  \
    }                                                                                              \
    GPU_FUNCTION word flag_load_acquire(const word *p) {                                           \
        word v;                                                                                    \
        asm volatile("ld.acquire.gpu.b" #bits " %0, [%1];" : "=" letter(v) : "l"(p) : "memory");   \
        return v;                                                                                  \
    }                                                                                              \
    GPU_FUNCTION void flag_store_relaxed(word *p, word v) {                                        \
        asm volatile("st.relaxed.gpu.b" #bits " [%0], %1;" ::"l"(p), letter(v) : "memory");        \
    }                                                                                              \
    GPU_FUNCTION void flag_store_release(word *p, word v) {                                        \
        asm volatile("st.release.gpu.b" #bits " [%0], %1;" ::"l"(p), letter(v) : "memory");        \
    }
GPU_FLAG_OF(32, unsigned, "r")
GPU_FLAG_OF(64, unsigned long long, "l")
#undef GPU_FLAG_OF

template <class T>
struct flag_word {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "flags have 32 or 64 bits");
    using type = typename cuda_name<
        typename std::conditional<sizeof(T) == 4, unsigned, uint64_t>::type>::type;
};
template <class T>
using flag_bits = typename flag_word<T>::type;

template <class T>
GPU_FUNCTION T from_bits(flag_bits<T> bits) {
    T v;
    memcpy(&v, &bits, sizeof v);
    return v;
}
template <class T>
GPU_FUNCTION flag_bits<T> to_bits(T v) {
    flag_bits<T> bits;
    memcpy(&bits, &v, sizeof v);
    return bits;
}

template <class T>
GPU_FUNCTION T load_relaxed(const T *p) {
    return from_bits<T>(flag_load_relaxed(reinterpret_cast<const flag_bits<T> *>(p)));
}
template <class T>
GPU_FUNCTION T load_acquire(const T *p) {
    return from_bits<T>(flag_load_acquire(reinterpret_cast<const flag_bits<T> *>(p)));
}
template <class T>
GPU_FUNCTION void store_relaxed(T *p, as_given<T> v) {
    flag_store_relaxed(reinterpret_cast<flag_bits<T> *>(p), to_bits<T>(v));
}
template <class T>
GPU_FUNCTION void store_release(T *p, as_given<T> v) {
    flag_store_release(reinterpret_cast<flag_bits<T> *>(p), to_bits<T>(v));
}
GPU_FUNCTION void fence() {
    __threadfence();
}
GPU_FUNCTION void spin() {
    __nanosleep(20);
}
GPU_FUNCTION void spin_awake() {}

/* Copies asynchronously: 16 bytes by way of the L2, because they are read once; fewer bytes by way
 * of the L1, because the instruction has no other way for them. */
template <int bytes, class T>
GPU_FUNCTION void copy_async(T *to, const T *from) {
    static_assert(bytes == 4 || bytes == 8 || bytes == 16, "4, 8 or 16 bytes");
    unsigned shared_address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    if constexpr (bytes == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address), "l"(from)
                     : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address), "l"(from),
                     "n"(bytes)
                     : "memory");
    }
}
GPU_FUNCTION void copy_commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int groups_left>
GPU_FUNCTION void copy_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(groups_left) : "memory");
}

template <class T>
GPU_FUNCTION T *part_of(T *array, int64_t first, int64_t) {
    return array + first;
}

/* Allows the next grid to start (programmatic dependent launch, from compute capability 9.0 on).
 * launch_early asks for such a start only where the code was compiled for it (CUDA C++ Programming
 * Guide, 6.2.8). */
GPU_FUNCTION void allow_next() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}
GPU_FUNCTION void await_previous() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

template <class T>
GPU_FUNCTION T load(const T *p) {
    if constexpr (requires { __ldg(p); }) {
        return __ldg(p);
    } else {
        return *p;
    }
}
/* Loads without the read-only path, so that await_previous keeps the load behind itself. nvcc 13.0
 * moves __ldg in front of griddepcontrol.wait, whatever that clobbers, because it takes the data of
 * __ldg for constant. */
template <class T>
GPU_FUNCTION T load_awaited(const T *p) {
    return *p;
}
/* Loads data that the L1 evicts first, but keeps for the next load of the same line: rows of a few
 * entries share lines, and a load that allocates nothing in the L1 would fetch the lines again
 * (docs/lab-notes.md). */
template <class T>
GPU_FUNCTION T load_once(const T *p) {
    return __ldcs(p);
}
GPU_FUNCTION uint64_t load_once(const uint64_t *p) {
    uint64_t v;
    asm("ld.global.nc.L1::no_allocate.u64 %0, [%1];" : "=l"(v) : "l"(p));
    return v;
}

template <int bytes>
struct word_of;
template <>
struct word_of<16> {
    using type = int4;
};
template <>
struct word_of<8> {
    using type = int2;
};
template <>
struct word_of<4> {
    using type = int;
};

/* Loads a pack word by word with the function `load`. */
template <class T, int n, class Load>
GPU_FUNCTION pack<T, n> load_words(const pack<T, n> *p, Load load_word) {
    using word = typename word_of<alignof(pack<T, n>)>::type;
    const word *from = reinterpret_cast<const word *>(p);
    union {
        word words[sizeof(pack<T, n>) / sizeof(word)];
        pack<T, n> numbers;
    } v;
    GPU_UNROLL
    for (int w = 0; w < static_cast<int>(sizeof(pack<T, n>) / sizeof(word)); w++) {
        v.words[w] = load_word(from + w);
    }
    return v.numbers;
}
template <class T, int n>
GPU_FUNCTION pack<T, n> load(const pack<T, n> *p) {
    return load_words(p, [](const auto *word) { return __ldg(word); });
}
template <class T, int n>
GPU_FUNCTION pack<T, n> load_once(const pack<T, n> *p) {
    return load_words(p, [](const auto *word) { return __ldcs(word); });
}

/* Loads 16 bytes with one predicated instruction, or gives zeros. The compiler's own code loads
 * into other registers, and several such loads then wait for each other. */
GPU_FUNCTION int4 load_word_if(bool condition, const int4 *p) {
    int4 v;
    asm("{ .reg .pred c; setp.ne.s32 c, %5, 0;"
        " mov.s32 %0, 0; mov.s32 %1, 0; mov.s32 %2, 0; mov.s32 %3, 0;"
        " @c ld.global.nc.v4.s32 {%0, %1, %2, %3}, [%4]; }"
        : "=&r"(v.x), "=&r"(v.y), "=&r"(v.z), "=&r"(v.w)
        : "l"(p), "r"(static_cast<int>(condition)));
    return v;
}
GPU_FUNCTION int2 load_word_if(bool condition, const int2 *p) {
    int2 v;
    asm("{ .reg .pred c; setp.ne.s32 c, %3, 0; mov.s32 %0, 0; mov.s32 %1, 0;"
        " @c ld.global.nc.v2.s32 {%0, %1}, [%2]; }"
        : "=&r"(v.x), "=&r"(v.y)
        : "l"(p), "r"(static_cast<int>(condition)));
    return v;
}
GPU_FUNCTION int load_word_if(bool condition, const int *p) {
    int v;
    asm("{ .reg .pred c; setp.ne.s32 c, %2, 0; mov.s32 %0, 0; @c ld.global.nc.s32 %0, [%1]; }"
        : "=&r"(v)
        : "l"(p), "r"(static_cast<int>(condition)));
    return v;
}
template <class T, int n>
GPU_FUNCTION pack<T, n> load_if(bool condition, const pack<T, n> *p) {
    static_assert(sizeof(T) * n <= 16, "one word");
    return load_words(p, [=](const auto *word) { return load_word_if(condition, word); });
}

/* Returns the status for an error of the runtime, and records the error; TULLE_OK for
 * cudaSuccess. */
tulle_status check(cudaError_t error, const char *what);

/* Launches a kernel on the place's device and stream. The caller's current device stays the
 * same. */
tulle_status launch_raw(const tulle__place *place, const void *kernel, grid g, void **arguments,
                        bool early);

/* Launches a kernel. Arguments are converted to the kernel's parameter types, as in a call. */
template <class... P>
tulle_status launch(const tulle__place *place, void (*kernel)(P...), grid g,
                    typename not_deduced<P>::type... arguments) {
    void *addresses[] = {const_cast<void *>(static_cast<const void *>(&arguments))..., nullptr};
    return launch_raw(place, reinterpret_cast<const void *>(kernel), g, addresses, false);
}

template <class... P>
tulle_status launch_early(const tulle__place *place, void (*kernel)(P...), grid g,
                          typename not_deduced<P>::type... arguments) {
    void *addresses[] = {const_cast<void *>(static_cast<const void *>(&arguments))..., nullptr};
    return launch_raw(place, reinterpret_cast<const void *>(kernel), g, addresses, true);
}

struct side;

class side_by_side {
  public:
    explicit side_by_side(const tulle__place *place) : place_(place) {}
    side_by_side(const side_by_side &) = delete;
    side_by_side &operator=(const side_by_side &) = delete;
    ~side_by_side() { join(); }
    tulle_status next(const tulle__place **other);
    tulle_status join();

  private:
    static constexpr int most = 64;
    const tulle__place *place_;
    side *sides_[most];
    tulle__place others_[most];
    int count_ = 0;
};

tulle_status resident_raw(const tulle__place *place, const void *kernel, int threads,
                          size_t dynamic_shared, int64_t *blocks);

template <class... P>
tulle_status resident_blocks(const tulle__place *place, void (*kernel)(P...), int threads,
                             size_t dynamic_shared, int64_t *blocks) {
    return resident_raw(place, reinterpret_cast<const void *>(kernel), threads, dynamic_shared,
                        blocks);
}

}  // namespace tulle_cuda

#endif
