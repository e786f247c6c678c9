/* SPDX-License-Identifier: Apache-2.0 */
#include "io/file/kinds.h"

#include <stdbool.h>
#include <string.h>

#define WRITE                                                                                      \
    "write the matrix as .npz with scipy.sparse.save_npz or as Matrix Market with "                \
    "scipy.io.mmwrite"
#define READ_BY(function) ", which is not read here: read it with " function ", and " WRITE
#define A_MESH ", not a matrix: tulle mesh info "
#define PACK_OTHERWISE ", which is not read: compress it with gzip, xz or zstd"

/* First bytes of the files of each kind, and the message about such a file. Sources: the formats'
 * own descriptions. */
static const struct {
    int length; /* number of bytes in magic */
    bool named; /* true when the message ends with the name of the file */
    const char *magic, *says;
} kinds[] = {
    {11, true, "$MeshFormat", "is a mesh of Gmsh's" A_MESH},
    {8, true, "<VTKFile", "is a mesh of VTK's" A_MESH},
    {5, true, "<?xml", "is XML, as a mesh of VTK's is" A_MESH},
    {5, false, "# vtk",
     "is a mesh in VTK's old form, not a matrix; convert it: meshio convert FILE out.msh"},
    {8, false, "\x89HDF\r\n\x1a\n",
     "is an HDF5 file (so are those of NetCDF 4)" READ_BY(
         "h5py") "; of a mesh: meshio convert FILE out.msh"},
    {3, false, "CDF", "is a NetCDF file" READ_BY("scipy.io.netcdf_file")},
    {10, false, "MATLAB 7.3",
     "is a file of MATLAB 7.3, which is HDF5" READ_BY("h5py") ", or save it in MATLAB with -v7"},
    {6, false, "MATLAB", "is a file of MATLAB's" READ_BY("scipy.io.loadmat")},
    {6, false, "\x93NUMPY", "is an array of NumPy's (.npy)" READ_BY("numpy.load")},
    {4, false, "PK\5\6", "is a zip archive without members"},
    {4, false, "\0\x12\x7b\x4e",
     "is a vector in PETSc's binary form, which is not read; write it as Matrix Market"},
    {2, false, "\xff\xfe", "is UTF-16 text, which is not read; save it as UTF-8"},
    {2, false, "\xfe\xff", "is UTF-16 text, which is not read; save it as UTF-8"},
    {3, false, "BZh", "is compressed with bzip2" PACK_OTHERWISE},
    {2, false, "\x1f\x9d", "is compressed with compress (.Z)" PACK_OTHERWISE},
    {4, false, "\4\x22\x4d\x18", "is compressed with lz4" PACK_OTHERWISE},
    {6, false, "7z\xbc\xaf\x27\x1c", "is a 7-Zip archive" PACK_OTHERWISE},
};

tulle_status tulle__check_kind(const tulle__source *source) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const int length = kinds[i].length;
        if (source->head_size < length || memcmp(source->head, kinds[i].magic, (size_t)length) != 0)
            continue;
        return tulle__fail_file(TULLE_UNSUPPORTED, source->name, 0, "%s%s", kinds[i].says,
                                kinds[i].named ? source->name : "");
    }
    return TULLE_OK;
}
