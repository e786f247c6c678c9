/* SPDX-License-Identifier: Apache-2.0 */
/* The list of the generators, and the functions that generators share on the host. A new generator
 * is a row of the list and a file with its function tulle__make_...; a generator that works row by
 * row also has a row in rows.h. */
#ifndef TULLE_IO_GENERATORS_H
#define TULLE_IO_GENERATORS_H

#include "core/context.h"
#include "core/error.h"
#include "io/generator.h"
#include "tulle/generate.h"

/* X(name, function tulle__make_..., numbers used where none are given or NULL, true for work on the
 * device, usage, example, summary) */
#define TULLE__GENERATORS(X)                                                                       \
    X(p2d5, grid_p2d5, NULL, true, "p2d5:NX[,NY]", "p2d5:1000",                                    \
      "5-point Laplacian on an NX x NY grid")                                                      \
    X(p2d9, grid_p2d9, NULL, true, "p2d9:NX[,NY]", "p2d9:1000",                                    \
      "9-point Laplacian on an NX x NY grid")                                                      \
    X(p3d7, grid_p3d7, "200", true, "p3d7[:NX[,NY,NZ]]", "p3d7:100",                               \
      "7-point Laplacian on an NX x NY x NZ grid, 200^3 where no number is given")                 \
    X(p3d27, grid_p3d27, "128", true, "p3d27[:NX[,NY,NZ]]", "p3d27:64",                            \
      "27-point Laplacian on an NX x NY x NZ grid, 128^3 where no number is given")                \
    X(fem3, grid_fem3, "44", true, "fem3[:NX[,NY,NZ]]", "fem3:44",                                 \
      "27-point grid with 3 coupled unknowns a node, 44^3 nodes where no number is given")         \
    X(blocks, grid_blocks, NULL, true, "blocks:B,NX[,NY,NZ]", "blocks:6,30",                       \
      "27-point grid with B coupled unknowns a node")                                              \
    X(interp3, interp3, "200", true, "interp3[:NX[,NY,NZ]]", "interp3:100",                        \
      "trilinear interpolation to p3d7's grid from every second node, 200^3 where none is given")  \
    X(fem, fem, NULL, true, "fem:N", "fem:1000000",                                                \
      "linear finite elements, varying coefficient, irregular triangulation of about N nodes")     \
    X(random, random, NULL, true, "random:ROWS,COLS,PER_ROW", "random:100000,100000,8",            \
      "PER_ROW uniformly random entries in each row")                                              \
    X(powerlaw, powerlaw, NULL, true,                                                              \
      "powerlaw:ROWS,MEAN,MAX[,LOCAL_PERCENT,WIDTH[,LEAST[,COLS]]]",                               \
      "powerlaw:1000000,4.2,4700,60,100",                                                          \
      "power-law rows from LEAST, one of MAX; columns within WIDTH of the diagonal or skewed low") \
    X(peaks, peaks, NULL, true, "peaks:ROWS,FEW,MANY,APART[,EMPTY[,LOCAL,WIDTH[,RUN[,COLS]]]]",    \
      "peaks:100000,4,400,50,0,80,300",                                                            \
      "rows of FEW entries or none; each APART-th run of RUN rows of MANY; EMPTY, LOCAL in "       \
      "percent")                                                                                   \
    X(rmat, rmat, "20,16", false, "rmat[:SCALE,EDGE_FACTOR[,A,B,C]]", "rmat:16,8,57,19,19",        \
      "R-MAT graph of 2^SCALE vertices, A, B, C in percent; 20,16,57,19,19 where none are given")  \
    X(banded, banded, NULL, true, "banded:N,WIDTH[,FILL_PERCENT]", "banded:100000,50,30",          \
      "the diagonal, and random places within WIDTH of it")                                        \
    X(dense_rows, dense_rows, NULL, true, "dense_rows:N,PER_ROW,COUNT", "dense_rows:100000,5,3",   \
      "PER_ROW random entries in each row, but COUNT rows are full")                               \
    X(rail, rail, "4284,1090000,10", true, "rail[:ROWS,COLS,PER_COLUMN]", "rail:500,100000,10",    \
      "set covering: few long rows, PER_COLUMN random entries in each column")                     \
    X(tile, tile, NULL, true, "tile:SPEC:K", "tile:p2d5:100:16",                                   \
      "K copies of another specification along the diagonal")                                      \
    X(p2d, grid_p2d5, "2000", true, "p2d[:NX[,NY]]", "p2d", "the same as p2d5:2000")               \
    X(web, powerlaw, "1000000,4.2,4700,60,100", true, "web[:numbers of powerlaw]", "web",          \
      "the same as powerlaw:1000000,4.2,4700,60,100")                                              \
    X(rand4, random, "4000000,4000000,4", true, "rand4[:numbers of random]", "rand4",              \
      "the same as random:4000000,4000000,4")                                                      \
    X(rmat17, rmat, "17,16", false, "rmat17[:numbers of rmat]", "rmat17", "the same as rmat:17,16")

typedef struct tulle__generation tulle__generation;

typedef struct tulle__generator {
    tulle_generator_info info;
    const char *preset; /* numbers used where none are given; NULL: numbers are required */
    tulle_status (*make)(const tulle__generation *g, tulle_mat **A);
} tulle__generator;

/* The part of a process where several make a matrix together. */
typedef struct tulle__generation_share {
    int ranks, rank;
    bool taken; /* set where only this process's rows were made; else the matrix is whole */
} tulle__generation_share;

/* A request to make one matrix. */
struct tulle__generation {
    tulle_ctx *ctx;
    const tulle__generator *generator;
    const char *spec;    /* specification as the caller gave it */
    const char *numbers; /* text behind the name and its colon, or the preset */
    uint64_t seed;
    tulle_type type;
    tulle__generation_share *share; /* NULL: all rows are wanted */
};

/* Fails with TULLE_INVALID_ARGUMENT, for a bad specification; the message has the usage. */
TULLE_API tulle_status tulle__spec_bad(const tulle__generation *g, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* One number of a specification. Whole numbers are exact up to 2^53. */
typedef struct tulle__spec_number {
    const char *name;
    double low, high; /* least and greatest value allowed */
    bool whole;
    double value; /* result; stays as it is where the number is not given */
} tulle__spec_number;

/* Reads `least` to `most` numbers with commas between them; *given is their number. */
tulle_status tulle__spec_numbers(const tulle__generation *g, tulle__spec_number *numbers, int least,
                                 int most, int *given);

/* Computes the number of rows, the product of four factors. Fails with TULLE_TOO_LARGE where column
 * indices of 32 bits cannot count so many. */
tulle_status tulle__spec_rows(const tulle__generation *g, const int64_t factors[4], int64_t *rows);

/* Fails if memory has no room for so many bytes; the message says how much the specification
 * takes. */
tulle_status tulle__check_room(const tulle__generation *g, double bytes);

/* Returns arguments of a row-by-row generator with the sizes and seeds set. */
tulle__generator_args tulle__rows_args_of(const tulle__generation *g, int kind, int64_t rows,
                                          int64_t cols);

/* Runs a row-by-row generator at the context's place. */
TULLE_API tulle_status tulle__from_rows(const tulle__generation *g,
                                        const tulle__generator_args *args, tulle_mat **A);

/* Makes the transpose of the matrix that tulle__from_rows makes. */
TULLE_API tulle_status tulle__from_rows_transposed(const tulle__generation *g,
                                                   const tulle__generator_args *args,
                                                   tulle_mat **A);

/* Checks the arguments of a public function that makes a matrix from a specification. */
tulle_status tulle__generate_check(const char *function, const tulle_ctx *ctx, const char *spec,
                                   tulle_type type);

/* Makes a matrix from any specification, or, where the generator works row by row, the share of a
 * process; share NULL: all rows. */
tulle_status tulle__generate(tulle_ctx *ctx, const char *spec, uint64_t seed, tulle_type type,
                             tulle__generation_share *share, tulle_mat **A);

#endif
