/* SPDX-License-Identifier: Apache-2.0 */
/* A product whose operands are checked, from its call to its kernel. */
#ifndef TULLE_SPMV_PRODUCT_H
#define TULLE_SPMV_PRODUCT_H

#include "spmv/operands.h"
#include "spmv/select.h"

/* Runs the selection's kernel on the operands; TULLE_UNSUPPORTED, without a record: the kernel
 * does not take the case. */
tulle_status tulle__run_selection(const tulle__operands *o, const tulle__spmv_selection *selection);

/* Runs the first kernel that takes the call, stage by stage; TULLE_UNSUPPORTED, without a
 * record, where there is none. */
tulle_status tulle__spmv_product(const tulle__operands *o, const tulle__spmv_call *call);

#endif
