/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar L U in one launch, whose steps are listed (factor/steps.h). Numbers of U are their own
 * flags: the factors' memory is filled with what no number is stored as (awaited.cuh), and a step
 * looks at the number that it takes until it is there.
 *
 * Warps take places of the schedule by a ticket, in order, as many as it has teams of lanes. A row
 * waits for lower places alone; these were taken before, by a warp that runs or has ended, or by
 * the same one, whose teams never wait for each other but in votes. So the lowest row that is not
 * done can always go on, whatever blocks run.
 *
 * A team has a flight of steps on its way, `flight` for each lane, and takes them in their order
 * as their numbers come in: so a number of the row is the same sum whatever the team. The row is in
 * shared memory where the longest one fits, else in scratch. */
#include "factor/gpu/row.cuh"
#include "factor/gpu/steps.cuh"
#include "trisolve/gpu/awaited.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

constexpr int threads = 128, flight = 4, block_warps = threads / warp_lanes;
constexpr size_t most_shared = 48 << 10;

enum { COOP, WARPS };

template <class O>
struct listed_steps {
    const O *begins, *words;
    uint64_t *ticket; /* zero at first */
};

/* The last of the bits that are set; v is not 0. */
GPU_FUNCTION int last_bit(unsigned v) {
    for (int by = 1; by < 32; by *= 2) v |= v >> by;
    return count_bits(v) - 1;
}

/* Lanes that share a row. */
struct team {
    int lanes, lane;
    unsigned mask;
    GPU_FUNCTION explicit team(int size)
        : lanes(size),
          lane(static_cast<int>(gpu::lane()) % size),
          mask((size == warp_lanes ? full_warp : (1u << size) - 1)
               << (static_cast<int>(gpu::lane()) / size * size)) {}
    /* Those of the team up to this one. */
    GPU_FUNCTION unsigned up_to_me() const {
        return mask & (full_warp >> (warp_lanes - 1 - gpu::lane()));
    }
};

/* A row's numbers: of a lane alone they stand apart, beside those of other lanes. */
template <class Numbers>
struct spread_row {
    Numbers numbers;
    int apart;
    GPU_FUNCTION auto operator[](int64_t at) const -> decltype(numbers[at]) {
        return numbers[at * apart];
    }
};

/* The steps of a team's row, some of them on their way. */
template <class T, class O>
class step_walk {
  public:
    GPU_FUNCTION void start(int64_t begin, int64_t end) {
        at_ = begin;
        end_ = end;
        pivot_ = 0;
        divided_ = -1;
        for (int f = 0; f < flight; f++) from_[f] = nullptr;
    }
    GPU_FUNCTION bool more() const { return at_ < end_; }
    GPU_FUNCTION bool waits() const {
        bool any = false;
        for (int f = 0; f < flight; f++) any = any || from_[f] != nullptr;
        return any;
    }

    /* All lanes of the team at once. */
    template <bool alone>
    GPU_FUNCTION void fetch(const listed_steps<O> &steps, const T *values, const team &t) {
        O word[flight];
        bool any[flight];
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            const int64_t at = at_ + f * t.lanes + t.lane;
            any[f] = at < end_;
            word[f] = any[f] ? load_once(steps.words + at) : 0;
        }
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            const step_word<O> step(word[f]);
            divides_[f] = any[f] && step.divides();
            settle<alone>(f, step, t);
            from_[f] = any[f] ? values + from_entry_ : nullptr;
            if (any[f]) found_[f] = load_relaxed(from_[f]);
        }
        at_ += int64_t{flight} * t.lanes;
    }

    GPU_FUNCTION void look() {
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            if (from_[f] && is_awaited(found_[f])) found_[f] = load_relaxed(from_[f]);
        }
    }

    /* Takes the steps that can be taken: of a lane alone. */
    template <class Row>
    GPU_FUNCTION void take(const Row &row) {
        bool all = true;
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            if (!from_[f]) continue;
            all = all && !is_awaited(found_[f]);
            if (!all) continue;
            step(row, f);
            from_[f] = nullptr;
        }
    }

    /* The same by teams; all lanes of the warp at once. Steps that follow a division wait for it,
     * and it for those before. */
    template <class Row>
    GPU_FUNCTION void take(const Row &row, const team &t) {
        bool all = true;
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            const bool has = from_[f] != nullptr, there = has && !is_awaited(found_[f]);
            const unsigned missing = ballot(full_warp, has && !there) & t.mask;
            const bool mine = all && there && (missing & t.up_to_me()) == 0;
            const unsigned divisions = ballot(full_warp, mine && divides_[f]) & t.mask;
            const int before = count_bits(divisions & t.up_to_me());
            for (int turn = 0; any(full_warp, mine && before - divides_[f] >= turn); turn++) {
                if (mine && !divides_[f] && before == turn) step(row, f);
                sync_warp(full_warp);
                if (mine && divides_[f] && before == turn + 1) step(row, f);
                sync_warp(full_warp);
            }
            if (mine) from_[f] = nullptr;
            all = all && missing == 0;
        }
    }

  private:
    int64_t at_, end_;   /* at_ may pass the end */
    int64_t pivot_;      /* of the last division fetched: its entry */
    int divided_;        /* and its number in the row; -1: none yet */
    int64_t from_entry_; /* of the step settled last */
    bool divides_[flight];
    int left_[flight], to_[flight]; /* in the row: A_ik and A_ij */
    T found_[flight];
    const T *from_[flight]; /* NULL: nothing, or taken */

    template <bool alone>
    GPU_FUNCTION void settle(int f, step_word<O> step, const team &t) {
        const int64_t entry = step.entry();
        int64_t pivot = pivot_;
        left_[f] = divided_;
        if constexpr (alone) {
            if (divides_[f]) {
                pivot = pivot_ = entry;
                left_[f] = ++divided_;
            }
        } else {
            const unsigned divisions = ballot(t.mask, divides_[f]);
            const unsigned before = divisions & t.up_to_me();
            const int me = static_cast<int>(lane());
            const int64_t own = shuffle(t.mask, entry, before != 0 ? last_bit(before) : me);
            if (before != 0) pivot = own;
            left_[f] += count_bits(before);
            const int64_t last = shuffle(t.mask, entry, divisions != 0 ? last_bit(divisions) : me);
            if (divisions != 0) pivot_ = last;
            divided_ += count_bits(divisions);
        }
        to_[f] = divides_[f] ? left_[f] : static_cast<int>(step.to());
        from_entry_ = pivot + (divides_[f] ? 0 : step.behind());
    }

    template <class Row>
    GPU_FUNCTION void step(const Row &row, int f) const {
        const T number = row[to_[f]];
        if (divides_[f]) {
            row[to_[f]] = number / found_[f];
        } else {
            const T left = row[left_[f]];
            row[to_[f]] = number - left * found_[f];
        }
    }
};

/* The largest for all lanes of a team. */
GPU_FUNCTION double team_most(const team &t, double v) {
    for (int step = t.lanes / 2; step > 0; step /= 2) {
        const double other = shuffle_xor(full_warp, v, step);
        v = other > v ? other : v;
    }
    return v;
}

/* The row at a place. */
template <class T, class O, class I>
struct row_at {
    int64_t i = 0, begin = 0, diagonal = 0, place = 0;
    int length = 0; /* 0: there is none */

    GPU_FUNCTION row_at(const factor_job<T, O, I> &job, int64_t p) : place(p) {
        if (p >= job.rows) return;
        i = load(job.order + p);
        begin = load(job.offsets + i);
        length = static_cast<int>(load(job.offsets + i + 1) - begin);
        diagonal = load(job.diagonal + p) - begin;
    }

    /* The row of A'; gives the size of its largest number. */
    template <class Row>
    GPU_FUNCTION double load_numbers(const factor_job<T, O, I> &job, const team &t,
                                     const Row &row) const {
        double most = 0;
        for (int at = t.lane; at < length; at += t.lanes) {
            const int64_t e = begin + at;
            const double number = factor_number(job, e, i, load(job.cols + e), 0);
            row[at] = static_cast<T>(number);
            const double size = number < 0 ? -number : number;
            most = size > most ? size : most;
        }
        return team_most(t, most);
    }

    /* All lanes of the team at once. Rows that wait read from the diagonal on. */
    template <class Row>
    GPU_FUNCTION void store(const factor_job<T, O, I> &job, const team &t, const Row &row,
                            double most) const {
        sync_warp(t.mask);
        T *values = job.values + begin;
        if (t.lane == 0) {
            const T number = row[diagonal];
            const double pivot = factor_judged(job, static_cast<double>(number), most, i);
            store_relaxed(values + diagonal, never_awaited(static_cast<T>(pivot)));
        }
        for (int at = static_cast<int>(diagonal) + 1 + t.lane; at < length; at += t.lanes) {
            const T number = row[at];
            store_relaxed(values + at, never_awaited(number));
        }
        for (int at = t.lane; at < diagonal; at += t.lanes) {
            const T number = row[at];
            store_relaxed(values + at, never_awaited(number));
        }
    }
};

template <bool alone, class T, class O, class I, class Row>
GPU_FUNCTION void eliminate(const factor_job<T, O, I> &job, const listed_steps<O> &steps,
                            const team &t, const row_at<T, O, I> &r, const Row &row) {
    step_walk<T, O> walk;
    const bool works = r.length > 0;
    walk.start(works ? load(steps.begins + r.place) : O(0),
               works ? load(steps.begins + r.place + 1) : O(0));
    walk.template fetch<alone>(steps, job.values, t);
    const double most = r.load_numbers(job, t, row);
    if constexpr (!alone) sync_warp(full_warp);
    for (bool stored = !works;;) {
        if constexpr (alone) {
            walk.take(row);
        } else {
            walk.take(row, t);
        }
        const unsigned waiting = ballot(full_warp, walk.waits()) & t.mask;
        if (waiting == 0 && !stored) {
            if (walk.more()) {
                walk.template fetch<alone>(steps, job.values, t);
            } else {
                r.store(job, t, row, most);
                stored = true;
            }
        }
        if (all(full_warp, stored)) break;
        walk.look();
        spin_awake();
    }
    sync_warp(full_warp);
}

enum where { TOGETHER, APART, SCRATCH };

/* how: rows in shared memory, of teams or of lanes alone; or in `scratch`, which is as long as the
 * pattern. room: numbers of a team in shared memory. */
template <class T, class O, class I, where how>
GPU_KERNEL void factor_listed(factor_job<T, O, I> job, listed_steps<O> steps, int lanes, int room,
                              T *scratch) {
    GPU_DYNAMIC_SHARED(T, rows);
    const team t(lanes);
    const int teams = warp_lanes / lanes, mine = static_cast<int>(thread()) / lanes;
    for (;;) {
        uint64_t taken = 0;
        if (lane() == 0) taken = atomic_add(steps.ticket, static_cast<uint64_t>(teams));
        taken = shuffle(full_warp, taken, 0);
        if (taken >= static_cast<uint64_t>(job.rows)) return;
        const row_at<T, O, I> r(job, static_cast<int64_t>(taken) + mine % teams);
        if constexpr (how == TOGETHER) {
            const auto own = part_of(rows, mine * room, room);
            eliminate<false>(job, steps, t, r, spread_row<decltype(own)>{own, 1});
        } else if constexpr (how == APART) {
            const auto own = rows + mine;
            eliminate<true>(job, steps, t, r, spread_row<decltype(own)>{own, threads});
        } else {
            eliminate<false>(job, steps, t, r, spread_row<T *>{scratch + r.begin, 1});
        }
    }
}

int64_t ceil_div(int64_t a, int64_t b) {
    return a / b + (a % b != 0);
}

/* Numbers in the shared memory of a block; 0: a row does not fit. */
int64_t shared_numbers(const tulle__factor_task *task) {
    const int64_t numbers = threads / task->params[COOP] * task->longest;
    return numbers * tulle_type_size(task->type) <= static_cast<int64_t>(most_shared) ? numbers : 0;
}

size_t workspace(const tulle__factor_task *task) {
    const size_t ticket = part_bytes<uint64_t>(1);
    if (shared_numbers(task) > 0) return ticket;
    return ticket + (task->type == TULLE_F32 ? part_bytes<float>(task->entries)
                                             : part_bytes<double>(task->entries));
}

/* A lane has a flight of steps of a mean row, and no more than a few of the longest one. Warps: as
 * many as take rows of the next few levels: others would only look and wait. */
void defaults(const tulle__factor_task *task, int *params) {
    constexpr int64_t most_flights = 16, levels_ahead = 8;
    const tulle__steps *s = task->steps;
    int64_t coop = 1;
    while (coop < warp_lanes &&
           (coop * flight * task->rows < s->count || coop * flight * most_flights < s->longest)) {
        coop *= 2;
    }
    const int64_t rows = levels_ahead * task->rows / task->schedule->levels;
    const int64_t wanted = rows * coop / warp_lanes / task->device->multiprocessors;
    params[COOP] = static_cast<int>(coop);
    params[WARPS] = 4;
    while (params[WARPS] < wanted && params[WARPS] < 32) params[WARPS] *= 2;
}

bool eligible(const tulle__factor_task *task) {
    return task->steps != nullptr;
}

template <where how, class T, class O, class I>
tulle_status launch_rows(const tulle__factor_task *t, const factor_job<T, O, I> &job,
                         const listed_steps<O> &steps, int64_t numbers, T *scratch) {
    const int lanes = t->params[COOP];
    const int64_t needed = ceil_div(t->rows, threads / lanes);
    const int64_t blocks =
        ceil_div(static_cast<int64_t>(t->device->multiprocessors) * t->params[WARPS], block_warps);
    const grid g = {needed < blocks ? needed : blocks, threads,
                    static_cast<size_t>(numbers) * sizeof(T)};
    return launch(t->place, factor_listed<T, O, I, how>, g, job, steps, lanes,
                  static_cast<int>(numbers > 0 ? t->longest : 0), scratch);
}

template <class T, class O, class I>
tulle_status run(const tulle__factor_task *t) {
    const factor_job<T, O, I> job = factor_job_of<T, O, I>(t);
    listed_steps<O> steps = {static_cast<const O *>(t->steps->begins),
                             static_cast<const O *>(t->steps->words), nullptr};
    const int64_t numbers = shared_numbers(t);
    T *scratch = nullptr;
    parts cut(t->place, t->workspace);
    GPU_TRY(cut.take(1, &steps.ticket));
    GPU_TRY(GPU_SYMBOL(set_bytes)(t->place, steps.ticket, 0, sizeof *steps.ticket));
    GPU_TRY(GPU_SYMBOL(set_bytes)(t->place, job.values, awaited_byte,
                                  static_cast<size_t>(t->entries) * sizeof(T)));
    if (numbers == 0) {
        GPU_TRY(cut.take(t->entries, &scratch));
        return launch_rows<SCRATCH>(t, job, steps, 0, scratch);
    }
    return t->params[COOP] == 1 ? launch_rows<APART>(t, job, steps, numbers, scratch)
                                : launch_rows<TOGETHER>(t, job, steps, numbers, scratch);
}

const int coops[] = {1, 2, 4, 8, 16, 32}, warps[] = {2, 4, 8, 16, 32, 64};
const tulle__param params[] = {
    {"coop", "lanes that share a row", 6, coops},
    {"warps", "warps of a multiprocessor", 6, warps},
};

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__factor_kernel GPU_SYMBOL(factor_listed);
const tulle__factor_kernel GPU_SYMBOL(factor_listed) = {
    .head = {.name = "factor_listed",
             .summary = "scalar L U: steps are listed beforehand, numbers of U are their own flags",
             .source = "tulle; rows by level as in Anderson and Saad 1989",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE |
                      static_cast<unsigned>(TULLE__FACTOR_DEFAULT),
             .param_count = 2,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .workspace = gpu::workspace,
    .run = GPU_RUN_ALL(gpu::run)};
