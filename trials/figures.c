/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/figures.h"

#include <math.h>

void trial_figures_forget(trial_figures *figures) {
    for (int i = 0; i < TRIAL_FIGURES; i++) figures->of[i] = (double)NAN;
    figures->parts = 0;
}
