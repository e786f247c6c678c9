/* SPDX-License-Identifier: Apache-2.0 */
/* Bzip2 for a static libarchive, whose reader of .zip refers to it. Entries of an .npz file are
 * stored or deflated, so the functions only refuse: Debian's libbz2.a cannot be linked into a
 * shared library. */
enum { CONFIG_ERROR = -9 /* BZ_CONFIG_ERROR of bzlib.h */ };

int BZ2_bzDecompressInit(void *stream, int verbosity, int small);
int BZ2_bzDecompress(void *stream);
int BZ2_bzDecompressEnd(void *stream);

int BZ2_bzDecompressInit(void *stream, int verbosity, int small) {
    (void)stream;
    (void)verbosity;
    (void)small;
    return CONFIG_ERROR;
}

int BZ2_bzDecompress(void *stream) {
    (void)stream;
    return CONFIG_ERROR;
}

int BZ2_bzDecompressEnd(void *stream) {
    (void)stream;
    return CONFIG_ERROR;
}
