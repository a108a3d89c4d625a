/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands of KUTRACE_IOC_CONTROL that read a recording, one word or 4 KiB per call. Refused while
 * the session records. Process context, may sleep.
 */
#ifndef KU_CALL_READ_H
#define KU_CALL_READ_H

#include "session/state.h"

#define KU_REFUSED	(~0ULL)

u64 ku_call_flush(struct ku_session *session);
u64 ku_call_count(struct ku_session *session);
u64 ku_call_word(struct ku_session *session, u64 index);
u64 ku_call_ipc_word(struct ku_session *session, u64 index);
u64 ku_call_set(struct ku_session *session, u64 index);
u64 ku_call_get(struct ku_session *session, u64 pointer);
u64 ku_call_get_ipc(struct ku_session *session, u64 pointer);

#endif
