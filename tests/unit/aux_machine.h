/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Environment for the tests of the module's name table. Includes the module's sources, so only
 * one file of a program may include it.
 */
#ifndef AUX_MACHINE_H
#define AUX_MACHINE_H

#define KU_ENV_STEPS
#include "core/emit.h"
#include "core/block.c"
#include "core/kinds.c"
#include "core/move.c"
#include "core/emit.c"
#include "names/readable.c"
#include "names/aux.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "ring_decode.h"
#include "ring_pool.h"

__thread struct ku_cpu *ku_env_cpu;
__thread struct ku_cpu *ku_env_cpu2;
unsigned int ku_clock_shift;
u64 (*ku_env_clock)(void);
void (*ku_env_step)(char letter);
__thread bool ku_env_nmi;
__thread u32 ku_env_pid = 77;
static __thread u32 cpu_number;
static u64 clock_now;

void ku_env_irq_save(unsigned long *flags)
{
	*flags = 0;
}

void ku_env_irq_restore(unsigned long flags)
{
	(void)flags;
}

u32 ku_this_cpu_number(void)
{
	return cpu_number;
}

static u64 virtual_clock(void)
{
	return ++clock_now;
}

static struct ku_aux aux;

#define AUX_KEY	0x9E3779B97F4A7C15ULL

static void aux_up(u32 bytes)
{
	ku_env_step = NULL;
	ku_env_clock = virtual_clock;
	clock_now = 1000;
	aux = (struct ku_aux){
		.bytes = bytes,
		.key = AUX_KEY,
		.buffer = calloc(1, bytes),
		.notes = calloc(bytes / KU_AUX_MIN, sizeof(*aux.notes)),
		.heads = calloc(bytes / 64, sizeof(*aux.heads)),
		.readable = calloc(1, sizeof(*aux.readable)),
		.spare = calloc(1, sizeof(*aux.spare)),
	};
	assert_true(aux.buffer && aux.notes && aux.heads && aux.readable && aux.spare);
	ku_spin_init(&aux.lock);
	ku_aux_empty(&aux, 0);
}

static void aux_down(void)
{
	ku_env_step = NULL;
	free(aux.buffer);
	free(aux.notes);
	free(aux.heads);
	free(aux.readable);
	free(aux.spare);
}

#endif
