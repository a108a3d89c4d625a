/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Marks, see mark.c.
 */
#ifndef KU_LIB_PROGRAM_MARK_H
#define KU_LIB_PROGRAM_MARK_H

#include <stdbool.h>

/* Is something being recorded? Looks for the module the first time. */
bool ku_marks_on(void);

#endif
