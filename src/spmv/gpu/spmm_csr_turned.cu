/* SPDX-License-Identifier: Apache-2.0 */
/* CSR times multivectors of which one or both are column-major, by way of row-major copies. X is
 * copied to row-major scratch, a kernel for row-major multivectors multiplies, and its result is
 * copied to Y. This moves X and Y twice more. It pays where neighbouring rows of A do not read
 * neighbouring numbers of X: then each number of a column-major X costs a memory sector of its own,
 * while a row of a row-major X costs only the sectors that it fills. */
#include "spmv/gpu/spmm.cuh"

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmm_csr_row);
extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmm_csr_merge);

namespace TULLE_GPU_NAMESPACE {
namespace {

constexpr int threads = 256, tile_rows = 64, tile_columns = 32;
constexpr int pitch = tile_rows + 1; /* distance of columns: no two columns of a row are in the
                                        same bank */

/* Turns a tile of rows of a block, some columns at a time, through shared memory: `from` is read
 * by columns and `to` is called by rows, or the other way round. Both get (row, column). */
template <bool to_rows, class V, class From, class To>
GPU_FUNCTION void turn(int64_t rows, int64_t vectors, From from, To to) {
    GPU_SHARED(V, tile, pitch * tile_columns);
    int64_t first_row = static_cast<int64_t>(block()) * tile_rows;
    int me = static_cast<int>(thread());
    int here = static_cast<int>(rows - first_row < tile_rows ? rows - first_row : tile_rows);
    for (int64_t first = 0; first < vectors; first += tile_columns) {
        int wide =
            static_cast<int>(vectors - first < tile_columns ? vectors - first : tile_columns);
        for (int e = me; e < here * wide; e += threads) {
            int i = to_rows ? e % here : e / wide, c = to_rows ? e / here : e % wide;
            tile[c * pitch + i] = from(first_row + i, first + c);
        }
        sync();
        for (int e = me; e < here * wide; e += threads) {
            int i = to_rows ? e / wide : e % here, c = to_rows ? e % wide : e / here;
            V number = tile[c * pitch + i];
            to(first_row + i, first + c, number);
        }
        sync();
    }
}

template <class V>
GPU_KERNEL void turn_in(int64_t rows, int64_t vectors, dense_block<const V> x, dense_block<V> to) {
    turn<true, V>(
        rows, vectors, [&](int64_t i, int64_t j) { return load_once(x.at(i, j)); },
        [&](int64_t i, int64_t j, V number) { *to.at(i, j) = number; });
}

/* Computes y := the product + beta y. */
template <class V>
GPU_KERNEL void turn_out(int64_t rows, int64_t vectors, dense_block<const V> product,
                         scalar<V> beta, dense_block<V> y) {
    turn<false, V>(
        rows, vectors, [&](int64_t i, int64_t j) { return load_once(product.at(i, j)); },
        [&](int64_t i, int64_t j, V number) {
            V *at = y.at(i, j);
            *at = combine(V(1), number, beta.value(), at);
        });
}

grid turn_grid(int64_t rows) {
    return {tulle__ceil_div(rows, tile_rows), threads};
}

/* The cheaper of the kernels for row-major multivectors, with its own parameters. */
struct multiplier {
    const tulle__spmv_kernel *kernel;
    tulle__spmv_shape shape;
    int params[TULLE__MAX_PARAMS];
    double cost;
};

multiplier make_multiplier(const tulle__spmv_kernel *kernel, const tulle__spmv_shape *shape) {
    multiplier m = {kernel, *shape, {}, 0};
    m.shape.x_layout = m.shape.y_layout = TULLE_ROW_MAJOR;
    kernel->defaults(&m.shape, m.params);
    m.cost = kernel->cost(&m.shape, m.params);
    return m;
}

multiplier multiplier_for(const tulle__spmv_shape *shape) {
    multiplier by_row = make_multiplier(&GPU_SYMBOL(spmm_csr_row), shape);
    multiplier by_tile = make_multiplier(&GPU_SYMBOL(spmm_csr_merge), shape);
    return by_row.cost <= by_tile.cost ? by_row : by_tile;
}

/* Scratch: the numbers of X and of Y, 0 where they need no turning, and then the multiplier's
 * own. */
struct turned {
    int64_t x, y;
};

turned turned_of(const tulle__spmv_shape *shape) {
    return {shape->x_layout == TULLE_ROW_MAJOR ? 0 : shape->cols * shape->vectors,
            shape->y_layout == TULLE_ROW_MAJOR ? 0 : shape->rows * shape->vectors};
}

template <class V>
tulle_status run_turned(const tulle__spmv_task *task) {
    const tulle__spmv_shape *shape = &task->shape;
    int64_t k = shape->vectors;
    multiplier m = multiplier_for(shape);
    turned p = turned_of(shape);
    parts scratch(task->place, task->workspace);
    V *x = nullptr, *y = nullptr;
    GPU_TRY(scratch.take(p.x, &x));
    GPU_TRY(scratch.take(p.y, &y));
    tulle__spmv_task inner = *task;
    inner.shape = m.shape;
    inner.params = m.params;
    inner.workspace = scratch.rest();
    if (p.x > 0) {
        inner.x = x;
        inner.ldx = k;
        GPU_TRY(launch(task->place, turn_in<V>, turn_grid(shape->cols), shape->cols, k,
                       x_of<V>(task), make_block(x, TULLE_ROW_MAJOR, k)));
    }
    if (p.y > 0) {
        inner.y = y;
        inner.ldy = k;
        inner.beta = tulle_num(0);
    }
    GPU_TRY(m.kernel->run[shape->values][shape->index](&inner));
    if (p.y == 0) return TULLE_OK;
    return launch(task->place, turn_out<V>, turn_grid(shape->rows), shape->rows, k,
                  make_block(static_cast<const V *>(y), TULLE_ROW_MAJOR, k),
                  make_scalar<V>(task->beta), y_of<V>(task));
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    return run_turned<V>(task);
}

bool eligible(const tulle__spmv_shape *shape, const int *) {
    if (shape->x_layout == TULLE_ROW_MAJOR && shape->y_layout == TULLE_ROW_MAJOR) return false;
    multiplier m = multiplier_for(shape);
    return m.kernel->eligible(&m.shape, m.params);
}

size_t workspace(const tulle__spmv_shape *shape, const int *) {
    multiplier m = multiplier_for(shape);
    turned p = turned_of(shape);
    int64_t number = tulle_type_size(shape->type);
    size_t own = m.kernel->workspace ? m.kernel->workspace(&m.shape, m.params) : 0;
    return part_bytes<char>(p.x * number) + part_bytes<char>(p.y * number) + own;
}

/* Bytes that turning moves: a read and a write of X, and of Y. */
int64_t turned_bytes(const tulle__spmv_shape *shape) {
    int64_t numbers = (shape->x_layout == TULLE_ROW_MAJOR ? 0 : shape->cols) +
                      (shape->y_layout == TULLE_ROW_MAJOR ? 0 : shape->rows);
    return 2 * numbers * shape->vectors * tulle_type_size(shape->type);
}

int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    if (!tulle__spmv_countable(shape)) return TULLE__UNCOUNTED;
    multiplier m = multiplier_for(shape);
    return m.kernel->bytes(&m.shape, m.params, beta_zero) + turned_bytes(shape);
}

double cost(const tulle__spmv_shape *shape, const int *) {
    double turned = tulle__spmv_countable(shape) ? static_cast<double>(turned_bytes(shape)) : 0;
    return multiplier_for(shape).cost + 2 * launch_cost(shape) + 1.2 * turned;
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmm_csr_turned);
const tulle__spmv_kernel GPU_SYMBOL(spmm_csr_turned) = {
    .head = {.name = "spmm_csr_turned",
             .summary = "column-major or mixed: X and Y turned, a kernel for row-major "
                        "multivectors in between",
             .source = "Yang, Buluc and Owens, Euro-Par 2018, row-major multivectors",
             .format = TULLE_CSR,
             .flags = TULLE__MULTIVECTOR | TULLE__FORWARD | TULLE__REPEATABLE},
    .eligible = gpu::eligible,
    .workspace = gpu::workspace,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
