// SPDX-License-Identifier: GPL-2.0-only
/*
 * The number that a trace has for a lock of the kernel; see lock_number.h. It says
 * which entries are of the same lock, and nothing of the address: a hash with a key that
 * nobody knows, another one at each load. hash_ptr() would not do, as it can be inverted.
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

/* Not inlined: a test asks for it by name. */
noinline u32 __kprobes ku_lock_number(const void *lock)
{
	return (u32)siphash_1u64((unsigned long)lock, &ku_lock_key);
}
