/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes of typed tracepoints that only their process can write. Called by bytes.c. */
#ifndef KU_POINT_TASK_H
#define KU_POINT_TASK_H

struct ku_point_mm;

/*
 * Every thread of the process will write what is due before it executes another instruction of
 * its own, and set->handed says whether that is so. Under ku_point_bytes_lock; the process
 * has its memory.
 */
void ku_point_hand_over(struct ku_point_mm *set);
/* No set is left. On return none of our code runs in a process. */
void ku_point_task_exit(void);

#endif
