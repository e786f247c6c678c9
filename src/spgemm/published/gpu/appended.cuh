/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of C that come piece by piece, in memory that doubles when it is full. */
#ifndef TULLE_SPGEMM_PUBLISHED_APPENDED_CUH
#define TULLE_SPGEMM_PUBLISHED_APPENDED_CUH

#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V, class C>
class appended_entries {
  public:
    explicit appended_entries(const tulle__place *place) : place_(place) {}
    appended_entries(const appended_entries &) = delete;
    appended_entries &operator=(const appended_entries &) = delete;
    ~appended_entries() { drop(cols_, values_); }

    /* Makes room for more entries. The memory that is held, also in between, is never more than
     * three times as many entries as there are, room for C at the end included. */
    tulle_status make_room(int64_t more) {
        if (count_ + more <= room_) return TULLE_OK;
        int64_t room = 2 * room_ > count_ + more ? 2 * room_ : count_ + more;
        C *cols = nullptr;
        V *values = nullptr;
        tulle_status status = get(room, &cols);
        if (status == TULLE_OK) status = get(room, &values);
        if (status == TULLE_OK) status = copy_to(cols, values);
        if (status != TULLE_OK) {
            drop(cols, values);
            return status;
        }
        drop(cols_, values_);
        cols_ = cols;
        values_ = values;
        room_ = room;
        return TULLE_OK;
    }
    tulle_status copy_to(C *cols, V *values) const {
        if (count_ == 0) return TULLE_OK;
        const size_t count = static_cast<size_t>(count_);
        GPU_TRY(TULLE__HERE(copy)(place_, cols, cols_, count * sizeof *cols));
        return TULLE__HERE(copy)(place_, values, values_, count * sizeof *values);
    }
    void add(int64_t entries) { count_ += entries; }
    int64_t count() const { return count_; }
    C *next_col() const { return cols_ + count_; }
    V *next_value() const { return values_ + count_; }

  private:
    template <class T>
    tulle_status get(int64_t count, T **array) const {
        void *raw = nullptr;
        GPU_TRY(services->alloc(place_->ctx, static_cast<size_t>(count) * sizeof(T), &raw));
        *array = static_cast<T *>(raw);
        return TULLE_OK;
    }
    void drop(C *cols, V *values) const {
        if (cols) services->free(place_->ctx, cols);
        if (values) services->free(place_->ctx, values);
    }

    const tulle__place *place_;
    C *cols_ = nullptr;
    V *values_ = nullptr;
    int64_t count_ = 0, room_ = 0;
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
