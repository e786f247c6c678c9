/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The interface for C++17 and later: handles that give up their object at the end, spans, and
 * errors as exceptions. Everything is inline over the functions of tulle.h, which say what each
 * operation computes, its error bound, and when it synchronises.
 *
 *     tulle::context ctx("auto");
 *     tulle::matrix A = tulle::matrix::csr(ctx, 4, 4, offsets, columns, values);
 *     tulle::vector b(ctx, numbers), x = tulle::vector::create<double>(ctx, 4);
 *     if (tulle::solve(ctx, A, b, x).solver.outcome == TULLE_CONVERGED) x.read(ctx, numbers);
 *
 * Handles (context, matrix, vector, linop, factor, amg, solver, uniform, and of rows that threads
 * or processes share comm, dist_matrix, dist_order) can be moved and not copied. A handle that was
 * moved from is empty: get() is a null pointer, and a call that needs the object throws. Matrices,
 * operators and factors are counted inside the library, so handles may end in any order; a context
 * may end before its objects. get() gives the object to functions of tulle.h, and tulle::check
 * turns their status into an exception; objects without a class of their own have tulle::handle,
 * such as tulle::handle<tulle_order, tulle_order_destroy>. Destructors never throw.
 *
 * Values are float or double; offsets and columns are std::int32_t, or std::int64_t for both or for
 * offsets alone, or any other signed integers of these sizes. Types follow from the arrays, and
 * others do not compile. Arrays are std::vector,
 * std::array, std::span, a C array, tulle::view, or anything else that has data() and size().
 * Options are the structs of tulle.h; those left out are zeros, by which the library chooses.
 *
 * No function copies an array that it is not said to copy, and none waits unless its function in
 * tulle.h does. Every function throws tulle::error for every status but TULLE_OK, unless it is
 * noexcept; its inputs are then unchanged, as tulle.h has it.
 */
#ifndef TULLE_HPP
#define TULLE_HPP

#if __cplusplus < 201703L
#error "tulle.hpp needs C++17: compile with -std=c++17 or later"
#endif

#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tulle.h"

#if __cplusplus >= 202002L
#include <span>
#endif

/** Sparse linear algebra in C++; see the head of tulle.hpp. */
namespace tulle {

/** An error of a call: what() is one line for people, which says what is wrong and what to do. */
class TULLE_API error : public std::runtime_error {
  public:
    /** Makes an error with its own message, about an argument and a row (-1: no row). */
    error(tulle_status status, const std::string &message, const char *argument = "",
          std::int64_t row = -1)
        : std::runtime_error(message),
          status_(status),
          argument_(std::make_shared<const std::string>(argument)),
          row_(row) {}

    /** Returns the status of the call that failed. */
    tulle_status status() const noexcept { return status_; }

    /** Returns the name of the argument at fault, or "". Lives as long as the error. */
    const char *argument() const noexcept { return argument_->c_str(); }

    /** Returns the row of the matrix at fault, from 0 on, or -1. */
    std::int64_t row() const noexcept { return row_; }

  private:
    tulle_status status_;
    std::shared_ptr<const std::string> argument_;  // shared, so that copying an error cannot throw
    std::int64_t row_;
};

/** @cond */
namespace detail {

// The exception that ended a callable of the caller's (linop::from_function), on its way through a
// function of the library to the check of that function's status.
inline thread_local std::exception_ptr thrown;

}  // namespace detail
/** @endcond */

/**
 * Throws the record of the last failure (tulle_last_error) unless status is TULLE_OK, or the
 * exception of a callable of the caller's that made the call fail (linop::from_function). For
 * functions of tulle.h that have no counterpart here.
 */
inline void check(tulle_status status) {
    const std::exception_ptr thrown = std::exchange(detail::thrown, nullptr);
    if (status == TULLE_OK) return;
    if (thrown) std::rethrow_exception(thrown);
    const tulle_error *last = tulle_last_error();
    if (last->status != status) throw error(status, tulle_status_text(status));
    throw error(status, last->message, last->argument, last->row);
}

/**
 * An array of the caller's: address and number of elements, without ownership. A view is valid as
 * long as the array is. T is const where the array is only read.
 */
template <class T>
class view {
  public:
    /** Type of the elements, without const. */
    using value_type = std::remove_cv_t<T>;

    /** Makes an empty view. */
    constexpr view() noexcept = default;

    /** Makes a view of size elements from data on. */
    constexpr view(T *data, std::size_t size) noexcept : data_(data), size_(size) {}

    /** Makes a view of a C array, or of an object that has data() and size(). */
    template <class Array,
              class = std::enable_if_t<
                  !std::is_same_v<std::decay_t<Array>, view> &&
                  std::is_convertible_v<
                      std::remove_pointer_t<decltype(std::data(std::declval<Array &>()))> (*)[],
                      T (*)[]>>>
    constexpr view(Array &&array) noexcept : data_(std::data(array)), size_(std::size(array)) {}

    /** Returns the address of the first element; may be null where the view is empty. */
    constexpr T *data() const noexcept { return data_; }

    /** Returns the number of elements. */
    constexpr std::size_t size() const noexcept { return size_; }

    /** Returns true without elements. */
    constexpr bool empty() const noexcept { return size_ == 0; }

    /** Returns element i, which must be below size(). */
    constexpr T &operator[](std::size_t i) const noexcept { return data_[i]; }

    /** Returns the first position. */
    constexpr T *begin() const noexcept { return data_; }

    /** Returns the position behind the last element. */
    constexpr T *end() const noexcept { return data_ + size_; }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/** @cond */
template <class Array>
view(Array &&) -> view<std::remove_pointer_t<decltype(std::data(std::declval<Array &>()))>>;

namespace detail {

template <class T>
struct is_view : std::false_type {};
template <class T>
struct is_view<view<T>> : std::true_type {};
#if __cplusplus >= 202002L
template <class T, std::size_t n>
struct is_view<std::span<T, n>> : std::true_type {};
#endif

// True of an argument whose elements outlive the call: an lvalue, or something that does not own.
template <class Argument>
constexpr bool lends =
    std::is_lvalue_reference_v<Argument &&> || is_view<std::decay_t<Argument>>::value;

template <class Array>
using element = typename decltype(view(std::declval<Array &>()))::value_type;

// The view of an array that calls write.
template <class Array>
constexpr view<element<Array>> written(Array &array) noexcept {
    static_assert(
        !std::is_const_v<std::remove_pointer_t<decltype(std::data(std::declval<Array &>()))>>,
        "tulle: an array that calls write must not be const");
    return view<element<Array>>(array);
}

template <class T>
constexpr tulle_type type_of() {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                  "tulle: values are float or double");
    return std::is_same_v<T, float> ? TULLE_F32 : TULLE_F64;
}

// True of signed integers of so many bytes: one size has several types, such as long and long long.
template <class T, std::size_t bytes>
constexpr bool is_signed_of = std::is_integral_v<T> &&std::is_signed_v<T> && sizeof(T) == bytes;

template <class Offset, class Column>
constexpr tulle_index index_of() {
    static_assert(
        (is_signed_of<Column, 4> && (is_signed_of<Offset, 4> || is_signed_of<Offset, 8>)) ||
            (is_signed_of<Column, 8> && is_signed_of<Offset, 8>),
        "tulle: offsets and columns are std::int32_t, or std::int64_t for both or for "
        "offsets alone");
    return sizeof(Offset) == 4 ? TULLE_I32 : sizeof(Column) == 4 ? TULLE_I64_I32 : TULLE_I64;
}

inline void require_length(const char *argument, std::size_t has, std::int64_t needs) {
    if (static_cast<std::int64_t>(has) == needs) return;
    throw error(TULLE_SHAPE_MISMATCH,
                std::string(argument) + " has " + std::to_string(has) +
                    " elements and should have " + std::to_string(needs),
                argument);
}

inline void require_room(const char *argument, std::size_t has, std::int64_t needs) {
    if (static_cast<std::int64_t>(has) >= needs) return;
    throw error(TULLE_SHAPE_MISMATCH,
                std::string(argument) + " has " + std::to_string(has) +
                    " elements and should have at least " + std::to_string(needs),
                argument);
}

inline void require_type(const char *argument, bool fits, const char *stored) {
    if (fits) return;
    throw error(TULLE_TYPE_MISMATCH,
                std::string(argument) + " has another type than the object, which has " + stored,
                argument);
}

inline const char *name_of(tulle_type type) {
    return type == TULLE_F32 ? "float" : "double";
}

inline const char *name_of(tulle_index index) {
    return index == TULLE_I32       ? "offsets and columns of 32 bits"
           : index == TULLE_I64_I32 ? "offsets of 64 bits and columns of 32 bits"
                                    : "offsets and columns of 64 bits";
}

inline void require_one_column(std::int64_t columns) {
    if (columns == 1) return;
    throw error(TULLE_SHAPE_MISMATCH,
                "x has " + std::to_string(columns) +
                    " columns and should have 1: give an array of results for several",
                "x");
}

// The columns of a vector that may be empty: then 0.
inline std::int64_t columns_of(const tulle_vec *X) {
    if (!X) return 0;
    tulle_vec_info info;
    check(tulle_vec_describe(X, &info));
    return info.cols;
}

// The address of offsets or columns of rows that are shared, which have 64 bits.
template <class T>
const std::int64_t *wide(view<T> indices) {
    static_assert(is_signed_of<std::remove_cv_t<T>, 8>,
                  "tulle: offsets and columns of rows that are shared are std::int64_t");
    return reinterpret_cast<const std::int64_t *>(indices.data());
}

inline void require_object(const void *object) {
    if (!object) {
        throw error(TULLE_INVALID_ARGUMENT,
                    "an empty handle was used: it was moved from, or never "
                    "given an object");
    }
}

}  // namespace detail
/** @endcond */

/** The owner of one object of the library's; base of all handles. An object is given up once. */
template <class T, void (*destroy)(T *)>
class handle {
  public:
    /** Makes an empty handle. */
    handle() noexcept = default;

    /** Takes over an object that a function of tulle.h made. */
    explicit handle(T *owned) noexcept : object_(owned) {}

    /** Takes the object of another handle, which is then empty. */
    handle(handle &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}

    /** Gives up its own object, and takes that of another handle, which is then empty. */
    handle &operator=(handle &&other) noexcept {
        if (this != &other) reset(other.release());
        return *this;
    }

    handle(const handle &) = delete;
    handle &operator=(const handle &) = delete;

    /** Gives up the object, if there is one. */
    ~handle() { destroy(object_); }

    /** Returns the object, still owned by the handle, for functions of tulle.h; null when empty. */
    T *get() const noexcept { return object_; }

    /** Returns true when there is an object. */
    explicit operator bool() const noexcept { return object_ != nullptr; }

    /** Hands the object to the caller, who destroys it, and becomes empty. */
    T *release() noexcept { return std::exchange(object_, nullptr); }

    /** Gives up the object and takes over another one. */
    void reset(T *owned = nullptr) noexcept { destroy(std::exchange(object_, owned)); }

  private:
    T *object_ = nullptr;
};

/** A scalar operand: a number of the host's, or (tulle_at) an address in the context's memory. */
class scalar {
  public:
    /** Makes a scalar from a number, rounded to the type of the operation. */
    scalar(double number) noexcept : value_(tulle_num(number)) {}

    /** Makes a scalar from that of tulle.h, such as tulle_at(address). */
    scalar(tulle_scalar value) noexcept : value_(value) {}

    /** Returns the scalar for functions of tulle.h. */
    tulle_scalar get() const noexcept { return value_; }

  private:
    tulle_scalar value_;
};

/** A place where work runs, with its memory and settings (context.h). One thread at a time. */
class context : public handle<tulle_ctx, tulle_ctx_destroy> {
  public:
    using handle::handle;

    /** Makes an empty handle. */
    context() noexcept = default;

    /** Makes a context at "cpu", "cpu:8", "cuda", "cuda:1", "emulated" or "auto". */
    explicit context(const std::string &where, const tulle_ctx_options &options = {}) {
        tulle_ctx *made = nullptr;
        check(tulle_ctx_create(where.c_str(), &options, &made));
        reset(made);
    }

    /** Waits for all work of the context. */
    void synchronize() const { check(tulle_ctx_synchronize(get())); }

    /** Uses the caller's cudaStream_t from now on (null: the context's own). */
    void set_stream(void *stream) { check(tulle_ctx_set_stream(get(), stream)); }

    /** Returns the stream in use; null on a CPU. */
    void *stream() const noexcept { return tulle_ctx_stream(get()); }

    /** Allows only kernels whose results are bitwise the same in every run, or all again. */
    void set_repeatable(bool on) { check(tulle_ctx_set_repeatable(get(), on)); }

    /** Returns how much memory the context holds. */
    tulle_memory_usage memory() const {
        tulle_memory_usage usage;
        check(tulle_ctx_memory(get(), &usage));
        return usage;
    }

    /** Gives pooled memory and the workspace back to the system. */
    void trim() { check(tulle_ctx_trim(get())); }

    /** Describes the place. */
    tulle_device_info device() const {
        tulle_device_info info;
        check(tulle_ctx_device(get(), &info));
        return info;
    }
};

/**
 * A vector, or several that are the columns of a dense n x k matrix (vec.h). Whoever lets a batch
 * use a vector keeps the vector until the batch's last run.
 */
class vector : public handle<tulle_vec, tulle_vec_destroy> {
  public:
    using handle::handle;

    /** Makes an empty handle. */
    vector() noexcept = default;

    /** Makes a vector with a copy of numbers of the host's; waits for the copy. */
    template <class Numbers, class T = detail::element<const Numbers>>
    vector(const context &ctx, const Numbers &numbers) {
        const view<const T> from(numbers);
        *this = create<T>(ctx, static_cast<std::int64_t>(from.size()));
        write(ctx, from);
    }

    /** Makes a vector of n numbers of type T, not initialised. */
    template <class T>
    static vector create(const context &ctx, std::int64_t n) {
        tulle_vec *made = nullptr;
        check(tulle_vec_create(ctx.get(), detail::type_of<T>(), n, &made));
        return vector(made);
    }

    /** Makes a multivector of rows x cols numbers of type T, not initialised; ld 0: the least. */
    template <class T>
    static vector create_columns(const context &ctx, std::int64_t rows, std::int64_t cols,
                                 tulle_layout layout = TULLE_COLUMN_MAJOR, std::int64_t ld = 0) {
        tulle_vec *made = nullptr;
        check(tulle_vec_create_columns(ctx.get(), detail::type_of<T>(), rows, cols, layout, ld,
                                       &made));
        return vector(made);
    }

    /**
     * Makes a vector around numbers of the caller's in the context's memory, which calls then read
     * and write in place. They outlive the vector.
     */
    template <class Numbers>
    static vector wrap(const context &ctx, Numbers &&numbers) {
        static_assert(detail::lends<Numbers>, "tulle: a wrapped array must outlive its vector");
        const auto around = detail::written(numbers);
        return wrap_columns(ctx, static_cast<std::int64_t>(around.size()), 1, around);
    }

    /** Makes a multivector of rows x cols around numbers of the caller's; otherwise as wrap. */
    template <class Numbers>
    static vector wrap_columns(const context &ctx, std::int64_t rows, std::int64_t cols,
                               Numbers &&numbers, tulle_layout layout = TULLE_COLUMN_MAJOR,
                               std::int64_t ld = 0) {
        static_assert(detail::lends<Numbers>, "tulle: a wrapped array must outlive its vector");
        const auto around = detail::written(numbers);
        detail::require_room("numbers", around.size(), extent(rows, cols, layout, ld));
        tulle_vec *made = nullptr;
        check(tulle_vec_wrap(ctx.get(), detail::type_of<detail::element<Numbers>>(), rows, cols,
                             layout, ld, around.data(), &made));
        return vector(made);
    }

    /** Describes shape and place. */
    tulle_vec_info describe() const {
        tulle_vec_info info;
        check(tulle_vec_describe(get(), &info));
        return info;
    }

    /** Copies host numbers of the vector's type and layout into it; waits. ld 0: the least. */
    template <class Numbers>
    void write(const context &ctx, const Numbers &numbers, std::int64_t ld = 0) {
        const view<const detail::element<const Numbers>> from(numbers);
        require_array("numbers", from, ld);
        check(tulle_vec_write(ctx.get(), get(), from.data(), ld));
    }

    /** Copies the numbers to a host array of the vector's type and layout; waits. ld 0: the least.
     */
    template <class Numbers>
    void read(const context &ctx, Numbers &&numbers, std::int64_t ld = 0) const {
        const auto to = detail::written(numbers);
        require_array("numbers", to, ld);
        check(tulle_vec_read(ctx.get(), get(), to.data(), ld));
    }

    /** Sets every number to value. */
    void fill(const context &ctx, double value) { check(tulle_vec_fill(ctx.get(), get(), value)); }

    /** Sets every number to a random one of (-1, 1). */
    void random(const context &ctx, std::uint64_t seed) {
        check(tulle_vec_random(ctx.get(), get(), seed));
    }

  private:
    static std::int64_t extent(std::int64_t rows, std::int64_t cols, tulle_layout layout,
                               std::int64_t ld) {
        const std::int64_t lines = layout == TULLE_COLUMN_MAJOR ? cols : rows,
                           length = layout == TULLE_COLUMN_MAJOR ? rows : cols;
        const std::int64_t step = ld > 0 ? ld : length, most = INT64_MAX;
        if (lines <= 0 || length <= 0) return 0;
        return lines - 1 > (most - length) / step ? most : (lines - 1) * step + length;
    }

    template <class T>
    void require_array(const char *argument, view<T> array, std::int64_t ld) const {
        const tulle_vec_info info = describe();
        detail::require_type(argument, info.type == detail::type_of<std::remove_cv_t<T>>(),
                             detail::name_of(info.type));
        detail::require_room(argument, array.size(), extent(info.rows, info.cols, info.layout, ld));
    }
};

/** A vector that has several columns: the same class, as tulle.h has the same type. */
using multivector = vector;

/** A sparse matrix: an immutable pattern, and values (matrix.h). */
class matrix : public handle<tulle_mat, tulle_mat_destroy> {
  public:
    using handle::handle;

    /** Makes an empty handle. */
    matrix() noexcept = default;

    /**
     * Makes a CSR matrix with copies of the arrays: rows + 1 offsets, and a column and a value for
     * each entry. options.base is 1 for arrays that count from 1. With options.pattern every entry
     * is 1, and of values only the type counts. With another ownership in the
     * options the arrays are used in place, and stay for as long as the matrix does. An array of
     * another length throws TULLE_SHAPE_MISMATCH; bad arrays throw TULLE_INVALID_MATRIX with the
     * row.
     */
    template <class Offsets, class Columns, class Values>
    static matrix csr(const context &ctx, std::int64_t rows, std::int64_t cols,
                      const Offsets &offsets, const Columns &columns, const Values &values,
                      const tulle_mat_options &options = {}) {
        const view from(offsets);
        const view at(columns);
        const view numbers(values);
        if (rows >= 0 && rows < INT64_MAX) {  // others are told by the library
            detail::require_length("offsets", from.size(), rows + 1);
        }
        return make(tulle_mat_create_csr_sized, ctx, rows, cols, from, at, numbers, options);
    }

    /**
     * Makes a CSR matrix that uses the caller's arrays in place. They are in the context's memory,
     * are never written, and outlive the matrix; after a change of the values call values_changed.
     */
    template <class Offsets, class Columns, class Values>
    static matrix borrow_csr(const context &ctx, std::int64_t rows, std::int64_t cols,
                             Offsets &&offsets, Columns &&columns, Values &&values) {
        static_assert(detail::lends<Offsets> && detail::lends<Columns> && detail::lends<Values>,
                      "tulle: borrowed arrays must outlive their matrix");
        tulle_mat_options options = {};
        options.ownership = TULLE_BORROW;
        return csr(ctx, rows, cols, offsets, columns, values, options);
    }

    /** Makes a COO matrix with copies of the arrays, one element of each for each entry. */
    template <class Rows, class Columns, class Values>
    static matrix coo(const context &ctx, std::int64_t rows, std::int64_t cols,
                      const Rows &row_indices, const Columns &columns, const Values &values,
                      const tulle_mat_options &options = {}) {
        const view from(row_indices);
        const view at(columns);
        const view numbers(values);
        detail::require_length("row_indices", from.size(), static_cast<std::int64_t>(at.size()));
        return make(tulle_mat_create_coo_sized, ctx, rows, cols, from, at, numbers, options);
    }

    /** Makes a matrix that shares the pattern and has copies of other values. */
    template <class Values>
    matrix with_values(const context &ctx, const Values &values) const {
        const view numbers(values);
        tulle_mat *made = nullptr;
        check(tulle_mat_with_values(
            ctx.get(), get(), detail::type_of<detail::element<const Values>>(),
            static_cast<std::int64_t>(numbers.size()), numbers.data(), &made));
        return matrix(made);
    }

    /** Copies new values of the matrix's type into it; pattern and plans stay. */
    template <class Values>
    void set_values(const context &ctx, const Values &values) {
        const view numbers(values);
        detail::require_type("values", type() == detail::type_of<detail::element<const Values>>(),
                             detail::name_of(type()));
        check(tulle_mat_set_values(ctx.get(), get(), static_cast<std::int64_t>(numbers.size()),
                                   numbers.data()));
    }

    /** Says that the caller has changed the values that the matrix borrows. */
    void values_changed(const context &ctx) { check(tulle_mat_values_changed(ctx.get(), get())); }

    /** Makes the same matrix in another format or index type. */
    matrix convert(const context &ctx, tulle_format format, tulle_index index,
                   const tulle_convert_options &options = {}) const {
        tulle_mat *made = nullptr;
        check(tulle_mat_convert_with(ctx.get(), get(), format, index, &options, &made));
        return matrix(made);
    }

    /** Makes a copy in the memory of ctx, with values of type T. */
    template <class T>
    matrix copy(const context &ctx) const {
        tulle_mat *made = nullptr;
        check(tulle_mat_copy(ctx.get(), get(), detail::type_of<T>(), &made));
        return matrix(made);
    }

    /** Makes another owner of this matrix; neither pattern nor values are copied. */
    matrix retain() const noexcept { return matrix(tulle_mat_retain(get())); }

    /** Prepares products op(A) x, of which about expected_calls follow. */
    void optimize(const context &ctx, tulle_trans op, std::int64_t expected_calls) {
        check(tulle_mat_optimize(ctx.get(), op, get(), expected_calls));
    }

    /** Returns shape, types and statistics. */
    tulle_mat_info describe() const {
        tulle_mat_info info;
        check(tulle_mat_describe(get(), &info));
        return info;
    }

    /** Returns facts of the entries, such as symmetry. */
    tulle_facts facts(const context &ctx) const {
        tulle_facts facts;
        check(tulle_mat_facts(ctx.get(), get(), &facts));
        return facts;
    }

    /** Returns the number of rows. */
    std::int64_t rows() const { return tulle_mat_rows(held()); }

    /** Returns the number of columns. */
    std::int64_t cols() const { return tulle_mat_cols(held()); }

    /** Returns the number of stored entries. */
    std::int64_t nnz() const { return tulle_mat_nnz(held()); }

    /** Returns the type of the values. */
    tulle_type type() const { return tulle_mat_type(held()); }

    /** Returns the arrays in the memory where the matrix lives, for reading, owned by the matrix.
     */
    tulle_mat_arrays arrays() const {
        tulle_mat_arrays arrays;
        check(tulle_mat_view(get(), &arrays));
        return arrays;
    }

    /** Copies offsets, columns and values to host arrays of the matrix's lengths and types; waits.
     */
    template <class Offsets, class Columns, class Values>
    void read(const context &ctx, Offsets &&offsets, Columns &&columns, Values &&values) const {
        const auto from = detail::written(offsets);
        const auto at = detail::written(columns);
        const tulle_mat_lengths lengths = counts();
        const tulle_index index = describe().index;
        detail::require_length("offsets", from.size(), lengths.offsets);
        detail::require_length("columns", at.size(), lengths.cols);
        detail::require_type(
            "offsets or columns",
            index == detail::index_of<detail::element<Offsets>, detail::element<Columns>>(),
            detail::name_of(index));
        check(tulle_mat_read(ctx.get(), get(), from.data(), nullptr, at.data(),
                             room_for(values, lengths)));
    }

    /** Copies the values alone to a host array; otherwise as read. */
    template <class Values>
    void read_values(const context &ctx, Values &&values) const {
        check(tulle_mat_read(ctx.get(), get(), nullptr, nullptr, nullptr,
                             room_for(values, counts())));
    }

    /** Returns the number of elements of each array. */
    tulle_mat_lengths counts() const {
        tulle_mat_lengths lengths;
        check(tulle_mat_counts(get(), &lengths));
        return lengths;
    }

  private:
    template <class Make, class O, class C, class V>
    static matrix make(Make *create, const context &ctx, std::int64_t rows, std::int64_t cols,
                       view<O> starts, view<C> columns, view<V> values,
                       const tulle_mat_options &options) {
        const auto nnz = static_cast<std::int64_t>(columns.size());
        const V *numbers = options.pattern ? nullptr : values.data();
        if (!options.pattern) detail::require_length("values", values.size(), nnz);
        tulle_mat *made = nullptr;
        check(create(ctx.get(), rows, cols, nnz,
                     detail::index_of<std::remove_cv_t<O>, std::remove_cv_t<C>>(), starts.data(),
                     columns.data(), detail::type_of<std::remove_cv_t<V>>(), numbers, &options,
                     sizeof options, &made));
        return matrix(made);
    }

    template <class Values>
    void *room_for(Values &values, const tulle_mat_lengths &lengths) const {
        const auto to = detail::written(values);
        detail::require_length("values", to.size(), lengths.values);
        detail::require_type("values", type() == detail::type_of<detail::element<Values>>(),
                             detail::name_of(type()));
        return to.data();
    }

    const tulle_mat *held() const {
        detail::require_object(get());
        return get();
    }
};

/** Rows that follow each other. */
struct row_range {
    std::int64_t first; /**< the first row, from 0 on */
    std::int64_t count; /**< number of rows */
};

/**
 * A communicator: the way of one process, or one thread, to the others that share rows (comm.h).
 * A thread takes its own out of the vector that threads() returns, by a move: where an exception
 * ends the thread its communicator ends too, and calls of the others fail at once.
 */
class comm : public handle<tulle_comm, tulle_comm_destroy> {
  public:
    using handle::handle;

    /** Makes an empty handle. */
    comm() noexcept = default;

    /**
     * Makes communicators for threads of one process: element r is for the thread of rank r, which
     * has a context of its own. A thread waits at most timeout seconds for the others; 0: 60.
     */
    static std::vector<comm> threads(int ranks, double timeout = 0) {
        const bool possible = ranks > 0 && ranks <= 1024;  // the library refuses others
        std::vector<tulle_comm *> made(possible ? static_cast<std::size_t>(ranks) : 1);
        std::vector<comm> comms(made.size());
        check(tulle_comm_create_threads(ranks, timeout, made.data()));
        for (std::size_t r = 0; r < made.size(); r++) comms[r].reset(made[r]);
        return comms;
    }

    /**
     * Makes a communicator by a function that stores one in its last argument, which is left out:
     * make(tulle_comm_create_mpi, &mpi_comm, 0), make(tulle_comm_create_nccl, ctx.get(),
     * host.get()), make(tulle_comm_create, &functions, user).
     */
    template <class... Parameters, class... Arguments>
    static comm make(tulle_status (*create)(Parameters...), Arguments... arguments) {
        tulle_comm *made = nullptr;
        check(create(arguments..., &made));
        return comm(made);
    }

    /** Returns the rank of this process, from 0 on. */
    int rank() const { return tulle_comm_rank(held()); }

    /** Returns the number of processes. */
    int ranks() const { return tulle_comm_ranks(held()); }

    /** Returns this process's rows where n rows are shared evenly (tulle_dist_share). */
    row_range share(std::int64_t n) const {
        row_range rows = {0, 0};
        rows.count = tulle_dist_share(n, ranks(), rank(), &rows.first);
        return rows;
    }

    /** Compares the calls of all processes before each message, or no longer; for finding mistakes.
     */
    void set_checking(bool on) { check(tulle_comm_set_checking(get(), on)); }

  private:
    const tulle_comm *held() const {
        detail::require_object(get());
        return get();
    }
};

/** The way of vectors to rows that dist_matrix::partition has moved, and back (dist.h). */
class dist_order : public handle<tulle_dist_order, tulle_dist_order_destroy> {
  public:
    using handle::handle;

    /** Makes an empty handle. */
    dist_order() noexcept = default;

    /** Computes Y := P X: the rows of X go to the processes that have them now. */
    void permute(const context &ctx, const vector &X, vector &Y) const {
        check(tulle_dist_vec_permute(ctx.get(), get(), X.get(), Y.get()));
    }

    /** Computes X := P^T Y: the rows of Y, such as a solution, go back. */
    void unpermute(const context &ctx, const vector &Y, vector &X) const {
        check(tulle_dist_vec_unpermute(ctx.get(), get(), Y.get(), X.get()));
    }
};

/**
 * A matrix whose rows are shared by the processes of a communicator (dist.h). Each has rows that
 * follow each other, and vectors of these rows. Functions are called by all processes in the same
 * order, unless they say otherwise; arrays of a wrong length throw in the process that has them,
 * and TULLE_PEER_FAILED in the others, where the function makes an object.
 */
class dist_matrix : public handle<tulle_dist_mat, tulle_dist_mat_destroy> {
  public:
    using handle::handle;

    /** Makes an empty handle. */
    dist_matrix() noexcept = default;

    /**
     * Makes a matrix from this process's rows, in CSR with columns of the whole matrix: rows + 1
     * offsets from 0 on and, for each entry, a column, all of std::int64_t, and a value; all are
     * copied. cols is the number of rows of x that this process has: rows, for a square matrix.
     */
    template <class Offsets, class Columns, class Values>
    static dist_matrix csr(const context &ctx, const comm &comm, std::int64_t rows,
                           std::int64_t cols, const Offsets &offsets, const Columns &columns,
                           const Values &values) {
        const view from(offsets);
        const view at(columns);
        const view numbers(values);
        tulle_dist_mat *made = nullptr;
        const auto create = [&](std::int64_t count) {
            return tulle_dist_mat_create(
                ctx.get(), comm.get(), count, cols, detail::wide(from), detail::wide(at),
                detail::type_of<detail::element<const Values>>(), numbers.data(), &made);
        };
        try {
            require_rows(rows, from, at.size(), numbers.size());
        } catch (...) {
            (void)create(-1);  // fails here and tells the others, who would wait
            throw;
        }
        check(create(rows));
        return dist_matrix(made);
    }

    /**
     * Makes a matrix from rows first to first + rows - 1 of a matrix in ctx's memory, of any index
     * type, which has the columns of the whole matrix: first is this process's first row where from
     * has all rows, and 0 where it has this process's alone. cols: as of csr.
     */
    static dist_matrix from_rows(const context &ctx, const comm &comm, const matrix &from,
                                 std::int64_t first, std::int64_t rows, std::int64_t cols) {
        return make(tulle_dist_mat_from_rows, ctx.get(), comm.get(), from.get(), first, rows, cols);
    }

    /**
     * Makes P A P^T, whose rows METIS has moved to processes such that products send little, and
     * puts the way of vectors in P (tulle_dist_mat_partition).
     */
    dist_matrix partition(const context &ctx, dist_order &P) const {
        tulle_dist_mat *made = nullptr;
        tulle_dist_order *order = nullptr;
        check(tulle_dist_mat_partition(ctx.get(), get(), &made, &order));
        P.reset(order);
        return dist_matrix(made);
    }

    /**
     * Copies new values into this process's rows, for the offsets and columns that csr was given.
     * Called by whoever has new values.
     */
    template <class Offsets, class Columns, class Values>
    void set_values(const Offsets &offsets, const Columns &columns, const Values &values) {
        const view from(offsets);
        const view at(columns);
        const view numbers(values);
        const tulle_dist_mat_info info = describe();
        require_type<detail::element<const Values>>("values", info);
        require_rows(info.local_rows, from, at.size(), numbers.size());
        check(
            tulle_dist_mat_set_values(get(), detail::wide(from), detail::wide(at), numbers.data()));
    }

    /** Computes Y := alpha op(A) X + beta Y, X and Y of this process's rows. */
    void multiply(const context &ctx, tulle_trans op, scalar alpha, const multivector &X,
                  scalar beta, multivector &Y) const {
        check(tulle_dist_mat_multiply(ctx.get(), op, alpha.get(), get(), X.get(), beta.get(),
                                      Y.get()));
    }

    /** Returns shape and parts; called by whoever wants. */
    tulle_dist_mat_info describe() const {
        tulle_dist_mat_info info;
        check(tulle_dist_mat_describe(get(), &info));
        return info;
    }

    /**
     * Returns the block of this process's own rows and columns, for reading, such as to make
     * incomplete factors of it; the matrix returned is another owner of it. Called by whoever
     * wants.
     */
    matrix block() const {
        detail::require_object(get());
        return matrix(tulle_mat_retain(tulle_dist_mat_block(get())));
    }

    /** Makes another owner of this matrix; nothing is copied. Called by whoever wants. */
    dist_matrix retain() const noexcept { return dist_matrix(tulle_dist_mat_retain(get())); }

    /**
     * Copies this process's rows to host arrays: local_rows + 1 offsets from 0 on and, for each of
     * local_nnz entries (describe), a column of the whole matrix and a value; own columns come
     * first. Waits. Called by whoever wants.
     */
    template <class Offsets, class Columns, class Values>
    void read(const context &ctx, Offsets &&offsets, Columns &&columns, Values &&values) const {
        const auto from = detail::written(offsets);
        const auto at = detail::written(columns);
        const auto to = detail::written(values);
        const tulle_dist_mat_info info = describe();
        require_type<detail::element<Values>>("values", info);
        detail::require_length("offsets", from.size(), info.local_rows + 1);
        detail::require_length("columns", at.size(), info.local_nnz);
        detail::require_length("values", to.size(), info.local_nnz);
        check(tulle_dist_mat_read(ctx.get(), get(), const_cast<std::int64_t *>(detail::wide(from)),
                                  const_cast<std::int64_t *>(detail::wide(at)), to.data()));
    }

    /** Returns the whole matrix in the process root, and an empty handle in the others. */
    matrix gather(const context &ctx, int root) const {
        tulle_mat *made = nullptr;
        check(tulle_dist_mat_gather(ctx.get(), get(), root, &made));
        return matrix(made);
    }

    /**
     * Copies X, whose rows are shared as A's are, to a host array of the process root, which has
     * room for A's rows times X's columns, by columns. The array of other processes is not looked
     * at, and may be empty. Waits. comm is the one that A was made with.
     */
    template <class Numbers>
    void gather(const context &ctx, const comm &comm, const vector &X, int root,
                Numbers &&numbers) const {
        const auto to = detail::written(numbers);
        const std::int64_t columns = detail::columns_of(X.get());
        try {
            if (comm.rank() == root) {
                const tulle_type type = X.describe().type;
                detail::require_type("numbers", type == detail::type_of<detail::element<Numbers>>(),
                                     detail::name_of(type));
                detail::require_room("numbers", to.size(), describe().rows * columns);
            }
        } catch (...) {
            (void)tulle_dist_gather(ctx.get(), comm.get(), X.get(), root, nullptr);
            throw;
        }
        check(tulle_dist_gather(ctx.get(), comm.get(), X.get(), root, to.data()));
    }

  private:
    template <class... Parameters, class... Arguments>
    static dist_matrix make(tulle_status (*create)(Parameters...), Arguments... arguments) {
        tulle_dist_mat *made = nullptr;
        check(create(arguments..., &made));
        return dist_matrix(made);
    }

    // Compares the lengths of a process's arrays with each other.
    template <class Offset>
    static void require_rows(std::int64_t rows, view<Offset> offsets, std::size_t columns,
                             std::size_t values) {
        if (rows < 0 || rows == INT64_MAX) return;  // the library refuses them
        detail::require_length("offsets", offsets.size(), rows + 1);
        detail::require_length("columns", columns, offsets[static_cast<std::size_t>(rows)]);
        detail::require_length("values", values, offsets[static_cast<std::size_t>(rows)]);
    }

    template <class T>
    static void require_type(const char *argument, const tulle_dist_mat_info &info) {
        detail::require_type(argument, info.type == detail::type_of<T>(),
                             detail::name_of(info.type));
    }
};

/** Factors of a matrix, complete or incomplete (factor.h). One solution at a time. */
class factor : public handle<tulle_factor, tulle_factor_destroy> {
  public:
    using handle::handle;

    /** Makes an empty handle. */
    factor() noexcept = default;

    /** Computes factors of A. Throws TULLE_ZERO_PIVOT with the row where a pivot is zero. */
    explicit factor(const context &ctx, const matrix &A, const tulle_factor_options &options = {}) {
        tulle_factor *made = nullptr;
        check(tulle_factor_create(ctx.get(), A.get(), &options, &made));
        reset(made);
    }

    /** Computes the values anew from those of A, whose pattern is the one factorised. */
    void update(const context &ctx, const matrix &A) {
        check(tulle_factor_update(ctx.get(), get(), A.get()));
    }

    /** Computes X := alpha op(M)^-1 B, M being about A; B may be X. */
    void solve(const context &ctx, tulle_trans op, scalar alpha, const vector &B, vector &X) const {
        check(tulle_factor_solve(ctx.get(), op, alpha.get(), get(), B.get(), X.get()));
    }

    /** Reports the pivots of the last computation of values. */
    tulle_factor_report status(const context &ctx) const {
        tulle_factor_report report;
        check(tulle_factor_status(ctx.get(), get(), &report));
        return report;
    }

    /** Returns sizes and times. */
    tulle_factor_info describe() const {
        tulle_factor_info info;
        check(tulle_factor_describe(get(), &info));
        return info;
    }
};

/** @cond */
namespace detail {

// The handle of an object that is lent to a callable: given back, and not given up.
template <class Handle, class T>
struct lent {
    Handle handle;
    explicit lent(T *object) noexcept : handle(object) {}
    lent(const lent &) = delete;
    lent &operator=(const lent &) = delete;
    ~lent() { (void)handle.release(); }
};

// Calls a callable for an operator. An exception waits for the check of the library's function.
template <class Callable>
tulle_status call(Callable &callable, tulle_ctx *ctx, const tulle_vec *X, tulle_vec *Y) noexcept {
    const lent<context, tulle_ctx> place(ctx);
    const lent<vector, tulle_vec> from(const_cast<tulle_vec *>(X));
    lent<vector, tulle_vec> to(Y);
    try {
        callable(place.handle, from.handle, to.handle);
        return TULLE_OK;
    } catch (const error &e) {
        thrown = std::current_exception();
        return e.status() > 0 ? e.status() : TULLE_INVALID_ARGUMENT;
    } catch (...) {
        thrown = std::current_exception();
        return TULLE_INVALID_ARGUMENT;
    }
}

// The callables of an operator; Transposed is std::nullptr_t where there is none.
template <class Apply, class Transposed>
struct callables {
    Apply apply;
    Transposed transposed;

    static tulle_linop_functions functions() {
        tulle_linop_functions table = {};
        table.apply = [](void *self, tulle_ctx *ctx, const tulle_vec *X, tulle_vec *Y) {
            return call(static_cast<callables *>(self)->apply, ctx, X, Y);
        };
        if constexpr (!std::is_null_pointer_v<Transposed>) {
            table.apply_transposed = [](void *self, tulle_ctx *ctx, const tulle_vec *X,
                                        tulle_vec *Y) {
                return call(static_cast<callables *>(self)->transposed, ctx, X, Y);
            };
        }
        table.destroy = [](void *self) { delete static_cast<callables *>(self); };
        return table;
    }
};

}  // namespace detail
/** @endcond */

/** A linear operator or a preconditioner (linop.h). It keeps the objects that it was made from. */
class linop : public handle<tulle_linop, tulle_linop_destroy> {
  public:
    using handle::handle;

    /** Makes an empty handle. */
    linop() noexcept = default;

    /** Makes the operator of A. */
    static linop from_mat(const context &ctx, const matrix &A) {
        return make(tulle_linop_from_mat, ctx.get(), A.get());
    }

    /** Makes the operator of A on this process's rows; solvers of it sum over all processes. */
    static linop from_dist(const context &ctx, const dist_matrix &A) {
        return make(tulle_linop_from_dist, ctx.get(), A.get());
    }

    /** Makes the operator that solves with factors, on vectors of type T. */
    template <class T>
    static linop from_factor(const context &ctx, const factor &F) {
        return make(tulle_linop_from_factor, ctx.get(), F.get(), detail::type_of<T>());
    }

    /**
     * Makes a rows x cols operator of the caller's functions, on vectors of type T. self is handed
     * to the functions, which must not throw, and freed by functions.destroy, which is not called
     * where this function throws.
     */
    template <class T>
    static linop create(const context &ctx, std::int64_t rows, std::int64_t cols,
                        const tulle_linop_functions &functions, void *self) {
        return make(tulle_linop_create, ctx.get(), detail::type_of<T>(), rows, cols, &functions,
                    self);
    }

    /**
     * Makes a rows x cols operator A, on vectors of type T, of a callable apply(ctx, X, Y), which
     * computes Y := A X; const context &ctx, const vector &X and vector &Y are lent for the call,
     * X and Y may have several columns. transposed computes Y := A^T X, where there is one. The
     * operator keeps copies of both. Where one throws, the call that needed it fails, and throws
     * the same exception.
     */
    template <class T, class Apply, class Transposed = std::nullptr_t>
    static linop from_function(const context &ctx, std::int64_t rows, std::int64_t cols,
                               Apply apply, Transposed transposed = nullptr) {
        using callables = detail::callables<Apply, Transposed>;
        std::unique_ptr<callables> self(new callables{std::move(apply), std::move(transposed)});
        linop made = create<T>(ctx, rows, cols, callables::functions(), self.get());
        (void)self.release();  // the operator's from now on
        return made;
    }

    /** Makes A B. */
    static linop product(const context &ctx, const linop &A, const linop &B) {
        return make(tulle_linop_product, ctx.get(), A.get(), B.get());
    }

    /** Makes alpha A + beta B; neither may be empty. */
    static linop sum(const context &ctx, double alpha, const linop &A, double beta,
                     const linop &B) {
        detail::require_object(B.get());
        return make(tulle_linop_sum, ctx.get(), alpha, A.get(), beta, B.get());
    }

    /** Makes the diagonal operator of d, which is copied. */
    static linop diagonal(const context &ctx, const vector &d) {
        return make(tulle_linop_diagonal, ctx.get(), d.get());
    }

    /** Makes Jacobi's preconditioner diag(A)^-1. */
    static linop jacobi(const context &ctx, const linop &A) {
        return make(tulle_linop_jacobi, ctx.get(), A.get());
    }

    /** Makes the inverse of the blocks along A's diagonal, of block rows each. */
    static linop block_jacobi(const context &ctx, const matrix &A, int block) {
        return make(tulle_linop_block_jacobi, ctx.get(), A.get(), block);
    }

    /** Makes Chebyshev's polynomial in M A, times M (empty: the identity); bounds 0: estimated. */
    static linop chebyshev(const context &ctx, const linop &A, const linop &M, int degree,
                           double lowest = 0, double highest = 0) {
        return make(tulle_linop_chebyshev, ctx.get(), A.get(), M.get(), degree, lowest, highest);
    }

    /** Computes Y := alpha op(L) X + beta Y. */
    void apply(const context &ctx, tulle_trans op, scalar alpha, const vector &X, scalar beta,
               vector &Y) const {
        check(tulle_linop_apply(ctx.get(), op, alpha.get(), get(), X.get(), beta.get(), Y.get()));
    }

    /** Copies the diagonal to d. */
    void get_diagonal(const context &ctx, vector &d) const {
        check(tulle_linop_get_diagonal(ctx.get(), get(), d.get()));
    }

    /** Computes anew what was computed from values that have changed since. */
    void renew(const context &ctx) { check(tulle_linop_renew(ctx.get(), get())); }

    /** Returns kind, shape and abilities. */
    tulle_linop_info describe() const {
        tulle_linop_info info;
        check(tulle_linop_describe(get(), &info));
        return info;
    }

  private:
    template <class... Parameters, class... Arguments>
    static linop make(tulle_status (*create)(Parameters...), Arguments... arguments) {
        tulle_linop *made = nullptr;
        check(create(arguments..., &made));
        return linop(made);
    }
};

/** The preconditioner that is one cycle of algebraic multigrid (amg.h); it keeps the matrix. */
class amg : public linop {
  public:
    using linop::linop;

    /** Makes an empty handle. */
    amg() noexcept = default;

    /** Makes a hierarchy of A. */
    explicit amg(const context &ctx, const matrix &A, const tulle_amg_options &options = {}) {
        tulle_linop *made = nullptr;
        check(tulle_amg_create(ctx.get(), A.get(), &options, &made));
        reset(made);
    }

    /** Makes a hierarchy over all processes' rows of A; all of them call. */
    explicit amg(const context &ctx, const dist_matrix &A, const tulle_amg_options &options = {}) {
        tulle_linop *made = nullptr;
        check(tulle_amg_create_dist(ctx.get(), A.get(), &options, &made));
        reset(made);
    }

    /** Brings the hierarchy to the values that its own matrix has now. */
    void update(const context &ctx, tulle_amg_how how) {
        check(tulle_amg_update(ctx.get(), get(), nullptr, how));
    }

    /** Brings the hierarchy to another matrix, which it keeps from now on. */
    void update(const context &ctx, const matrix &A, tulle_amg_how how) {
        detail::require_object(A.get());
        check(tulle_amg_update(ctx.get(), get(), A.get(), how));
    }

    /** Describes the hierarchy (tulle_amg_describe): levels, complexity, time and memory. */
    tulle_amg_info hierarchy() const {
        tulle_amg_info info;
        check(tulle_amg_describe(get(), &info));
        return info;
    }

    /** Returns a level, from 0 on, without its matrices, which are NULL. */
    tulle_amg_level_info level_numbers(int number) const {
        tulle_amg_level_info info;
        check(tulle_amg_level_numbers(get(), number, &info));
        return info;
    }

    /** Returns a level, from 0 on; its matrices, which the first call may have to make, stay the
     * hierarchy's until its next update. */
    tulle_amg_level_info level(int number) const {
        tulle_amg_level_info info;
        check(tulle_amg_level(get(), number, &info));
        return info;
    }
};

/** An iterative method with its vectors, for many systems with one operator (solver.h). */
class solver : public handle<tulle_solver, tulle_solver_destroy> {
  public:
    using handle::handle;

    /** Makes an empty handle. */
    solver() noexcept = default;

    /** Makes a solver of A x = b without a preconditioner; it keeps A. */
    explicit solver(const context &ctx, const linop &A, const tulle_solver_options &options = {})
        : solver(ctx, A, linop(), options) {}

    /** Makes a solver of A x = b with the preconditioner M (empty: none); it keeps both. */
    solver(const context &ctx, const linop &A, const linop &M,
           const tulle_solver_options &options = {}) {
        tulle_solver *made = nullptr;
        check(tulle_solver_create(ctx.get(), A.get(), M.get(), &options, &made));
        reset(made);
    }

    /** Solves A x = b; b may be x. No convergence is no error: report.outcome says how it ended. */
    tulle_solver_report run(const context &ctx, const vector &b, vector &x) {
        tulle_solver_report report;
        check(tulle_solver_run(ctx.get(), get(), b.get(), x.get(), &report));
        return report;
    }

    /** Returns the reports of the last solution's columns, valid until the next solution. */
    view<const tulle_solver_report> reports() const {
        const tulle_solver_report *first = nullptr;
        std::int64_t columns = 0;
        check(tulle_solver_reports(get(), &first, &columns));
        return {first, static_cast<std::size_t>(columns)};
    }
};

/**
 * A pattern that the matrices of many small systems share (uniform.h). A system's numbers are a
 * column of a multivector: values of the matrices are nnz x count, in the order of the pattern's
 * entries, vectors rows x count. Reports go to a host array with room for one of each system, for
 * which the call waits; an empty view: there are none.
 */
class uniform : public handle<tulle_uniform, tulle_uniform_destroy> {
  public:
    using handle::handle;

    /** Room for the reports of all systems. */
    using reports = view<tulle_uniform_report>;

    /** Makes an empty handle. */
    uniform() noexcept = default;

    /** Makes a pattern with copies of n + 1 offsets and of their columns, int32 from 0 on; waits.
     */
    template <class Offsets, class Columns>
    uniform(const context &ctx, std::int64_t n, const Offsets &offsets, const Columns &columns) {
        const view<const std::int32_t> starts(offsets), places(columns);
        if (n >= 0 && n <= TULLE_UNIFORM_MOST_ROWS) {
            detail::require_length("offsets", starts.size(), n + 1);
            detail::require_room("columns", places.size(), starts[starts.size() - 1]);
        }
        tulle_uniform *made = nullptr;
        check(tulle_uniform_create(ctx.get(), n, starts.data(), places.data(), &made));
        reset(made);
    }

    /** Computes y := alpha A x + beta y for every system. */
    void spmv(const context &ctx, scalar alpha, const multivector &A, const multivector &X,
              scalar beta, multivector &Y) const {
        check(tulle_uniform_spmv(ctx.get(), get(), alpha.get(), A.get(), X.get(), beta.get(),
                                 Y.get()));
    }

    /** Computes factors of every system without fill, ILU(0), in F, which may be A. */
    void ilu(const context &ctx, const multivector &A, multivector &F, reports r = {}) const {
        check(tulle_uniform_ilu(ctx.get(), get(), A.get(), F.get(), to(r, A)));
    }

    /** Computes X := (L U)^-1 B for every system, with the factors F of ilu; B may be X. */
    void ilu_solve(const context &ctx, const multivector &F, const multivector &B,
                   multivector &X) const {
        check(tulle_uniform_ilu_solve(ctx.get(), get(), F.get(), B.get(), X.get()));
    }

    /** Computes X := T^-1 B for every system, T a triangle of A; B may be X. */
    void trisolve(const context &ctx, tulle_part part, tulle_diag diag, const multivector &A,
                  const multivector &B, multivector &X) const {
        check(tulle_uniform_trisolve(ctx.get(), get(), part, diag, A.get(), B.get(), X.get()));
    }

    /** Solves A x = b for every system, each with a stop of its own; B may be X. No convergence is
     * no error: a system's report says how it ended. */
    void solve(const context &ctx, const multivector &A, const multivector &B, multivector &X,
               const tulle_uniform_options &options = {}, reports r = {}) const {
        check(tulle_uniform_solve(ctx.get(), get(), &options, A.get(), B.get(), X.get(), to(r, A)));
    }

  private:
    static tulle_uniform_reports to(reports r, const multivector &A) {
        if (r.data()) detail::require_room("reports", r.size(), A.describe().cols);
        return tulle_reports_to(r.data());
    }
};

/**
 * Recorded operations on small operands, which run together as often as wanted (batch.h). Each
 * function that records returns the number of its task. Tasks run in any order: two that touch the
 * same numbers, one of them to write, need one, by after. Matrices and factors are kept; vectors
 * are the caller's, and outlive the last run.
 */
class batch : public handle<tulle_batch, tulle_batch_destroy> {
  public:
    using handle::handle;

    /** Makes an empty handle. */
    batch() noexcept = default;

    /** Makes a batch without tasks. */
    explicit batch(const context &ctx) {
        tulle_batch *made = nullptr;
        check(tulle_batch_create(ctx.get(), &made));
        reset(made);
    }

    /** Records Y := alpha X A + beta Y. */
    int axpy(double alpha, const multivector &X, const multivector &A, double beta,
             multivector &Y) {
        return recorded(tulle_batch_axpy, alpha, X.get(), A.get(), beta, Y.get());
    }

    /** Records R := alpha X^T Z + beta R. */
    int dot(double alpha, const multivector &X, const multivector &Z, double beta, multivector &R) {
        return recorded(tulle_batch_dot, alpha, X.get(), Z.get(), beta, R.get());
    }

    /** Records Y := alpha op(A) X + beta Y. */
    int spmm(tulle_trans op, double alpha, const matrix &A, const multivector &X, double beta,
             multivector &Y) {
        return recorded(tulle_batch_spmm, op, alpha, A.get(), X.get(), beta, Y.get());
    }

    /** Records Y := alpha X. */
    int scale(double alpha, const multivector &X, multivector &Y) {
        return recorded(tulle_batch_scale, alpha, X.get(), Y.get());
    }

    /** Records Y := X. */
    int copy(const multivector &X, multivector &Y) {
        return recorded(tulle_batch_copy, X.get(), Y.get());
    }

    /** Records R := the 2-norms of X's columns. */
    int norm2(const multivector &X, multivector &R) {
        return recorded(tulle_batch_norm2, X.get(), R.get());
    }

    /** Records R := the maximum norms of X's columns. */
    int norm_max(const multivector &X, multivector &R) {
        return recorded(tulle_batch_norm_max, X.get(), R.get());
    }

    /** Records new values of F, those of A, whose pattern is the one factorised. */
    int update(factor &F, const matrix &A) {
        return recorded(tulle_batch_factor, F.get(), A.get());
    }

    /** Records X := alpha op(M)^-1 B, M the matrix that F is the factors of; B may be X. */
    int solve(tulle_trans op, double alpha, const factor &F, const multivector &B, multivector &X) {
        return recorded(tulle_batch_solve, op, alpha, F.get(), B.get(), X.get());
    }

    /** Records X := alpha op(T)^-1 B, T a triangle of A; B may be X. */
    int trisolve(tulle_part part, tulle_diag diag, tulle_trans op, double alpha, const matrix &A,
                 const multivector &B, multivector &X) {
        return recorded(tulle_batch_trisolve, part, diag, op, alpha, A.get(), B.get(), X.get());
    }

    /** Starts task number `task` when `earlier`, which was recorded before it, has ended. */
    void after(int task, int earlier) { check(tulle_batch_after(get(), task, earlier)); }

    /** Replaces operands of tasks, all of them or, where it throws, none. */
    void replace(view<const tulle_batch_replacement> replacements) {
        check(tulle_batch_replace_several(get(), static_cast<int>(replacements.size()),
                                          replacements.data()));
    }

    /** Runs all tasks, each once, in the context of the batch. */
    void run(const context &ctx, tulle_batch_way way = TULLE_BATCH_GROUPED) {
        check(tulle_batch_run(ctx.get(), get(), way));
    }

    /** Returns what the last run says of a task that was recorded; waits. */
    tulle_batch_report report(const context &ctx, int task) {
        const tulle_batch_report *first = nullptr;
        check(tulle_batch_reports(ctx.get(), get(), &first));
        ctx.synchronize();
        return first[task];
    }

  private:
    template <class Record, class... Operands>
    int recorded(Record record, Operands... operands) {
        int task = 0;
        check(record(get(), operands..., &task));
        return task;
    }
};

/** Computes y := alpha op(A) x + beta y (spmv.h). */
inline void spmv(const context &ctx, tulle_trans op, scalar alpha, const matrix &A, const vector &x,
                 scalar beta, vector &y) {
    check(tulle_spmv(ctx.get(), op, alpha.get(), A.get(), x.get(), beta.get(), y.get()));
}

/** Computes Y := alpha op(A) X + beta Y for multivectors (spmm.h). */
inline void spmm(const context &ctx, tulle_trans op, scalar alpha, const matrix &A,
                 const multivector &X, scalar beta, multivector &Y) {
    check(tulle_spmm(ctx.get(), op, alpha.get(), A.get(), X.get(), beta.get(), Y.get()));
}

/** Makes C := alpha op(A) op(B) + beta D, with D and a mask in the options (spgemm.h). */
inline matrix spgemm(const context &ctx, tulle_trans op_A, tulle_trans op_B, scalar alpha,
                     const matrix &A, const matrix &B, const tulle_spgemm_options &options = {},
                     tulle_spgemm_report *report = nullptr) {
    tulle_mat *made = nullptr;
    check(tulle_spgemm(ctx.get(), op_A, op_B, alpha.get(), A.get(), B.get(), &options, report,
                       &made));
    return matrix(made);
}

/** Computes the values of alpha op(A) op(B) anew, on the pattern that C has (spgemm.h). */
inline void spgemm_update(const context &ctx, tulle_trans op_A, tulle_trans op_B, scalar alpha,
                          const matrix &A, const matrix &B, matrix &C) {
    check(tulle_spgemm_update(ctx.get(), op_A, op_B, alpha.get(), A.get(), B.get(), C.get()));
}

/** Makes C := alpha P^T A P + beta D, with D in the options (spgemm.h). */
inline matrix spgemm_galerkin(const context &ctx, scalar alpha, const matrix &A, const matrix &P,
                              const tulle_spgemm_options &options = {},
                              tulle_spgemm_report *report = nullptr) {
    tulle_mat *made = nullptr;
    check(tulle_spgemm_galerkin(ctx.get(), alpha.get(), A.get(), P.get(), &options, report, &made));
    return matrix(made);
}

/** Makes C := alpha op(A) + beta op(B) (add.h). */
inline matrix add(const context &ctx, tulle_trans op_A, tulle_trans op_B, scalar alpha,
                  const matrix &A, scalar beta, const matrix &B,
                  const tulle_add_options &options = {}, tulle_add_report *report = nullptr) {
    tulle_mat *made = nullptr;
    check(tulle_add(ctx.get(), op_A, op_B, alpha.get(), A.get(), beta.get(), B.get(), &options,
                    report, &made));
    return matrix(made);
}

/** Makes A^T (matrix.h). */
inline matrix transpose(const context &ctx, const matrix &A) {
    tulle_mat *made = nullptr;
    check(tulle_mat_transpose(ctx.get(), A.get(), &made));
    return matrix(made);
}

/** Makes A^T, whose rows are shared as A's columns are; all processes call (dist.h). */
inline dist_matrix transpose(const context &ctx, const dist_matrix &A) {
    tulle_dist_mat *made = nullptr;
    check(tulle_dist_mat_transpose(ctx.get(), A.get(), &made));
    return dist_matrix(made);
}

/** Makes C := alpha A B of rows that are shared; all processes call (dist.h). */
inline dist_matrix spgemm(const context &ctx, scalar alpha, const dist_matrix &A,
                          const dist_matrix &B) {
    tulle_dist_mat *made = nullptr;
    check(tulle_dist_spgemm(ctx.get(), alpha.get(), A.get(), B.get(), &made));
    return dist_matrix(made);
}

/** Makes C := alpha P^T A P of rows that are shared; all processes call (dist.h). */
inline dist_matrix spgemm_galerkin(const context &ctx, scalar alpha, const dist_matrix &A,
                                   const dist_matrix &P) {
    tulle_dist_mat *made = nullptr;
    check(tulle_dist_spgemm_galerkin(ctx.get(), alpha.get(), A.get(), P.get(), &made));
    return dist_matrix(made);
}

/** Makes C := alpha A + beta B of rows that are shared; all processes call (dist.h). */
inline dist_matrix add(const context &ctx, scalar alpha, const dist_matrix &A, scalar beta,
                       const dist_matrix &B) {
    tulle_dist_mat *made = nullptr;
    check(tulle_dist_add(ctx.get(), alpha.get(), A.get(), beta.get(), B.get(), &made));
    return dist_matrix(made);
}

/** Computes X := alpha op(T)^-1 B, T a triangle of A; B may be X (trisolve.h). */
inline void trisolve(const context &ctx, tulle_part part, tulle_diag diag, tulle_trans op,
                     scalar alpha, const matrix &A, const vector &B, vector &X) {
    check(tulle_trisolve(ctx.get(), part, diag, op, alpha.get(), A.get(), B.get(), X.get()));
}

/**
 * Solves A x = b by a method and a preconditioner that facts of A choose, and reports both with the
 * reasons (solve.h). No convergence is no error: report.solver.outcome says how it ended.
 */
inline tulle_solve_report solve(const context &ctx, const matrix &A, const vector &b, vector &x,
                                const tulle_solve_options &options = {}) {
    tulle_solve_report report;
    check(tulle_solve(ctx.get(), A.get(), b.get(), x.get(), &options, &report));
    return report;
}

/** Solves A x = b for rows that are shared; all processes call. Otherwise as for a matrix. */
inline tulle_solve_report solve(const context &ctx, const dist_matrix &A, const vector &b,
                                vector &x, const tulle_solve_options &options = {}) {
    tulle_solve_report report;
    check(tulle_dist_solve(ctx.get(), A.get(), b.get(), x.get(), &options, &report));
    return report;
}

/** Computes Y := alpha X + beta Y (vec.h). */
inline void axpby(const context &ctx, scalar alpha, const vector &X, scalar beta, vector &Y) {
    check(tulle_vec_axpby(ctx.get(), alpha.get(), X.get(), beta.get(), Y.get()));
}

/** Computes Y := alpha X + Y (vec.h). */
inline void axpy(const context &ctx, scalar alpha, const vector &X, vector &Y) {
    check(tulle_vec_axpy(ctx.get(), alpha.get(), X.get(), Y.get()));
}

/** Computes X := alpha X (vec.h). */
inline void scale(const context &ctx, scalar alpha, vector &X) {
    check(tulle_vec_scale(ctx.get(), alpha.get(), X.get()));
}

/** Computes Y := X, also into another layout or type (vec.h). */
inline void copy(const context &ctx, const vector &X, vector &Y) {
    check(tulle_vec_copy(ctx.get(), X.get(), Y.get()));
}

/** Returns the inner product of two vectors of one column each; waits (vec.h). */
inline double dot(const context &ctx, const vector &x, const vector &y) {
    double result = 0;
    detail::require_one_column(x.describe().cols);
    check(tulle_vec_dot(ctx.get(), x.get(), y.get(), tulle_to_num(&result)));
    return result;
}

/** Computes the inner product of each pair of columns of X and Y into results; waits (vec.h). */
inline void dot(const context &ctx, const multivector &X, const multivector &Y,
                view<double> results) {
    detail::require_room("results", results.size(), X.describe().cols);
    check(tulle_vec_dot(ctx.get(), X.get(), Y.get(), tulle_to_num(results.data())));
}

/** Returns the 2-norm of a vector of one column; waits (vec.h). */
inline double norm2(const context &ctx, const vector &x) {
    double result = 0;
    detail::require_one_column(x.describe().cols);
    check(tulle_vec_norm2(ctx.get(), x.get(), tulle_to_num(&result)));
    return result;
}

/** Computes the 2-norm of each column of X into results; waits (vec.h). */
inline void norm2(const context &ctx, const multivector &X, view<double> results) {
    detail::require_room("results", results.size(), X.describe().cols);
    check(tulle_vec_norm2(ctx.get(), X.get(), tulle_to_num(results.data())));
}

/**
 * Computes the inner product of each pair of columns of X and Y over the rows of all processes,
 * which call, into results; waits (dist.h).
 */
inline void dot(const context &ctx, const comm &comm, const multivector &X, const multivector &Y,
                view<double> results) {
    const std::int64_t columns = detail::columns_of(X.get());
    const bool fits = static_cast<std::int64_t>(results.size()) >= columns;
    const tulle_status status =
        tulle_dist_dot(ctx.get(), comm.get(), X.get(), Y.get(), fits ? results.data() : nullptr);
    detail::require_room("results", results.size(), columns);
    check(status);
}

/** Returns the inner product of two vectors of one column each; otherwise as for several. */
inline double dot(const context &ctx, const comm &comm, const vector &x, const vector &y) {
    double result = 0;
    const std::int64_t columns = detail::columns_of(x.get());
    const tulle_status status =
        tulle_dist_dot(ctx.get(), comm.get(), x.get(), y.get(), columns == 1 ? &result : nullptr);
    detail::require_one_column(columns);
    check(status);
    return result;
}

/**
 * Computes the 2-norm of each column of X over the rows of all processes, which call, into results;
 * waits (dist.h).
 */
inline void norm2(const context &ctx, const comm &comm, const multivector &X,
                  view<double> results) {
    const std::int64_t columns = detail::columns_of(X.get());
    const bool fits = static_cast<std::int64_t>(results.size()) >= columns;
    const tulle_status status =
        tulle_dist_norm2(ctx.get(), comm.get(), X.get(), fits ? results.data() : nullptr);
    detail::require_room("results", results.size(), columns);
    check(status);
}

/** Returns the 2-norm of a vector of one column; otherwise as for several. */
inline double norm2(const context &ctx, const comm &comm, const vector &x) {
    double result = 0;
    const std::int64_t columns = detail::columns_of(x.get());
    const tulle_status status =
        tulle_dist_norm2(ctx.get(), comm.get(), x.get(), columns == 1 ? &result : nullptr);
    detail::require_one_column(columns);
    check(status);
    return result;
}

}  // namespace tulle

#endif
