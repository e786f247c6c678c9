/* SPDX-License-Identifier: Apache-2.0 */
/* Each matrix with the papers that use it, its names in these papers, and its kind. Paper 2 counts
 * the stored entries; the numbers of products and of the square's entries are from paper 4. */
#include "lab/papers/like/matrices.h"

/* clang-format off */
const paper_matrix paper_matrices[] = {
    /* Papers 1, 2, 4, "webbase, Webbase, web connectivity": web graph, power law, mostly local
     * columns; mean row 3.1, deviation 25.3 */
    {"webbase-1M", 1000005, 1000005, 3105536, 3105536, 4700, 69524195, 51111996, false},
    /* Paper 2, "Circuit Simulation": circuit, almost unsymmetric pattern; mean row 3.8 */
    {"Hamrle3", 1447360, 1447360, 5514242, 5514242, -1, -1, -1, false},
    /* Papers 2, 4, "Epidemiology": 2-D Markov chain on a grid, reproducible exactly; mean row 4.0
     * */
    {"mc2depi", 525825, 525825, 2100225, 2100225, 4, 8391680, 5245952, false},
    /* Paper 2, "Freescall": circuit, 17052626 nonzero values and explicit zeros; mean row 5.5 */
    {"Freescale1", 3428755, 3428755, 18920347, 18920347, -1, -1, -1, false},
    /* Papers 2, 4, "Economics": economic model, scattered; mean row 6.2 */
    {"mac_econ_fwd500", 206500, 206500, 1273389, 1273389, 44, 7556897, 6704899, false},
    /* Paper 2, "Torso": 2-D finite differences; mean row 8.9 */
    {"torso2", 115967, 115967, 1033473, 1033473, -1, -1, -1, false},
    /* Paper 2, "DNA electrophoresis": directed weighted graph, banded-random; mean row 18.0 */
    {"cage14", 1505785, 1505785, 27130349, 27130349, -1, -1, -1, false},
    /* Papers 2, 4, "Wind Tunnel": structural, 6 unknowns a node; mean row 53.4 */
    {"pwtk", 217918, 217918, 11634424, 5926171, 180, 626054402, 32772236, true},
    /* Papers 2, 4, "FEM/Cantilever": structural, 3 unknowns a node; mean row 64.2 */
    {"cant", 62451, 62451, 4007383, 2034917, 78, 269486473, 17440029, true},
    /* Paper 2, "Ga41As41H72": quantum chemistry, few dense rows; mean row 69.0 */
    {"Ga41As41H72", 268096, 268096, 18488476, 9378286, -1, -1, -1, true},
    /* Papers 2, 4, "FEM/Spheres": structural, concentric spheres; mean row 72.1 */
    {"consph", 83334, 83334, 6010480, 3046907, 81, 463845030, 26539736, true},
    /* Papers 1, 2, "F1": structural, engine part; mean row 78.1 */
    {"F1", 343791, 343791, 26837113, 13590452, -1, -1, -1, true},
    /* Paper 2, "Si41Ge41H72": quantum chemistry; mean row 80.9 */
    {"Si41Ge41H72", 185639, 185639, 15011265, 7598452, -1, -1, -1, true},
    /* Papers 2, 4, "Protein": protein, dense blocks; mean row 119.3 */
    {"pdb1HYS", 36417, 36417, 4344765, 2190591, 204, 555322659, 19594581, true},
    /* Paper 2, "Italian Railways": set covering, few very long rows; mean row 2634 */
    {"rail4284", 4284, 1096894, 11284032, 11284032, -1, -1, -1, false},
    /* Paper 4, "FEM/Ship": structural, 6 unknowns a node; mean row 55.5 */
    {"shipsec1", 140874, 140874, 7813404, -1, 102, 450639288, 24086412, true},
    /* Paper 4, "FEM/Harbor": 3-D fluid, blocks; mean row 50.7 */
    {"rma10", 46835, 46835, 2374001, 2374001, 145, 156480259, 7900917, false},
    /* Paper 4, "QCD": 8^4 lattice x 12, Wilson hopping term, reproducible exactly; mean row 39.0,
     * deviation 0 */
    {"conf5_4-8x8-05", 49152, 49152, 1916928, 1916928, 39, 74760192, 10911744, false},
    /* Paper 4, "FEM/Accelerator": cavity, with empty rows; mean row 21.7 */
    {"cop20k_A", 121192, 121192, 2624331, -1, 81, 79883385, 18705069, true},
    /* Paper 4, "Circuit": circuit; mean row 5.6 */
    {"scircuit", 170998, 170998, 958936, 958936, 353, 8676313, 5222525, false},
    /* Paper 4, "cage15": directed weighted graph; mean row 19.2 */
    {"cage15", 5154859, 5154859, 99199551, 99199551, 47, 2078631615, 929023247, false},
    /* Paper 4, "wb-edu": web graph; mean row 5.8 */
    {"wb-edu", 9845725, 9845725, 57156537, 57156537, 3841, 1559579990, 630077764, false},
    /* Paper 4, "cit-Patents": citation graph; mean row 4.4 */
    {"cit-Patents", 3774768, 3774768, 16518948, 16518948, 770, 82152992, 68848721, false},
    /* Paper 1, "structural problem (nz = 14148858)": structural; mean row 221 */
    {"crankseg_2", 63838, 63838, 14148858, -1, -1, -1, -1, true},
    /* Paper 1, "atmospheric modeling (nz = 8814880)": 3-D 7-point, atmosphere; mean row 6.9,
     * deviation 0.25 */
    {"atmosmodd", 1270432, 1270432, 8814880, 8814880, 7, -1, -1, false},
};
/* clang-format on */

const int paper_matrix_count = (int)(sizeof paper_matrices / sizeof *paper_matrices);
