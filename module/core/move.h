/* SPDX-License-Identifier: GPL-2.0-only */
/* Moves a ring's state of a CPU into a slot and back: see move.c. */
#ifndef KU_MOVE_H
#define KU_MOVE_H

#include "core/block.h"

void ku_ring_break(struct ku_ring *ring, struct ku_cpu *cpu);
void ku_ring_enter_fast(struct ku_ring *ring, struct ku_cpu *fast, struct ku_cpu *own);
void ku_ring_leave_fast(struct ku_cpu *fast, struct ku_cpu *own);
void ku_ring_move_losses(struct ku_cpu *to, struct ku_cpu *from);

#endif
