/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Definitions of typed tracepoints as names, see definitions.c.
 */
#ifndef KU_LIB_NAMES_DEFINITIONS_H
#define KU_LIB_NAMES_DEFINITIONS_H

#include <stdint.h>

#include "lib/base/names.h"

/* A definition as pieces that fit into names. */
int ku_names_add_point(struct ku_name_list *names, uint32_t id, const char *text);
/* All that the module knows. */
int ku_names_points(int fd, struct ku_name_list *names);

#endif
