/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sends of IPIs: tracepoints from 6.4 on, before that kprobes on the functions that send them.
 * Called by the tracepoint back end.
 */
#ifndef KU_IPI_H
#define KU_IPI_H

#include <linux/types.h>

/* What is not done by the table of tracepoints. True: sends are recorded, or will be. */
bool ku_ipi_attach(void);
void ku_ipi_detach(void);

#endif
