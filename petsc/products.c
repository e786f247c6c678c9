/* SPDX-License-Identifier: Apache-2.0 */
/* Times a product with a matrix of a file by PETSc's own type and by tulle's, in turn: prints the
 * least time of each in microseconds, in which a product of the slower process counts. For
 * petsc/examples.sh:
 *
 *     mpirun -n 2 ./products -f FILE -rounds 1000 -dll_append libpetsctulle.so
 */
#include <petscmat.h>

enum { WAYS = 2 };
static const char *const types[WAYS] = {MATAIJ, "aijtulle"};

static PetscErrorCode load(const char *path, const char *type, Mat *A) {
    PetscViewer file;
    PetscFunctionBegin;
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, path, FILE_MODE_READ, &file));
    PetscCall(MatCreate(PETSC_COMM_WORLD, A));
    PetscCall(MatSetType(*A, type));
    PetscCall(MatLoad(*A, file));
    PetscCall(PetscViewerDestroy(&file));
    PetscFunctionReturn(0);
}

/* Times one product; all processes begin together. */
static PetscErrorCode measure(Mat A, Vec x, Vec y, double *seconds) {
    double own;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    const double start = MPI_Wtime();
    PetscCall(MatMult(A, x, y));
    own = MPI_Wtime() - start;
    PetscCallMPI(MPI_Allreduce(&own, seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
    char path[4096] = "";
    PetscInt rounds = 1000;
    double least[WAYS] = {1e9, 1e9};
    Mat A[WAYS];
    Vec x, y;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscOptionsGetString(NULL, NULL, "-f", path, sizeof path, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-rounds", &rounds, NULL));
    for (int i = 0; i < WAYS; i++) PetscCall(load(path, types[i], A + i));
    PetscCall(MatCreateVecs(A[0], &x, &y));
    PetscCall(VecSet(x, 1));
    for (PetscInt r = 0; r < rounds; r++) {
        for (int i = 0; i < WAYS; i++) {
            double seconds;
            PetscCall(measure(A[i], x, y, &seconds));
            if (seconds < least[i]) least[i] = seconds;
        }
    }
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%.0f %.0f\n", 1e6 * least[0], 1e6 * least[1]));
    for (int i = 0; i < WAYS; i++) PetscCall(MatDestroy(A + i));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(PetscFinalize());
    return 0;
}
