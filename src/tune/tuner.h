/* SPDX-License-Identifier: Apache-2.0 */
/* The life of tuners, which operators made from them share with the caller. */
#ifndef TULLE_TUNE_TUNER_H
#define TULLE_TUNE_TUNER_H

#include "tulle/tune.h"

/* Adds an owner of the tuner, who must destroy it too; returns it. NULL is fine. */
tulle_tuner *tulle__tuner_retain(tulle_tuner *tuner);

#endif
