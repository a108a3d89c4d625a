/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls of the device about typed tracepoints. May sleep. */
#ifndef KU_POINT_DEVICE_H
#define KU_POINT_DEVICE_H

struct ku_point_file;

/*
 * Executes KUTRACE_IOC_POINT*. Returns 0 or -errno: -EFAULT, -EINVAL, -EPERM, -ENOENT, -ENOSPC,
 * -ENOMEM, -EINTR (the caller is being killed), -ENOTTY.
 */
long ku_point_ioctl(unsigned int cmd, unsigned long arg, struct ku_point_file *file);

#endif
