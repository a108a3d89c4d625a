/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The C++ interface of the KUtrace User Guide, with the guide's names and signatures. All
 * functions are inline wrappers of libkutrace, so only -lkutrace is linked.
 *
 * Only DoStat and TestModule print: DoStat one line on stdout, TestModule one line on stderr if
 * there is no module. Only DoQuit exits, as the guide requires. LastError() returns the error of
 * functions that return nothing.
 */
#ifndef KUTRACE_LIB_H
#define KUTRACE_LIB_H

#if __cplusplus < 201103L
#error "kutrace_lib.h needs C++11 or later: compile with -std=c++11"
#endif

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"
#include "libkutrace.h"

/* Types of the original's header, defined as in its basetypes.h. */
typedef uint32_t u32;
typedef unsigned long long u64;
typedef long long s64;
typedef struct kutrace_num_name NumNamePair;

/*
 * The names of commands and events in the original that are neither in kutrace_abi.h nor in
 * kutrace_events.h.
 */
#define KUTRACE_NOP		0
#define KUTRACE_FILENAME	KUTRACE_NAME_FILE
#define KUTRACE_PIDNAME		KUTRACE_NAME_PID
#define KUTRACE_METHODNAME	KUTRACE_NAME_METHOD
#define KUTRACE_TRAPNAME	KUTRACE_NAME_TRAPNAME
#define KUTRACE_INTERRUPTNAME	KUTRACE_NAME_IRQNAME
#define KUTRACE_TIMEPAIR	KUTRACE_NAME_TIMEPAIR
#define KUTRACE_LOCKNAME	KUTRACE_NAME_LOCKNAME
#define KUTRACE_SYSCALL64NAME	KUTRACE_NAME_SYS64NAME
#define KUTRACE_SYSCALL32NAME	KUTRACE_NAME_SYS32NAME
#define KUTRACE_ERRNONAME	KUTRACE_NAME_ERRNO
#define KUTRACE_PACKETNAME	KUTRACE_NAME_PACKET
#define KUTRACE_PC_TEMP		KUTRACE_PC_OLD
#define KUTRACE_KERNEL_VER	KUTRACE_NAME_KERNELVER
#define KUTRACE_MODEL_NAME	KUTRACE_NAME_CPUMODEL
#define KUTRACE_HOST_NAME	KUTRACE_NAME_HOSTNAME
#define KUTRACE_QUEUE_NAME	KUTRACE_NAME_QUEUENAME
#define KUTRACE_RES_NAME	KUTRACE_NAME_RESNAME
#define KUTRACE_VARLENLO	(1 << KUTRACE_NAME_LEN_SHIFT)	/* first name entry */
#define KUTRACE_VARLENHI	(KUTRACE_USERPID - 1)		/* last name entry */
#define KUTRACE_MAX_SPECIAL	(KUTRACE_PC_U - 1)		/* last point event */
#define KUTRACE_LEFTMARK	KUTRACE_MADE_LEFTMARK
#define KUTRACE_RIGHTMARK	KUTRACE_MADE_RIGHTMARK
#define KUTRACE_LOCKNOACQUIRE	KUTRACE_LOCKNOACQ
#define KUTRACE_LOCKACQUIRE	KUTRACE_LOCKACQ
#define KUTRACE_MONITORSTORE	KUTRACE_MONITORST
#define KUTRACE_MONITOREXIT	KUTRACE_MONITOREX
#define KUTRACE_LOCK_HELD	KUTRACE_MADE_LOCKHELD
#define KUTRACE_LOCK_TRY	KUTRACE_MADE_LOCKTRY
#define KUTRACE_WAITA		KUTRACE_MADE_WAITA
#define KUTRACE_WAITZ		KUTRACE_MADE_WAITZ
#define KUTRACE_TRAP		KUTRACE_CALL_TRAP
#define KUTRACE_IRQ		KUTRACE_CALL_IRQ
#define KUTRACE_TRAPRET		KUTRACE_RET_TRAP
#define KUTRACE_IRQRET		KUTRACE_RET_IRQ
#define KUTRACE_SYSCALL64	KUTRACE_CALL_SYSCALL64
#define KUTRACE_SYSRET64	KUTRACE_RET_SYSCALL64
#define KUTRACE_SYSCALL32	KUTRACE_CALL_SYSCALL32
#define KUTRACE_SYSRET32	KUTRACE_RET_SYSCALL32
#define KUTRACE_DNA		7	/* trap: device not available */
#define KUTRACE_LOCAL_TIMER_VECTOR KUTRACE_VECTOR_LOCAL_TIMER
#define KUTRACE_BOTTOM_HALF	(KUTRACE_CALL_BH - KUTRACE_CALL_IRQ)

namespace kutrace {

using ::u64;
typedef long long int64;
using ::NumNamePair;

/* Returns a reference to the error of this thread's last call: 0 or a negative errno. */
inline int &LastErrorSlot()
{
	static thread_local int error = 0;

	return error;
}

inline int LastError()
{
	return LastErrorSlot();
}

/* Stores the error of @ret, or 0. Returns true if @ret is not an error. */
inline bool Keep(int64_t ret)
{
	LastErrorSlot() = ret < 0 ? static_cast<int>(ret) : 0;
	return ret >= 0;
}

/* Marks. A mark costs a few instructions while nothing is recorded. */
inline void mark_a(const char *label) { kutrace_mark_a(label); }
inline void mark_b(const char *label) { kutrace_mark_b(label); }
inline void mark_c(const char *label) { kutrace_mark_c(label); }
inline void mark_d(u64 n) { kutrace_mark_d(n); }

/*
 * Returns the number of recorded words: 1, or 0 while nothing is recorded. An error, for example
 * without a module, is a negative number when read as signed.
 */
inline u64 addevent(u64 eventnum, u64 arg)
{
	int words = kutrace_addevent_words(eventnum, arg);

	Keep(words);
	return static_cast<u64>(static_cast<int64>(words));
}

inline u64 DoEvent(u64 eventnum, u64 arg) { return addevent(eventnum, arg); }

/* Adds a name. @eventnum: kind of name, for example KUTRACE_LOCKNAME. @number: the named object. */
inline void addname(u64 eventnum, u64 number, const char *name)
{
	Keep(kutrace_addname(eventnum, number, name));
}

/* Records a mark. @n: event number of the mark. The guide calls this function redundant. */
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

/*
 * Puts the names into the recording. The list @ipair ends with a name that is NULL. @n: kind of
 * name.
 */
inline void EmitNames(const NumNamePair *ipair, u64 n)
{
	Keep(kutrace_emit_names(ipair, n));
}

/* Unpacks a label. @str has room for 8 characters. */
inline const char *Base40ToChar(u64 base40, char *str)
{
	return kutrace_base40_to_char(base40, str);
}

inline u64 CharToBase40(const char *str) { return kutrace_char_to_base40(str); }
inline int64 GetUsec() { return kutrace_get_usec(); }

/* Makes a name of a trace file. @str has room for KUTRACE_FILE_NAME_BYTES. */
inline const char *MakeTraceFileName(const char *name, char *str)
{
	return kutrace_make_trace_file_name(name, str);
}

inline void msleep(int msec) { kutrace_msleep(msec); }
inline int64 readtime() { return kutrace_readtime(); }
/*
 * If there is no module, prints a message, because the control program of KUtrace 3 then exits
 * without a message.
 */
inline bool TestModule()
{
	if (kutrace_test_module())
		return true;
	fprintf(stderr, "KUtrace module/code not loaded; try: kutrace_control doctor\n");
	return false;
}

inline u64 VersionModule() { return kutrace_version_module(); }

} // namespace kutrace

#endif
