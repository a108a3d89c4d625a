// SPDX-License-Identifier: GPL-2.0-only
/*
 * Identifies a kernel lock in a trace by a number; see lock_number.h. Equal numbers mean the same
 * lock. The number must not reveal the address: it is a hash with a secret key, which is new at
 * each load of the module. hash_ptr() is not sufficient, because it can be inverted.
 */
#include <linux/kprobes.h>
#include <linux/random.h>
#include <linux/siphash.h>

#include "probes/lock_number.h"

static siphash_key_t ku_lock_key __read_mostly;

void ku_lock_number_init(void)
{
	get_random_bytes(&ku_lock_key, sizeof(ku_lock_key));
}

/* Not inlined, because a test finds it by name. */
noinline u32 __kprobes ku_lock_number(const void *lock)
{
	return (u32)siphash_1u64((unsigned long)lock, &ku_lock_key);
}
