/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which events of a ring can still be read. Called by names.c, and by aux.c for what it found.
 */
#ifndef KU_READABLE_H
#define KU_READABLE_H

#include "core/ring.h"

#define KU_PINS	4096

/* Events of a pid in blocks that began before all full ones: from first to last. */
struct ku_pin {
	u64 first;
	u64 last;		/* 0: there are none */
	u32 pid;
};

struct ku_pins {
	u32 used;
	struct ku_pin others;	/* of whichever pid, when there are too many */
	struct ku_pin pin[KU_PINS];
};

/* Any context. */
bool ku_pinned(const struct ku_pins *pins, u32 pid, u64 from, u64 until);

struct ku_readable {
	/* Counts: no event of before can be read, except those of quiet CPUs, which are pinned. */
	u64 begin;
	u64 oldest;		/* counts: no event at all of before can be read */
	u64 end;		/* counts: nothing has been recorded since */
	struct ku_pins pins;
};

/* May be called while others record. */
void ku_readable(struct ku_ring *ring, struct ku_readable *what);

#endif
