// SPDX-License-Identifier: GPL-2.0-only
/* Typed tracepoints: see ku_point.h. */
#include <linux/errno.h>

#include "ku_aux.h"
#include "ku_point.h"

int ku_point_init(void)
{
	return 0;
}

void ku_point_exit(void)
{
}

long ku_point_ioctl(unsigned int cmd, unsigned long arg, bool control)
{
	return -ENOTTY;
}

struct page *ku_point_page(u64 offset)
{
	return NULL;
}

void ku_point_changed(bool wanted)
{
}

void ku_point_name_all(struct ku_aux *aux, u64 counts)
{
}
