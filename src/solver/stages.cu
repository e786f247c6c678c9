/* SPDX-License-Identifier: Apache-2.0 */
/* Stages on the GPU: each is a kernel of its own, whose vectors are in registers between loading
 * and storing. All blocks of a right-hand side make the same scalars of the sums of the stage
 * before; the first of them keeps the scalars for the next stage. */
#include "gpu/loop.cuh"
#include "solver/functions.h"
#include "vector/packed.cuh"

namespace TULLE_GPU_NAMESPACE {

template <int name>
struct stage_of {
    static constexpr tulle__program programs[TULLE__STAGE_COUNT] = {TULLE__STAGES(TULLE__PROGRAM)};
    static constexpr tulle__program program = programs[name];
    static constexpr int vectors = program.vectors, sums = program.sums, takes = program.takes;
    static constexpr int updates = program.updates;

    static constexpr bool writes(int v, int before = updates) {
        for (int u = 0; u < before; u++) {
            if (program.update[u].to == v) return true;
        }
        return false;
    }
    /* True for a vector that an update or a sum needs and that no update before has made. */
    static constexpr bool reads(int v) {
        for (int u = 0; u < updates; u++) {
            bool needs = program.update[u].by == v;
            for (int t = 0; t < program.update[u].terms; t++) {
                needs = needs || program.update[u].term[t].vector == v;
            }
            if (needs && !writes(v, u)) return true;
        }
        for (int k = 0; k < sums; k++) {
            if ((program.sum[k].a == v || program.sum[k].b == v) && !writes(v)) return true;
        }
        return false;
    }
    static constexpr int reads_in_all(int v = 0) {
        return v == vectors ? 0 : (reads(v) ? 1 : 0) + reads_in_all(v + 1);
    }
};

template <int name, int v>
constexpr bool is_read = stage_of<name>::reads(v);
template <int name, int v>
constexpr bool is_written = stage_of<name>::writes(v);

template <int name>
GPU_FUNCTION void apply_rule(tulle__solve_state *s, const double *sums) {
#define S(stage, rule, ...)                                                                        \
    if constexpr (name == TULLE__##stage) tulle__rule_##rule(s, sums);
    TULLE__STAGES(S)
#undef S
}

template <int scalar, class V>
GPU_FUNCTION V coefficient(const tulle__solve_state &s) {
    return static_cast<V>(scalar < 0 ? -s.scalar[-scalar] : s.scalar[scalar]);
}

/* Returns the sum of the terms 0 to t of an update. The product of a term and the sum of the terms
 * before it are rounded together, once (fma). */
template <int name, int u, int t, class V>
GPU_FUNCTION V terms_to(const V *v, const V *c) {
    constexpr tulle__term term = stage_of<name>::program.update[u].term[t];
    const V number = v[term.vector];
    if constexpr (t == 0) {
        return term.scalar == TULLE__ONE ? number : c[0] * number;
    } else {
        const V before = terms_to<name, u, t - 1>(v, c);
        if constexpr (term.scalar == TULLE__ONE) return before + number;
        if constexpr (term.scalar == -TULLE__ONE) return before - number;
        return fma(c[t], number, before);
    }
}

template <int name, int u, int t, class V>
GPU_FUNCTION void coefficients_to(const tulle__solve_state &s, V *c) {
    c[t] = coefficient<stage_of<name>::program.update[u].term[t].scalar, V>(s);
    if constexpr (t > 0) coefficients_to<name, u, t - 1>(s, c);
}

/* Does updates 0 to u of one number of each vector. */
template <int name, int u, class V>
GPU_FUNCTION void updates_to(V *v, const V (*c)[TULLE__STAGE_TERMS]) {
    if constexpr (u >= 0) {
        updates_to<name, u - 1>(v, c);
        constexpr tulle__update update = stage_of<name>::program.update[u];
        V number = terms_to<name, u, update.terms - 1>(v, c[u]);
        if constexpr (update.by >= 0) number *= v[update.by];
        v[update.to] = number;
    }
}

template <int name, int u, class V>
GPU_FUNCTION void all_coefficients(const tulle__solve_state &s, V (*c)[TULLE__STAGE_TERMS]) {
    if constexpr (u >= 0) {
        coefficients_to<name, u, stage_of<name>::program.update[u].terms - 1>(s, c[u]);
        all_coefficients<name, u - 1>(s, c);
    }
}

template <int name, int k, class V>
GPU_FUNCTION void sums_to(const V *v, double *sum) {
    if constexpr (k >= 0) {
        constexpr tulle__pair pair = stage_of<name>::program.sum[k];
        sum[k] += static_cast<double>(v[pair.a]) * static_cast<double>(v[pair.b]);
        sums_to<name, k - 1>(v, sum);
    }
}

/* Load, or store, pack `at` of vectors 0 to v. */
template <int name, int v, class V>
GPU_FUNCTION void load_to(const tulle__stage &stage, int64_t at, packed<V> *pack) {
    if constexpr (v >= 0) {
        if constexpr (is_read<name, v>) {
            pack[v] = static_cast<const packed<V> *>(stage.vectors[v])[at];
        }
        load_to<name, v - 1>(stage, at, pack);
    }
}
template <int name, int v, class V>
GPU_FUNCTION void store_to(const tulle__stage &stage, int64_t at, const packed<V> *pack) {
    if constexpr (v >= 0) {
        if constexpr (is_written<name, v>) {
            static_cast<packed<V> *>(stage.vectors[v])[at] = pack[v];
        }
        store_to<name, v - 1>(stage, at, pack);
    }
}

/* Adds up over a block: all threads get the sums, the same bits in each. room: stage_warps
 * numbers for each sum, used for nothing else. */
constexpr int stage_warps = loop_threads / warp_lanes;

template <int count>
GPU_FUNCTION void add_up_block(double *sums, shared<double> room) {
    GPU_UNROLL
    for (int k = 0; k < count; k++) {
        GPU_UNROLL
        for (int lanes = warp_lanes / 2; lanes > 0; lanes /= 2) {
            sums[k] += shuffle_xor(full_warp, sums[k], lanes);
        }
        if (lane() == 0) room[k * stage_warps + thread() / warp_lanes] = sums[k];
    }
    sync();
    GPU_UNROLL
    for (int k = 0; k < count; k++) {
        sums[k] = room[k * stage_warps];
        GPU_UNROLL
        for (int warp = 1; warp < stage_warps; warp++) sums[k] += room[k * stage_warps + warp];
    }
}

/* Adds up the pieces of each sum in the block that is the last to have put its own. */
template <int count>
GPU_FUNCTION void join_pieces(const tulle__stage &stage, shared<int> last, shared<double> room) {
    double sums[count] = {};
    if (thread() == 0) {
        fence();
        const int before = atomic_add(stage.arrived, 1);
        fence();
        last[0] = before == static_cast<int>(stage.pieces) - 1;
    }
    sync();
    if (last[0] == 0) return;
    GPU_UNROLL
    for (int k = 0; k < count; k++) {
        for (int64_t p = thread(); p < stage.pieces; p += loop_threads) {
            sums[k] += load_relaxed(stage.sums_to + k * stage.pieces + p);
        }
    }
    add_up_block<count>(sums, room);
    if (thread() > 0) return;
    for (int k = 0; k < count; k++) stage.joined[k] = sums[k];
    *stage.arrived = 0;
}

/* The address of a state or norm of a right-hand side, whose scalars are so many bytes behind those
 * of the first one. */
template <class T>
GPU_FUNCTION T *behind(T *first, int64_t bytes) {
    return reinterpret_cast<T *>(reinterpret_cast<uintptr_t>(first) + bytes);
}

/* The state after the stage's rule, which is the same in all blocks of a right-hand side: `from` is
 * its state before, `came` its first sum of the stage before. */
template <int name>
GPU_FUNCTION tulle__solve_state turn_state(const tulle__stage &stage,
                                           const tulle__solve_state *from, const double *came,
                                           shared<double> room) {
    constexpr int takes = stage_of<name>::takes;
    tulle__solve_state s = *from;
    double sums[TULLE__STAGE_SUMS] = {};
    GPU_UNROLL
    for (int k = 0; k < takes; k++) {
        for (int64_t p = thread(); p < stage.pieces_from; p += loop_threads) {
            sums[k] += came[k * stage.sum_from + p * stage.piece_from];
        }
    }
    if constexpr (takes > 0) add_up_block<takes>(sums, room);
    apply_rule<name>(&s, sums);
    return s;
}

/* True for a stage of MINRES. */
template <int name>
constexpr bool turns = (name >= TULLE__MINRES_LENGTH) && (name <= TULLE__MINRES_STEP);

/* Keeps a state for the next stage: without MINRES' part where that is not needed, so that threads
 * have no registers for it. */
template <int name>
GPU_FUNCTION void keep(tulle__solve_state *to, const tulle__solve_state &s) {
    if constexpr (turns<name>) {
        *to = s;
    } else {
        GPU_UNROLL
        for (int k = 0; k < TULLE__SCALARS; k++) to->scalar[k] = s.scalar[k];
        to->limit = s.limit;
        to->norm = s.norm;
        to->iterations = s.iterations;
        to->most = s.most;
        to->columns = s.columns;
        to->outcome = s.outcome;
        to->preconditioned = s.preconditioned;
    }
}

/* Number of packs of each vector that a thread has on their way: many vectors are enough by
 * themselves. */
template <int name>
constexpr int packs_of = stage_of<name>::reads_in_all() > 6 ? 1 : 2;

/* Number of blocks on a multiprocessor: as many as have registers enough for these packs, so
 * that short vectors are one wave. */
template <int name>
constexpr int stage_blocks = stage_of<name>::reads_in_all() > 5 || turns<name> ? 2 : 4;

/* Loads the packs of a thread from `at` on that are before `end`. */
template <int name, class V>
GPU_FUNCTION void load_packs(const tulle__stage &stage, int64_t at, int64_t end,
                             packed<V> (*pack)[TULLE__STAGE_VECTORS]) {
    GPU_UNROLL
    for (int k = 0; k < packs_of<name>; k++) {
        const int64_t here = at + static_cast<int64_t>(k) * loop_threads;
        if (here < end) load_to<name, stage_of<name>::vectors - 1, V>(stage, here, pack[k]);
    }
}

/* several: true for more than one right-hand side; with one, threads have no registers for its
 * number. */
template <int name, class V, bool several>
GPU_KERNEL GPU_RESIDENT(loop_threads, stage_blocks<name>) void run_stage(tulle__stage stage) {
    using program = stage_of<name>;
    constexpr int n = pack_of<V>, last = program::vectors - 1;
    GPU_SHARED(double, came, TULLE__STAGE_SUMS *stage_warps);
    GPU_SHARED(double, goes, TULLE__STAGE_SUMS *stage_warps);
    GPU_SHARED(int, is_last, 1);
    allow_next();
    await_previous();
    /* Blocks of the same right-hand side follow each other. */
    const int64_t column = several ? block() / stage.pieces : 0;
    const int64_t piece = block() - column * stage.pieces;
    const bool keeps = piece == 0 && thread() == 0;
    const int64_t units = stage.n / TULLE__STAGE_UNIT;
    constexpr int unit = TULLE__STAGE_UNIT / n, stride = packs_of<name> * loop_threads;
    const int64_t first = column * (stage.vector_step / n);
    const int64_t begin = first + units * piece / stage.pieces * unit;
    const int64_t end = first + units * (piece + 1) / stage.pieces * unit;
    const int64_t scalars = column * stage.scalars_step;
    const tulle__solve_state *from = behind(stage.from, scalars);
    packed<V> pack[packs_of<name>][TULLE__STAGE_VECTORS] = {};
    /* Packs are on their way while scalars and sums are read. */
    load_packs<name, V>(stage, begin + thread(), end, pack);
    if (from->outcome != TULLE__GOES_ON) {
        if (keeps) *behind(stage.to, scalars) = *from;
        return;
    }
    const tulle__solve_state s =
        turn_state<name>(stage, from, stage.sums_from + column * stage.sums_step, came);
    if (keeps) {
        keep<name>(behind(stage.to, scalars), s);
        if (s.iterations != from->iterations) {
            behind(stage.history, scalars)[s.iterations % TULLE__HISTORY] = s.norm;
        }
    }
    V c[TULLE__STAGE_UPDATES][TULLE__STAGE_TERMS] = {};
    all_coefficients<name, program::updates - 1>(s, c);

    double sum[n][TULLE__STAGE_SUMS] = {};
    for (int64_t at = begin + thread(); at < end; at += stride) {
        GPU_UNROLL
        for (int k = 0; k < packs_of<name>; k++) {
            const int64_t here = at + static_cast<int64_t>(k) * loop_threads;
            if (here >= end) continue;
            GPU_UNROLL
            for (int w = 0; w < n; w++) {
                V v[TULLE__STAGE_VECTORS];
                GPU_UNROLL
                for (int i = 0; i <= last; i++) v[i] = pack[k][i].at[w];
                updates_to<name, program::updates - 1>(v, c);
                sums_to<name, program::sums - 1>(v, sum[w]);
                GPU_UNROLL
                for (int i = 0; i <= last; i++) pack[k][i].at[w] = v[i];
            }
            store_to<name, last, V>(stage, here, pack[k]);
        }
        load_packs<name, V>(stage, at + stride, end, pack);
    }
    if constexpr (program::sums > 0) {
        double all[program::sums];
        GPU_UNROLL
        for (int k = 0; k < program::sums; k++) {
            all[k] = sum[0][k];
            GPU_UNROLL
            for (int w = 1; w < n; w++) all[k] += sum[w][k];
        }
        add_up_block<program::sums>(all, goes);
        for (int k = 0; k < program::sums && thread() == 0; k++) {
            stage.sums_to[column * stage.sums_step + k * stage.pieces + piece] = all[k];
        }
        if (!several && stage.joined) join_pieces<program::sums>(stage, is_last, came);
    }
}

/* Stores a state that comes with the launch's arguments, so that nobody waits for a copy. */
GPU_KERNEL void keep_state(tulle__solve_state *to, tulle__solve_state state) {
    if (thread() == 0) *to = state;
}

template <int name>
tulle_status launch_stage(const tulle__place *place, const tulle__stage *stage) {
    const grid all{stage->columns * stage->pieces, loop_threads};
    if (stage->columns == 1) {
        return stage->type == TULLE_F32
                   ? launch_early(place, run_stage<name, float, false>, all, *stage)
                   : launch_early(place, run_stage<name, double, false>, all, *stage);
    }
    return stage->type == TULLE_F32
               ? launch_early(place, run_stage<name, float, true>, all, *stage)
               : launch_early(place, run_stage<name, double, true>, all, *stage);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(stage)(const tulle__place *place, const tulle__stage *stage) {
    using launcher = tulle_status (*)(const tulle__place *, const tulle__stage *);
#define S(name, ...) gpu::launch_stage<TULLE__##name>,
    static const launcher by_name[] = {TULLE__STAGES(S)};
#undef S
    return by_name[stage->name](place, stage);
}

tulle_status GPU_SYMBOL(put_state)(const tulle__place *place, tulle__solve_state *to,
                                   const tulle__solve_state *state) {
    return gpu::launch(place, gpu::keep_state, gpu::grid{1, gpu::loop_threads}, to, *state);
}
