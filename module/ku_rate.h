/* SPDX-License-Identifier: GPL-2.0-only */
/* How many marks users who may only mark can make. */
#ifndef KU_RATE_H
#define KU_RATE_H

#include <linux/types.h>

/* May the calling user make another one, at so many a second? Process context. */
bool ku_rate_allows(unsigned int rate);

#endif
