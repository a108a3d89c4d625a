/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause */
/* Text of the names of base KUTRACE_NAME_TASK: the identity of a task. */
#ifndef KUTRACE_TASK_H
#define KUTRACE_TASK_H

/*
 * The number of the name is the task's pid. Its text is a letter for the reason of the record, and
 * fields of a letter and a hexadecimal number, with a blank between them, such as
 *
 *	x p1f4 n5.1 c8f3 s1a2b3c4d5e
 *
 * All numbers except n are of the initial pid namespace. A field without a value is absent. Each
 * record has all fields that are known at its time.
 *
 *	p	pid of the parent process
 *	g	pid of the process, if the task is a further thread of a process
 *	n	pid in the task's own pid namespace, a dot, and the level (1 or more)
 *	c	low bits of its cgroup's id (KUTRACE_QUOTA_CGROUP), of version 2
 *	s	start in ns since boot; tells apart the owners of a pid
 *	o	pid before exec, of a thread that got the pid of its process by exec
 */

#define KUTRACE_TASK_PRESENT	'p'	/* existed when the recording was turned on */
#define KUTRACE_TASK_PROCESS	'f'	/* new process */
#define KUTRACE_TASK_THREAD	't'	/* new thread of a process */
#define KUTRACE_TASK_EXEC	'x'	/* executes another program */
#define KUTRACE_TASK_MOVED	'm'	/* is in another cgroup now */
#define KUTRACE_TASK_ALL_MOVED	'g'	/* all threads of the process are in another cgroup now */

#endif
