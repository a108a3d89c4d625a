/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes of typed tracepoints that only their process can write. Called by bytes.c. */
#ifndef KU_POINT_TASK_H
#define KU_POINT_TASK_H

struct ku_point_mm;

/*
 * Asks threads of the process to write what is due before they execute another instruction of
 * their own. Sets set->handed if every thread was asked, and clears it otherwise. Takes constant
 * time. Under ku_point_bytes_lock; the process has its memory.
 */
void ku_point_hand_over(struct ku_point_mm *set);
/* No set is left. On return none of our code runs in a process. */
void ku_point_task_exit(void);

#endif
