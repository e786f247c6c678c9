/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the trial of one system op(A) x = b (trials/solve_call.h), and finds why it had no better
 * end. */
#ifndef TOOL_SOLVE_TASK_H
#define TOOL_SOLVE_TASK_H

#include "crew.h"
#include "near_null.h"
#include "precond.h"
#include "solve_advice.h"
#include "solve_history.h"
#include "solve_levels.h"
#include "solve_mesh.h"
#include "trial.h"
#include "trials/solve_call.h"

/* Settings and results of the command. The trial is the first member, so the trial's address is the
 * summary's. The members up to `field` are settings; the others are results. */
typedef struct tool_solve_summary {
    tool_trial trial; /* its convert_ms counts conversions in the library, too */
    trial_solve_options options;
    tulle__precond asked;     /* preconditioner in options; none where it is chosen */
    tool_mesh_system mesh;    /* system on a mesh; spec NULL: A is no mesh's */
    tool_near_null near_null; /* nodes and near null space for multigrid */
    const char *plot;         /* file for the plot of the norms, or NULL */
    const char *field;        /* file for x on the mesh, or NULL */
    int ranks;                /* number of processes or threads that shared the rows; 0: none did */
    bool launched;            /* true: processes did */
    tool_partition partition; /* shares of the rows */
    int64_t halo;             /* number of rows of x that they got from each other in a product */
    tulle_linop *M;           /* preconditioner, where its levels are wanted; owned */
    tulle_solve_report report;
    tulle__precond precond; /* preconditioner that the report names */
    tool_history history;   /* norms of the last attempt */
    trial_solve_found found;
    tool_causes causes; /* causes why the solver did not converge */
    tool_solve_levels levels;
} tool_solve_summary;

/* Members of the trial. Looking fails also with TULLE_CANCELLED, where the user asked to stop. */
tulle_status tool_solve_look(tool_trial *trial, const trial_problem *problem, void *x);
tulle_status tool_solve_advise(const tool_trial *trial, const trial_problem *problem,
                               tulle_status status);

/* Records advice about a pivot of a preconditioner that was given; row: of the matrix `name`.
 * Returns TULLE_ZERO_PIVOT. */
tulle_status tool_solve_advise_pivot(const char *name, tulle__precond_kind precond, int64_t row);

/* True if GMRES with its usual number of vectors got nowhere, or has begun anew and not got there
 * in the most iterations. */
bool tool_solve_is_stuck(const tulle_solve_report *r);

#endif
