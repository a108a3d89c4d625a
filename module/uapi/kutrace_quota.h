/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause */
/* Argument of the events KUTRACE_THROTTLE, KUTRACE_UNTHROTTLE and KUTRACE_THROTTLE_TASK. */
#ifndef KUTRACE_QUOTA_H
#define KUTRACE_QUOTA_H

/*
 *   31     24   23   22                    0
 *   +--------+-----+-----------------------+
 *   |  CPU   | own | low bits of cgroup id |
 *   +--------+-----+-----------------------+
 *
 * CPU on which the cgroup is throttled. The event can be recorded on another CPU.
 * own: the running task is in this cgroup or below it.
 * The id of a cgroup is the inode number of its folder.
 */
#define KUTRACE_QUOTA_CPU_SHIFT	24
#define KUTRACE_QUOTA_OWN	0x800000U
#define KUTRACE_QUOTA_CGROUP	(KUTRACE_QUOTA_OWN - 1)

/*
 * A name of base KUTRACE_NAME_CGROUP has these bits of the id as its number. If the path is too
 * long for one name, its beginning is left out. Then the whole path is in the names of the numbers
 * id | KUTRACE_QUOTA_PART(1), id | KUTRACE_QUOTA_PART(2), and so on, until one is missing.
 */
#define KUTRACE_QUOTA_PART(n)	((n) << 23)

#endif
