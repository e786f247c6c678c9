/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Reading and writing matrices; in libtulle-io, which needs libarchive, zlib and libzstd. Not
 * included by tulle.h.
 */
#ifndef TULLE_IO_H
#define TULLE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comm.h"
#include "context.h"
#include "dist.h"
#include "export.h"
#include "matrix.h"
#include "status.h"
#include "types.h"

/** Description of a file that holds a matrix. */
typedef struct tulle_file_info {
    int64_t rows;          /**< number of rows of the matrix */
    int64_t cols;          /**< number of columns of the matrix */
    int64_t stored;        /**< number of entries in the file */
    int64_t expanded;      /**< number of entries after expanding the symmetry and summing
                                duplicates */
    char field[12];        /**< kind of the values: "real", "integer" (also of unsigned-integer)
                                or "pattern" */
    char symmetry[16];     /**< symmetry of the matrix: "general", "symmetric" or
                                "skew-symmetric" */
    char container[8];     /**< packing of the file: "plain", "gz", "xz", "zst", "tar.gz" (or
                                other tar), "npz" or "binary" */
    int64_t vanished;      /**< number of values of the file that are not 0 there, but are in the
                                type that was asked for, being less than half of its smallest
                                number; not counted in the binary form */
    int64_t vanished_line; /**< line of the first vanished value; 0: there is none, or the file has
                                no lines */
    int64_t rounded;       /**< number of integers of the file that the type cannot hold, beyond
                                2^53 (f64) or 2^24 (f32), and whose nearest number was taken */
    int64_t rounded_line;  /**< line of the first rounded integer; 0: there is none, or the file has
                                no lines */
    int64_t file_bytes;    /**< bytes of the file on disk */
    int64_t text_bytes;    /**< bytes of the text or of the arrays after decompression */
    double parse_seconds;  /**< time of reading, parsing and expanding, in seconds; 0: binary */
    double seconds;        /**< time of the whole call in seconds: parse_seconds, and sorting
                                into CSR form */
} tulle_file_info;

TULLE_BEGIN

/**
 * Reads a matrix in CSR form, or in DCSR form where it has at least 2^30 rows and fewer than one
 * entry in sixteen of them; a file of tulle's binary form is read in the form that it holds, CSR,
 * DCSR or BSR. Files that are read:
 * - Matrix Market: coordinate or array; real, integer, unsigned-integer or pattern; general,
 *   symmetric or skew-symmetric;
 * - Harwell-Boeing and Rutherford-Boeing (.rb, .rua, ...): assembled; real, integer or pattern;
 *   unsymmetric, rectangular, symmetric or skew-symmetric; right-hand sides are passed over;
 * - PETSc's binary form: sparse and real, with integers of 32 or 64 bits; vectors behind the matrix
 *   are passed over;
 * - SciPy's .npz (scipy.sparse.save_npz): csr, csc, coo or bsr; real, integer or bool;
 * - tulle's binary form.
 *
 * Files other than .npz may be compressed (.gz, .xz, .zst), and texts may be in an archive like
 * SuiteSparse's .tar.gz. Kinds are told apart by content; the name counts only for a text that does
 * not look like one of Harwell-Boeing's and is named as one, and the message says then what it
 * lacks. Symmetry is expanded, duplicates are summed, a pattern's values are 1, columns ascend.
 * Zeros that a file lists are entries, those of a bsr matrix, too; those of an array file are not.
 * A byte order mark, blanks and blank lines may stand before the banner of Matrix Market; exponents
 * may be as Fortran writes them (1.5D+03, 1.5-101). NaN, infinities and numbers too large for the
 * type are errors, in the binary form, too, and where duplicates sum up to them; numbers too small
 * for it become 0, integers that it cannot hold are rounded, and @a info has the number of both.
 *
 * Every checksum that a compressed file has is compared, to its end, that of each member of a gzip
 * file too; members and frames one after the other are one text, and any other bytes behind them
 * are an error, but for a gzip file's zeros. The binary form has checksums of its own, the arrays
 * of an .npz file have those of the archive. Plain text has none, nor has a .zst or .xz file that
 * was packed without.
 *
 * @param type  of the values; numbers are rounded to it once.
 * @param info  may be NULL.
 *
 * Parsed by all of the context's threads (of the machine's, for a GPU). Reports progress and can
 * be cancelled. Synchronises. Deterministic.
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_IO_ERROR (no such file, a directory, no permission, a
 * compressed file that is damaged or cut off), TULLE_PARSE_ERROR (the record has file and line),
 * TULLE_UNSUPPORTED (complex or Hermitian; elements that are not assembled; a dense matrix of
 * PETSc's; a dia matrix of SciPy's; a mesh, or a file of MATLAB's, HDF5 and other known kinds),
 * TULLE_TOO_LARGE (also: a matrix of the sizes that the file names, as far as it can hold them,
 * takes more than this machine's available memory; then nothing is read), TULLE_OUT_OF_MEMORY,
 * TULLE_CANCELLED, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_mat_load(tulle_ctx *ctx, const char *path, tulle_type type,
                                      tulle_mat **A, tulle_file_info *info);

/**
 * Reads a matrix of which each process keeps its own rows, shared evenly (tulle_dist_share): all
 * processes give the same file, which each of them must be able to open. Each process reads the
 * whole file, since texts may list entries in any order, and compressed files are read from their
 * beginning; so each has room for the whole matrix while it reads, and for its rows afterwards. To
 * read less, give each process a file of its rows (tulle_mat_load, tulle_dist_mat_from_rows).
 *
 * @param info  the whole file's; may be NULL.
 *
 * Communicates. Synchronises: yes. Errors, in all processes: as tulle_mat_load and
 * tulle_dist_mat_create; TULLE_INVALID_ARGUMENT (the files of two processes have other sizes),
 * TULLE_PEER_FAILED (an error of these in another process).
 */
TULLE_API tulle_status tulle_dist_mat_load(tulle_ctx *ctx, tulle_comm *comm, const char *path,
                                           tulle_type type, tulle_dist_mat **A,
                                           tulle_file_info *info);

/** tulle_mat_load from memory; @a name stands for the file in messages. */
TULLE_API tulle_status tulle_mat_load_memory(tulle_ctx *ctx, const void *bytes, int64_t size,
                                             const char *name, tulle_type type, tulle_mat **A,
                                             tulle_file_info *info);

/** Options of tulle_mat_save. */
typedef struct tulle_save_options {
    bool binary;         /**< true: tulle's binary form, which loads at disk speed; false: Matrix
                              Market */
    bool pattern;        /**< true: values are left out */
    bool symmetric;      /**< true: Matrix Market with the lower triangle only; fails unless A is
                              symmetric, bit by bit; an error for the binary form */
    const char *comment; /**< lines for the head of a Matrix Market file; NULL: none */
} tulle_save_options;

/** tulle_mat_save with the size of its options in bytes: bindings for other languages call it. */
TULLE_API tulle_status tulle_mat_save_sized(tulle_ctx *ctx, const tulle_mat *A, const char *path,
                                            const tulle_save_options *options, size_t options_size);

/**
 * Writes a matrix to a file; NULL options: Matrix Market, or the binary form where the path ends
 * in ".tulle". A path that ends in .gz, .xz or .zst is compressed. Numbers are written so that
 * reading gives the same bits. The file appears whole or not at all (a temporary file is renamed).
 * A file that is replaced hands on its mode, and its owner where the system permits that. A
 * symbolic link stays: the file that it leads to is replaced, or made. A path that exists and is no
 * regular file (a pipe, a device) is written to as it is. The binary form holds CSR, DCSR and BSR
 * as they are, Matrix Market CSR and DCSR; matrices in other forms are written row by row. Of BSR
 * the values of padding are written, too. Synchronises. Errors: TULLE_INVALID_ARGUMENT (also:
 * symmetric asked for and A is not; a value that is not finite, which Matrix Market cannot hold),
 * TULLE_IO_ERROR, TULLE_OUT_OF_MEMORY, TULLE_CANCELLED, TULLE_DEVICE_FAULT.
 */
TULLE_HOST_INLINE tulle_status tulle_mat_save(tulle_ctx *ctx, const tulle_mat *A, const char *path,
                                              const tulle_save_options *options) {
    return tulle_mat_save_sized(ctx, A, path, options, sizeof(tulle_save_options));
}

TULLE_END
#endif
