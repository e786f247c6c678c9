/* SPDX-License-Identifier: Apache-2.0 */
/* PACKED: one warp per slice, one thread per row. The lanes read the heads of 32 lines at once, one
 * each, and leave them in shared memory, where every lane finds the line that it comes to. Columns
 * of all kinds are cut out of words of 32 bits, so that no lane asks for the kind before it loads.
 * The columns of neighbouring rows as small differences: Kourtis, Goumas and Koziris, CF 2008; Tang
 * et al., SC 2013. */
#include "format/packed.h"

#include "spmv/gpu/slots_model.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { BLOCK, AHEAD };
const tulle__param params[] = {slot_block_param, slot_ahead_param};

/* Arguments of a product; S: type of the stored values. */
template <class S, class V, class O, class C>
struct packed_product {
    int64_t positions;
    const O *offsets;
    const C *order, *bases;
    const uint32_t *mask;
    const uint32_t *codes;
    const S *values;
    const V *x;
    V *y;
    scalar<V> alpha, beta;
};

template <class S, class V, class O, class C>
packed_product<S, V, O, C> make_packed_product(const tulle__spmv_task *task) {
    return {task->shape.rows,
            static_cast<const O *>(task->offsets),
            static_cast<const C *>(task->order),
            static_cast<const C *>(task->cols_of),
            static_cast<const uint32_t *>(task->mask),
            static_cast<const uint32_t *>(task->codes),
            static_cast<const S *>(task->values),
            static_cast<const V *>(task->x),
            static_cast<V *>(task->y),
            make_scalar<V>(task->alpha),
            make_scalar<V>(task->beta)};
}

/* The head of a line for its lanes: four numbers of 32 bits are one load. A code has `bits`
 * bits, which the mask has too; on a diagonal, where there are no codes, each lane has its
 * number. */
template <class C>
struct alignas(16) head {
    uint32_t place, bits, mask;
    C base;
};
constexpr uint32_t no_place = ~uint32_t{0};

template <class S, class V, class O, class C>
GPU_FUNCTION head<C> load_head(const packed_product<S, V, O, C> &a, int64_t line) {
    uint32_t word = load(a.mask + 2 * line + 1);
    int kind = tulle__word_kind(word);
    C base = load(a.bases + line);
    if (kind == 0) return {no_place, 32, full_warp, base};
    unsigned bits = 4u << kind;
    return {static_cast<uint32_t>(tulle__word_place(word)), bits, full_warp >> (32 - bits), base};
}

/* Returns the word with the code of a lane; on a diagonal, the code. */
template <class C>
GPU_FUNCTION uint32_t load_code(const uint32_t *codes, const head<C> &line) {
    if (line.place == no_place) return lane();
    constexpr uint32_t words = TULLE__PIECE / sizeof *codes;
    return load(codes + static_cast<uint64_t>(line.place) * words + (lane() * line.bits >> 5));
}

template <class C>
GPU_FUNCTION C column_of(const head<C> &line, uint32_t word) {
    return line.base + static_cast<C>(word >> (lane() * line.bits & 31u) & line.mask);
}

/* Uses of entries, as in slots.cuh; use_all takes entries without padding among them, so no column
 * is tested. */
template <class V>
struct gather_lines : gather<V> {
    template <int ahead, class C>
    GPU_FUNCTION void use_all(const C (&column)[ahead], const V (&value)[ahead]) {
        V factor[ahead];
        GPU_UNROLL
        for (int f = 0; f < ahead; f++) factor[f] = load_awaited(this->x + column[f]);
        GPU_UNROLL
        for (int f = 0; f < ahead; f++) this->sum += value[f] * factor[f];
    }
};

template <class V>
struct spread_lines : spread<V> {
    template <int ahead, class C>
    GPU_FUNCTION void use_all(const C (&column)[ahead], const V (&value)[ahead]) {
        this->use(column, value);
    }
};

/* Place of a lane among the lines whose heads are in shared memory. */
template <class S, class C>
struct front {
    shared<head<C>> heads;
    const uint32_t *codes;
    const S *values;
    GPU_FUNCTION void advance(int count) {
        heads += count;
        values += count * TULLE__LINE;
    }
};

/* Loads `ahead` lines together, before the first is used. A lane has entries in the first `own`
 * of them; whole: every lane has one in each. */
template <int ahead, bool whole, class V, class C>
struct line_flight {
    uint32_t word[ahead];
    V value[ahead];

    template <class S>
    GPU_FUNCTION void fetch(const front<S, C> &at, int own) {
        GPU_UNROLL
        for (int f = 0; f < ahead; f++) {
            word[f] = 0;
            value[f] = 0;
            if (!whole && f >= own) continue;
            head<C> line = at.heads[f];
            value[f] = static_cast<V>(load_once(at.values + f * TULLE__LINE));
            word[f] = load_code(at.codes, line);
        }
    }
    template <class S, class Entries>
    GPU_FUNCTION void use(const front<S, C> &at, int own, Entries *entries) const {
        C column[ahead];
        GPU_UNROLL
        for (int f = 0; f < ahead; f++) {
            column[f] = -1;
            if (!whole && f >= own) continue;
            head<C> line = at.heads[f];
            column[f] = column_of(line, word[f]);
        }
        if constexpr (whole) {
            entries->use_all(column, value);
        } else {
            entries->use(column, value);
        }
    }
};

/* Returns the number of 32 lines, each known to one lane, that have an entry of this lane: the
 * first ones. */
GPU_FUNCTION int count_own(uint32_t entries) {
    int count = 0;
    for (int step = TULLE__LINE; step > 0; step /= 2) {
        int next = count + step;
        uint32_t line = shuffle(full_warp, entries, (next - 1) & (TULLE__LINE - 1));
        if (next <= TULLE__LINE && (line >> lane() & 1u)) count = next;
    }
    return count;
}

/* Walks flights of which every lane has all lines, a bit of `whole` for each line. A flight is
 * fetched at the end of a turn and used in the next: in one and the same turn, the compiler
 * would load values only when the codes are there. */
template <int ahead, class V, class S, class C, class Entries>
GPU_FUNCTION int walk_whole(front<S, C> *at, uint32_t whole, Entries *entries) {
    constexpr uint32_t ones = (1u << ahead) - 1;
    int count = 0;
    if ((whole & ones) != ones) return count;
    line_flight<ahead, true, V, C> flight;
    flight.fetch(*at, ahead);
    GPU_KEEP_LOOP
    for (bool more = true; more;) {
        flight.use(*at, ahead, entries);
        at->advance(ahead);
        count += ahead;
        whole = ahead < TULLE__LINE ? whole >> ahead : 0;
        more = (whole & ones) == ones;
        if (more) flight.fetch(*at, ahead);
    }
    return count;
}

/* Walks this lane's entries of up to 32 lines, each of which is known to one lane. */
template <int ahead, class V, class S, class C, class Entries>
GPU_FUNCTION void walk_lines(front<S, C> at, uint32_t known, Entries *entries) {
    uint32_t whole = ballot(full_warp, known == full_warp);
    int done = walk_whole<ahead, V>(&at, whole, entries);
    if (!any(full_warp, static_cast<int>(lane()) >= done && known != 0)) return;
    GPU_KEEP_LOOP
    for (int own = count_own(known) - done; own > 0; own -= ahead) {
        line_flight<ahead, false, V, C> flight;
        flight.fetch(at, own);
        flight.use(at, own, entries);
        at.advance(ahead);
    }
}

/* Walks all entries of this lane's row in a slice. */
template <int ahead, class S, class V, class O, class C, class Entries>
GPU_FUNCTION void walk_slice(const packed_product<S, V, O, C> &a, int64_t slice,
                             shared<head<C>> heads, Entries *entries) {
    int64_t line = static_cast<int64_t>(load(a.offsets + slice)) / TULLE__LINE;
    int64_t end = static_cast<int64_t>(load(a.offsets + slice + 1)) / TULLE__LINE;
    for (; line < end; line += TULLE__LINE) {
        uint32_t known = 0;
        head<C> own = {no_place, 32, full_warp, 0};
        if (line + lane() < end) {
            known = load(a.mask + 2 * (line + lane()));
            own = load_head(a, line + lane());
        }
        sync_warp(full_warp);
        heads[lane()] = own;
        sync_warp(full_warp);
        front<S, C> at = {heads, a.codes, a.values + line * TULLE__LINE + lane()};
        walk_lines<ahead, V>(at, known, entries);
    }
}

/* Place of a warp; warps beyond the last slice have nothing to do. */
struct warp_place {
    int64_t slice, position, row;
    bool has_slice, has_row;
    template <class A>
    GPU_FUNCTION explicit warp_place(const A &a)
        : position(static_cast<int64_t>(block()) * block_size() + thread()), row(position) {
        slice = position / TULLE__LINE;
        has_slice = slice * TULLE__LINE < a.positions;
        has_row = position < a.positions;
        if (has_row && a.order) row = static_cast<int64_t>(load(a.order + position));
    }
};

/* Number of blocks that are resident on a multiprocessor, as for crews_resident, with a register
 * for the code of each value that a thread loads ahead: a thread then has 48, 64 or 80
 * registers. */
constexpr int packed_resident(int ahead, size_t value) {
    return ahead * (value + 4) <= 32 ? 5 : ahead * (value + 4) <= 64 ? 4 : 3;
}

template <int ahead, class S, class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(most_crew_threads,
                        packed_resident(ahead,
                                        sizeof(V))) void add_packed(packed_product<S, V, O, C> a) {
    allow_next();
    await_previous();
    GPU_DYNAMIC_SHARED(head<C>, heads);
    warp_place at(a);
    if (!at.has_slice) return;
    gather_lines<V> sum = {{a.x, 0}};
    walk_slice<ahead>(a, at.slice, heads + (thread() - lane()), &sum);
    if (!at.has_row) return;
    V *y = a.y + at.row;
    *y = combine(a.alpha.value(), sum.sum, a.beta.value(), y);
}

template <class S, class V, class O, class C>
GPU_KERNEL void spread_packed(packed_product<S, V, O, C> a) {
    GPU_DYNAMIC_SHARED(head<C>, heads);
    warp_place at(a);
    if (!at.has_slice) return;
    spread_lines<V> row = {{a.y, a.alpha.value(), at.has_row ? load_awaited(a.x + at.row) : V(0)}};
    walk_slice<flight>(a, at.slice, heads + (thread() - lane()), &row);
}

template <class S, class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    auto a = make_packed_product<S, V, O, C>(task);
    int threads = task->params[BLOCK];
    grid g = {crews_for(a.positions, make_crew(threads, 1)), threads,
              static_cast<size_t>(threads) * sizeof(head<C>)};
    if (task->shape.trans == TULLE_T) {
        GPU_TRY(scale(task->place, task->shape.cols, a.beta, a.y));
        return launch(task->place, spread_packed<S, V, O, C>, g, a);
    }
    return task->params[AHEAD] == 8 ? launch_early(task->place, add_packed<8, S, V, O, C>, g, a)
                                    : launch_early(task->place, add_packed<4, S, V, O, C>, g, a);
}

/* Sets the flight: four lines of codes and values for each of so many warps are enough. */
void defaults(const tulle__spmv_shape *, int *values) {
    values[BLOCK] = slot_blocks[1];
    values[AHEAD] = slot_aheads[0];
}

bool eligible(const tulle__spmv_shape *shape, const int *values) {
    return crews_fit(shape, values[BLOCK], 1);
}

int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    return slots_bytes(shape, beta_zero);
}

/* Cost: beside its bytes a slice takes the time of some 1500: its headers come before its codes,
 * and these before x. From forms measured on an H200 (docs/lab-notes.md, "PACKED on the GPU"). */
double cost(const tulle__spmv_shape *shape, const int *) {
    constexpr double bytes_a_row = 48;
    return slots_cost(shape, shape->stats->max_row, 1) +
           bytes_a_row * static_cast<double>(shape->rows);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_packed);
const tulle__spmv_kernel GPU_SYMBOL(spmv_packed) = {
    .head = {.name = "spmv_packed",
             .summary = "a warp a slice of 32 rows, columns unpacked line by line",
             .source = "Kourtis, Goumas and Koziris, CF 2008; Kreutzer et al. 2014",
             .format = TULLE_PACKED,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REFERENCE,
             .param_count = 2,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_MIXED(gpu::run),
};
