/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "solve_plot.h"
#include "solve_settings.h"
#include "solve_shared.h"
#include "solve_sketch.h"
#include "subcommands.h"
#include "tools/common/args.h"
#include "tools/common/error.h"
#include "tools/common/output.h"
#include "tools/common/progress.h"
#include "tools/common/report.h"
#include "tools/common/say.h"

static const char *const examples[] = {
    "tulle solve p2d5:100",
    "tulle solve p2d5:300 -b random --vectors 4 --levels",
    "tulle solve p3d7:20 --ranks 2",
    "tulle solve fem:2000 --mixed --plot history.svg",
    "tulle solve p2d5:40 --method chebyshev --lowest 0.01 --highest 8",
    "tulle solve p3d7:20 -m bicgstab -p ilu:1 -b random --on cpu:2 --json",
    "tulle solve blocks:3,12 -m gmres -f bsr:block=3 -p ilu --restart 50",
    "tulle gen p2d5:30 grid.mtx && tulle solve grid.mtx --precond jacobi -o x.mtx",
    "tulle solve box:20 --element hex --operator local -o u.vtu",
    "tulle solve box-hex:30 --operator matrix-free --precond jacobi",
    "tulle solve box-quad:20 --periodic x-min=x-max --dirichlet y-min=1 -o u.vtu",
    "tulle solve cylinder-tet:4x2x6 --dirichlet z-min=100 --robin side=4:20",
    "tulle mesh make lshape-quad:9 -o l.msh && tulle solve l.msh --conductivity 3",
    "tulle solve box-hex:24x4x4,size=6x1x1 --elasticity --clamp x-min -o u.vtu",
    "tulle solve box-hex:8 --elasticity --clamp z-min --traction z-max=1,0,0",
    NULL,
};

static tulle_status open_nodes(tulle_ctx *ctx, tool_solve_settings *s) {
    tool_solve_summary *summary = &s->summary;
    if (!s->nodes) return TULLE_OK;
    return tool_near_null_open(ctx, &summary->trial.A.info,
                               s->problem.elastic.wanted ? summary->mesh.mesh : NULL,
                               &summary->near_null, &summary->options.how);
}

static tulle_status open_system(tulle_ctx *ctx, const char *name, tool_solve_settings *s) {
    tool_mesh_system *mesh = &s->summary.mesh;
    tool_operand *A = &s->summary.trial.A;
    trial_solve_options *o = &s->summary.options;
    if (!s->is_mesh) {
        const tulle_status status = tool_operand_open(ctx, &s->common, name, A);
        return status == TULLE_OK ? open_nodes(ctx, s) : status;
    }
    mesh->spec = name;
    mesh->encoding = tool_encoding_of(s->encoding);
    if (!tool_solve_assembled(s))
        mesh->how = s->way == TOOL_SOLVE_LOCAL ? TOOL_LOCAL : TOOL_MATRIX_FREE;
    const tulle_status status =
        tool_mesh_system_open(ctx, &s->common, s->element, &s->problem, mesh, A);
    o->loads = mesh->b;
    o->held = mesh->held;
    o->is_held = mesh->is_held;
    o->how.instead = mesh->L;
    return status == TULLE_OK ? open_nodes(ctx, s) : status;
}

/* True if the history is drawn on standard output instead of into a file. */
static bool is_sketched(const tool_solve_settings *s) {
    return s->plot && strcmp(s->plot, "-") == 0;
}

static tulle_status check_plot(const tool_solve_settings *s) {
    if (!s->plot) return TULLE_OK;
    if (!is_sketched(s)) return tool_check_text_output(s->plot, &tool_file_svg);
    if (!s->common.json || strcmp(s->common.json, "-") != 0) return TULLE_OK;
    return tool_record(TULLE_INVALID_ARGUMENT,
                       "--plot -: standard output has the JSON; name a file for the picture");
}

static tulle_status solve(tulle_ctx *ctx, const char *name, tool_solve_settings *s) {
    tool_solve_summary *summary = &s->summary;
    tulle_status status = tulle_ctx_set_repeatable(ctx, s->repeatable);
    summary->plot = is_sketched(s) ? NULL : s->plot;
    if (status == TULLE_OK) status = open_system(ctx, name, s);
    if (status == TULLE_OK) {
        status = tool_trial_run_on(ctx, (uint64_t)s->common.seed, &summary->trial);
    }
    if (status == TULLE_OK && summary->plot) status = tool_solve_plot(summary, summary->plot);
    tulle_linop_destroy(summary->M);
    tool_near_null_close(&summary->near_null);
    tool_mesh_system_close(&summary->mesh);
    tool_operand_close(&summary->trial.A);
    return status;
}

/* Checks where x is to be written; the name says how. */
static tulle_status check_output(const tool_solve_settings *s) {
    const char *path = s->summary.trial.output, *field = s->summary.field;
    if (field) return tool_check_text_output(field, &tool_file_mesh);
    if (!path) return TULLE_OK;
    const tulle_status status = tool_check_text_output(path, &tool_file_array);
    if (status != TULLE_OK || tool_is_array_name(path)) return status;
    return tool_record(TULLE_INVALID_ARGUMENT,
                       s->is_mesh ? "%s: x is written as an array, to a name that ends in .mtx, or "
                                    "on its mesh: .vtu, or this with .gz, .xz or .zst behind it"
                                  : "%s: x is written as an array, to a name that ends in .mtx",
                       path);
}

static int check_files(const tool_solve_settings *s) {
    tulle_status status = check_output(s);
    if (status == TULLE_OK) status = check_plot(s);
    return status == TULLE_OK ? TOOL_OK : tool_fail(status);
}

static int solve_alone(const char *name, tool_solve_settings *s) {
    tulle_ctx *ctx = NULL;
    tulle_status status = tool_open_place(s->common.on, &ctx);
    if (status == TULLE_OK) status = solve(ctx, name, s);
    tulle_ctx_destroy(ctx);
    return status == TULLE_OK ? TOOL_OK : tool_fail(status);
}

static int solve_together(const char *name, tool_solve_settings *s) {
    tool_shared_solve shared = {&s->common, name, s->repeatable, &s->summary};
    s->summary.plot = is_sketched(s) ? NULL : s->plot;
    s->summary.launched = s->crew.launch.found;
    const int code = tool_crew_run(&s->crew, s->common.on, tool_solve_shared, &shared);
    if (code != TOOL_OK || !s->summary.plot || s->crew.launch.rank > 0) return code;
    const tulle_status status = tool_solve_plot(&s->summary, s->summary.plot);
    return status == TULLE_OK ? TOOL_OK : tool_fail(status);
}

/* Reports what has been found; returns the exit code. */
static int report(tool_solve_settings *s) {
    static const tool_form form = {
        .add = tool_solve_add, .text = tool_solve_text, .more = tool_solve_print_levels};
    tool_solve_summary *summary = &s->summary;
    const trial_solve_found *found = &summary->found;
    int code = TOOL_OK;
    if (s->crew.launch.rank == 0) {
        code = tool_report_fields(&s->common, &form, summary);
        if (is_sketched(s)) tool_solve_sketch(summary, tool_terminal_of(tool_said()));
    }
    if (summary->report.solver.outcome != TULLE_CONVERGED) code = TOOL_FAILED;
    return found->judged && !found->right ? TOOL_FAILED : code;
}

static int run(const tool_parsed *parsed, tool_solve_settings *s) {
    const char *name = parsed->operand[0];
    int code = tool_crew_count("solve", &s->crew);
    if (code == TOOL_OK)
        code = tool_solve_take(s, name, parsed->count > 1 ? parsed->operand[1] : NULL);
    if (code == TOOL_OK) code = tool_solve_check_shared(s);
    if (code == TOOL_OK) code = check_files(s);
    if (code != TOOL_OK) return tool_crew_leave(&s->crew, code);
    code = s->crew.ranks > 1 ? solve_together(name, s) : solve_alone(name, s);
    if (code == TOOL_OK) code = report(s);
    tool_history_free(&s->summary.history);
    return code;
}

int tulle_tool_solve(int argc, char **argv) {
    tool_solve_settings s = {.common = tool_common_defaults(),
                             .summary = {.trial = {.operation = &trial_operation_solve,
                                                   .given = {.count = 1, .block = {.vectors = 1}},
                                                   .square = true,
                                                   .turned = true,
                                                   .look = tool_solve_look,
                                                   .advise = tool_solve_advise}},
                             .way = TOOL_NOT_GIVEN,
                             .encoding = TOOL_NOT_GIVEN};
    tool_trial *t = &s.summary.trial;
    trial_solve_options *p = &s.summary.options;
    tulle_solver_options *o = &p->how.solver;
    t->given.options = p;
    o->monitor = tool_history_add;
    o->monitor_user = &s.summary.history;
    const tool_option options[] = {
        TOOL_ON(&s.common),
        TOOL_CREW_OPTIONS(&s.crew),
        {.name = "method",
         .letter = 'm',
         .kind = TOOL_TEXT,
         .target = &s.method,
         .value = "NAME",
         .help = "cg (default beside --precond), bicgstab, gmres, chebyshev, minres or fgmres"},
        {.name = "precond",
         .letter = 'p',
         .kind = TOOL_TEXT,
         .target = &s.precond,
         .value = "NAME[:NUMBER]",
         .help = "one of those above (default none beside --method)"},
        {.name = "amg",
         .kind = TOOL_FLAG,
         .target = &s.amg,
         .help = "multigrid: short for --precond amg"},
        {.name = "auto",
         .kind = TOOL_FLAG,
         .target = &s.choose,
         .help = "choose what of these is not given; default where neither is"},
        {.name = "shift",
         .kind = TOOL_REAL,
         .target = &s.shift,
         .value = "NUMBER",
         .help = "in ilu, milu and ic the diagonal counts 1 + NUMBER times (default 0)"},
        {.name = "format",
         .letter = 'f',
         .kind = TOOL_TEXT,
         .target = &s.format,
         .value = TOOL_LAYOUT_VALUE,
         .help = "of A: csr (default), or as sell, dia, bsr:block=4, ..."},
        {.name = "tolerance",
         .kind = TOOL_REAL,
         .target = &o->tolerance,
         .value = "NUMBER",
         .help = "|b - A x| / |b| at the end (default 0: 1e-8, in f32 1e-5)"},
        {.name = "absolute",
         .kind = TOOL_REAL,
         .target = &o->absolute,
         .value = "NUMBER",
         .help = "or |b - A x| itself is at most this (default 0)"},
        {.name = "norm",
         .kind = TOOL_CHOICE,
         .target = &s.norm,
         .value = "true|preconditioned",
         .help = "what is tested: b - A x (default), or that preconditioned"},
        {.name = "max-iterations",
         .kind = TOOL_INT,
         .target = &o->max_iterations,
         .value = "N",
         .help = "ends after so many (default 10000)",
         .min = 1,
         .max = INT64_MAX},
        {.name = "patience",
         .kind = TOOL_INT,
         .target = &o->patience,
         .value = "N",
         .help = "ends after so many without a smaller norm (default 1000)",
         .min = 1,
         .max = INT64_MAX},
        {.name = "time",
         .kind = TOOL_REAL,
         .target = &o->max_seconds,
         .value = "SECONDS",
         .help = "ends after so long (default 0: no limit)"},
        {.name = "restart",
         .kind = TOOL_INT,
         .target = &s.restart,
         .value = "N",
         .help = "gmres, fgmres: iterations before it begins anew (default 30)",
         .min = 1,
         .max = 256},
        {.name = "lowest",
         .kind = TOOL_REAL,
         .target = &s.lowest,
         .value = "NUMBER",
         .help = "chebyshev: no eigenvalue of the preconditioned A is below"},
        {.name = "highest",
         .kind = TOOL_REAL,
         .target = &s.highest,
         .value = "NUMBER",
         .help = "chebyshev: none is above (default: both are estimated)"},
        {.name = "b",
         .letter = 'b',
         .kind = TOOL_TEXT,
         .target = &s.b,
         .value = "VECTOR",
         .help = "ones (default), random, or a file, as behind MATRIX"},
        {.name = "minus-y",
         .kind = TOOL_TEXT,
         .target = &p->minus_y,
         .value = "FILE",
         .help = "solve A x + y = 0 with this y"},
        {.name = "guess",
         .kind = TOOL_TEXT,
         .target = &p->guess,
         .value = "FILE",
         .help = "where x begins (default: at 0)"},
        TOOL_TRANSPOSE(&s.op, "solve with the transpose of A"),
        TOOL_TRANS(&s.op, "solve with A"),
        TOOL_TURN("constant-null-space", &o->constant_null_space,
                  "A's rows and columns sum to 0: constant parts are left out"),
        TOOL_TURN("mixed", &p->how.mixed, "iterate in f32, to the tolerance of f64"),
        TOOL_TURN("levels", &s.summary.levels.wanted, "print multigrid's levels"),
        {.name = "vectors",
         .letter = 'K',
         .kind = TOOL_INT,
         .target = &t->given.block.vectors,
         .value = "K",
         .help = "right-hand sides at once: columns of b and x (default 1)",
         .min = 1,
         .max = INT32_MAX},
        {.name = "plot",
         .kind = TOOL_TEXT,
         .target = &s.plot,
         .value = "FILE",
         .help = "also draw the norm by iteration: an SVG picture; - for here",
         .replaces = true},
        {.name = "element",
         .kind = TOOL_TEXT,
         .target = &s.element,
         .value = "SHAPE",
         .help = "tri, quad, tet, hex or hex27: what MESH, as box:20, is of"},
        {.name = "operator",
         .kind = TOOL_TEXT,
         .target = &s.operator_name,
         .value = "WAY",
         .help = "of a mesh: csr (default), ell, hyb, local or matrix-free"},
        TOOL_PROBLEM_OPTIONS(&s.problem.diffusion),
        TOOL_ELASTIC_OPTIONS(&s.problem.elastic),
        TOOL_NEAR_NULL_OPTIONS(&s.summary.near_null),
        TOOL_OUTPUT(&t->output, "write x, converged or not: .mtx, an array, or .vtu, on its mesh"),
        TOOL_ENCODING(&s.encoding, "of numbers in a .vtu file (default base64)"),
        TOOL_TURN("repeatable", &s.repeatable, "only what is bitwise the same from run to run"),
        TOOL_TYPE(&s.common),
        TOOL_SEED(&s.common),
        TOOL_JSON(&s.common),
        TOOL_QUIET(&s.common),
    };
    const tool_command command = {
        .name = "solve",
        .operands = "MATRIX [VECTOR-FILE] | MESH",
        .about =
            "Solves A x = b, A square and sparse, by an iterative method, and verifies x in long\n"
            "double. On a terminal it shows how far it is. cg and chebyshev are for symmetric and\n"
            "positive definite matrices, minres for symmetric ones, bicgstab, gmres and fgmres for "
            "all.\n"
            "\n"
            "--auto looks at the symmetry of A, its diagonal and its blocks: cg comes first where "
            "A\n"
            "is symmetric and may be positive definite, or nearly so, bicgstab where its diagonal\n"
            "is dominant or, on a GPU, on trial, else gmres. It takes incomplete\n"
            "factors where they save more time than they cost, or where a method gets no further\n"
            "without; where cg finds A indefinite, or bicgstab breaks down, it goes on with "
            "gmres,\n"
            "and at last with rows that change places, complete factors or more vectors.\n"
            "\n"
            "Of a mesh (a file of Gmsh's, .msh, or VTK's, .vtu, or a model problem's) the system\n"
            "is that of finite elements for -div(k grad u) + c u = f, of the order that its cells "
            "have.\n"
            "NUMBER counts in all cells, or on all of the boundary, GROUP=NUMBER in a group that "
            "the mesh has, again and again.\n"
            "Where u is given x has it exactly, and the residual and b are those of other rows.\n"
            "With --elasticity it is that of a linear elastic body, in a plane of plane strain: u "
            "is\n"
            "by how much its nodes move, node by node. GROUP names a part of the boundary, or of "
            "the cells.\n"
            "\n"
            "Under a launcher of MPI, as mpirun -n 4 tulle solve ..., the processes share the "
            "rows, "
            "and\n"
            "with --ranks or --gpus threads of one process do; ic, ilu, lu and blocks are then of "
            "each\n"
            "one's rows and columns.\n"
            "\n"
            "The exit code is 1 where it has not converged, and the report says why: outcome is\n"
            "the name of a tulle_outcome (tulle/solver.h).\n"
            "\n"
            "Preconditioners:\n"
            "  none          nothing\n"
            "  jacobi        the diagonal\n"
            "  block-jacobi  blocks of the diagonal, of 4 rows, or 1 to 16: block-jacobi:3\n"
            "  ilu           incomplete factors L U, with fill of a level: ilu:1; with\n"
            "                --format bsr:block=3 of blocks\n"
            "  ic            incomplete factors L L' of a symmetric matrix, as ilu\n"
            "  lu            complete factors L U, for systems of few rows\n"
            "  milu          ilu that keeps A's row sums, for diffusion and convection\n"
            "  chebyshev     a polynomial of degree 4, or 1 to 100: chebyshev:8\n"
            "  amg           multigrid, for diffusion and other elliptic problems; amg:3\n"
            "                smooths with degree 3\n"
            "  amg-plain     multigrid by aggregation, with the least memory and setup\n"
            "  amg-smoothed  multigrid by smoothed aggregation; both take a degree, as amg\n"
            "\n"
            "amg and amg-smoothed are multigrid of nodes where a node has several unknowns:\n"
            "with --elasticity, --block-size or --near-null. --near-null FILE has a row for\n"
            "each row of A, and up to 16 columns; constant is 1 for each unknown; rigid are\n"
            "the motions of a rigid body. --auto takes it first, where A may be definite.",
        .examples = examples,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_operands = 1,
        .max_operands = 2,
    };
    tool_crew_begin(&s.crew);
    const tool_parsed parsed = tool_parse(&command, argc, argv);
    if (parsed.stop) return tool_crew_leave(&s.crew, parsed.code);
    tool_progress_allow(!s.common.quiet && s.crew.launch.rank == 0);
    return run(&parsed, &s);
}
