/* SPDX-License-Identifier: Apache-2.0 */
/* Runs SciPy in a Python process of its own, with one thread and with arrays in temporary raw
 * files. Other libraries that have a script here run likewise. */
#ifndef BENCH_PEERS_SCIPY_PROCESS_H
#define BENCH_PEERS_SCIPY_PROCESS_H

#include "bench/find.h"
#include "bench/peer.h"

enum { SCIPY_OUTPUT = 2048, SCIPY_NUMBER = 32 };

/* The folder of the temporary files. */
typedef struct scipy_folder {
    char path[BENCH_PATH]; /* path of the folder; "": there is none */
} scipy_folder;

tulle_status scipy_available(char version[BENCH_VERSION]);

/* A script of the benchmark's folder, the modules that it needs, and the words before the Python's
 * name on its command line. */
enum { SCIPY_LAUNCHER = 4 };
typedef struct scipy_script {
    const char *path, *needs;
    const char *launcher[SCIPY_LAUNCHER]; /* words, then NULL */
} scipy_script;

/* Runs a script with arguments (then NULL) and returns its output. */
tulle_status scipy_run_script(const scipy_script *script, const char *const arguments[],
                              char output[SCIPY_OUTPUT]);

/* Cuts an output after its first line, whose line end goes, too. */
void scipy_first_line(char output[SCIPY_OUTPUT]);

/* Runs scipy_peer.py with the arguments (then NULL) and returns its output. */
tulle_status scipy_run(const char *const arguments[], char output[SCIPY_OUTPUT]);

/* Reads the numbers of these keys from an output. */
tulle_status scipy_numbers(const char *output, const char *const keys[], int count,
                           double *numbers);

/* Reads the times of calls from an output. */
tulle_status scipy_times(const char *output, tool_timing *timing);

tulle_status scipy_folder_open(scipy_folder *folder);
void scipy_folder_close(const scipy_folder *folder);

tulle_status scipy_write(const scipy_folder *folder, const char *name, const void *data,
                         int64_t bytes);
tulle_status scipy_read(const scipy_folder *folder, const char *name, void *data, int64_t bytes);

/* Writes the files PREFIXoffsets, PREFIXcolumns and PREFIXvalues of a matrix in CSR. */
tulle_status scipy_write_matrix(const scipy_folder *folder, const char *prefix, const tulle_mat *A);

/* Writes a matrix and the vector that it is applied to or solved for, as "x". */
tulle_status scipy_write_system(const scipy_folder *folder, const tulle_mat *A, const tulle_vec *x);

#endif
