/* SPDX-License-Identifier: Apache-2.0 */
/* libpetsctulle, which -dll_append has opened: products of aijtulle are those of aij, after changes
 * of values and of the pattern, too, and solutions with tulle's preconditioners take as many
 * iterations as with PETSc's own, give or take one. */
#include <petscksp.h>
#include <stdbool.h>
#include <stdio.h>

/* ALONE: number of iterations of one process with multigrid. */
enum { SIDE = 23, ROWS = SIDE * SIDE, ALONE = 5 };

static int failures;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "FAILED: line %d: %s\n", __LINE__, #condition);                        \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

/* The 5-point stencil on a grid, with a flow along x. */
static PetscErrorCode make(const char *type, double flow, Mat *A) {
    PetscInt first, end;
    PetscFunctionBegin;
    PetscCall(MatCreate(PETSC_COMM_WORLD, A));
    PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, ROWS, ROWS));
    PetscCall(MatSetType(*A, type));
    PetscCall(MatSetUp(*A));
    PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(MatGetOwnershipRange(*A, &first, &end));
    for (PetscInt i = first; i < end; i++) {
        const PetscInt x = i % SIDE, y = i / SIDE;
        PetscCall(MatSetValue(*A, i, i, 4, INSERT_VALUES));
        if (x > 0) PetscCall(MatSetValue(*A, i, i - 1, -1 - flow, INSERT_VALUES));
        if (x < SIDE - 1) PetscCall(MatSetValue(*A, i, i + 1, -1 + flow, INSERT_VALUES));
        if (y > 0) PetscCall(MatSetValue(*A, i, i - SIDE, -1, INSERT_VALUES));
        if (y < SIDE - 1) PetscCall(MatSetValue(*A, i, i + SIDE, -1, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

static PetscErrorCode same(Vec y, Vec due) {
    PetscReal off, size;
    PetscFunctionBegin;
    PetscCall(VecNorm(due, NORM_INFINITY, &size));
    PetscCall(VecAXPY(y, -1, due));
    PetscCall(VecNorm(y, NORM_INFINITY, &off));
    CHECK(size > 0 && off <= 16 * PETSC_MACHINE_EPSILON * size);
    PetscFunctionReturn(0);
}

static PetscErrorCode compare(Mat A, Mat due) {
    Vec x, y, z, w;
    PetscRandom random;
    PetscFunctionBegin;
    PetscCall(MatCreateVecs(A, &x, &y));
    PetscCall(VecDuplicate(y, &z));
    PetscCall(VecDuplicate(y, &w));
    PetscCall(PetscRandomCreate(PETSC_COMM_WORLD, &random));
    PetscCall(VecSetRandom(x, random));
    PetscCall(VecSetRandom(w, random));
    PetscCall(MatMult(A, x, y));
    PetscCall(MatMult(due, x, z));
    PetscCall(same(y, z));
    PetscCall(MatMultTranspose(A, x, y));
    PetscCall(MatMultTranspose(due, x, z));
    PetscCall(same(y, z));
    PetscCall(MatMultAdd(A, x, w, y));
    PetscCall(MatMultAdd(due, x, w, z));
    PetscCall(same(y, z));
    PetscCall(MatMultAdd(due, x, w, z));
    PetscCall(MatMultAdd(A, x, w, w)); /* in place */
    PetscCall(same(w, z));
    PetscCall(PetscRandomDestroy(&random));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(VecDestroy(&z));
    PetscCall(VecDestroy(&w));
    PetscFunctionReturn(0);
}

/* Fails where products of a matrix are PETSc's own, or those of the block of own columns of a
 * shared one; of the block of other columns they are to be tulle's only if its rows have entries.
 */
static PetscErrorCode expect_own(Mat A, bool of_others) {
    PetscMPIInt size;
    Mat block[2] = {A, A}, plain;
    void (*own)(void), (*stock)(void);
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    if (size > 1) PetscCall(MatMPIAIJGetSeqAIJ(A, block, block + 1, NULL));
    PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 1, 1, 1, NULL, &plain));
    PetscCall(MatGetOperation(plain, MATOP_MULT, &stock));
    for (int i = 0; i < 2; i++) {
        PetscCall(MatGetOperation(block[i], MATOP_MULT, &own));
        CHECK((own != stock) == (size == 1 || i == 0 || of_others));
    }
    PetscCall(MatDestroy(&plain));
    PetscFunctionReturn(0);
}

/* Adds an entry far from the diagonal, in the first row of each process. */
static PetscErrorCode add_entry(Mat A) {
    PetscInt first, end;
    PetscFunctionBegin;
    PetscCall(MatGetOwnershipRange(A, &first, &end));
    PetscCall(MatSetValue(A, first, (first + ROWS / 2) % ROWS, 0.25, ADD_VALUES));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

static PetscErrorCode test_products(void) {
    Mat A, due, copy;
    PetscBool is_own;
    PetscFunctionBegin;
    PetscCall(make("aijtulle", 0.3, &A));
    PetscCall(make(MATAIJ, 0.3, &due));
    PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &is_own, "seqaijtulle", "mpiaijtulle", ""));
    CHECK(is_own);
    PetscCall(compare(A, due));
    PetscCall(expect_own(A, false));
    PetscCall(MatScale(A, 3));
    PetscCall(MatScale(due, 3));
    PetscCall(compare(A, due));
    PetscCall(add_entry(A));
    PetscCall(add_entry(due));
    PetscCall(compare(A, due));
    PetscCall(expect_own(A, false));
    PetscCall(MatShift(A, 2));
    PetscCall(MatShift(due, 2));
    PetscCall(compare(A, due));
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &copy));
    PetscCall(MatZeroEntries(A));
    PetscCall(expect_own(copy, false));
    PetscCall(compare(copy, due));
    PetscCall(MatDestroy(&copy));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&due));
    PetscFunctionReturn(0);
}

/* Turns PETSc's matrix into one of tulle's type, as a copy, in the place of another one, and in
 * place. */
static PetscErrorCode test_conversions(void) {
    Mat A, due, made;
    PetscFunctionBegin;
    PetscCall(make(MATAIJ, 0.3, &A));
    PetscCall(make(MATAIJ, 0.3, &due));
    PetscCall(MatConvert(A, "aijtulle", MAT_INITIAL_MATRIX, &made));
    PetscCall(expect_own(made, false));
    PetscCall(compare(made, due));
    PetscCall(MatScale(A, 3));
    PetscCall(MatScale(due, 3));
    PetscCall(MatConvert(A, "aijtulle", MAT_REUSE_MATRIX, &made));
    PetscCall(expect_own(made, false));
    PetscCall(compare(made, due));
    PetscCall(MatConvert(A, "aijtulle", MAT_INPLACE_MATRIX, &A));
    PetscCall(add_entry(A));
    PetscCall(add_entry(due));
    PetscCall(expect_own(A, false));
    PetscCall(compare(A, due));
    PetscCall(MatDestroy(&made));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&due));
    PetscFunctionReturn(0);
}

/* A transpose, and a product with one, whose pattern PETSc makes before it has numbers. */
static PetscErrorCode test_transposes(void) {
    Mat A, due, made, right;
    PetscMPIInt size;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    PetscCall(make("aijtulle", 0.3, &A));
    PetscCall(make(MATAIJ, 0.3, &due));
    PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &made));
    PetscCall(MatTranspose(due, MAT_INITIAL_MATRIX, &right));
    PetscCall(expect_own(made, false));
    PetscCall(compare(made, right));
    PetscCall(MatDestroy(&made));
    PetscCall(MatDestroy(&right));
    if (size == 1) { /* PETSc has none of matrices that processes share */
        PetscCall(MatMatTransposeMult(A, A, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &made));
        PetscCall(MatMatTransposeMult(due, due, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &right));
        PetscCall(compare(made, right));
        PetscCall(MatDestroy(&made));
        PetscCall(MatDestroy(&right));
    }
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&due));
    PetscFunctionReturn(0);
}

/* Makes a matrix each row of which has an entry in a column of another process, if there are two.
 */
static PetscErrorCode make_far(const char *type, Mat *A) {
    PetscInt first, end;
    PetscFunctionBegin;
    PetscCall(make(type, 0, A));
    PetscCall(MatGetOwnershipRange(*A, &first, &end));
    for (PetscInt i = first; i < end; i++) {
        PetscCall(MatSetValue(*A, i, (i + ROWS / 2) % ROWS, 0.5, ADD_VALUES));
    }
    PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

static PetscErrorCode test_far_products(void) {
    Mat A, due;
    PetscFunctionBegin;
    PetscCall(make_far("aijtulle", &A));
    PetscCall(make_far(MATAIJ, &due));
    PetscCall(compare(A, due));
    PetscCall(expect_own(A, true));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&due));
    PetscFunctionReturn(0);
}

/* Returns the number of iterations of a method, with options "-NAME VALUE ..." for all of it; -1:
 * it does not converge. */
static PetscErrorCode solve(const char *type, double flow, const char *options,
                            PetscInt *iterations) {
    Mat A;
    Vec x, b;
    KSP ksp;
    KSPConvergedReason reason;
    PetscFunctionBegin;
    PetscCall(make(type, flow, &A));
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(VecSet(b, 1));
    PetscCall(PetscOptionsInsertString(NULL, options));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 500));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(KSPGetIterationNumber(ksp, iterations));
    if (reason <= 0) *iterations = -1;
    /* New values: the preconditioner is made anew. */
    PetscCall(MatScale(A, 2));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    CHECK(reason > 0);
    PetscCall(KSPDestroy(&ksp));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

/* PETSc's own, and tulle's, for one process and for several. */
static const struct {
    double flow;
    const char *alone, *shared, *tulle;
} cases[] = {
    {0, "-ksp_type cg -pc_type icc", "-ksp_type cg -pc_type bjacobi -sub_pc_type icc",
     "-ksp_type cg -pc_type tulle -pc_tulle_kind ic"},
    {0.3, "-ksp_type gmres -pc_type ilu", "-ksp_type gmres -pc_type bjacobi -sub_pc_type ilu",
     "-ksp_type gmres -pc_type tulle -pc_tulle_kind ilu"},
    {0.3, "-ksp_type bcgs -pc_type ilu -pc_factor_levels 1",
     "-ksp_type bcgs -pc_type bjacobi -sub_pc_type ilu -sub_pc_factor_levels 1",
     "-ksp_type bcgs -pc_type tulle -pc_tulle_kind ilu -pc_tulle_fill 1"},
    {0.3, "-ksp_type bicg -pc_type ilu -pc_factor_levels 0",
     "-ksp_type bicg -pc_type bjacobi -sub_pc_type ilu -sub_pc_factor_levels 0",
     "-ksp_type bicg -pc_type tulle -pc_tulle_kind ilu -pc_tulle_fill 0"},
};

static PetscErrorCode test_solutions(void) {
    PetscMPIInt size;
    PetscInt stock, own, multigrid;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        PetscCall(
            solve(MATAIJ, cases[i].flow, size == 1 ? cases[i].alone : cases[i].shared, &stock));
        PetscCall(solve("aijtulle", cases[i].flow, cases[i].tulle, &own));
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %d iterations, by PETSc alone %d\n",
                              cases[i].tulle, (int)own, (int)stock));
        CHECK(stock > 0 && own > 0 && own >= stock - 1 && own <= stock + 1);
        /* PETSc's own preconditioners take its matrix. */
        PetscCall(
            solve("aijtulle", cases[i].flow, size == 1 ? cases[i].alone : cases[i].shared, &own));
        CHECK(own >= stock - 1 && own <= stock + 1);
    }
    PetscCall(solve("aijtulle", 0, "-ksp_type cg -pc_type tulle -pc_tulle_kind ic -pc_tulle_fill 0",
                    &own));
    PetscCall(solve("aijtulle", 0, "-ksp_type cg -pc_type tulle -pc_tulle_kind amg", &multigrid));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "amg: %d iterations\n", (int)multigrid));
    /* Multigrid has the levels of one process, and so its iterations. */
    CHECK(multigrid > 0 && multigrid < own && multigrid <= ALONE + 2);
    PetscCall(solve(MATAIJ, 0, "-ksp_type cg -pc_type tulle -pc_tulle_kind amg-plain", &own));
    CHECK(own > 0);
    PetscFunctionReturn(0);
}

/* A symmetric matrix has one triangle, which is not taken for its rows. */
static PetscErrorCode test_triangle(void) {
    Mat A;
    PC pc;
    PetscFunctionBegin;
    PetscCall(make(MATAIJ, 0, &A));
    PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatConvert(A, MATSBAIJ, MAT_INPLACE_MATRIX, &A));
    PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
    PetscCall(PCSetType(pc, "tulle"));
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
    const PetscErrorCode code = PCSetUp(pc);
    PetscCall(PetscPopErrorHandler());
    CHECK(code != 0);
    PetscCall(PCDestroy(&pc));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
    int all = 0;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(test_products());
    PetscCall(test_conversions());
    PetscCall(test_transposes());
    PetscCall(test_far_products());
    PetscCall(test_solutions());
    PetscCall(test_triangle());
    PetscCallMPI(MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD));
    PetscCall(PetscFinalize());
    return all > 0;
}
