/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recognizes threads that never leave the kernel, by their names. A trace does not record
 * these, so a thread with such a name that does what only user code does is not one.
 */
#ifndef KP_RECONSTRUCT_KERNEL_H
#define KP_RECONSTRUCT_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if the kernel gives its threads, or workers of io_uring and vhost, such a name. */
bool kp_rec_is_kernel_name(const char *text, size_t len);

#endif
