/* SPDX-License-Identifier: Apache-2.0 */
/* Ownership of tuners: operators made from a tuner share it with the caller. */
#ifndef TULLE_TUNE_TUNER_H
#define TULLE_TUNE_TUNER_H

#include "tulle/tune.h"

/* Adds an owner of the tuner, who must destroy it too; returns the tuner. NULL is allowed. */
tulle_tuner *tulle__tuner_retain(tulle_tuner *tuner);

#endif
