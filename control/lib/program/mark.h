/* SPDX-License-Identifier: BSD-3-Clause */
/* Marks. */
#ifndef KU_LIB_PROGRAM_MARK_H
#define KU_LIB_PROGRAM_MARK_H

#include <stdbool.h>

/* Returns whether something is recorded. The first call looks for the module. */
bool ku_marks_on(void);

#endif
