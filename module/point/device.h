/* SPDX-License-Identifier: GPL-2.0-only */
/* The device's calls about typed tracepoints. Called by ctl/device.c. May sleep. */
#ifndef KU_POINT_DEVICE_H
#define KU_POINT_DEVICE_H

struct ku_point_file;

/*
 * KUTRACE_IOC_POINT*. Returns 0 or -errno: -EFAULT, -EINVAL, -EPERM, -ENOENT, -ENOSPC,
 * -ENOMEM, -EINTR (the caller is being killed).
 */
long ku_point_ioctl(unsigned int cmd, unsigned long arg, struct ku_point_file *file);

#endif
