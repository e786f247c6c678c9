/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a place's name: "cpu:8", "cuda:1", "emulated", "auto". */
#ifndef TULLE_CORE_PLACE_NAME_H
#define TULLE_CORE_PLACE_NAME_H

#include "tulle/context.h"

typedef struct tulle__place_name {
    tulle_backend kind;
    int ordinal; /* number of the GPU */
    int threads; /* number of CPU threads; 0: all */
} tulle__place_name;

tulle_status tulle__place_name_parse(const char *text, tulle__place_name *name);

#endif
