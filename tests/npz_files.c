/* SPDX-License-Identifier: Apache-2.0 */
#include "npz_files.h"

#include <string.h>

tulle_ctx *npz_cpu;
zip_file npz;

int npz_start(void **state) {
    (void)state;
    return tulle_ctx_create("cpu:2", NULL, &npz_cpu);
}

int npz_end(void **state) {
    (void)state;
    tulle_ctx_destroy(npz_cpu);
    return 0;
}

void npz_begin(const char *form, const char *type) {
    zip_begin(&npz);
    zip_array(&npz, "format.npy", type, "", form, strlen(form));
}

void npz_put(little_file *file, const char *type, double number) {
    const int size = type[2] - '0';
    const bool highest_first = type[0] == '>';
    if (type[1] == 'f') {
        little_real(file, number, size, highest_first);
    } else {
        little_number(file, (uint64_t)(int64_t)number, size, highest_first);
    }
}

void npz_add(const char *name, const char *type, const char *shape, const double *numbers,
             int count) {
    static little_file array;
    array.size = 0;
    for (int i = 0; i < count; i++) npz_put(&array, type, numbers[i]);
    zip_array(&npz, name, type, shape, array.bytes, array.size);
}

void npz_make_csr(const char *index, const char *value) {
    npz_begin("csr", "|S3");
    NPZ_ADD("shape", "<i8", "2,", 2, 3);
    NPZ_ADD("indptr", index, "3,", 0, 2, 3);
    NPZ_ADD("indices", index, "3,", 2, 0, 2);
    NPZ_ADD("data", value, "3,", 2, 1, 3);
    zip_end(&npz);
}

io_file npz_file(void) {
    return (io_file){npz.file.bytes, npz.file.size, "z"};
}

tulle_status npz_load(tulle_type type, tulle_mat **A, tulle_file_info *info) {
    return io_load(npz_cpu, npz_file(), type, A, info);
}

void npz_expect(const char *text, tulle_type type) {
    io_expect(npz_cpu, npz_file(), text, type);
}

void npz_expect_complaint(tulle_type type, tulle_status status, const char *part) {
    io_expect_complaint(npz_cpu, npz_file(), type, status, 0, part);
}
