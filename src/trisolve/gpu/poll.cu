/* SPDX-License-Identifier: Apache-2.0 */
/* Solves op(T) X = alpha B in one launch, in which rows wait for each other: a row polls the
 * numbers of X for which it waits until they have arrived. Numbers of X are kept in the order of
 * the schedule's places and are their own flags (awaited.cuh), so that one trip through memory
 * brings a number and the news of it.
 *
 *   blocks              lanes of the row at a place                   entries of a lane
 *   1 x 1               `coop` lanes for each column of X             number_rows.cuh
 *   2 to 5, 8, 16       `coop` lanes for each unknown and column      whole blocks, block_walk.cuh
 *   other sizes         `coop` lanes for each unknown and column      number by number, lane_walk
 *
 * Waiting. Warps take places by a ticket, in order. A row waits only for lower places. Those were
 * taken earlier, by a warp that runs or has ended; or at the same time by the same warp, whose
 * lanes wait for each other only in votes. So the lowest place that is not solved yet can always be
 * solved, whatever blocks run. Data that do not depend on X are loaded before a row waits.
 *
 * Memory: the ticket and the numbers of X by place, in the workspace, which is filled before the
 * launch with bits that no number is stored as. There is no barrier and no shared memory. A lane
 * adds its entries in their order, and lanes are added in one order, so that bits repeat. Source:
 * Liu, Li, Hogg, Duff and Vinter 2016, synchronisation-free solves; tickets and numbers as their
 * own flags are tulle's. */
#define TULLE__PARTS 3
#include "gpu/loop.cuh"
#include "gpu/parts.cuh"
#include "trisolve/gpu/block_walk.cuh"
#include "trisolve/gpu/number_rows.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

constexpr int threads = 128, flight = 4, most_warps = 64;

enum { COOP, WARPS, ACROSS };

/* The lanes of a warp: there are `groups` places; in each place `coop` lanes take entries in turn,
 * for each unknown of the block and each of `across` neighbouring columns (a strip). All strips of
 * some places come before the next places. */
struct warp_shape {
    int coop, across, groups;
    int64_t strips, tickets;
};

template <class V>
struct waiting_room {
    /* numbers of X: number r of place p, column c is at (p * b + r) * vectors + c */
    V *known;
    uint64_t *ticket; /* ticket by which places are taken; all ones at first */
};

/* The first place and the first column of a warp's turn. */
struct warp_turn {
    bool none;
    int64_t place, column;
};
GPU_FUNCTION warp_turn take_turn(const warp_shape &shape, uint64_t *tickets) {
    const uint64_t taken = lane() == 0 ? atomic_add(tickets, uint64_t{1}) + 1 : 0;
    const int64_t ticket = static_cast<int64_t>(shuffle(full_warp, taken, 0));
    const int64_t turn = shape.strips == 1 ? ticket : ticket / shape.strips;
    return {ticket >= shape.tickets, turn * shape.groups,
            (ticket - turn * shape.strips) * shape.across};
}

/* A lane's entries of blocks of any size, number by number, some of them in registers. */
template <class S, class V, class I>
class lane_walk {
  public:
    /* known: numbers of X of the lane's column. */
    GPU_FUNCTION void start(const triangular<S, V, I> &a, const V *known, int64_t place, int first,
                            bool works) {
        known_ = known;
        column_ = 0;
        at_ = works ? static_cast<int64_t>(load(a.begins + place)) + first : 0;
        end_ = works ? static_cast<int64_t>(load(a.begins + place + 1)) : 0;
        for (int f = 0; f < flight; f++) from_[f] = nullptr;
        fetch_entry(a);
    }

    /* Adds the products whose numbers have arrived to the sum; returns true if there are more to
     * wait for. */
    GPU_FUNCTION bool waits(const triangular<S, V, I> &a, const block_lane &l, int coop, V *sum) {
        while (take(sum)) {
            if (at_ >= end_) return false;
            fetch(a, l, coop);
        }
        return true;
    }

    GPU_FUNCTION void fetch(const triangular<S, V, I> &a, const block_lane &l, int coop) {
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            from_[f] = nullptr;
            if (at_ >= end_) continue;
            const int cell = a.cell(l.b, l.r, column_);
            if (a.is_entry(slot_, cell)) {
                from_[f] = known_ + (place_ * l.b + column_) * a.vectors;
                value_[f] = a.value(slot_, l.b, cell);
            }
            if (++column_ < l.b) continue;
            column_ = 0;
            at_ += coop;
            fetch_entry(a);
        }
    }

  private:
    const V *known_;
    int64_t at_, end_;         /* next entry, which may be behind the end, and too large for an I */
    int column_;               /* column of the block at at_ */
    int64_t place_, slot_ = 0; /* place and slot of that block */
    V value_[flight];
    const V *from_[flight]; /* address of the number of X; NULL: no entry, or it has been taken */

    GPU_FUNCTION void fetch_entry(const triangular<S, V, I> &a) {
        if (at_ >= end_) return;
        place_ = load_once(a.places + at_);
        slot_ = load_once(a.slots + at_);
    }

    /* Takes numbers in order, so that the sum has the same bits each time. */
    GPU_FUNCTION bool take(V *sum) {
        V found[flight];
        GPU_UNROLL
        for (int f = 0; f < flight; f++) found[f] = from_[f] ? load_relaxed(from_[f]) : V(0);
        bool all = true;
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            all = all && !is_awaited(found[f]);
            if (!all || !from_[f]) continue;
            *sum += value_[f] * found[f];
            from_[f] = nullptr;
        }
        return all;
    }
};

/* The walk over blocks of a size; 0: of any size. */
template <class S, class V, class I, int size>
struct walk_of {
    using type = block_walk<S, V, I, size>;
    static constexpr int most = size;
};
template <class S, class V, class I>
struct walk_of<S, V, I, 0> {
    using type = lane_walk<S, V, I>;
    static constexpr int most = TULLE__MOST_BLOCK;
};

template <class S, class V, class I, int size>
GPU_KERNEL void solve(triangular<S, V, I> a, warp_shape shape, waiting_room<V> room) {
    using walk_type = typename walk_of<S, V, I, size>::type;
    constexpr int most = walk_of<S, V, I, size>::most;
    const int b = size > 0 ? size : a.size, coop = shape.coop, me = static_cast<int>(lane());
    const int column = me % shape.across, rest = me / shape.across;
    const int first = rest / b % coop, group = rest / b / coop;
    const int lanes = coop * b * shape.across; /* number of lanes of a place */
    const unsigned all = lanes == warp_lanes ? full_warp : (1u << lanes) - 1;
    const unsigned mates = group < shape.groups ? all << (group * lanes) : 0;
    const block_lane l = {b, rest % b, mates != 0 ? group * lanes + column : 0, shape.across};
    const V alpha = a.alpha.value();
    for (;;) {
        const warp_turn turn = take_turn(shape, room.ticket);
        if (turn.none) return;
        const int64_t place = turn.place + group, c = turn.column + column;
        const bool works = mates != 0 && place < a.rows && c < a.vectors;
        const bool leads = works && first == 0;
        const int64_t row = works ? static_cast<int64_t>(load(a.order + place)) * b + l.r : 0;
        const bool real = leads && row < a.n;

        walk_type walk;
        diagonal_row<V, most> diagonal = {};
        V sum = 0, start = 0;
        walk.start(a, room.known + c, place, first, works);
        walk.fetch(a, l, coop);
        if (leads) {
            diagonal.fetch(a, l, row / b, load(a.diagonals + place), a.n - row + l.r);
            if (real) start = alpha * a.from[row * a.from_row + c * a.from_col];
        }
        bool stored = !works;
        for (;;) {
            const unsigned done = ballot(full_warp, !walk.waits(a, l, coop, &sum));
            const bool ready = (done & mates) == mates;
            if (any(full_warp, ready && !stored)) {
                const V rest_of_b = start - sum_of_lanes(sum, coop, b * shape.across);
                const V x = never_awaited(diagonal.solve(a, l, rest_of_b));
                if (ready && !stored && leads) {
                    store_relaxed(room.known + (place * b + l.r) * a.vectors + c, real ? x : V(0));
                    if (real) a.x[row * a.x_row + c * a.x_col] = x;
                }
                stored |= ready;
            }
            if (done == full_warp) break;
            spin_awake();
        }
    }
}

/* The rows of scalars of a call, solved as in number_rows.cuh. */
template <class S, class V, class I>
GPU_KERNEL void solve_numbers(triangular<S, V, I> a, warp_shape shape, waiting_room<V> room) {
    const int me = static_cast<int>(lane()), column = me % shape.across;
    const int first = me / shape.across % shape.coop, lanes = shape.coop * shape.across;
    const int group = me / lanes;
    const bool seated = group < shape.groups;
    unsigned mates = 0;
    for (int i = 0; seated && i < shape.coop; i++) {
        mates |= 1u << (group * lanes + column + i * shape.across);
    }
    const number_team team = {shape.coop, shape.across, first, mates};
    for (;;) {
        const warp_turn turn = take_turn(shape, room.ticket);
        if (turn.none) return;
        const int64_t c = turn.column + column;
        const bool works = seated && c < a.vectors;
        const number_rows<S, V, I, V *> rows(a, team, works ? c : 0, room.known + (works ? c : 0),
                                             a.vectors);
        const int64_t place = works ? turn.place + group : -1;
        number_row<V, I, V *> row = rows.get(rows.ask(rows.find(place)));
        rows.solve(&row);
    }
}

int64_t ceil_div(int64_t a, int64_t b) {
    return a / b + (a % b != 0);
}

warp_shape shape_of(const tulle__trisolve_task *task, int coop, int across) {
    const int64_t vectors = task->vectors > 1 ? task->vectors : 1;
    warp_shape shape = {coop, warp_lanes / task->block, 1, 0, 0};
    if (across < shape.across) shape.across = across;
    if (vectors < shape.across) shape.across = static_cast<int>(vectors);
    shape.strips = ceil_div(vectors, shape.across);
    shape.across = static_cast<int>(ceil_div(vectors, shape.strips));
    while (shape.coop > 1 && shape.coop * task->block * shape.across > warp_lanes) shape.coop /= 2;
    shape.groups = warp_lanes / (shape.coop * task->block * shape.across);
    shape.tickets = ceil_div(task->schedule->rows, shape.groups) * shape.strips;
    return shape;
}

/* Number of words of 8 bytes for the ticket and the numbers, which are filled together. */
template <class V>
int64_t room_words(const tulle__trisolve_task *task) {
    const int64_t numbers = task->schedule->rows * task->block * task->vectors;
    return 1 + ceil_div(numbers * static_cast<int64_t>(sizeof(V)), sizeof(uint64_t));
}

template <class S, class V, class I>
auto kernel_for(int block) {
    switch (block) {
        case 1:
            return solve_numbers<S, V, I>;
        case 2:
            return solve<S, V, I, 2>;
        case 3:
            return solve<S, V, I, 3>;
        case 4:
            return solve<S, V, I, 4>;
        case 5:
            return solve<S, V, I, 5>;
        case 8:
            return solve<S, V, I, 8>;
        case 16:
            return solve<S, V, I, 16>;
        default:
            return solve<S, V, I, 0>;
    }
}

}  // namespace

template <class S, class V, class I>
tulle_status run_poll(const tulle__trisolve_task *task) {
    parts room(task->place, task->workspace);
    const int64_t words = room_words<V>(task);
    uint64_t *memory = nullptr;
    GPU_TRY(room.take(words, &memory));
    GPU_TRY(GPU_SYMBOL(set_bytes)(task->place, memory, awaited_byte,
                                  static_cast<size_t>(words) * sizeof *memory));
    constexpr int64_t warps_a_block = threads / warp_lanes;
    const warp_shape shape = shape_of(task, task->params[COOP], task->params[ACROSS]);
    const int64_t most_blocks =
        static_cast<int64_t>(task->device->multiprocessors) * task->params[WARPS] / warps_a_block;
    const int64_t wanted = ceil_div(shape.tickets, warps_a_block);
    const grid g = {wanted < most_blocks ? wanted : most_blocks, threads};
    const auto kernel = kernel_for<S, V, I>(task->block);
    return launch(task->place, kernel, g, make_triangular<S, V, I>(task), shape,
                  waiting_room<V>{reinterpret_cast<V *>(memory + 1), memory});
}

TRISOLVE_PARTS_ALL(run_poll);

#if TULLE__IN_PART(1)
namespace {

const int coops[] = {1, 2, 4, 8, 16, 32}, warps[] = {4, 8, 16, 24, 32, 64};
const tulle__param params[] = {
    {"coop", "lanes that share a row", 6, coops},
    {"warps", "warps of a multiprocessor", 6, warps},
    {"across", "columns that share a warp", 6, coops},
};

/* Returns true for the block sizes that have code of their own. */
bool is_sized(int block) {
    return (block > 1 && block < 6) || block == 8 || block == 16;
}

int64_t numbers_of_flight(int block) {
    if (!is_sized(block)) return flight;
    return int64_t{block} * (block < 16 ? walk_blocks<8> : walk_blocks<16>);
}

/* Returns the number of warps that take the rows of the next few levels. */
int64_t warps_of_levels(const tulle__trisolve_task *task, int coop, int across) {
    constexpr int64_t levels_ahead = 12;
    return levels_ahead * shape_of(task, coop, across).tickets / task->schedule->levels;
}
int warps_ahead(const tulle__trisolve_task *task, int coop, int across) {
    const int64_t tickets = warps_of_levels(task, coop, across);
    int count = 4;
    while (count < most_warps && int64_t{count} * task->device->multiprocessors < tickets) {
        count *= 2;
    }
    return count;
}

/* Returns the number of columns per warp. For blocks it is small if more columns would take lanes
 * from a row that needs them, and if levels are so narrow that there are warps for all strips of
 * the next few: then all strips take as long as one. Rows of scalars, which are looked up for each
 * strip, would lose by it (docs/lab-notes.md). */
int columns_of_warp(const tulle__trisolve_task *task, int coop) {
    const int64_t most = int64_t{most_warps} * task->device->multiprocessors;
    int across = warp_lanes;
    while (task->block > 1 && across > 1 && shape_of(task, coop, across).coop < coop &&
           warps_of_levels(task, coop, across / 2) <= most) {
        across /= 2;
    }
    return across;
}

/* Chooses warps for about the rows of a few levels: more would poll in vain, and keep the others
 * from their memory (docs/lab-notes.md). */
void defaults(const tulle__trisolve_task *task, int *values) {
    constexpr int64_t wide_level = 2048;
    const tulle__schedule *s = task->schedule;
    values[COOP] = tulle__polling_coop(s, task->block, numbers_of_flight(task->block));
    values[ACROSS] = columns_of_warp(task, values[COOP]);
    if (is_sized(task->block)) {
        values[WARPS] = warps_ahead(task, values[COOP], values[ACROSS]);
        return;
    }
    values[WARPS] = s->rows / wide_level < s->levels ? 8 : 16;
    for (int64_t k = 2; k < task->vectors && values[WARPS] < most_warps; k *= 2) values[WARPS] *= 2;
}
size_t workspace(const tulle__trisolve_task *task) {
    const bool wide = tulle__computed_type(task->values) == TULLE_F64;
    return part_bytes<uint64_t>(wide ? room_words<double>(task) : room_words<float>(task));
}

}  // namespace
#endif
}  // namespace TULLE_GPU_NAMESPACE

#if TULLE__IN_PART(1)
extern "C" const tulle__trisolve_kernel GPU_SYMBOL(trisolve_poll);
const tulle__trisolve_kernel GPU_SYMBOL(trisolve_poll) = {
    .head = {.name = "trisolve_poll",
             .also = "factor_bsr_solve",
             .summary = "one launch; rows look at the numbers they wait for until these are there",
             .source =
                 "Liu et al. 2016, without synchronisation; tickets, numbers as their own flags",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REPEATABLE_T |
                      TULLE__REFERENCE | TULLE__DEFAULT,
             .param_count = 3,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .workspace = gpu::workspace,
    .run = TRISOLVE_RUN_ALL(gpu::run_poll),
};
#endif
