/* SPDX-License-Identifier: Apache-2.0 */
/* The emulated device for tests, without libtulle: its memory, and the last failure's text. */
#ifndef TULLE_TESTS_EMULATOR_HARNESS_H
#define TULLE_TESTS_EMULATOR_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

extern "C" {
#include <cmocka.h>
}

#include "emulator/order.h"
#include "gpu/gpu.cuh"

namespace harness {

constexpr const char *orders[] = {"forward", "backward", "random:1", "random:2"};

/* cmocka group setup and teardown: opens the device; runs forward again with the usual number of
 * resident blocks. */
int open(void **);
int reset(void **);

const tulle__place *place();

/* The text of the last failure. */
const char *report();

void expect_fault(tulle_status status, const char *part);
void expect_ok(tulle_status status);

/* An array of the device's memory, in reach of host code too; freed at the scope's end. */
template <class T>
class array {
  public:
    explicit array(int64_t count) : count_(count) {
        void *raw = nullptr;
        expect_ok(
            GPU_SYMBOL(allocate)(place()->device, static_cast<size_t>(count) * sizeof(T), &raw));
        data_ = static_cast<T *>(raw);
    }
    array(int64_t count, T value) : array(count) { fill(value); }
    array(const array &) = delete;
    ~array() { GPU_SYMBOL(release)(place()->device, data_); }
    void fill(T value) {
        std::vector<T> all(static_cast<size_t>(count_), value);
        expect_ok(GPU_SYMBOL(copy)(place(), data_, all.data(), all.size() * sizeof(T)));
    }
    operator T *() { return data_; }

  private:
    T *data_ = nullptr;
    int64_t count_;
};

}  // namespace harness

#endif
