/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names that the kernel has recorded, see kernel.c.
 */
#ifndef KU_LIB_NAMES_KERNEL_H
#define KU_LIB_NAMES_KERNEL_H

#include "kutrace_abi.h"
#include "lib/base/names.h"

/*
 * Reads the kernel's names out of the auxiliary buffer of aux_bytes; *bad counts
 * those that could not be read. info is that of before; it is read again inside.
 */
int ku_names_kernel(int fd, const struct kutrace_info *info, uint64_t aux_bytes,
		    struct ku_name_list *names, uint64_t *bad);
/* The same, of now. */
int ku_names_device(int fd, struct ku_name_list *names);

#endif
