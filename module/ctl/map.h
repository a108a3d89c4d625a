/* SPDX-License-Identifier: GPL-2.0-only */
/* Mapping a session read-only by /dev/kutrace/control. Called by device.c. */
#ifndef KU_MAP_H
#define KU_MAP_H

struct file;
struct vm_area_struct;

int ku_map(struct file *file, struct vm_area_struct *vma);

#endif
