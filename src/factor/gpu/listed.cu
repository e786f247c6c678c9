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
 * A team has a flight of steps on its way, some for each lane, and takes them in their order as
 * their numbers come in: so a number of the row is the same sum whatever the team. A row is in
 * shared memory, a long one in scratch. */
#include "factor/gpu/row.cuh"
#include "factor/gpu/steps.cuh"
#include "trisolve/gpu/awaited.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

constexpr int threads = 128, block_warps = threads / warp_lanes;
constexpr int64_t most_shared = 40 << 10;

/* Steps on their way for a lane: alone it has all of a row. */
constexpr int flight_of(bool alone) {
    return alone ? 8 : 4;
}

/* Numbers of A that are loaded at once. */
constexpr int together = 8;

enum { COOP, WARPS };

template <class O, class W>
struct listed_steps {
    const O *begins;
    const W *words;
    uint64_t *ticket; /* zero at first */
};

GPU_FUNCTION void await(float *number) {
    *number = __builtin_bit_cast(float, ~uint32_t{0});
}
GPU_FUNCTION void await(double *number) {
    *number = __builtin_bit_cast(double, ~uint64_t{0});
}

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

/* A row's numbers, in shared memory or, where that is given, in scratch. */
template <class T>
struct row_numbers {
    shared<T> near;
    int apart; /* of a lane alone they stand beside those of other lanes */
    T *far;
    GPU_FUNCTION T get(int at) const {
        if (far) return far[at];
        return near[at * apart];
    }
    GPU_FUNCTION void put(int at, T number) const {
        if (far) {
            far[at] = number;
        } else {
            near[at * apart] = number;
        }
    }
};

/* The steps of a team's row, some of them on their way, and the words of those after them. All
 * lanes of the team call these at once, of take all lanes of the warp. */
template <bool alone, class T, class O, class W>
class step_walk {
    static constexpr int flight = flight_of(alone);

  public:
    GPU_FUNCTION void start(const listed_steps<O, W> &steps, const team &t, int64_t begin,
                            int64_t end) {
        at_ = begin + t.lane;
        end_ = end;
        left_ = end - begin;
        pivot_ = 0;
        divided_ = -1;
        for (int f = 0; f < flight; f++) from_[f] = nullptr;
        read_words(steps, t);
    }
    GPU_FUNCTION bool more() const { return left_ > 0; }
    GPU_FUNCTION bool waits() const {
        bool any = false;
        GPU_UNROLL
        for (int f = 0; f < flight; f++) any = any || from_[f] != nullptr;
        return any;
    }

    GPU_FUNCTION void fetch(const listed_steps<O, W> &steps, const T *values, const team &t) {
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            const bool any = f * t.lanes + t.lane < left_;
            const step_word<W> step(word_[f]);
            divides_[f] = any && step.divides();
            const int64_t from = settle(f, step, t);
            from_[f] = any ? values + from : nullptr;
        }
        GPU_UNROLL
        for (int f = 0; f < flight; f++) await(&found_[f]);
        left_ -= int64_t{flight} * t.lanes;
        read_words(steps, t);
    }

    GPU_FUNCTION void look() {
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            if (from_[f] && is_awaited(found_[f])) found_[f] = load_relaxed(from_[f]);
        }
    }

    /* The steps whose numbers are there, up to the first one that has to wait. */
    GPU_FUNCTION void take(const row_numbers<T> &row, const team &t) {
        if constexpr (alone) {
            take_alone(row);
        } else {
            take_together(row, t);
        }
    }

  private:
    int64_t at_, end_; /* the word that the lane reads next; it may pass the end */
    int64_t left_;     /* steps that are not on their way yet; may fall below 0 */
    int64_t pivot_;    /* of the last division on its way: its entry */
    int divided_;      /* and its number in the row; -1: none yet */
    T factor_;         /* alone: of the last division that was taken, what it gave */
    bool divides_[flight];
    int by_[flight], to_[flight]; /* in the row: A_ik and A_ij */
    T found_[flight];
    const T *from_[flight]; /* NULL: nothing, or taken */
    W word_[flight];        /* of the next steps */

    GPU_FUNCTION void read_words(const listed_steps<O, W> &steps, const team &t) {
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            const int64_t at = at_ + int64_t{f} * t.lanes;
            word_[f] = at < end_ ? load_once(steps.words + at) : 0;
        }
        at_ += int64_t{flight} * t.lanes;
    }

    /* Which numbers of the row step f is about; gives which one of U. */
    GPU_FUNCTION int64_t settle(int f, step_word<W> step, const team &t) {
        int64_t pivot = pivot_;
        by_[f] = divided_;
        if constexpr (alone) {
            if (divides_[f]) {
                pivot = pivot_ = step.entry();
                by_[f] = ++divided_;
            }
        } else {
            const unsigned divisions = ballot(t.mask, divides_[f]);
            const unsigned before = divisions & t.up_to_me();
            const int me = static_cast<int>(lane());
            const int64_t entry = step.entry();
            const int64_t own = shuffle(t.mask, entry, before != 0 ? last_bit(before) : me);
            if (before != 0) pivot = own;
            by_[f] += count_bits(before);
            const int64_t last = shuffle(t.mask, entry, divisions != 0 ? last_bit(divisions) : me);
            if (divisions != 0) pivot_ = last;
            divided_ += count_bits(divisions);
        }
        to_[f] = divides_[f] ? by_[f] : static_cast<int>(step.to());
        return pivot + (divides_[f] ? 0 : step.behind());
    }

    GPU_FUNCTION void take_alone(const row_numbers<T> &row) {
        bool all = true;
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            all = all && !(from_[f] && is_awaited(found_[f]));
            if (!all || !from_[f]) continue;
            const T number = row.get(to_[f]);
            if (divides_[f]) factor_ = number / found_[f];
            row.put(to_[f], divides_[f] ? factor_ : number - factor_ * found_[f]);
            from_[f] = nullptr;
        }
    }

    /* In turns: divisions that follow each other, then what is subtracted for the last of them,
     * before the next divisions. */
    GPU_FUNCTION void take_together(const row_numbers<T> &row, const team &t) {
        bool all = true;
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            const bool there = from_[f] && !is_awaited(found_[f]);
            const unsigned missing = ballot(full_warp, from_[f] && !there) & t.mask;
            const bool mine = all && there && (missing & t.up_to_me()) == 0;
            const unsigned divisions = ballot(full_warp, mine && divides_[f]) & t.mask;
            const unsigned firsts = divisions & ~(divisions << 1 & t.mask);
            const int turn = count_bits(firsts & t.up_to_me());
            for (int now = 0; any(full_warp, mine && turn >= now); now++) {
                if (mine && divides_[f] && turn == now) divide(row, f);
                sync_warp(full_warp);
                if (mine && !divides_[f] && turn == now) subtract(row, f);
                sync_warp(full_warp);
            }
            if (mine) from_[f] = nullptr;
            all = all && missing == 0;
        }
    }
    GPU_FUNCTION void divide(const row_numbers<T> &row, int f) const {
        const T number = row.get(to_[f]);
        row.put(to_[f], number / found_[f]);
    }
    GPU_FUNCTION void subtract(const row_numbers<T> &row, int f) const {
        const T number = row.get(to_[f]), factor = row.get(by_[f]);
        row.put(to_[f], number - factor * found_[f]);
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
class row_at {
  public:
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
    GPU_FUNCTION double load_numbers(const factor_job<T, O, I> &job, const team &t,
                                     const row_numbers<T> &row) const {
        const double most = job.from.plain ? load_plain(job, t, row) : load_changed(job, t, row);
        return team_most(t, most);
    }

    /* All lanes of the team at once. Rows that wait read from the diagonal on. */
    GPU_FUNCTION void store(const factor_job<T, O, I> &job, const team &t,
                            const row_numbers<T> &row, double most) const {
        sync_warp(t.mask);
        T *values = job.values + begin;
        if (t.lane == 0) {
            const T number = row.get(diagonal);
            const double pivot = factor_judged(job, static_cast<double>(number), most, i);
            store_relaxed(values + diagonal, never_awaited(static_cast<T>(pivot)));
        }
        for (int at = static_cast<int>(diagonal) + 1 + t.lane; at < length; at += t.lanes) {
            const T number = row.get(at);
            store_relaxed(values + at, never_awaited(number));
        }
        for (int at = t.lane; at < diagonal; at += t.lanes) {
            const T number = row.get(at);
            store_relaxed(values + at, never_awaited(number));
        }
    }

  private:
    GPU_FUNCTION double load_plain(const factor_job<T, O, I> &job, const team &t,
                                   const row_numbers<T> &row) const {
        const T *values = static_cast<const T *>(job.from.values) + begin;
        double most = 0;
        for (int first = t.lane; first < length; first += together * t.lanes) {
            T number[together];
            GPU_UNROLL
            for (int n = 0; n < together; n++) {
                const int at = first + n * t.lanes;
                number[n] = at < length ? load(values + at) : T(0);
            }
            GPU_UNROLL
            for (int n = 0; n < together; n++) {
                const int at = first + n * t.lanes;
                if (at < length) row.put(at, number[n]);
                most = larger(most, static_cast<double>(number[n]));
            }
        }
        return most;
    }
    GPU_FUNCTION double load_changed(const factor_job<T, O, I> &job, const team &t,
                                     const row_numbers<T> &row) const {
        double most = 0;
        for (int at = t.lane; at < length; at += t.lanes) {
            const int64_t e = begin + at;
            const double number = factor_number(job, e, i, load(job.cols + e), 0);
            row.put(at, static_cast<T>(number));
            most = larger(most, number);
        }
        return most;
    }
    GPU_FUNCTION static double larger(double most, double number) {
        const double size = number < 0 ? -number : number;
        return size > most ? size : most;
    }
};

template <bool alone, class T, class O, class I, class W>
GPU_FUNCTION void eliminate(const factor_job<T, O, I> &job, const listed_steps<O, W> &steps,
                            const team &t, const row_at<T, O, I> &r, const row_numbers<T> &row) {
    step_walk<alone, T, O, W> walk;
    const bool works = r.length > 0;
    walk.start(steps, t, works ? load(steps.begins + r.place) : 0,
               works ? load(steps.begins + r.place + 1) : 0);
    const double most = r.load_numbers(job, t, row);
    sync_warp(full_warp);
    for (bool stored = !works;;) {
        const unsigned waiting = ballot(full_warp, walk.waits()) & t.mask;
        if (waiting == 0 && !stored) {
            if (walk.more()) {
                walk.fetch(steps, job.values, t);
            } else {
                r.store(job, t, row, most);
                stored = true;
            }
        }
        if (all(full_warp, stored)) break;
        walk.look();
        walk.take(row, t);
        spin_awake();
    }
    sync_warp(full_warp);
}

/* room: numbers of a row in shared memory. Longer rows are in scratch, which is as long as the
 * pattern. A warp takes a ticket when it needs it: taken ahead, it would hold rows back that others
 * have time for (docs/lab-notes.md). */
template <class T, class O, class I, class W, bool alone>
GPU_KERNEL void factor_listed(factor_job<T, O, I> job, listed_steps<O, W> steps, int lanes,
                              int room, T *scratch) {
    GPU_DYNAMIC_SHARED(T, rows);
    const team t(alone ? 1 : lanes);
    const int teams = warp_lanes / t.lanes, mine = static_cast<int>(thread()) / t.lanes;
    const auto own = alone ? rows + mine : part_of(rows, mine * room, room);
    for (;;) {
        uint64_t taken = 0;
        if (lane() == 0) taken = atomic_add(steps.ticket, static_cast<uint64_t>(teams));
        taken = shuffle(full_warp, taken, 0);
        if (taken >= static_cast<uint64_t>(job.rows)) return;
        const row_at<T, O, I> r(job, static_cast<int64_t>(taken) + mine % teams);
        eliminate<alone>(job, steps, t, r,
                         row_numbers<T>{own, alone ? threads : 1,
                                        r.length > room ? scratch + r.begin : nullptr});
    }
}

int64_t ceil_div(int64_t a, int64_t b) {
    return a / b + (a % b != 0);
}

/* Numbers of a row in shared memory. */
int64_t room_of(const tulle__factor_task *task) {
    const int64_t teams = threads / task->params[COOP];
    const int64_t a_number = task->type == TULLE_F32 ? sizeof(float) : sizeof(double);
    const int64_t most = most_shared / teams / a_number;
    return task->longest < most ? task->longest : most;
}

size_t workspace(const tulle__factor_task *task) {
    const size_t ticket = part_bytes<uint64_t>(1);
    if (room_of(task) == task->longest) return ticket;
    return ticket + (task->type == TULLE_F32 ? part_bytes<float>(task->entries)
                                             : part_bytes<double>(task->entries));
}

/* A team has a flight of steps of a mean row, and no more than a few of the longest one. Warps: as
 * many as take rows of the next few levels; more would only look and wait. */
void defaults(const tulle__factor_task *task, int *params) {
    constexpr int64_t most_flights = 16, levels_ahead = 8;
    const tulle__steps *s = task->steps;
    int64_t coop = 1, flight = flight_of(true);
    while (coop < warp_lanes &&
           (flight * task->rows < s->count || flight * most_flights < s->longest)) {
        coop *= 2;
        flight = coop * flight_of(false);
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

template <bool alone, class T, class O, class I, class W>
tulle_status launch_rows(const tulle__factor_task *t, const factor_job<T, O, I> &job,
                         const listed_steps<O, W> &steps, T *scratch) {
    const int lanes = t->params[COOP];
    const int64_t teams = threads / lanes, room = room_of(t), needed = ceil_div(t->rows, teams);
    const int64_t blocks =
        ceil_div(static_cast<int64_t>(t->device->multiprocessors) * t->params[WARPS], block_warps);
    const grid g = {needed < blocks ? needed : blocks, threads,
                    static_cast<size_t>(teams * room) * sizeof(T)};
    return launch(t->place, factor_listed<T, O, I, W, alone>, g, job, steps, lanes,
                  static_cast<int>(room), scratch);
}

template <class T, class O, class I, class W>
tulle_status follow(const tulle__factor_task *t) {
    const factor_job<T, O, I> job = factor_job_of<T, O, I>(t);
    listed_steps<O, W> steps = {static_cast<const O *>(t->steps->begins),
                                static_cast<const W *>(t->steps->words), nullptr};
    T *scratch = nullptr;
    parts cut(t->place, t->workspace);
    GPU_TRY(cut.take(1, &steps.ticket));
    if (room_of(t) < t->longest) GPU_TRY(cut.take(t->entries, &scratch));
    GPU_TRY(GPU_SYMBOL(set_bytes)(t->place, steps.ticket, 0, sizeof *steps.ticket));
    GPU_TRY(GPU_SYMBOL(set_bytes)(t->place, job.values, awaited_byte,
                                  static_cast<size_t>(t->entries) * sizeof(T)));
    return t->params[COOP] == 1 ? launch_rows<true>(t, job, steps, scratch)
                                : launch_rows<false>(t, job, steps, scratch);
}

template <class T, class O, class I>
tulle_status run(const tulle__factor_task *t) {
    if constexpr (sizeof(O) == sizeof(int32_t)) {
        if (!t->steps->wide) return follow<T, O, I, int32_t>(t);
    }
    return follow<T, O, I, int64_t>(t);
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
