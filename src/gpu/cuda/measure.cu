/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the bandwidth of the memory, and empties the cache. */
#include <pthread.h>

#include "gpu/cuda/device.cuh"
#include "gpu/gpu.cuh"

/* Size of the flush buffer in caches: enough to replace all lines even in a cache that does not
 * evict the oldest lines first. */
static constexpr int64_t flush_caches = 4;

/* guards the flush buffers of all devices */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Reads a whole buffer and writes nothing, so that the cache has clean lines afterwards:
 * write-backs of dirty lines would add to the time of the next work. The buffer is zero, which the
 * compiler does not know. */
GPU_KERNEL void read_all(uint64_t *data, int64_t count) {
    uint64_t seen = 0;
    int64_t stride = static_cast<int64_t>(gpu::grid_size()) * gpu::block_size();
    int64_t first = static_cast<int64_t>(gpu::block()) * gpu::block_size() + gpu::thread();
    for (int64_t i = first; i < count; i += stride) seen |= data[i];
    if (seen != 0) data[first] = seen;
}

static tulle_status flush_buffer(const tulle__place *place, size_t bytes, void **buffer) {
    tulle__device *device = place->device;
    tulle_status status = TULLE_OK;
    pthread_mutex_lock(&lock);
    if (!device->flush) {
        void *made = nullptr;
        status = GPU_SYMBOL(allocate)(device, bytes, &made);
        if (status == TULLE_OK) status = GPU_SYMBOL(set_bytes)(place, made, 0, bytes);
        if (status == TULLE_OK) status = GPU_SYMBOL(stream_wait)(device, place->stream);
        if (status == TULLE_OK) {
            device->flush = made;
        } else {
            cudaFree(made);
        }
    }
    *buffer = device->flush;
    pthread_mutex_unlock(&lock);
    return status;
}

tulle_status GPU_SYMBOL(flush_cache)(const tulle__place *place) {
    int64_t words = flush_caches * place->device->cache_bytes / 8;
    if (words == 0) return TULLE_OK;
    void *buffer = nullptr;
    GPU_TRY(flush_buffer(place, static_cast<size_t>(words) * 8, &buffer));
    constexpr int threads = 256;
    constexpr int64_t most_blocks = 2048;
    int64_t blocks = (words + threads - 1) / threads;
    return gpu::launch(place, read_all, {blocks < most_blocks ? blocks : most_blocks, threads},
                       static_cast<uint64_t *>(buffer), words);
}

namespace {

constexpr int warm_copies = 3, timed_copies = 21;

/* Two buffers, and the events before and after each copy. */
struct copy_run {
    tulle__device *device;
    void *from = nullptr, *to = nullptr;
    void *events[timed_copies + 1] = {};

    explicit copy_run(tulle__device *d) : device(d) {}
    copy_run(const copy_run &) = delete;
    copy_run &operator=(const copy_run &) = delete;
    ~copy_run() {
        for (void *event : events) {
            if (event) GPU_SYMBOL(event_destroy)(device, event);
        }
        GPU_SYMBOL(release)(device, to);
        GPU_SYMBOL(release)(device, from);
    }
};

}  // namespace

/* Computes the size of a copy: at least 16 caches, unless both buffers together would take more
 * than a quarter of the free memory. */
static tulle_status copy_bytes(const tulle__device *device, size_t *bytes) {
    constexpr size_t least = size_t{1} << 20, usual = size_t{1} << 30;
    gpu::on_device here(device);
    GPU_TRY(here.status());
    size_t unused = 0, all = 0;
    GPU_TRY(gpu::check(cudaMemGetInfo(&unused, &all), "cudaMemGetInfo"));
    size_t wanted = 16 * static_cast<size_t>(device->cache_bytes);
    if (wanted < usual) wanted = usual;
    *bytes = wanted < unused / 8 ? wanted : unused / 8;
    if (*bytes >= least) return TULLE_OK;
    return gpu::services->fail(TULLE_OUT_OF_MEMORY, nullptr, nullptr, -1,
                               "measuring the bandwidth needs 8 MiB of free GPU memory");
}

static double median(double *times, int count) {
    for (int i = 1; i < count; i++) {
        double moved = times[i];
        int j = i;
        for (; j > 0 && times[j - 1] > moved; j--) times[j] = times[j - 1];
        times[j] = moved;
    }
    return times[count / 2];
}

tulle_status GPU_SYMBOL(bandwidth)(const tulle__place *place, double *gbs) {
    tulle__device *device = place->device;
    size_t bytes = 0;
    GPU_TRY(copy_bytes(device, &bytes));
    copy_run run(device);
    GPU_TRY(GPU_SYMBOL(allocate)(device, bytes, &run.from));
    GPU_TRY(GPU_SYMBOL(allocate)(device, bytes, &run.to));
    GPU_TRY(GPU_SYMBOL(set_bytes)(place, run.from, 0, bytes));
    for (void *&event : run.events) GPU_TRY(GPU_SYMBOL(event_create)(device, &event));
    for (int i = 0; i < warm_copies; i++) {
        GPU_TRY(GPU_SYMBOL(copy)(place, run.to, run.from, bytes));
    }
    GPU_TRY(GPU_SYMBOL(event_record)(place, run.events[0]));
    for (int i = 0; i < timed_copies; i++) {
        GPU_TRY(GPU_SYMBOL(copy)(place, run.to, run.from, bytes));
        GPU_TRY(GPU_SYMBOL(event_record)(place, run.events[i + 1]));
    }
    double ms[timed_copies];
    for (int i = 0; i < timed_copies; i++) {
        GPU_TRY(GPU_SYMBOL(event_between)(device, run.events[i], run.events[i + 1], &ms[i]));
    }
    *gbs = 2 * static_cast<double>(bytes) / (median(ms, timed_copies) * 1e6);
    return TULLE_OK;
}
