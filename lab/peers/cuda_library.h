/* SPDX-License-Identifier: Apache-2.0 */
/* A library of the CUDA toolkit, opened at run time. */
#ifndef BENCH_PEERS_CUDA_LIBRARY_H
#define BENCH_PEERS_CUDA_LIBRARY_H

/* Opens a library for dlsym: the one that an environment variable names, else the newest
 * lib<name>.so that the loader or the toolkit's folder has. NULL: there is none, with a record that
 * says why. */
void *cuda_library_open(const char *name, const char *variable);

#endif
