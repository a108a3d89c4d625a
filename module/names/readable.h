/* SPDX-License-Identifier: GPL-2.0-only */
/* Which events of a ring are readable. */
#ifndef KU_READABLE_H
#define KU_READABLE_H

#include "core/ring.h"

#define KU_PINS	4096

/* Time from the first to the last event of a pid in blocks that began before all full ones. */
struct ku_pin {
	u64 first;
	u64 last;		/* 0: no event */
	u32 pid;
};

struct ku_pins {
	u32 used;
	struct ku_pin others;	/* any pid, if there are too many */
	struct ku_pin pin[KU_PINS];
};

/* Returns whether the pid has a pinned event from @from to @until. Any context. */
bool ku_pinned(const struct ku_pins *pins, u32 pid, u64 from, u64 until);

struct ku_readable {
	/* counts: no earlier event is readable, except pinned events of quiet CPUs */
	u64 begin;
	u64 oldest;		/* counts: no earlier event is readable at all */
	u64 end;		/* counts: nothing was recorded later */
	struct ku_pins pins;
};

/* Finds out which events are readable. CPUs may record meanwhile. */
void ku_readable(struct ku_ring *ring, struct ku_readable *what);

#endif
