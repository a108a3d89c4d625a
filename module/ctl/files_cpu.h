/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads /dev/kutrace/cpuNNN. The file's lock is held. May sleep. */
#ifndef KU_FILES_CPU_H
#define KU_FILES_CPU_H

#include <linux/poll.h>
#include <linux/types.h>

struct ku_open;

ssize_t ku_files_cpu_read(struct ku_open *mine, char __user *to, size_t count);
__poll_t ku_files_cpu_poll(struct ku_open *mine);

#endif
