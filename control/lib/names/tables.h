/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that do not depend on a recording. */
#ifndef KU_LIB_NAMES_TABLES_H
#define KU_LIB_NAMES_TABLES_H

#include "lib/base/names.h"

/*
 * Adds the names. @machine: machine of the system calls, as uname() returns it ("aarch64"); NULL:
 * the one that this was built for. The system calls of an unknown machine are left out. Returns 0
 * or -ENOMEM.
 */
int ku_names_fixed(struct ku_name_list *names, const char *machine);

#endif
