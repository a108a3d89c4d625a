/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sends of IPIs. arm64 has a tracepoint for them (ipi_raise) in all kernels, x86 and riscv64 from
 * 6.4 on. Before, kprobes are on the sending functions of x86.
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
