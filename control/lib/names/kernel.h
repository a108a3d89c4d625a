/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that the module has recorded. */
#ifndef KU_LIB_NAMES_KERNEL_H
#define KU_LIB_NAMES_KERNEL_H

#include "kutrace_abi.h"
#include "lib/base/names.h"

/*
 * Reads the names in the name buffer, which has @aux_bytes. *@bad counts the names that could not
 * be read. @info was read before; this function reads the information again.
 */
int ku_names_kernel(int fd, const struct kutrace_info *info, uint64_t aux_bytes,
		    struct ku_name_list *names, uint64_t *bad);
/* Reads the present names. */
int ku_names_device(int fd, struct ku_name_list *names);

#endif
