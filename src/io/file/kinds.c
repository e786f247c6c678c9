/* SPDX-License-Identifier: Apache-2.0 */
#include "io/file/kinds.h"

#include <string.h>

#define MATRIX_MARKET "; write the matrix as Matrix Market"
/* A line for a shell that writes what an expression of Python reads. */
#define BY_SCIPY(modules, expression)                                                              \
    MATRIX_MARKET ": python3 -c \"import scipy.io as io" modules                                   \
                  "; io.mmwrite('out.mtx', " expression ")\""
#define A_MESH ", a mesh and no matrix (see tulle mesh --help)"

/* What files of a kind begin with. Sources: the formats' own descriptions. */
static const struct {
    int length;
    const char *magic, *says;
} kinds[] = {
    {11, "$MeshFormat", "is a file of Gmsh's" A_MESH},
    {8, "<VTKFile", "is a file of VTK's" A_MESH},
    {5, "<?xml", "is XML, as VTK's files are, and no matrix (see tulle mesh --help)"},
    {5, "# vtk", "is a file of VTK's" A_MESH},
    {8, "\x89HDF\r\n\x1a\n",
     "is an HDF5 file, which is not read" BY_SCIPY(
         ", scipy.sparse, h5py; f = h5py.File('FILE')",
         "scipy.sparse.csr_matrix((f['data'][:], f['indices'][:], f['indptr'][:]))") ", with the "
                                                                                     "names that "
                                                                                     "its arrays "
                                                                                     "have; of a "
                                                                                     "mesh: meshio "
                                                                                     "convert FILE "
                                                                                     "out.msh"},
    {6, "MATLAB",
     "is a file of MATLAB's, which is not read" BY_SCIPY("", "io.loadmat('FILE')['NAME']")},
    {6, "\x93NUMPY",
     "is an array of NumPy's (.npy), which is not read" BY_SCIPY(", numpy", "numpy.load('FILE')")},
    {4, "PK\5\6", "is a zip archive without members"},
    {4, "\0\x12\x7b\x4e", "is a vector in PETSc's binary form, which is not read" MATRIX_MARKET},
    {2, "\xff\xfe", "is UTF-16 text, which is not read; save it as UTF-8"},
    {2, "\xfe\xff", "is UTF-16 text, which is not read; save it as UTF-8"},
    {3, "BZh", "is compressed with bzip2, which is not read; use gzip, xz or zstd"},
    {2, "\x1f\x9d", "is compressed with compress (.Z), which is not read; use gzip, xz or zstd"},
    {4, "\4\x22\x4d\x18", "is compressed with lz4, which is not read; use gzip, xz or zstd"},
    {6, "7z\xbc\xaf\x27\x1c", "is a 7-Zip archive, which is not read; use gzip, xz or zstd"},
};

const char *tulle__other_kind(const char *head, int64_t size) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const int length = kinds[i].length;
        if (size >= length && !memcmp(head, kinds[i].magic, (size_t)length)) return kinds[i].says;
    }
    return NULL;
}
