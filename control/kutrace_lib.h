/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The C++ interface of the KUtrace User Guide, over libkutrace: the guide's
 * names and signatures, all inline, so that only -lkutrace is linked. Only
 * DoStat prints (one line on stdout) and only DoQuit exits, as the guide says.
 * Errors of functions that return nothing are kept: LastError().
 */
#ifndef KUTRACE_LIB_H
#define KUTRACE_LIB_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "libkutrace.h"

namespace kutrace {

typedef uint64_t u64;
typedef int64_t int64;
typedef struct kutrace_num_name NumNamePair;

/* 0, or the negative errno of this thread's last call below that failed. */
inline int &LastErrorSlot()
{
	static thread_local int error = 0;

	return error;
}

inline int LastError()
{
	return LastErrorSlot();
}

/* Keeps an error; true if there was none. */
inline bool Keep(int64_t ret)
{
	LastErrorSlot() = ret < 0 ? static_cast<int>(ret) : 0;
	return ret >= 0;
}

/* Marks: nearly free while nothing is recorded. */
inline void mark_a(const char *label) { kutrace_mark_a(label); }
inline void mark_b(const char *label) { kutrace_mark_b(label); }
inline void mark_c(const char *label) { kutrace_mark_c(label); }
inline void mark_d(u64 n) { kutrace_mark_d(n); }

inline void addevent(u64 eventnum, u64 arg) { Keep(kutrace_addevent(eventnum, arg)); }
inline void DoEvent(u64 eventnum, u64 arg) { Keep(kutrace_addevent(eventnum, arg)); }
/* n: the event number of a mark. Redundant, as the guide says. */
inline void DoMark(u64 n, u64 arg) { Keep(kutrace_addevent(n, arg)); }

/* RPCs, locks, queues, resources: see libkutrace.h. */
typedef struct kutrace_lock Lock;	// Lock mine = KUTRACE_LOCK_HERE;
inline void rpc_request(uint32_t id, const char *method) { Keep(kutrace_rpc_request(id, method)); }
inline void rpc_response(uint32_t id, const char *method) { Keep(kutrace_rpc_response(id, method)); }
inline void rpc_middle(uint32_t id, const char *method) { Keep(kutrace_rpc_middle(id, method)); }
inline void rpc_end() { Keep(kutrace_rpc_end()); }
inline void lock_try(Lock *lock) { Keep(kutrace_lock_try(lock)); }
inline void lock_acquired(Lock *lock) { Keep(kutrace_lock_acquired(lock)); }
inline void lock_released(Lock *lock, int waiters) { Keep(kutrace_lock_released(lock, waiters)); }
inline void enqueue(uint32_t queue) { Keep(kutrace_enqueue(queue)); }
inline void dequeue(uint32_t queue) { Keep(kutrace_dequeue(queue)); }
inline void resource(uint32_t number) { Keep(kutrace_resource(number)); }
inline void name_queue(uint32_t queue, const char *name) { Keep(kutrace_name_queue(queue, name)); }
inline void name_resource(uint32_t number, const char *name) { Keep(kutrace_name_resource(number, name)); }

inline void go(const char *process_name) { Keep(kutrace_go(process_name)); }
inline void goipc(const char *process_name) { Keep(kutrace_goipc(process_name)); }
inline void goipcwrap(const char *process_name) { Keep(kutrace_goipcwrap(process_name)); }
inline void gowrap(const char *process_name) { Keep(kutrace_gowrap(process_name)); }
inline void stop(const char *fname) { Keep(kutrace_stop(fname)); }
inline bool test() { return kutrace_test() != 0; }

inline void DoDump(const char *fname) { Keep(kutrace_do_dump(fname)); }
inline void DoFlush() { Keep(kutrace_do_flush()); }
inline void DoInit(const char *process_name) { Keep(kutrace_do_init(process_name)); }
inline bool DoOff() { return Keep(kutrace_do_off()); }
inline bool DoOn() { return Keep(kutrace_do_on()); }
inline void DoReset(u64 control_flags) { Keep(kutrace_do_reset(control_flags)); }
inline bool DoTest() { return kutrace_test() != 0; }

inline void DoQuit()
{
	kutrace_do_quit();
	exit(0);
}

inline void DoStat(u64 control_flags)
{
	int64_t bytes = kutrace_do_stat();

	(void)control_flags;
	if (Keep(bytes))
		printf("Stat: %lld KB of trace buffer used\n",
		       static_cast<long long>(bytes / 1024));
}

inline u64 DoControl(u64 command, u64 arg) { return kutrace_do_control(command, arg); }

/* ipair ends with a name that is NULL; n: the code of the kind of name. */
inline void EmitNames(const NumNamePair *ipair, u64 n)
{
	Keep(kutrace_emit_names(ipair, n));
}

/* str has room for 8 characters. */
inline const char *Base40ToChar(u64 base40, char *str)
{
	return kutrace_base40_to_char(base40, str);
}

inline u64 CharToBase40(const char *str) { return kutrace_char_to_base40(str); }
inline int64 GetUsec() { return kutrace_get_usec(); }

/* str has room for KUTRACE_FILE_NAME_BYTES. */
inline const char *MakeTraceFileName(const char *name, char *str)
{
	return kutrace_make_trace_file_name(name, str);
}

inline void msleep(int msec) { kutrace_msleep(msec); }
inline int64 readtime() { return kutrace_readtime(); }
inline bool TestModule() { return kutrace_test_module() != 0; }
inline u64 VersionModule() { return kutrace_version_module(); }

} // namespace kutrace

#endif
