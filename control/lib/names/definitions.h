/* SPDX-License-Identifier: BSD-3-Clause */
/* Definitions of typed tracepoints as names. */
#ifndef KU_LIB_NAMES_DEFINITIONS_H
#define KU_LIB_NAMES_DEFINITIONS_H

#include <stdint.h>

#include "lib/base/names.h"

/* Adds a definition, in parts that fit into names. */
int ku_names_add_point(struct ku_name_list *names, uint32_t id, const char *text);
/* Adds all definitions of the module. */
int ku_names_points(int fd, struct ku_name_list *names);

#endif
