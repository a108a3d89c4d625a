/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: finds the call in a function that ftrace patches, for direct hooks (direct.h). */
#ifndef KU_FENTRY_H
#define KU_FENTRY_H

/* Length of the call in bytes. */
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
 * Returns the address of the call in @function. The function's body begins KU_FENTRY_SIZE bytes
 * later. Returns 0 if the function does not begin with such a call.
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
