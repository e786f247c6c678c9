/* SPDX-License-Identifier: Apache-2.0 */
/* The lines that blocks of rows touch, on the GPU: a thread block counts a block of rows with a
 * table of its own in global memory. */
#include "matrix/lines.h"

#include "gpu/functions.h"
#include "matrix/tally.cuh"

namespace {

/* What the kernels add up. */
struct counts {
    tulle__lines lines;
    int64_t longest; /* entries of the longest block of rows */
};

template <class Offset>
struct blocks_of_rows {
    const Offset *offsets;
    int64_t rows, rows_per_block, count;

    GPU_FUNCTION int64_t begin(int64_t block) const {
        return gpu::load(offsets + (block < count ? block * rows_per_block : rows));
    }
};

template <class Offset>
GPU_KERNEL void measure(blocks_of_rows<Offset> blocks, int64_t index_size, int64_t value_size,
                        counts *out) {
    GPU_SHARED(int64_t, room, gpu::loop_warps);
    int64_t columns = 0, values = 0, longest = 0;
    for (int64_t b = gpu::loop_first(); b < blocks.count; b += gpu::loop_stride()) {
        int64_t begin = blocks.begin(b), end = blocks.begin(b + 1);
        columns += tulle__lines_of(begin, end, index_size);
        values += tulle__lines_of(begin, end, value_size);
        longest = gpu::most::of(longest, end - begin);
    }
    gpu::tally_total(&out->lines.columns, columns, room);
    gpu::tally_total(&out->lines.values, values, room);
    gpu::tally_most(&out->longest, longest, room);
}

/* 1 where the line is new. */
GPU_FUNCTION int insert(int64_t *table, int64_t slots, int64_t line) {
    int64_t slot = tulle__line_slot(line, slots);
    int64_t found = gpu::atomic_cas(table + slot, TULLE__NO_LINE, line);
    while (found != TULLE__NO_LINE && found != line) {
        slot = (slot + 1) & (slots - 1);
        found = gpu::atomic_cas(table + slot, TULLE__NO_LINE, line);
    }
    return found == TULLE__NO_LINE;
}

/* Neighbours in the same line are inserted once. */
template <class Offset, class Index>
GPU_KERNEL void count_x(blocks_of_rows<Offset> blocks, const Index *columns, int shift,
                        int64_t x_lines, int64_t most_slots, int64_t *tables, counts *out) {
    GPU_SHARED(int64_t, room, gpu::loop_warps);
    int64_t *table = tables + most_slots * gpu::block();
    int64_t found = 0;
    for (int64_t b = gpu::block(); b < blocks.count; b += gpu::grid_size()) {
        int64_t begin = blocks.begin(b), end = blocks.begin(b + 1);
        int64_t slots = tulle__line_slots(end - begin, x_lines);
        for (int64_t s = gpu::thread(); s < slots; s += gpu::loop_threads) {
            table[s] = TULLE__NO_LINE;
        }
        gpu::sync();
        for (int64_t k = begin + gpu::thread(); k < end; k += gpu::loop_threads) {
            int64_t line = gpu::load(columns + k) >> shift;
            bool again = k > begin && gpu::load(columns + k - 1) >> shift == line;
            if (!again) found += insert(table, slots, line);
        }
        gpu::sync();
    }
    gpu::tally_total(&out->lines.x, found, room);
}

}  // namespace

template <class Offset, class Index>
static tulle_status count(const tulle__place *place, const tulle__pattern_view *csr,
                          tulle_type type, int64_t rows_per_block, int64_t blocks, counts *host) {
    auto offsets = static_cast<const Offset *>(csr->offsets);
    const blocks_of_rows<Offset> by_rows{offsets, csr->rows, rows_per_block, blocks};
    const int64_t x_lines = tulle__lines_of_x(csr, type);
    gpu::scratch memory(place);
    counts *out = nullptr;
    int64_t *tables = nullptr;
    GPU_TRY(memory.get(1, &out));
    GPU_TRY(GPU_SYMBOL(set_bytes)(place, out, 0, sizeof *out));
    GPU_TRY(gpu::launch(place, measure<Offset>, gpu::loop_grid(blocks, gpu::loop_blocks_once),
                        by_rows, tulle_index_size(csr->index), tulle_type_size(type), out));
    GPU_TRY(GPU_SYMBOL(copy)(place, host, out, sizeof *host));
    GPU_TRY(GPU_SYMBOL(stream_wait)(place->device, place->stream));

    const int64_t slots = tulle__line_slots(host->longest, x_lines);
    const int64_t most = blocks < gpu::loop_blocks_once ? blocks : gpu::loop_blocks_once;
    const int64_t at_once = tulle__line_tables(most, slots);
    GPU_TRY(memory.get(at_once * slots, &tables));
    GPU_TRY(gpu::launch(place, count_x<Offset, Index>, {at_once, gpu::loop_threads}, by_rows,
                        static_cast<const Index *>(csr->cols_of), tulle__line_shift(type), x_lines,
                        slots, tables, out));
    GPU_TRY(GPU_SYMBOL(copy)(place, host, out, sizeof *host));
    return GPU_SYMBOL(stream_wait)(place->device, place->stream);
}

tulle_status GPU_SYMBOL(count_lines)(const tulle__place *place, const tulle__pattern_view *csr,
                                     tulle_type type, int64_t rows_per_block, int64_t blocks,
                                     tulle__lines *host_lines) {
    using counter = tulle_status (*)(const tulle__place *, const tulle__pattern_view *, tulle_type,
                                     int64_t, int64_t, counts *);
    constexpr counter by_index[] = {count<int32_t, int32_t>, count<int64_t, int32_t>,
                                    count<int64_t, int64_t>};
    counts host = {};
    GPU_TRY(by_index[csr->index](place, csr, type, rows_per_block, blocks, &host));
    *host_lines = host.lines;
    return TULLE_OK;
}
