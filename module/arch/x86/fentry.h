/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: where a function has the call that ftrace patches. Called by users of direct hooks
 * (direct.h).
 */
#ifndef KU_FENTRY_H
#define KU_FENTRY_H

/* How long it is, in bytes. */
#define KU_FENTRY_SIZE	5

#ifndef __ASSEMBLY__

#include <linux/string.h>
#include <linux/types.h>
#include <asm/ibt.h>

static inline bool ku_fentry_is(const u8 *code)
{
	static const u8 nop[KU_FENTRY_SIZE] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	return code[0] == 0xe8 || !memcmp(code, nop, sizeof(nop));
}

/*
 * Its address in the function at that address; the function's body is KU_FENTRY_SIZE bytes
 * behind. 0: the function does not begin with one.
 */
static inline unsigned long ku_fentry(unsigned long function)
{
	if (ku_fentry_is((const u8 *)function))
		return function;
	if (ENDBR_INSN_SIZE && ku_fentry_is((const u8 *)function + ENDBR_INSN_SIZE))
		return function + ENDBR_INSN_SIZE;
	return 0;
}

#endif
#endif
