/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names that do not depend on a recording, see tables.c.
 */
#ifndef KU_LIB_NAMES_TABLES_H
#define KU_LIB_NAMES_TABLES_H

#include "lib/base/names.h"

int ku_names_fixed(struct ku_name_list *names);
/* The same of a machine of another architecture: without system calls. */
int ku_names_common(struct ku_name_list *names);

#endif
