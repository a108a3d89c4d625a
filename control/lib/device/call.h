/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control system call in the place of the device, see call.c.
 */
#ifndef KU_LIB_DEVICE_CALL_H
#define KU_LIB_DEVICE_CALL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/names.h"

/*
 * Stands for a descriptor where there is no device but the call answers; must not be
 * waited for. INT_MAX is none that open() gives.
 */
#define KU_CALL_FD	INT_MAX

bool ku_call_answers(void);
/* As ioctl() of the device; as mmap(): what it gives is a copy, for munmap(). */
int ku_call_ioctl(unsigned long request, unsigned long arg);
void *ku_call_map(uint64_t offset, size_t bytes, int *error);
/* The module's names, as ku_names_kernel() reads them from the device. */
int ku_call_names(struct ku_name_list *names, uint64_t *bad);

#endif
