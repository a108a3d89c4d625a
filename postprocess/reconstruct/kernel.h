/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recognizes kernel threads by their names, for traces that do not record the kind of a task. A
 * thread that does what only user code can do is no kernel thread, in spite of its name.
 */
#ifndef KP_RECONSTRUCT_KERNEL_H
#define KP_RECONSTRUCT_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#define KP_KTHREADD	2	/* pid of the thread that creates all kernel threads */

/* Returns true if the name is one of a kernel thread, or of a worker of io_uring or vhost. */
bool kp_rec_is_kernel_name(const char *text, size_t len);
/* Returns true if the name is one of a worker of io_uring, vhost or KVM: a thread of a program in the kernel. */
bool kp_rec_is_worker_name(const char *text, size_t len);

#endif
