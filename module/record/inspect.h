/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which way each event goes (enum ku_way): those of who has a fixed place are inspected, one by
 * one, that a mask leaves out, that a filter follows tasks by, that triggers wait for. The others
 * go straight, or twice where two have a place, or counted where the one has counters. Called by
 * update.c under ku_session_lock.
 */
#ifndef KU_INSPECT_H
#define KU_INSPECT_H

#include "record/resident.h"

/*
 * As those want it who have the places, or are to get them; before they do. On return no event is
 * recorded any more without having been inspected that is to be, and none in one of two only.
 * May sleep.
 */
void ku_inspect_for(const struct ku_pair *pair);
/*
 * The way of 64-bit system calls for them: KU_STRAIGHT or KU_TWICE, if that is the way of all, or
 * KU_INSPECTED. Their returns by themselves are not asked about.
 */
enum ku_way ku_way_of_calls(const struct ku_pair *pair);

#endif
