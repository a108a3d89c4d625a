/* SPDX-License-Identifier: GPL-2.0-only */
/* Maps a session of /dev/kutrace/control into a program, read-only. */
#ifndef KU_MAP_H
#define KU_MAP_H

struct file;
struct vm_area_struct;

int ku_map(struct file *file, struct vm_area_struct *vma);

#endif
