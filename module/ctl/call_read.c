// SPDX-License-Identifier: GPL-2.0-only
/* Commands of KUTRACE_IOC_CONTROL that read a recording. Refused while the session records. */
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "ctl/ctl.h"
#include "record/record.h"

#define KU_COPY_BYTES	4096
#define KU_COPY_WORDS	(KU_COPY_BYTES / sizeof(u64))

/* Result of GETIPC4KB without counter bytes: the number of bytes not copied, as in KUtrace 3. */
#define KU_IPC_NONE	KU_COPY_BYTES

u64 ku_call_flush(struct ku_session *session)
{
	if (ku_session_hold(session))
		return KU_REFUSED;
	/* Unused words of the blocks are zero, so closing the blocks is enough. */
	ku_session_close_blocks(session);
	ku_session_release(session);
	return 0;
}

u64 ku_call_count(struct ku_session *session)
{
	struct ku_view *view = ku_view_begin(session);
	u64 count;

	if (!view)
		return KU_REFUSED;
	count = ku_view_count(view);
	if (ku_session_wrapped(session))
		count = ~count;
	ku_session_release(session);
	return count;
}

u64 ku_call_word(struct ku_session *session, u64 index)
{
	struct ku_view *view = ku_view_begin(session);
	u64 word = KU_REFUSED;

	if (!view)
		return KU_REFUSED;
	if (index < ku_view_count(view))
		word = *ku_view_word(view, index);
	ku_session_release(session);
	return word;
}

u64 ku_call_ipc_word(struct ku_session *session, u64 index)
{
	struct ku_view *view = ku_view_begin(session);
	const u64 *bytes = NULL;
	u64 word = 0;

	if (!view)
		return 0;
	if (session->ring.bytes && index < ku_view_count(view) / sizeof(u64))
		bytes = ku_view_bytes(view, index);
	if (bytes)
		word = *bytes;
	ku_session_release(session);
	return word;
}

/* Sets the index from which this process's next GET4KB copies. Must be a multiple of 4 KiB. */
u64 ku_call_set(struct ku_session *session, u64 index)
{
	struct ku_view *view;
	u64 result = KU_REFUSED;

	if (index % KU_COPY_WORDS)
		return KU_REFUSED;
	view = ku_view_begin(session);
	if (!view)
		return KU_REFUSED;
	if (index < ku_view_count(view)) {
		ku_view_set_at(view, index);
		result = 0;
	}
	ku_session_release(session);
	return result;
}

/*
 * Copies 4 KiB from the index that the process has set: words, or with @bytes groups of eight
 * counter bytes, which are zero for a name block. Copies through a kernel buffer, because a fault
 * in the caller's memory must not block others. Returns 0 or @refused.
 */
static u64 ku_call_copy(struct ku_session *session, u64 pointer, bool bytes, u64 refused)
{
	struct ku_view *view;
	u64 result = refused, at;
	const u64 *from;
	void *copy = kzalloc(KU_COPY_BYTES, GFP_KERNEL);

	if (!copy)
		return KU_REFUSED;
	view = ku_view_begin(session);
	if (!view)
		goto out;
	at = ku_view_at(view);
	if (at < ku_view_count(view) / (bytes ? sizeof(u64) : 1) &&
	    (!bytes || session->ring.bytes)) {
		from = bytes ? ku_view_bytes(view, at) : ku_view_word(view, at);
		if (from)
			memcpy(copy, from, KU_COPY_BYTES);
		result = 0;
	}
	ku_session_release(session);
	if (!result && copy_to_user(u64_to_user_ptr(pointer), copy, KU_COPY_BYTES))
		result = refused;
out:
	kfree(copy);
	return result;
}

u64 ku_call_get(struct ku_session *session, u64 pointer)
{
	return ku_call_copy(session, pointer, false, KU_REFUSED);
}

u64 ku_call_get_ipc(struct ku_session *session, u64 pointer)
{
	return ku_call_copy(session, pointer, true, KU_IPC_NONE);
}
