/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sends of IPIs. Kernels before 6.4 have no tracepoints for them: kprobes on the sending functions.
 */
#ifndef KU_IPI_H
#define KU_IPI_H

#include <linux/types.h>

/*
 * Attaches the kprobes, if the kernel has no tracepoints. Returns true if sends are or will be
 * recorded.
 */
bool ku_ipi_attach(void);
void ku_ipi_detach(void);

#endif
