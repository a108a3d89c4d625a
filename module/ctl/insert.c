// SPDX-License-Identifier: GPL-2.0-only
/* Inserts events and names from user space: marks and other points. */
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "core/emit.h"
#include "core/kinds.h"
#include "ctl/ctl.h"
#include "record/all.h"
#include "record/record.h"
#include "users/user.h"

/* Categories of the points; the first element is event number KU_FIRST_POINT. */
#define KU_FIRST_POINT 0x100

static const u16 ku_points[] = {
#define KU_POINT(id, code, cat, label, text) \
	[(code) - KU_FIRST_POINT] = KUTRACE_MASK_##cat,
#include "uapi/kutrace_events.def"
};

/*
 * Returns whether user space may record @entry: a point of one of @categories. Points that only the
 * module may record are excluded: points of several words, and TSDELTA, which moves the time.
 */
static bool ku_call_is_point(u64 entry, u32 categories)
{
	u32 event = entry >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;
	u32 index = event - KU_FIRST_POINT;

	if (entry >> KUTRACE_TS_SHIFT || index >= ARRAY_SIZE(ku_points) ||
	    event == KUTRACE_TSDELTA || ku_entry_words(event) != 1)
		return false;
	index = array_index_nospec(index, ARRAY_SIZE(ku_points));
	return ku_points[index] & categories & ~KUTRACE_MASK_PCSAMPLE;
}

int ku_call_point(u64 entry, u32 categories)
{
	unsigned long flags;

	if (!ku_call_is_point(entry, categories))
		return -EINVAL;
	/* ku_session_insert() may have left a block open, which must not get the entry. */
	if (!ku_sessions_recording())
		return 0;
	/* For filters, the program's own task causes the switch or wakeup that it inserts. */
	local_irq_save(flags);
	ku_cpu_write(hook.task, current);
	ku_emit_ordered(entry);
	local_irq_restore(flags);
	return 1;
}

bool ku_rate_allows(struct ku_user *user, u32 kind)
{
	if (user && ku_user_rate(user))
		return true;
	preempt_disable();
	ku_sessions_rate_lost(kind);
	preempt_enable();
	return false;
}

/* An entry of 0 is a NOP: nothing is recorded, but 0 is not a refusal. */
u64 ku_call_insert1(u64 entry, u32 categories)
{
	int words;

	entry &= (1ULL << KUTRACE_TS_SHIFT) - 1;
	if (!entry)
		return 0;
	words = ku_call_point(entry, categories);
	return words < 0 ? KU_REFUSED : words;
}

u64 ku_call_insert1_off(struct ku_session *session, u64 entry)
{
	entry &= (1ULL << KUTRACE_TS_SHIFT) - 1;
	if (!ku_call_is_point(entry, KUTRACE_MASK_ALL))
		return KU_REFUSED;
	ku_session_insert(session, entry);
	return 1;
}

/* Returns true for facts by which readers drop rows. Only module and library may add them. */
static bool ku_hides_rows(const char *text, size_t len)
{
	static const char * const keys[] = { KUTRACE_META_PAUSE, KUTRACE_META_PARTIAL };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (len >= strlen(keys[i]) && !memcmp(text, keys[i], strlen(keys[i])))
			return true;
	return false;
}

u64 ku_call_insertn(struct ku_session *session, u64 pointer, bool while_off)
{
	u64 words[KUTRACE_NAME_MAX_WORDS];
	u32 event, base, length;
	size_t len;

	if (copy_from_user(words, u64_to_user_ptr(pointer), sizeof(words)))
		return KU_REFUSED;
	event = words[0] >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;
	length = event >> KUTRACE_NAME_LEN_SHIFT & 0xF;
	base = event & ~(0xF << KUTRACE_NAME_LEN_SHIFT);
	if (event >= 0x200 || !base || length < 1 || length > KUTRACE_NAME_MAX_WORDS)
		return KU_REFUSED;
	length = array_index_nospec(length, KUTRACE_NAME_MAX_WORDS + 1);
	if (!while_off && !ku_session_is_on(session))
		return 0;
	len = strnlen((char *)&words[1], (length - 1) * sizeof(u64));
	if (base == KUTRACE_NAME_META && ku_hides_rows((char *)&words[1], len))
		return KU_REFUSED;
	/* Only the module knows identities. */
	if (base == KUTRACE_NAME_TASK)
		return KU_REFUSED;
	if (while_off) {
		ku_session_insert_name(session, base, (u32)words[0], (char *)&words[1], len);
		return length;
	}
	preempt_disable();
	ku_sessions_name(base, (u32)words[0], (char *)&words[1], len);
	preempt_enable();
	return length;
}
