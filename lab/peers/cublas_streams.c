/* SPDX-License-Identifier: Apache-2.0 */
#ifdef TULLE_PEER_CUBLAS
#include "lab/peers/cublas_batch.h"

static tulle_status open_one(const cublas_batch *b, cublas_stream *s) {
    tulle_status status = cublas_open(b->task->ctx, true, &s->handle, &s->scratch);
    if (status != TULLE_OK) return status;
    CUDA_TRY(cuStreamCreate, &s->stream, CU_STREAM_NON_BLOCKING);
    CUDA_TRY(cuEventCreate, &s->ended, CU_EVENT_DISABLE_TIMING);
    tulle_vec_info scratch;
    status = tulle_vec_describe(s->scratch, &scratch);
    if (status != TULLE_OK) return status;
    /* A handle loses its scratch when it gets a new stream, so the scratch comes afterwards. */
    CUBLAS_TRY(cublasSetStream_v2, s->handle, s->stream);
    CUBLAS_TRY(cublasSetWorkspace_v2, s->handle, scratch.data,
               (size_t)(scratch.rows * tulle_type_size(scratch.type)));
    return TULLE_OK;
}

tulle_status cublas_streams_open(cublas_batch *b, int streams) {
    if (streams == 0) return TULLE_OK;
    tulle_status status = cuda_driver_open();
    if (status != TULLE_OK) return status;
    CUDA_TRY(cuEventCreate, &b->started, CU_EVENT_DISABLE_TIMING);
    for (b->streams = 0; b->streams < streams && status == TULLE_OK; b->streams++) {
        status = open_one(b, &b->beside[b->streams]);
    }
    return status;
}

/* Closes the streams. Calls that fail here have failed before, and were reported then. */
void cublas_streams_close(cublas_batch *b) {
    for (int i = 0; i < b->streams; i++) {
        const cublas_stream *s = &b->beside[i];
        if (s->stream) (void)cuda.cuStreamSynchronize(s->stream);
        if (s->handle) cublas.cublasDestroy_v2(s->handle);
        if (s->ended) (void)cuda.cuEventDestroy_v2(s->ended);
        if (s->stream) (void)cuda.cuStreamDestroy_v2(s->stream);
        tulle_vec_destroy(s->scratch);
    }
    if (b->started) (void)cuda.cuEventDestroy_v2(b->started);
}

tulle_status cublas_streams_run(void *batch) {
    const cublas_batch *b = batch;
    const CUstream own = (CUstream)tulle_ctx_stream(b->task->ctx);
    tulle_status status = TULLE_OK;
    CUDA_TRY(cuEventRecord, b->started, own);
    for (int s = 0; s < b->streams; s++) {
        CUDA_TRY(cuStreamWaitEvent, b->beside[s].stream, b->started, 0);
    }
    for (int i = 0; i < b->count && status == TULLE_OK; i++) {
        status = cublas_batch_call(b, b->beside[i % b->streams].handle, i);
    }
    for (int s = 0; s < b->streams; s++) {
        CUDA_TRY(cuEventRecord, b->beside[s].ended, b->beside[s].stream);
        CUDA_TRY(cuStreamWaitEvent, own, b->beside[s].ended, 0);
    }
    return status;
}

#endif
