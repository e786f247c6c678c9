/* SPDX-License-Identifier: Apache-2.0 */
/* A program of somebody else, in C++17 or C++20, against an installed tulle/tulle.hpp: answers,
 * exceptions, moves and borrowed arrays. */
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <thread>
#include <tulle/tulle.hpp>
#include <type_traits>
#include <vector>

namespace {

std::atomic<int> failures;

void expect(bool ok, const char *what) {
    if (!ok) std::fprintf(stderr, "failed: %s\n", what);
    failures += !ok;
}

// Runs a call that must throw, and compares status, argument and row.
template <class Call>
void expect_error(tulle_status status, const char *argument, std::int64_t row, Call call,
                  const char *what) {
    try {
        call();
    } catch (const tulle::error &e) {
        const tulle::error copied = e;
        expect(copied.status() == status, what);
        expect(std::strcmp(copied.argument(), argument) == 0, what);
        expect(copied.row() == row, what);
        expect(std::strlen(copied.what()) > 0, what);
        if (failures) std::fprintf(stderr, "%s: %s (%s)\n", what, e.what(), e.argument());
        return;
    }
    expect(false, what);
}

const std::vector<std::int32_t> offsets = {0, 2, 5, 8, 10};
const std::array<std::int32_t, 10> columns = {0, 1, 0, 1, 2, 1, 2, 3, 2, 3};
const double values[] = {2, -1, -1, 2, -1, -1, 2, -1, -1, 2};
const std::vector<double> ones = {1, 1, 1, 1}, ends = {1, 0, 0, 1};

tulle::matrix second_differences(const tulle::context &ctx) {
    return tulle::matrix::csr(ctx, 4, 4, offsets, columns, values);
}

#ifdef TULLE_TEST_REFUSED
void refused(const tulle::context &ctx) {
    (void)tulle::matrix::csr(ctx, 4, 4, offsets, columns, std::vector<int>(10));
    (void)tulle::matrix::csr(ctx, 4, 4, std::vector<short>(5), columns, values);
    (void)tulle::matrix::borrow_csr(ctx, 4, 4, offsets, columns, std::vector<double>(10));
    (void)tulle::vector::wrap(ctx, ones);
}
#endif

// Two systems with one pattern: second differences, and the double of them.
void check_uniform(const tulle::context &ctx) {
    const tulle::uniform P(ctx, 4, offsets, columns);
    std::vector<double> both(values, values + 10), numbers = {1, 0, 0, 1, 2, 0, 0, 2};
    for (const double value : values) both.push_back(2 * value);
    const auto A = tulle::multivector::wrap_columns(ctx, 10, 2, both),
               B = tulle::multivector::wrap_columns(ctx, 4, 2, numbers);
    auto X = tulle::multivector::create_columns<double>(ctx, 4, 2),
         F = tulle::multivector::create_columns<double>(ctx, 10, 2);
    std::vector<double> found(8);
    const auto near_ones = [&] {
        bool near = true;
        X.read(ctx, found);
        for (const double x : found) near = near && std::fabs(x - 1) < 1e-7;
        return near;
    };
    X.fill(ctx, 1);
    P.spmv(ctx, 3, A, X, 0, F = tulle::multivector::create_columns<double>(ctx, 4, 2));
    F.read(ctx, found);
    expect(found == std::vector<double>({3, 0, 0, 3, 6, 0, 0, 6}), "products with one pattern");

    tulle_uniform_report reports[2];
    P.solve(ctx, A, B, X, {}, reports);
    expect(near_ones() && reports[0].outcome == TULLE_CONVERGED &&
               reports[1].outcome == TULLE_CONVERGED && reports[1].iterations > 0,
           "systems with one pattern");
    F = tulle::multivector::create_columns<double>(ctx, 10, 2);
    X.fill(ctx, 0);
    P.ilu(ctx, A, F, reports);
    P.ilu_solve(ctx, F, B, X);
    expect(near_ones() && reports[0].row == -1, "factors of tridiagonal matrices are exact");
    P.trisolve(ctx, TULLE_LOWER, TULLE_UNIT, F, B, X);
    P.trisolve(ctx, TULLE_UPPER, TULLE_NON_UNIT, F, X, X);
    expect(near_ones(), "triangles of the factors");

    expect_error(
        TULLE_SHAPE_MISMATCH, "reports", -1,
        [&] { P.solve(ctx, A, B, X, {}, tulle::uniform::reports(reports, 1)); },
        "a report too few");
    expect_error(
        TULLE_SHAPE_MISMATCH, "columns", -1,
        [&] { (void)tulle::uniform(ctx, 4, offsets, std::vector<std::int32_t>(9)); },
        "a column too few");
    expect_error(
        TULLE_SHAPE_MISMATCH, "offsets", -1,
        [&] { (void)tulle::uniform(ctx, 5, offsets, columns); }, "an offset too few");
    expect_error(
        TULLE_TOO_LARGE, "n", -1, [&] { (void)tulle::uniform(ctx, INT64_MAX, offsets, columns); },
        "too many rows");
}

// A solution, its residual and its norm, recorded once and run with two right-hand sides.
void check_batch(const tulle::context &ctx) {
    tulle::matrix A = second_differences(ctx);
    tulle_factor_options all = {};
    all.fill = TULLE_FILL_ALL;
    tulle::factor F(ctx, A, all);
    tulle::vector b(ctx, ends);
    auto x = tulle::vector::create<double>(ctx, 4), r = tulle::vector::create<double>(ctx, 4),
         size = tulle::vector::create<double>(ctx, 1), one = tulle::vector::create<double>(ctx, 1);
    tulle::batch together(ctx);
    const int update = together.update(F, A);
    const int solve = together.solve(TULLE_N, 1, F, b, x);
    const int copy = together.copy(b, r);
    const int product = together.spmm(TULLE_N, -1, A, x, 1, r);
    const int norm = together.norm_max(r, size);
    const int dot = together.dot(2, x, x, 0, one);
    together.after(solve, update);
    together.after(product, solve);
    together.after(product, copy);
    together.after(norm, product);
    together.after(dot, solve);
    expect(update == 0 && solve == 1 && dot == 5, "numbers of tasks");
    A.reset();  // the batch keeps it

    std::vector<double> numbers(1), found(4);
    for (const double scale : {1.0, 2.0}) {
        b.write(ctx, std::vector<double>({scale, 0, 0, scale}));
        together.run(ctx);
        expect(together.report(ctx, update).status == TULLE_OK, "a report");
        x.read(ctx, found);
        size.read(ctx, numbers);
        expect(std::fabs(found[2] - scale) < 1e-14 && numbers[0] < 1e-14, "a recorded solution");
        one.read(ctx, numbers);
        expect(std::fabs(numbers[0] - 8 * scale * scale) < 1e-12, "a recorded inner product");
    }
    tulle_batch_replacement other = {};
    const double ten = 10;
    other.task = dot;
    other.alpha = &ten;
    together.replace(tulle::view<const tulle_batch_replacement>(&other, 1));
    together.run(ctx);
    one.read(ctx, numbers);
    expect(std::fabs(numbers[0] - 160) < 1e-11, "another number of a task");
    expect_error(
        TULLE_SHAPE_MISMATCH, "Y", -1, [&] { together.scale(1, b, one); }, "another shape");
    expect_error(
        TULLE_INVALID_ARGUMENT, "batch", -1, [&] { tulle::batch().run(ctx); }, "no batch");
}

// The exact values of small whole numbers are the same in every order of sums.
void check_products(const tulle::context &ctx) {
    const tulle::matrix A = second_differences(ctx);
    const tulle::vector x(ctx, ones);
    auto y = tulle::vector::create<double>(ctx, 4);
    std::vector<double> sums(4);
    tulle::spmv(ctx, TULLE_N, 2, A, x, 0, y);
    y.read(ctx, sums);
    expect(sums == std::vector<double>({2, 0, 0, 2}), "a product");

    const tulle::matrix S = tulle::add(ctx, TULLE_N, TULLE_T, 1, A, -1, A),
                        C = tulle::spgemm(ctx, TULLE_N, TULLE_N, 1, A, A), T = transpose(ctx, C);
    expect(S.nnz() == 10 && C.nnz() == 14 && T.rows() == 4 && T.cols() == 4, "sums and products");
    std::vector<std::int32_t> starts(5), places(14);
    std::vector<double> entries(14), sum(10, 1.0);
    T.read(ctx, starts, places, entries);
    expect(starts == std::vector<std::int32_t>({0, 3, 7, 11, 14}), "offsets of a transpose");
    expect(places[3] == 0 && entries[3] == -4 && entries[4] == 6, "an entry of a transpose");
    S.read_values(ctx, sum);
    expect(sum == std::vector<double>(10, 0.0), "a symmetric matrix less its transpose");

    auto X = tulle::multivector::create_columns<double>(ctx, 4, 2, TULLE_ROW_MAJOR);
    auto Y = tulle::multivector::create_columns<double>(ctx, 4, 2, TULLE_ROW_MAJOR);
    const double two_columns[] = {1, 0, 1, 0, 1, 0, 1, 1};
    std::array<double, 8> both;
    std::array<double, 2> norms;
    X.write(ctx, two_columns);
    tulle::spmm(ctx, TULLE_N, 1, A, X, 0, Y);
    Y.read(ctx, both);
    expect(both == std::array<double, 8>({1, 0, 0, 0, 0, -1, 1, 2}), "a product of two columns");
    tulle::norm2(ctx, X, norms);
    expect(norms[0] == 2 && norms[1] == 1 && tulle::dot(ctx, x, x) == 4, "norms and a product");
}

// A x = b with x of ones: each way of solving stays within some roundings of it.
void check_solutions(const tulle::context &ctx) {
    const tulle::matrix A = second_differences(ctx);
    const tulle::vector b(ctx, ends);
    const tulle::linop L = tulle::linop::from_mat(ctx, A);
    std::vector<double> x_numbers(4);
    auto x = tulle::vector::create<double>(ctx, 4);
    const auto close = [&] {
        x.read(ctx, x_numbers);
        for (const double number : x_numbers) {
            if (!(std::fabs(number - 1) < 1e-7)) return false;
        }
        x.fill(ctx, 0);
        return true;
    };
    expect(tulle::solve(ctx, A, b, x).solver.outcome == TULLE_CONVERGED && close(), "solve");

    tulle_factor_options complete = {};
    complete.fill = TULLE_FILL_ALL;
    tulle::factor F(ctx, A, complete);
    tulle_order *made = nullptr;
    tulle::check(tulle_order_rcm(ctx.get(), A.get(), &made));
    const tulle::handle<tulle_order, tulle_order_destroy> order(made);
    complete.order = order.get();
    F = tulle::factor(ctx, A, complete);
    F.update(ctx, A);
    F.solve(ctx, TULLE_N, 1, b, x);
    expect(F.describe().rows == 4 && F.status(ctx).bad == 0 && close(), "complete factors");

    tulle::amg M(ctx, A);
    M.update(ctx, TULLE_AMG_KEEP_P);
    tulle::solver S(ctx, L, M);
    expect(S.run(ctx, b, x).outcome == TULLE_CONVERGED && close(), "multigrid");
    expect(S.reports().size() == 1 && M.hierarchy().levels >= 1 && M.level(0).rows == 4, "reports");
    tulle::solver alone(ctx, L);
    expect(alone.run(ctx, b, x).outcome == TULLE_CONVERGED && close(), "no preconditioner");
    tulle::solver with_factors(ctx, L, tulle::linop::from_factor<double>(ctx, F));
    expect(with_factors.run(ctx, b, x).outcome == TULLE_CONVERGED && close(), "factors");
    tulle::linop::jacobi(ctx, L).apply(ctx, TULLE_N, 4, b, 0, x);
    x.read(ctx, x_numbers);
    expect(x_numbers == std::vector<double>({2, 0, 0, 2}), "Jacobi's preconditioner");
}

// An operator of callables, whose exceptions reach the caller.
void check_functions(const tulle::context &ctx) {
    const auto A = std::make_shared<const tulle::matrix>(second_differences(ctx));
    bool fails = false;
    tulle::linop L = tulle::linop::from_function<double>(
        ctx, 4, 4,
        [&fails, A](const tulle::context &here, const tulle::vector &X, tulle::vector &Y) {
            if (fails) throw std::runtime_error("a stroke of bad luck");
            tulle::spmv(here, TULLE_N, 1, *A, X, 0, Y);
        });
    const tulle::vector b(ctx, ends);
    auto x = tulle::vector::create<double>(ctx, 4);
    tulle::solver S(ctx, L);
    expect(S.run(ctx, b, x).outcome == TULLE_CONVERGED, "a solution with callables");
    fails = true;
    try {
        S.run(ctx, b, x);
        expect(false, "a callable that throws");
    } catch (const std::runtime_error &e) {
        expect(std::strcmp(e.what(), "a stroke of bad luck") == 0, "the exception of a callable");
    }
    // One that nobody has checked is not that of a later failure.
    expect(tulle_linop_apply(ctx.get(), TULLE_N, tulle_num(1), L.get(), b.get(), tulle_num(0),
                             x.get()) == TULLE_INVALID_ARGUMENT,
           "a call in C that fails");
    ctx.synchronize();
    expect_error(
        TULLE_UNSUPPORTED, "op", -1, [&] { L.apply(ctx, TULLE_T, 1, b, 0, x); }, "no transpose");
    fails = false;
    L.apply(ctx, TULLE_N, 1, b, 0, x);

    L = tulle::linop::from_function<double>(
        ctx, 4, 4,
        [](const tulle::context &here, const tulle::vector &X, tulle::vector &Y) {
            tulle::copy(here, X, Y);
        },
        [](const tulle::context &here, const tulle::vector &, tulle::vector &Y) {
            tulle::spmv(here, TULLE_N, 1, tulle::matrix(), Y, 0, Y);
        });
    expect_error(
        TULLE_INVALID_ARGUMENT, "A", -1, [&] { L.apply(ctx, TULLE_T, 1, b, 0, x); },
        "an error of the library in a callable");
    S.reset();
    expect(A.use_count() == 1, "an operator gives up its callables");
    expect_error(
        TULLE_INVALID_ARGUMENT, "rows", -1,
        [&] {
            (void)tulle::linop::from_function<double>(
                ctx, -1, 4, [A](const tulle::context &, const tulle::vector &, tulle::vector &) {});
        },
        "an operator of no size");
    expect(A.use_count() == 1, "callables of an operator that was not made");
}

void check_errors(const tulle::context &ctx) {
    std::vector<std::int32_t> bad(columns.begin(), columns.end());
    bad[5] = 7;
    expect_error(
        TULLE_INVALID_MATRIX, "columns", 2,
        [&] { (void)tulle::matrix::csr(ctx, 4, 4, offsets, bad, values); }, "a column too large");
    bad.pop_back();
    expect_error(
        TULLE_SHAPE_MISMATCH, "values", -1,
        [&] { (void)tulle::matrix::csr(ctx, 4, 4, offsets, bad, values); }, "a column too few");
    expect_error(
        TULLE_SHAPE_MISMATCH, "offsets", -1,
        [&] { (void)tulle::matrix::csr(ctx, 5, 5, offsets, columns, values); }, "too few offsets");

    tulle::matrix A = second_differences(ctx);
    tulle::vector x(ctx, ones), narrow = tulle::vector::create<float>(ctx, 4);
    expect_error(
        TULLE_TYPE_MISMATCH, "numbers", -1, [&] { narrow.write(ctx, ones); }, "doubles as floats");
    expect_error(
        TULLE_TYPE_MISMATCH, "values", -1, [&] { A.set_values(ctx, std::vector<float>(10)); },
        "values of another type");
    std::vector<double> few(3);
    expect_error(
        TULLE_SHAPE_MISMATCH, "numbers", -1, [&] { x.read(ctx, few); }, "too small an array");
    expect_error(
        TULLE_ALIASED, "y", -1, [&] { tulle::spmv(ctx, TULLE_N, 1, A, x, 0, x); }, "y is x");
    expect_error(
        TULLE_ZERO_PIVOT, "A", 1,
        [&] {
            const std::vector<double> zero_row = {2, -1, -1, 0.5, -1, -1, 2, -1, -1, 2};
            const tulle::factor F(ctx, A.with_values(ctx, zero_row));
        },
        "a pivot of zero");

    const tulle::linop L = tulle::linop::from_mat(ctx, A);
    expect_error(
        TULLE_INVALID_ARGUMENT, "", -1,
        [&] { (void)tulle::linop::sum(ctx, 1, L, 1, tulle::linop()); }, "a sum with nothing");
    expect_error(
        TULLE_TOO_LARGE, "rows", -1,
        [&] { (void)tulle::matrix::csr(ctx, INT64_MAX, 4, offsets, columns, values); },
        "more rows than offsets can be");
    try {
        (void)tulle::norm2(ctx, tulle::multivector::create_columns<double>(ctx, 4, 3));
        expect(false, "one norm of three columns");
    } catch (const tulle::error &e) {
        expect(std::strstr(e.what(), "3 columns"), "a message about columns");
    }

    const tulle::matrix B = std::move(A);
    expect_error(
        TULLE_INVALID_ARGUMENT, "", -1, [&] { (void)A.rows(); }, "an empty handle");
    expect_error(
        TULLE_INVALID_ARGUMENT, "where", -1, [] { const tulle::context none("nowhere"); },
        "no place");
}

void check_moves(const tulle::context &ctx) {
    static_assert(!std::is_copy_constructible_v<tulle::matrix> &&
                      std::is_nothrow_move_constructible_v<tulle::matrix> &&
                      std::is_nothrow_move_assignable_v<tulle::amg> &&
                      std::is_nothrow_copy_constructible_v<tulle::error> &&
                      std::is_nothrow_destructible_v<tulle::solver>,
                  "handles move, and errors are copied without throwing");
    tulle::matrix A = second_differences(ctx), none;
    tulle_mat *object = A.get();
    tulle::matrix B = std::move(A);
    expect(!A && B.get() == object && !none, "a move");
    A = second_differences(ctx);
    A = std::move(B);
    expect(A.get() == object && !B, "a move onto another object");
    tulle::matrix &itself = A;
    A = std::move(itself);
    expect(A.get() == object, "a move onto itself");
    const tulle::matrix second = A.retain();
    A.reset();
    expect(second.rows() == 4, "another owner");
    tulle::matrix again(B.release());
    expect(!again, "an empty handle gives nothing");
}

void check_borrowed(const tulle::context &ctx) {
    std::vector<std::int64_t> from(offsets.begin(), offsets.end());
    std::vector<float> lent(std::begin(values), std::end(values)), x = {1, 0, 0, 0}, y(4);
    auto A = tulle::matrix::borrow_csr(ctx, 4, 4, from, columns, lent);
    expect(A.arrays().values == lent.data() && A.describe().index == TULLE_I64_I32,
           "the matrix uses the arrays in place");
    const auto around_x = tulle::vector::wrap(ctx, x);
    auto around_y = tulle::vector::wrap(ctx, tulle::view<float>(y));
    lent[0] = 5;
    A.values_changed(ctx);
    tulle::spmv(ctx, TULLE_N, 1, A, around_x, 0, around_y);
    expect(y == std::vector<float>({5, -1, 0, 0}), "changed values of a borrowed array");
    A.set_values(ctx, std::vector<float>(10, 3.0F));
    expect(lent[0] == 5, "a borrowed array is not written");
#if __cplusplus >= 202002L
    const std::span<const std::int64_t> span = from;
    const auto B = tulle::matrix::borrow_csr(ctx, 4, 4, span, columns, std::span<float>(lent));
    expect(B.arrays().offsets == from.data(), "spans are borrowed");
#endif
}

void check_base(const tulle::context &ctx) {
    const std::vector<std::int64_t> from = {1, 2, 3}, at = {2, 1};
    tulle_mat_options options = {};
    options.base = 1;
    const auto A = tulle::matrix::csr(ctx, 2, 2, from, at, std::vector<double>{3, 4}, options);
    std::vector<std::int64_t> starts(3), places(2);
    std::vector<double> numbers(2);
    A.read(ctx, starts, places, numbers);
    expect(starts[2] == 2 && places[0] == 1 && numbers[1] == 4, "arrays that count from 1");
    const std::vector<long> long_from = {1, 2, 3};
    const std::vector<long long> long_at = {2, 1};
    const auto L =
        tulle::matrix::csr(ctx, 2, 2, long_from, long_at, std::vector<float>{3, 4}, options);
    expect(L.describe().index == TULLE_I64, "both types of 64 bits");
    options.pattern = true;
    const auto P = tulle::matrix::coo(ctx, 3, 3, at, at, std::vector<double>(), options);
    P.read_values(ctx, numbers);
    expect(numbers[0] == 1 && P.convert(ctx, TULLE_CSR, TULLE_I64).nnz() == 2, "a pattern");
}

// Rows of second differences, of which a rank may have none.
struct shared_rows {
    tulle::row_range range;
    std::vector<std::int64_t> offsets = {0}, columns;
    std::vector<double> values;

    shared_rows(const tulle::comm &comm, std::int64_t n) : range(comm.share(n)) {
        for (std::int64_t i = range.first; i < range.first + range.count; i++) {
            for (std::int64_t j = i - 1; j <= i + 1; j++) {
                if (j < 0 || j >= n) continue;
                columns.push_back(j);
                values.push_back(i == j ? 2 : -1);
            }
            offsets.push_back(static_cast<std::int64_t>(columns.size()));
        }
    }

    tulle::dist_matrix matrix(const tulle::context &ctx, const tulle::comm &comm) const {
        return tulle::dist_matrix::csr(ctx, comm, range.count, range.count, offsets, columns,
                                       values);
    }
};

void check_shared_products(const tulle::context &ctx, const tulle::comm &comm, std::int64_t n) {
    const shared_rows rows(comm, n);
    const std::int64_t local = rows.range.count;
    tulle::dist_matrix A = rows.matrix(ctx, comm);
    const bool is_root = comm.rank() == 1;
    expect(A.describe().rows == n && A.describe().local_rows == local, "a shared matrix");

    auto x = tulle::vector::create<double>(ctx, local),
         y = tulle::vector::create<double>(ctx, local);
    x.fill(ctx, 1);
    A.multiply(ctx, TULLE_N, 1, x, 0, y);
    std::vector<double> all(is_root ? static_cast<std::size_t>(n) : 0);
    A.gather(ctx, comm, y, 1, all);
    std::vector<double> product(static_cast<std::size_t>(n), 0.0);
    product.front() = product.back() = 1;
    expect(!is_root || all == product, "a shared product");
    expect(tulle::dot(ctx, comm, x, y) == 2 && tulle::norm2(ctx, comm, y) == std::sqrt(2.0),
           "sums over all ranks");

    const tulle::dist_matrix T = transpose(ctx, A), S = tulle::add(ctx, 1, A, -1, T),
                             C = tulle::spgemm(ctx, 1, A, A),
                             G = tulle::spgemm_galerkin(ctx, 1, A, A);
    const tulle::matrix zeros = S.gather(ctx, 1), squares = C.gather(ctx, 1);
    expect(static_cast<bool>(zeros) == is_root, "a matrix in the root alone");
    expect(G.describe().rows == n && (!is_root || squares.nnz() == 5 * n - 6), "shared products");
    std::vector<double> numbers(is_root ? static_cast<std::size_t>(zeros.nnz()) : 0);
    if (is_root) zeros.read_values(ctx, numbers);
    expect(numbers == std::vector<double>(numbers.size(), 0.0), "A less its transpose");

    std::vector<std::int64_t> starts(rows.offsets.size()), places(rows.columns.size());
    std::vector<double> values_read(rows.values.size()), twice(rows.values);
    for (double &value : twice) value *= 2;
    A.set_values(rows.offsets, rows.columns, twice);
    A.retain().read(ctx, starts, places, values_read);
    double sum = 0;
    for (const double value : values_read) sum += value;
    for (const double value : rows.values) sum -= 2 * value;
    expect(starts == rows.offsets && sum == 0, "other values of shared rows");
    expect(A.block().rows() == local, "the block of own rows");

    tulle::dist_order P;
    const tulle::dist_matrix B = A.partition(ctx, P);
    auto moved = tulle::vector::create<double>(ctx, B.describe().local_rows);
    P.permute(ctx, y, moved);
    P.unpermute(ctx, moved, x);
    expect(tulle::dot(ctx, comm, x, y) == 2, "there and back");
}

void check_shared_solutions(const tulle::context &ctx, const tulle::comm &comm, std::int64_t n) {
    const shared_rows rows(comm, n);
    const std::int64_t local = rows.range.count;
    const tulle::dist_matrix A = tulle::dist_matrix::from_rows(
        ctx, comm, tulle::matrix::csr(ctx, local, n, rows.offsets, rows.columns, rows.values), 0,
        local, local);
    auto ones_here = tulle::vector::create<double>(ctx, local),
         b = tulle::vector::create<double>(ctx, local),
         x = tulle::vector::create<double>(ctx, local);
    ones_here.fill(ctx, 1);
    A.multiply(ctx, TULLE_N, 1, ones_here, 0, b);
    const auto close = [&] {
        tulle::axpy(ctx, -1, ones_here, x);
        const double error = tulle::norm2(ctx, comm, x);
        return error < 1e-4;
    };
    expect(tulle::solve(ctx, A, b, x).solver.outcome == TULLE_CONVERGED && close(),
           "a shared system");
    tulle::solver S(ctx, tulle::linop::from_dist(ctx, A), tulle::amg(ctx, A));
    expect(S.run(ctx, b, x).outcome == TULLE_CONVERGED && close(), "shared multigrid");
}

// One rank makes a mistake; the others hear, and the communicator stays fit for use.
void check_shared_errors(const tulle::context &ctx, const tulle::comm &comm, std::int64_t n) {
    const shared_rows rows(comm, n);
    const bool mistaken = comm.rank() == 0;
    shared_rows wrong = rows;
    if (mistaken) wrong.values.pop_back();
    expect_error(
        mistaken ? TULLE_SHAPE_MISMATCH : TULLE_PEER_FAILED, mistaken ? "values" : "", -1,
        [&] { (void)wrong.matrix(ctx, comm); }, "a value too few in one rank");
    const tulle::dist_matrix A = rows.matrix(ctx, comm);
    auto X = tulle::multivector::create_columns<double>(ctx, rows.range.count, 2);
    X.fill(ctx, 1);
    std::vector<double> room(mistaken ? static_cast<std::size_t>(2 * n - 1) : 0),
        two(mistaken ? 1 : 2);
    expect_error(
        mistaken ? TULLE_SHAPE_MISMATCH : TULLE_INVALID_ARGUMENT, mistaken ? "numbers" : "host", -1,
        [&] { A.gather(ctx, comm, X, 0, room); }, "too small an array in the root");
    expect_error(
        mistaken ? TULLE_SHAPE_MISMATCH : TULLE_PEER_FAILED, mistaken ? "results" : "", -1,
        [&] { tulle::norm2(ctx, comm, X, two); }, "too few results in one rank");
    expect_error(
        TULLE_SHAPE_MISMATCH, "x", -1, [&] { (void)tulle::dot(ctx, comm, X, X); },
        "one result for two columns");
    two.resize(2);
    tulle::dot(ctx, comm, X, X, two);
    expect(two[0] == static_cast<double>(n) && two[1] == two[0], "sums after errors");
    expect_error(
        TULLE_INVALID_ARGUMENT, "", -1, [] { (void)tulle::comm().rank(); }, "no communicator");
    expect_error(
        TULLE_INVALID_ARGUMENT, "ranks", -1, [] { (void)tulle::comm::threads(0); }, "no ranks");
}

// Three threads share rows; of two rows the last thread has none.
void check_shared() {
    std::vector<tulle::comm> comms = tulle::comm::threads(3, 60);
    std::vector<std::thread> threads;
    for (tulle::comm &comm : comms) {
        threads.emplace_back([own = std::move(comm)]() mutable {
            try {
                own.set_checking(true);
                const tulle::context ctx("cpu:1");
                check_shared_products(ctx, own, 40);
                check_shared_solutions(ctx, own, 40);
                check_shared_solutions(ctx, own, 2);
                check_shared_errors(ctx, own, 5);
            } catch (const std::exception &e) {
                expect(false, e.what());
            }
        });
    }
    for (std::thread &thread : threads) thread.join();
}

}  // namespace

int main() {
    try {
        const tulle::context ctx("cpu:2");
        check_products(ctx);
        check_solutions(ctx);
        check_uniform(ctx);
        check_batch(ctx);
        check_functions(ctx);
        check_errors(ctx);
        check_moves(ctx);
        check_borrowed(ctx);
        check_base(ctx);
        check_shared();
    } catch (const std::exception &e) {
        std::fprintf(stderr, "an exception where none was due: %s\n", e.what());
        failures++;
    }
    std::printf("tulle.hpp, C++ %ld: %d failed\n", __cplusplus, failures.load());
    return failures != 0;
}
