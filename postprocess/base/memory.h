/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether an allocation has failed. Whoever allocates notes it, for who called may go on with less:
 * then kp_finish() says so, and nothing that looks whole is left.
 */
#ifndef KP_BASE_MEMORY_H
#define KP_BASE_MEMORY_H

#include <stdbool.h>

/* Notes a failure if what was allocated is NULL, and returns it. Any thread. */
void *kp_allocated(void *what);
bool kp_memory_failed(void);

#endif
