/* SPDX-License-Identifier: Apache-2.0 */
/* Heat that spreads through a square plate from its left edge, which has temperature 1; the other
 * edges have 0. Implicit time steps solve (I + k K) u_new = u + g, K the 5-point stencil and g from
 * the edges, with a multigrid hierarchy that is made once. Usage: example-poisson [a place] */
#include <cstdio>
#include <tulle/tulle.hpp>
#include <vector>

constexpr int side = 100, n = side * side, steps = 5;
constexpr double k = 50;  // conductivity times the time step over the square of the mesh width

static void spread(const char *where) {
    std::vector<int> offsets = {0}, columns;
    std::vector<double> values, edge(n, 0.0), heat(n);
    const auto add = [&](int x, int y, double value) {
        if (x < 0 || x >= side || y < 0 || y >= side) return;  // an edge is no unknown
        columns.push_back(y * side + x);
        values.push_back(value);
    };
    for (int i = 0; i < n; i++) {
        const int x = i % side, y = i / side;
        add(x, y - 1, -k), add(x - 1, y, -k), add(x, y, 1 + 4 * k);
        add(x + 1, y, -k), add(x, y + 1, -k);
        offsets.push_back(static_cast<int>(columns.size()));
        if (x == 0) edge[static_cast<std::size_t>(i)] = k;
    }

    const tulle::context ctx(where);
    const auto A = tulle::matrix::csr(ctx, n, n, offsets, columns, values);
    tulle_solver_options options = {};  // conjugate gradients
    options.guess = true;               // from the last step's temperatures
    tulle::solver cg(ctx, tulle::linop::from_mat(ctx, A), tulle::amg(ctx, A), options);
    const tulle::vector g(ctx, edge);
    tulle::vector u(ctx, heat), b = tulle::vector::create<double>(ctx, n);

    for (int step = 1; step <= steps; step++) {
        tulle::copy(ctx, u, b);
        tulle::axpy(ctx, 1, g, b);
        const tulle_solver_report report = cg.run(ctx, b, u);
        if (report.outcome != TULLE_CONVERGED) {
            throw std::runtime_error(tulle_outcome_text(report.outcome));
        }
        u.read(ctx, heat);
        std::printf("step %d: %d iterations, %.4f in the middle\n", step,
                    static_cast<int>(report.iterations), heat[n / 2 + side / 2]);
    }
}

int main(int argc, char **argv) {
    try {
        spread(argc > 1 ? argv[1] : "auto");
    } catch (const std::exception &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
