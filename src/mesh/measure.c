/* SPDX-License-Identifier: Apache-2.0 */
#include "mesh/jacobian.h"

/* PIECE: number of cells that one thread measures at a time. The sum over a piece is one number, so
 * that the mean does not depend on which thread measures which piece. TOLD: number of pieces
 * between two reports of progress. */
enum { PIECE = 1 << 12, TOLD = TULLE__ASK / PIECE };

typedef struct piece {
    double least, greatest, sum;
    int64_t least_cell; /* index of the worst cell in the block */
    int64_t histogram[TULLE_MESH_BINS];
} piece;

static void measure_piece(const tulle_mesh *mesh, const tulle_mesh_block *block,
                          const tulle__frames *frames, int64_t first, piece *p) {
    const int64_t left = block->count - first, end = first + (left < PIECE ? left : PIECE);
    *p = (piece){.least_cell = -1};
    for (int64_t i = first; i < end; i++) {
        const double scaled = tulle__scaled_jacobian(frames, mesh, tulle__element(block, i));
        int bin = (int)(scaled * TULLE_MESH_BINS);
        bin = bin < 0 ? 0 : bin >= TULLE_MESH_BINS ? TULLE_MESH_BINS - 1 : bin;
        p->histogram[bin]++;
        p->sum += scaled;
        if (p->least_cell < 0 || scaled < p->least) {
            p->least = scaled;
            p->least_cell = i;
        }
        if (i == first || scaled > p->greatest) p->greatest = scaled;
    }
}

static void add_piece(const piece *p, int64_t first_cell, tulle_mesh_quality *q) {
    const bool none = q->least_cell < 0;
    if (none || p->greatest > q->greatest) q->greatest = p->greatest;
    if (none || p->least < q->least) {
        q->least = p->least;
        q->least_cell = first_cell + p->least_cell;
    }
    q->mean += p->sum;
    for (int b = 0; b < TULLE_MESH_BINS; b++) q->histogram[b] += p->histogram[b];
}

static tulle_status measure_block(tulle_ctx *ctx, const tulle_mesh *mesh,
                                  const tulle_mesh_block *block, int64_t first_cell,
                                  tulle_mesh_quality *quality) {
    tulle__frames frames;
    void *array;
    const int64_t pieces = (block->count + PIECE - 1) / PIECE;
    TULLE__TRY(tulle__mesh_array(ctx, pieces, sizeof(piece), &array));
    piece *p = array;
    tulle__frames_of(tulle__shape_of(block->shape), &frames);
    tulle_status status = TULLE_OK;
    for (int64_t begin = 0, end; begin < pieces && status == TULLE_OK; begin = end) {
        end = pieces - begin < TOLD ? pieces : begin + TOLD;
        status =
            tulle__progress(ctx, "measuring cells", first_cell + begin * PIECE, mesh->info.cells);
#pragma omp parallel for num_threads(tulle__mesh_threads(ctx, block->count)) schedule(dynamic, 1)
        for (int64_t i = begin; i < end; i++) measure_piece(mesh, block, &frames, i * PIECE, &p[i]);
    }
    for (int64_t i = 0; i < pieces; i++) add_piece(&p[i], first_cell, quality);
    tulle__host_free(ctx, p);
    return status;
}

tulle_status tulle_mesh_measure(tulle_ctx *ctx, const tulle_mesh *mesh,
                                tulle_mesh_quality *quality) {
    TULLE__NEED(ctx);
    TULLE__NEED(mesh);
    TULLE__NEED(quality);
    tulle_mesh_quality q = {.least_cell = -1};
    int64_t first = 0;
    for (int64_t b = 0; b < mesh->info.cell_blocks; b++) {
        TULLE__TRY(measure_block(ctx, mesh, &mesh->blocks[b], first, &q));
        first += mesh->blocks[b].count;
    }
    if (first > 0) q.mean /= (double)first;
    *quality = q;
    return TULLE_OK;
}
