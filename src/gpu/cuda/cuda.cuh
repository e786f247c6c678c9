/* SPDX-License-Identifier: Apache-2.0 */
/* The names of gpu.cuh on the device. */
#ifndef TULLE_GPU_CUDA_CUDA_CUH
#define TULLE_GPU_CUDA_CUDA_CUH

#include <cuda_runtime.h>

/* Kernels stay in their file: two files may use the same name. */
#define GPU_KERNEL static __global__ __attribute__((unused))
#define GPU_RESIDENT(threads, blocks) __launch_bounds__(threads, blocks)
#define GPU_FUNCTION __device__ __forceinline__
#define GPU_SHARED(T, name, count) __shared__ T name[count]
/* Templates instantiated for several T share one symbol, so it is declared as bytes. */
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

/* 64-bit signed integers have no atomics of their own; two's complement makes the unsigned ones
 * serve, except for max and min, which exist signed. */
GPU_FUNCTION int atomic_add(int *p, int v) {
    return atomicAdd(p, v);
}
GPU_FUNCTION unsigned atomic_add(unsigned *p, unsigned v) {
    return atomicAdd(p, v);
}
GPU_FUNCTION float atomic_add(float *p, float v) {
    return atomicAdd(p, v);
}
GPU_FUNCTION double atomic_add(double *p, double v) {
    return atomicAdd(p, v);
}
GPU_FUNCTION int64_t atomic_add(int64_t *p, int64_t v) {
    return static_cast<int64_t>(
        atomicAdd(reinterpret_cast<unsigned long long *>(p), static_cast<unsigned long long>(v)));
}
GPU_FUNCTION int atomic_max(int *p, int v) {
    return atomicMax(p, v);
}
GPU_FUNCTION int64_t atomic_max(int64_t *p, int64_t v) {
    return atomicMax(reinterpret_cast<long long *>(p), static_cast<long long>(v));
}
GPU_FUNCTION int atomic_min(int *p, int v) {
    return atomicMin(p, v);
}
GPU_FUNCTION int64_t atomic_min(int64_t *p, int64_t v) {
    return atomicMin(reinterpret_cast<long long *>(p), static_cast<long long>(v));
}
GPU_FUNCTION int atomic_exchange(int *p, int v) {
    return atomicExch(p, v);
}
GPU_FUNCTION int atomic_cas(int *p, int expected, int v) {
    return atomicCAS(p, expected, v);
}
GPU_FUNCTION int64_t atomic_cas(int64_t *p, int64_t expected, int64_t v) {
    return static_cast<int64_t>(atomicCAS(reinterpret_cast<unsigned long long *>(p),
                                          static_cast<unsigned long long>(expected),
                                          static_cast<unsigned long long>(v)));
}

GPU_FUNCTION int load_acquire(const int *p) {
    int v;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
GPU_FUNCTION void store_release(int *p, int v) {
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
GPU_FUNCTION void fence() {
    __threadfence();
}
GPU_FUNCTION void spin() {
    __nanosleep(20);
}

/* Programmatic dependent launch, from compute capability 9.0 on; launch_early asks for it only
 * where the code was compiled for that (CUDA C++ Programming Guide, 6.2.8). */
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
/* Evicted first from the L1, yet kept for the next load of the same line: rows of a few entries
 * share lines, and a load that allocates nothing there fetches them again (docs/lab-notes.md). */
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

/* Word by word, each by load_word. */
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

/* One predicated load that leaves zeros alone: the compiler's own code for the same loads into
 * other registers, and several such loads then wait for each other. */
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

/* Turns a runtime error into a status and a record; TULLE_OK for cudaSuccess. */
tulle_status check(cudaError_t error, const char *what);

/* On the place's device and stream; leaves the caller's current device as it is. */
tulle_status launch_raw(const tulle__place *place, const void *kernel, grid g, void **arguments,
                        bool early);

template <class T>
struct not_deduced {
    using type = T;
};

/* Arguments are converted to the kernel's parameter types, as in a call. */
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

}  // namespace tulle_cuda

#endif
