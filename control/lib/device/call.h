/* SPDX-License-Identifier: BSD-3-Clause */
/* The control system call as a replacement for the device. */
#ifndef KU_LIB_DEVICE_CALL_H
#define KU_LIB_DEVICE_CALL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/names.h"

/*
 * Stands for a descriptor if there is no device, but the call works. open() never returns
 * INT_MAX. Must not be passed to poll().
 */
#define KU_CALL_FD	INT_MAX

bool ku_call_answers(void);
/* Do the same as ioctl() and mmap() on the device. ku_call_map() returns a copy, for munmap(). */
int ku_call_ioctl(unsigned long request, unsigned long arg);
void *ku_call_map(uint64_t offset, size_t bytes, int *error);
/* Adds the module's names, as ku_names_kernel() does from the device. */
int ku_call_names(struct ku_name_list *names, uint64_t *bad);

#endif
