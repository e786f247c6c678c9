/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_pages.h"

#include <stdio.h>
#include <string.h>

#include "tools/common/error.h"
#include "tools/common/help.h"
#include "trials/op.h"

enum { MOST_EXAMPLES = 24, ABOUT = 8192 };

/* Operations that are explained together. names: with blanks around each. */
typedef struct page {
    const char *names, *about;
    const char *const examples[4];
} page;

static const page pages[] = {
    {" spmv ",
     "y = A x is measured with every eligible kernel, as the library itself would choose\n"
     "(rule), with the kernel prepared for the matrix (plan), with each kernel by name\n"
     "(forced), and with other libraries (peer). With --vectors it is --op spmm. Where threads\n"
     "(--ranks, --gpus) or processes of a launcher of MPI share the rows, the library's own\n"
     "product is measured alone; so are --op solve, cg, bicgstab, gmres and amg, of matrices\n"
     "as they are. --partition metis gives each the rows of a part of METIS.\n",
     {"tulle bench p3d7:60", "tulle bench --on cpu:1 --type f64 --trans both p2d:300 web:100000",
      "tulle bench --kernel csr_vector --sweep --on cuda p3d27",
      "tulle bench --format all fem3 --type f64"}},
    {" spmm spmm_bsr ",
     "spmm is Y = A X with several vectors (--vectors), of which CSR and BSR are read once\n"
     "for many; BSR also beside cuSPARSE's bsrmm, and bsrmv called for each vector.\n"
     "spmm_bsr is that in BSR, with as many vectors as a block has rows unless said.\n",
     {"tulle bench --vectors 1,8,32 --layout row,column --type f64 p3d27",
      "tulle bench --op spmm --vectors 4 --format bsr:block=4 blocks:4,24",
      "tulle bench --op spmm_bsr --layout row,column blocks:4,24", NULL}},
    {" spgemm masked add transpose entrywise part add_values update galerkin ",
     "spgemm measures C = A A, or A B (--with), of sparse matrices; masked (L L) on L, L the\n"
     "part of A + A' below the diagonal, of ones, which counts triangles; add C = A + B, of\n"
     "different patterns: B is the one given (--with), or A with its rows moved down by one;\n"
     "transpose C = A'; entrywise A .* B, of the same B; part the lower triangle of A;\n"
     "from the call until C can be used, with all memory that it takes; C\n"
     "is made anew each time. add_values measures C = A + A, which shares A's pattern: the\n"
     "floor is values alone. update makes the values of A A or A B anew, on C's pattern,\n"
     "galerkin P' A P, of A and P (--with), beside the two products that it is made of. On a\n"
     "GPU once without a pool (nothing that earlier calls took serves it) and once with one;\n"
     "with the phases of a call, the most it may hold (bound) and held (peak; beyond C:\n"
     "without C), and at the end how tulle stands against the best peer of each matrix.\n",
     {"tulle bench --op spgemm --type f64 p3d7:40 web", NULL, NULL, NULL}},
    {" blocks blocks_update ",
     "blocks measures C = A A of a matrix in BSR, which is made in blocks and is BSR, too;\n"
     "blocks_update the values of C alone, on the pattern that C has. Both stand beside the\n"
     "same call with A in CSR (tulle_numbers, tulle_numbers_update), whose time over that of\n"
     "the row is what blocks save. Blocks are square and full: those of --format\n"
     "bsr:block=N, else of the size that takes the fewest bytes.\n",
     {"tulle bench --op blocks --type f64 blocks:3,24 blocks:8,12",
      "tulle bench --op blocks_update --format bsr:block=4 --type f64 blocks:8,12", NULL, NULL}},
    {" row_sums mat_scale ",
     "row_sums measures sums of the sizes of A's entries by rows, or by columns (--trans),\n"
     "which makes the transpose in each call; mat_scale rows and columns scaled in place.\n",
     {"tulle bench --op row_sums --trans both --type f64 p3d7:60", NULL, NULL, NULL}},
    {" trisolve ",
     "T X = B, or T' X = B (--trans), is measured, T a triangle of a matrix whose diagonal\n"
     "was made dominant: each entry of it is 1 and the sum of the other magnitudes of its\n"
     "row. What is found out once of the pattern counts as prep; what a call itself spends on\n"
     "bringing T into another form, before it solves, is said as convert.\n",
     {"tulle bench --op trisolve --vectors 1,8 -f csr -f bsr:block=4 blocks:4,24",
      "tulle bench --op trisolve --part both --trans both --type f64 p3d7:60", NULL, NULL}},
    {" factor ",
     "Measured is computing the values of incomplete factors anew, on the pattern that they\n"
     "have, of a matrix whose diagonal was made dominant, as for --op trisolve; or, with\n"
     "--fill all, of complete ones in AMD's order and in nested dissection's, whose\n"
     "operations it counts.\n",
     {"tulle bench --op factor --kind both --type f64 p3d7:60",
      "tulle bench --op factor --fill 1 --type f64 p3d7:60",
      "tulle bench --op factor --fill all -f bsr:block=4 --type f32 blocks:4,12", NULL}},
    {" cg bicgstab gmres ",
     "Measured is an iteration of a solution of A x = b that has many. A is as it comes where\n"
     "no diagonal entry is below the sum of the others' magnitudes, else its diagonal is made\n"
     "dominant; for cg it is symmetric. Parts: its products alone and what its vectors take\n"
     "at the speed of a copy, over the time of an iteration. With ILU(0) the solution is one\n"
     "to the default tolerance, and its factors count (whole).\n",
     {"tulle bench --op cg --precond all --type f64 p3d7:100", NULL, NULL, NULL}},
    {" solve ",
     "Measured is a whole solution of A x = b, A as it comes, to the default tolerance, by\n"
     "tulle_solve: with the method and the preconditioner that it chooses (chosen), and with\n"
     "those that are given. The choice, the preconditioner and all iterations count.\n",
     {"tulle bench --op solve --type f64 p3d7:60", NULL, NULL, NULL}},
    {" amg ",
     "Measured is a solution of A x = b, A as it comes, to a relative residual of 1e-8 (f32:\n"
     "1e-5) that is computed from x, by CG, or FGMRES(30) where A is unsymmetric, with one\n"
     "cycle of multigrid as the preconditioner. Prep is making the hierarchy (median of 3);\n"
     "whole is both. A second table has the setup by phases (splitting, interpolation, the\n"
     "products R A P, the rest), an update (new values, P kept), a cycle, iterations, levels;\n"
     "entries and rows of all levels over A's, bytes held beside A, and the most during the\n"
     "setup, over A's; and the mean factor of the residual in an iteration.\n",
     {"tulle bench --op amg --type f64 p3d7:64",
      "tulle bench --op amg --hierarchy degree=3,passing=none p2d5:200", NULL, NULL}},
    {" amg_nodes ",
     "The same of systems: amg_nodes takes meshes, as box-hex:32 (tulle mesh), on which an\n"
     "elastic body of Poisson's ratio 0.3 gives way under its weight, held at a side, x-min of\n"
     "a box. A has blocks of as many rows as there are axes (BSR), and multigrid is that of\n"
     "nodes, whose near null space has the rigid motions. The fields are those of amg; bytes\n"
     "are over those of A as a library has it.\n",
     {"tulle bench --op amg_nodes --type f64 box-hex:32 box-hex:64x8x8,size=8x1x1", NULL, NULL,
      NULL}},
    {" dot axpy axpby scale copy multiply divide norm2 norm_max multivector_dot"
     " multivector_axpy qr ",
     "These take lengths of vectors instead of matrices, and --vectors columns: multiply and\n"
     "divide number by number, multivector_dot (X'Z), multivector_axpy (Y + X A); with\n"
     "results or factors on the host, on the device, and on a GPU captured: from a graph of\n"
     "16 calls. qr takes lengths, too: X = Q R, whose floor is reading X and writing Q once;\n"
     "flops are those of Householder's method.\n",
     {"tulle bench --op dot --vectors 1,4 10000000 1000", NULL, NULL, NULL}},
    {" batch batch_dot batch_axpy batch_shared batch_spmm batch_spmm_transposed batch_mixed"
     " batch_factor batch_lu batch_solve ",
     "Many small operations at once. batch runs all of batch_..., one after another, each\n"
     "with a size of its own unless given. batch_dot and batch_axpy take so many of a length,\n"
     "as 128x100000: grouped, by streams, with one block of threads each (tasks), grouped\n"
     "from a graph (captured), and streams from one (graph). batch_shared has operands as\n"
     "batch_axpy, in page-locked memory of the host: by the GPU alone, and with threads of\n"
     "the CPU, which take tasks from the same queue (shared). batch_factor takes matrices,\n"
     "and --vectors so many ILU(0) of one pattern each. batch_spmm takes block rows, as\n"
     "32x1728: cubes of points with six neighbours in blocks of --vectors rows, times as many\n"
     "vectors; batch_spmm_transposed their transposes; batch_lu and batch_solve have such\n"
     "cubes' complete factors. batch_mixed takes so many of mixed sizes, 1000x5000 of 100 to\n"
     "5000 block rows, and one matrix that holds them all (joined).\n",
     {"tulle bench --op batch_dot 128x100000",
      "tulle bench --op batch_factor --vectors 1000 --type f64 blocks:4,12", NULL, NULL}},
    {" uniform uniform_lu uniform_cholesky ",
     "uniform takes matrices, and --vectors so many systems on the pattern of each.\n"
     "uniform_lu and uniform_cholesky take numbers of rows, up to 32, and --vectors so many\n"
     "dense matrices: factors (a copy of A is a part of it), and solutions with them.\n",
     {"tulle bench --op uniform --vectors 10000 --layout column,row p2d:12",
      "tulle bench --op uniform_lu --vectors 10000 --layout column 8 16 32", NULL, NULL}},
    {" assemble diffusion local matrix_free mesh_cg ",
     "assemble takes numbers of unknowns: of a box of hexahedra whose element matrices come\n"
     "to a matrix with a pattern that is there; what is found out of lists is prep. diffusion\n"
     "computes such values, or a right-hand side, from coordinates. local multiplies by such\n"
     "element matrices, without a matrix, and, for comparison, with one (assembled).\n"
     "matrix_free takes meshes, as box-hex:100 (tulle mesh), and multiplies by the matrix of\n"
     "-lap u, u given on the boundary: computed anew from corners of cells, and, for\n"
     "comparison, by element matrices that are kept (local, packed, narrow), and assembled in\n"
     "CSR, ELL, HYB and as tulle_mat_optimize has it. mesh_cg measures an iteration of CG\n"
     "with each of these.\n",
     {"tulle bench --op assemble 100000", "tulle bench --op matrix_free box-hex:159 box-tet:159",
      NULL, NULL}},
};

enum { PAGES = sizeof pages / sizeof *pages };

/* The columns of the table, which are the same for all operations. */
static const char columns[] =
    "Times are medians of calls back to back, and cold: after the caches were filled with other\n"
    "data. The floor is the time in which the machine's own copy moves the fewest bytes that the\n"
    "operation needs; the column has the floor over the time, so that 1 is the most one can\n"
    "expect of data that do not fit in the cache. The error is in units of its bound: at most 1\n"
    "is right. The fastest is marked with *.\n";

static const char screen[] =
    "Measures an operation as chosen (rule), prepared (plan, optimise), by kernel\n"
    "(forced) and by library (peer), beside the floor: a copy of the fewest bytes.\n";

static bool is_of(const page *p, const char *operation) {
    char word[TRIAL_OP_NAMES];
    snprintf(word, sizeof word, " %s ", operation);
    return strstr(p->names, word) != NULL;
}

/* An option that only some operations take. */
static bool is_taken(const char *operation, tool_bench_takes_fn takes, const char *option) {
    const int op = trial_op_of(operation);
    return op < 0 || takes(op, option);
}

/* The options of the screen are those that most people need, with help of one line; NULL: none of
 * them. */
static const char *help_on_screen(const char *option) {
    static const char *const most[][2] = {
        {"op", "what to measure (default spmv)"},
        {"on", "auto (default), cpu:THREADS, cuda:DEVICE, emulated"},
        {"type", "types of the values (default both)"},
        {"set", "matrices from a file, or from bench/sets by name"},
        {"json", "JSON lines, printed or appended to a file"},
    };
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        if (strcmp(option, most[i][0]) == 0) return most[i][1];
    }
    return NULL;
}

static int print_screen(tool_command *command, tool_option options[TOOL_MOST_OPTIONS]) {
    static const char *const examples[] = {"tulle bench p3d7:60", "tulle bench --op spgemm --help",
                                           NULL};
    char names[TRIAL_OP_NAMES], about[ABOUT];
    int count = 0;
    snprintf(about, sizeof about, "%sOperations: %s. Pages: --op NAME|all -h.\n", screen,
             trial_op_names(names));
    for (int i = 0; i < command->option_count; i++) {
        const char *help = help_on_screen(command->options[i].name);
        if (!help) continue;
        options[count] = command->options[i];
        options[count++].help = help;
    }
    command->about = about;
    command->examples = examples;
    command->options = options;
    command->option_count = count;
    tool_help_briefly(command);
    return TOOL_OK;
}

static int print_pages(tool_command *command, const char *operation, tool_bench_takes_fn takes,
                       tool_option options[TOOL_MOST_OPTIONS]) {
    const bool all = strcmp(operation, "all") == 0;
    const char *examples[MOST_EXAMPLES + 1] = {NULL};
    char about[ABOUT] = "";
    int example = 0, count = 0;
    for (int i = 0; i < PAGES; i++) {
        const size_t length = strlen(about);
        if (!all && !is_of(pages + i, operation)) continue;
        snprintf(about + length, sizeof about - length, "%sOperations:%.*s\n\n%s",
                 length ? "\n" : "", (int)strlen(pages[i].names) - 1, pages[i].names,
                 pages[i].about);
        for (int e = 0; e < 4 && pages[i].examples[e] && example < MOST_EXAMPLES; e++) {
            examples[example++] = pages[i].examples[e];
        }
    }
    const size_t length = strlen(about);
    snprintf(about + length, sizeof about - length, "\n%s", columns);
    for (int i = 0; i < command->option_count; i++) {
        const tool_option *option = command->options + i;
        if (all || is_taken(operation, takes, option->name)) options[count++] = *option;
    }
    command->about = about;
    command->examples = examples;
    command->options = options;
    command->option_count = count;
    tool_help(command);
    return TOOL_OK;
}

int tool_bench_help(const tool_command *command, const char *operation, tool_bench_takes_fn takes) {
    tool_option options[TOOL_MOST_OPTIONS];
    tool_command shown = *command;
    shown.help = NULL;
    if (!operation) return print_screen(&shown, options);
    bool is_there = strcmp(operation, "all") == 0;
    for (int i = 0; i < PAGES && !is_there; i++) is_there = is_of(pages + i, operation);
    if (is_there) return print_pages(&shown, operation, takes, options);
    return tool_misuse("bench", "--op: there is no operation '%s'%s", operation,
                       trial_op_suggestion(operation));
}
