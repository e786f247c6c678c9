/* SPDX-License-Identifier: Apache-2.0 */
#include "solve_settings.h"

#include <string.h>

#include "tools/common/error.h"
#include "tools/common/suggest.h"

static const char *const ways[TOOL_SOLVE_WAYS] = {"csr", "ell", "hyb", "local", "matrix-free"};

/* --element may be one of these. */
static const char *const shapes[] = {"tri", "quad", "tet", "hex", "hex27"};

static int check_method(const char *text) {
    tool_suggestions close = tool_suggest(text ? text : "");
    if (!text) return TOOL_OK;
    for (int m = 0; m < TULLE_METHOD_COUNT; m++) {
        const char *name = tulle_method_name((tulle_method)m);
        if (strcmp(text, name) == 0) return TOOL_OK;
        tool_suggest_offer(&close, name);
    }
    return tool_misuse("solve",
                       "--method: '%s' is none of cg|bicgstab|gmres|chebyshev|minres|fgmres%s",
                       text, tool_suggest_text(&close));
}

static int parse_way(tool_solve_settings *s) {
    const char *text = s->operator_name;
    tool_suggestions close = tool_suggest(text ? text : "");
    if (!text) return TOOL_OK;
    for (s->way = 0; s->way < TOOL_SOLVE_WAYS; s->way++) {
        if (strcmp(text, ways[s->way]) == 0) return TOOL_OK;
        tool_suggest_offer(&close, ways[s->way]);
    }
    return tool_misuse("solve", "--operator: '%s' is none of csr|ell|hyb|local|matrix-free%s", text,
                       tool_suggest_text(&close));
}

static int check_together(const tool_solve_settings *s, const char *vector) {
    const trial_solve_options *o = &s->summary.options;
    if (vector && s->b) {
        return tool_misuse("solve", "b is given twice: '%s' and --b %s", vector, s->b);
    }
    if (o->minus_y && (vector || s->b)) {
        return tool_misuse("solve", "--minus-y %s is b, less its sign: --b goes not with it",
                           o->minus_y);
    }
    if (s->is_mesh && s->summary.trial.given.block.vectors > 1) {
        return tool_misuse("solve", "--vectors: a mesh has one right-hand side");
    }
    if (o->how.mixed && s->common.type != TULLE_F64) {
        return tool_misuse("solve", "--mixed: x and b are in f64, not f32");
    }
    return TOOL_OK;
}

/* Takes --amg, another word for a preconditioner. */
static int take_amg(tool_solve_settings *s) {
    if (!s->amg) return TOOL_OK;
    if (s->precond && strncmp(s->precond, "amg", 3) != 0) {
        return tool_misuse("solve", "--amg goes not with --precond %s", s->precond);
    }
    if (!s->precond) s->precond = "amg";
    return TOOL_OK;
}

/* Leaves method and preconditioner to the library: both, unless one is given without --auto. */
static void set_way(tool_solve_settings *s) {
    const bool choose = s->choose || (!s->method && !s->precond);
    tulle_solve_options *o = &s->summary.options.how;
    o->method = s->method || choose ? s->method : "cg";
    o->precond = s->precond || choose ? s->precond : "none";
    o->shift = s->shift;
}

bool tool_solve_assembled(const tool_solve_settings *s) {
    return s->way == TOOL_NOT_GIVEN || s->way < TOOL_SOLVE_LOCAL;
}

static bool is_shape(const char *text) {
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (strcmp(text, shapes[i]) == 0) return true;
    }
    return false;
}

/* Checks that --element is one of the shapes, and that the mesh does not name its elements, too. */
static int check_element(const tool_solve_settings *s, const char *name) {
    if (!s->element) return TOOL_OK;
    if (!is_shape(s->element)) {
        tool_suggestions close = tool_suggest(s->element);
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            tool_suggest_offer(&close, shapes[i]);
        }
        return tool_misuse("solve", "--element: '%s' is none of tri|quad|tet|hex|hex27%s",
                           s->element, tool_suggest_text(&close));
    }
    if (!tool_names_mesh(name)) return TOOL_OK;
    return tool_misuse("solve", "%s says of what elements it is: leave --element out", name);
}

/* Checks that the options of a problem belong to the kind of problem that is there. */
static int check_problem(const tool_solve_settings *s, const char *name) {
    const bool elastic = s->problem.elastic.wanted;
    const bool diffuses = tool_problem_given(&s->problem.diffusion);
    if (!s->is_mesh && (s->way != TOOL_NOT_GIVEN || diffuses)) {
        return tool_misuse("solve",
                           "%s is no mesh: --operator, --conductivity, --reaction, --source, "
                           "--dirichlet, --neumann, --robin and --periodic are for meshes",
                           name);
    }
    if (!s->is_mesh && elastic) {
        return tool_misuse("solve", "%s is no mesh: --elasticity is for meshes", name);
    }
    if (!elastic && tool_elastic_given(&s->problem.elastic)) {
        return tool_misuse("solve",
                           "--young, --poisson, --clamp, --traction and --force go with "
                           "--elasticity");
    }
    if (elastic && diffuses) {
        return tool_misuse("solve",
                           "--elasticity: a body has --young, --poisson, --clamp, --traction and "
                           "--force, and nothing of diffusion");
    }
    if (elastic && s->way == TOOL_SOLVE_MATRIX_FREE) {
        return tool_misuse("solve", "--operator matrix-free is for diffusion, not --elasticity");
    }
    return TOOL_OK;
}

/* Takes a mesh in place of a matrix: the problem then says b, and --operator the matrix. */
static int take_mesh(tool_solve_settings *s, const char *name, const char *vector) {
    tool_solve_summary *summary = &s->summary;
    const char *minus_y = summary->options.minus_y, *output = summary->trial.output;
    int code = check_element(s, name);
    if (code != TOOL_OK) return code;
    s->is_mesh = s->element || tool_names_mesh(name);
    code = check_problem(s, name);
    if (code != TOOL_OK || !s->is_mesh) return code;
    if (vector || s->b || minus_y) {
        return tool_misuse("solve", "b is what the problem on the mesh makes it: leave '%s' out",
                           vector ? vector
                           : s->b ? s->b
                                  : minus_y);
    }
    if (s->way != TOOL_NOT_GIVEN && s->format) {
        return tool_misuse("solve", "--operator and --format both say what A is: leave one out");
    }
    if (summary->options.how.mixed && !tool_solve_assembled(s)) {
        return tool_misuse("solve", "--mixed is for matrices, not for --operator %s", ways[s->way]);
    }
    if (s->way != TOOL_NOT_GIVEN && tool_solve_assembled(s)) s->format = ways[s->way];
    if (output && tool_is_field_name(output)) {
        summary->field = output;
        summary->trial.output = NULL;
    }
    return TOOL_OK;
}

/* True if the preconditioner may be multigrid of nodes. */
static bool may_have_nodes(const tool_solve_settings *s) {
    const tulle__precond_kind kind = s->summary.asked.kind;
    return !s->summary.options.how.precond || kind == TULLE__MULTIGRID ||
           kind == TULLE__SMOOTHED_AMG;
}

/* Takes the options of multigrid of nodes; a body has its rigid motions by itself. */
static int take_nodes(tool_solve_settings *s) {
    tool_near_null *n = &s->summary.near_null;
    const bool given = tool_near_null_given(n);
    const bool body = s->is_mesh && s->problem.elastic.wanted;
    s->nodes = may_have_nodes(s) && (given || body);
    if (given && !s->nodes) {
        return tool_misuse("solve",
                           "--near-null, --block-size and --coordinates go with --precond amg or "
                           "amg-smoothed, or with --auto");
    }
    if (body && s->nodes && !n->what) n->what = "rigid";
    return tool_near_null_check("solve", n, body);
}

static int check_numbers(const tool_solve_settings *s) {
    const tulle_solver_options *o = &s->summary.options.how.solver;
    if (o->tolerance < 0) return tool_misuse("solve", "--tolerance: it must not be negative");
    if (o->absolute < 0) return tool_misuse("solve", "--absolute: it must not be negative");
    if (s->shift < 0) {
        return tool_misuse("solve",
                           "--shift: it must be 0 or more, as it strengthens the diagonal");
    }
    if (o->max_seconds < 0) return tool_misuse("solve", "--time: it must not be negative");
    return TOOL_OK;
}

/* Bounds of eigenvalues are the method's, or else the preconditioner's. */
static int take_bounds(tool_solve_settings *s) {
    tulle_solve_options *how = &s->summary.options.how;
    if (s->lowest == 0 && s->highest == 0) return TOOL_OK;
    if (!(s->lowest > 0 && s->lowest < s->highest)) {
        return tool_misuse("solve", "--lowest and --highest: 0 < lowest < highest, not %g and %g",
                           s->lowest, s->highest);
    }
    if (s->method && strcmp(s->method, "chebyshev") == 0) {
        how->solver.lowest = s->lowest;
        how->solver.highest = s->highest;
    } else if (s->summary.asked.kind == TULLE__POLYNOMIAL) {
        how->precond_lowest = s->lowest;
        how->precond_highest = s->highest;
    } else {
        return tool_misuse("solve",
                           "--lowest and --highest go with --method chebyshev, or else with "
                           "--precond chebyshev");
    }
    return TOOL_OK;
}

/* Checks that each option that is given belongs to something that is there. */
static int check_use(const tool_solve_settings *s) {
    if (s->encoding != TOOL_NOT_GIVEN && !s->summary.field) {
        return tool_misuse("solve", "--encoding goes with a mesh and --output to a .vtu file");
    }
    const tulle__precond_kind kind = s->summary.asked.kind;
    const bool restarts =
        s->method && (strcmp(s->method, "gmres") == 0 || strcmp(s->method, "fgmres") == 0);
    if (s->restart > 0 && s->method && !restarts) {
        return tool_misuse("solve", "--restart goes with --method gmres or fgmres, not with %s",
                           s->method);
    }
    if (s->method && strcmp(s->method, "fgmres") == 0 && s->norm != TULLE_TRUE_NORM) {
        return tool_misuse("solve",
                           "--norm preconditioned goes not with --method fgmres, whose "
                           "preconditioner may change");
    }
    if (s->shift > 0 && s->summary.options.how.precond && !tulle__precond_is_factors(kind)) {
        return tool_misuse("solve", "--shift goes with --precond ilu, milu or ic");
    }
    return TOOL_OK;
}

int tool_solve_take(tool_solve_settings *s, const char *name, const char *vector) {
    tool_solve_summary *summary = &s->summary;
    trial_solve_options *o = &summary->options;
    int code = parse_way(s);
    if (code == TOOL_OK) code = take_mesh(s, name, vector);
    if (code != TOOL_OK) return code;
    o->b = vector ? vector : s->b ? s->b : "ones";
    o->how.solver.norm = (tulle_residual_norm)s->norm;
    o->how.solver.restart = (int)s->restart;
    summary->trial.given.trans = (tulle_trans)s->op;
    code = take_amg(s);
    if (code != TOOL_OK) return code;
    set_way(s);
    code = check_together(s, vector);
    if (code == TOOL_OK) code = check_numbers(s);
    if (code == TOOL_OK) code = check_method(s->method);
    if (code == TOOL_OK) code = tool_precond_parse("solve", s->precond, &summary->asked);
    if (code == TOOL_OK) code = take_nodes(s);
    if (code == TOOL_OK) code = check_use(s);
    if (code == TOOL_OK) code = take_bounds(s);
    if (code == TOOL_OK) code = tool_layout_parse("solve", s->format, &summary->trial.format);
    o->how.keep_format = summary->trial.format.given;
    o->how.keep_precond = summary->levels.wanted ? &summary->M : NULL;
    return code;
}

int tool_solve_check_shared(const tool_solve_settings *s) {
    const tool_solve_summary *summary = &s->summary;
    const char *what = NULL;
    if (s->crew.ranks == 1) return TOOL_OK;
    if (s->is_mesh) what = "a mesh";
    if (s->format) what = "--format";
    if (summary->options.how.mixed) what = "--mixed";
    if (summary->options.minus_y) what = "--minus-y";
    if (summary->trial.given.trans == TULLE_T) what = "--transpose";
    if (summary->levels.wanted) what = "--levels";
    if (s->nodes) what = "--near-null, --block-size";
    if (!what) return TOOL_OK;
    return tool_misuse(
        "solve", "%s: not where processes or threads share the rows; one alone solves it", what);
}
