/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records whether an allocation has failed. A caller may continue with less data after a failure.
 * kp_finish() then reports the failure, and no output remains that looks complete.
 */
#ifndef KP_BASE_MEMORY_H
#define KP_BASE_MEMORY_H

#include <stdbool.h>

/*
 * Records a failure if @what, an allocated pointer, is NULL. Returns @what. Any thread may call it.
 */
void *kp_allocated(void *what);
bool kp_memory_failed(void);

#endif
