/* SPDX-License-Identifier: GPL-2.0-only */
/* Lets a process write the bytes of typed tracepoints that only the process can write. */
#ifndef KU_POINT_TASK_H
#define KU_POINT_TASK_H

struct ku_point_mm;

/*
 * Asks threads of the process to write the due bytes before they execute another instruction in
 * user space. Sets set->handed if every thread was asked, and clears it otherwise. Takes bounded
 * time. Under ku_point_bytes_lock; the process still has its memory.
 */
void ku_point_hand_over(struct ku_point_mm *set);
/* Waits until no thread executes code of task.c. No set may be left. */
void ku_point_task_exit(void);

#endif
