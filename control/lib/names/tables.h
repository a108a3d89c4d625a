/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names that do not depend on a recording, see tables.c.
 */
#ifndef KU_LIB_NAMES_TABLES_H
#define KU_LIB_NAMES_TABLES_H

#include "lib/base/names.h"

/*
 * Adds them. machine: of which the system calls are, as uname calls it ("aarch64"); NULL: that
 * which this was built for. Those of a machine that this knows no table of are left out. 0, or
 * -ENOMEM.
 */
int ku_names_fixed(struct ku_name_list *names, const char *machine);

#endif
