/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause */
/*
 * Interface of kutrace.ko and user space, except the layout of entries (kutrace_events.h); see
 * kutrace(4). Most structs begin with their length, and have reserved fields, which must be zero.
 * Every command returns -EINVAL for a reserved field that is not zero, an unknown flag, or the bit
 * of an unknown kind, so that a later version can use them.
 *
 * Device: /dev/kutrace/control.
 *
 *   open     O_RDONLY is enough for marks, for typed tracepoints and for the meta page. Commands
 *            that change or read a recording need control: CAP_PERFMON, CAP_SYS_ADMIN, or opening
 *            for writing. If the module parameter marks_all is on, everyone can open the device: an
 *            opener without these capabilities must then also be in the group of the parameter gid.
 *   ioctl    see below. A 32-bit program uses the same commands, but marks by MARK_ENTRY.
 *   mmap     read-only. Offset 0: struct kutrace_meta_page, followed by the block table (meta_bytes
 *            in all). Offset KUTRACE_MMAP_BLOCKS + i * KUTRACE_BLOCK_BYTES: block i. Offset
 *            KUTRACE_MMAP_AUX: the name table.
 *   poll     EPOLLIN: a block was filled since this file's last KUTRACE_IOC_INFO, or recording has
 *            stopped. EPOLLPRI: a trigger has fired, and its post-trigger interval is complete.
 *
 * Sessions: an open file has a session, at first the main session. The main session exists as long
 * as the module is loaded, and has the size given at load. SESSION_CREATE and SESSION_ATTACH select
 * another session, as long as nothing is mapped or polled. INFO, CONTROL, MASK, FILTER, TRIGGER,
 * FIRED, ATTEND, LOST, mmap and poll apply to the file's session. Marks and typed tracepoints go to
 * every session that records these kinds.
 */
#ifndef KUTRACE_ABI_H
#define KUTRACE_ABI_H

#ifdef __KERNEL__
#include <linux/types.h>
#include <linux/ioctl.h>
#else
#include <linux/types.h>
#include <sys/ioctl.h>
#endif

#define KUTRACE_DEVICE		"/dev/kutrace/control"
#define KUTRACE_ABI_VERSION	1
#define KUTRACE_MODULE_VERSION	4	/* result of command VERSION */

/*
 * Commands of KUTRACE_IOC_CONTROL. ~0 means refused.
 *
 * GETCOUNT to GETIPC4KB read a recording as one sequence of words: names, then the blocks of the
 * CPUs. The reader writes it to a file, and adds only the time in word 1 of each block and the
 * version in the first block. Refused while recording.
 */
enum kutrace_command {
	KUTRACE_CMD_OFF = 0,
	KUTRACE_CMD_ON = 1,		/* result 1 */
	KUTRACE_CMD_FLUSH = 2,		/* pads partial blocks */
	KUTRACE_CMD_RESET = 3,		/* arg: KUTRACE_RESET_* */
	KUTRACE_CMD_STAT = 4,		/* number of used blocks */
	KUTRACE_CMD_GETCOUNT = 5,	/* number of words; complemented if wrapped */
	KUTRACE_CMD_GETWORD = 6,	/* arg: index of a word */
	/*
	 * Return the number of recorded words; 0 while recording is off. The complements of these
	 * two commands also insert while recording is off.
	 */
	KUTRACE_CMD_INSERT1 = 7,	/* arg: entry of a point, timestamp 0; 0: query only */
	KUTRACE_CMD_INSERTN = 8,	/* arg: pointer to a name entry, 8 words */
	KUTRACE_CMD_GETIPCWORD = 9,	/* arg: index of eight bytes; 1024 per block */
	KUTRACE_CMD_TEST = 10,		/* 1 = recording */
	KUTRACE_CMD_VERSION = 11,
	KUTRACE_CMD_SET4KB = 12,	/* arg: index of a word, multiple of 512 */
	KUTRACE_CMD_GET4KB = 13,	/* arg: pointer; copies from this process's index */
	KUTRACE_CMD_GETIPC4KB = 14,	/* arg: pointer; 4096: nothing copied */
	KUTRACE_CMD_INFO = 15,		/* arg: struct kutrace_info *; like KUTRACE_IOC_INFO */
};

#define KUTRACE_RESET_IPC	1
#define KUTRACE_RESET_WRAP	2
#define KUTRACE_RESET_LLC	4
/* With WRAP only: each CPU has a share of the blocks and overwrites only its own oldest block. */
#define KUTRACE_RESET_PERCPU	8

/* Causes for which an event is not in the trace. */
enum kutrace_lost_cause {
	KUTRACE_LOST_FULL,	/* stop mode: no block left */
	KUTRACE_LOST_NESTED,	/* NMI that needs a block, or comes while a block changes */
	KUTRACE_LOST_NOBLOCK,	/* wrap mode: CPUs use all blocks */
	KUTRACE_LOST_NAMES,	/* dropped name of an event in the buffer */
	KUTRACE_LOST_PROBE,	/* return probe without a free instance */
	KUTRACE_LOST_RATE,	/* mark above the user's rate */
	KUTRACE_LOST_CAUSES
};

/* Names of the causes in traces and programs, by number. */
#define KUTRACE_LOST_LABELS \
	{ "full", "nested", "noblock", "names", "probe", "rate" }

enum kutrace_backend {
	KUTRACE_BACKEND_NONE,
	KUTRACE_BACKEND_TRACEPOINTS,
	KUTRACE_BACKEND_PATCHED,
};

/* Limits of a back end: what it cannot record, or cannot record exactly. */
enum kutrace_caveat {
	KUTRACE_CAVEAT_SCHED_ENTRY = 1 << 0,	/* no scheduler entry and exit */
	KUTRACE_CAVEAT_FAULT_END = 1 << 1,	/* page fault ends with handle_mm_fault() */
	KUTRACE_CAVEAT_TRAPS = 1 << 2,		/* only traps that raise a signal */
	KUTRACE_CAVEAT_IRQ_ACTION = 1 << 3,	/* interrupts per action, not vector */
	KUTRACE_CAVEAT_IPI_SEND = 1 << 4,	/* no IPI sends */
	KUTRACE_CAVEAT_PC = 1 << 5,		/* no PC samples */
	KUTRACE_CAVEAT_NMI_TIME = 1 << 6,	/* NMI handlers instead of whole NMIs */
	KUTRACE_CAVEAT_FAULT_NO_END = 1 << 7,	/* no end of page faults */
	KUTRACE_CAVEAT_LOCKS = 1 << 8,		/* not all waits for spinlocks, no futexes */
	KUTRACE_CAVEAT_LOCK_HOLDER = 1 << 9,	/* no releases of locks */
	KUTRACE_CAVEAT_FAULT_LATE = 1 << 10,	/* page fault begins with handle_mm_fault() */
	KUTRACE_CAVEAT_FAULT_NONE = 1 << 11,	/* no page faults */
	KUTRACE_CAVEAT_CALLS_DIRECT = 1 << 12,	/* no earlier calls, no unknown numbers */
	KUTRACE_CAVEAT_CLOCK = 1 << 13,		/* time counter is unstable, or jumped */
	KUTRACE_CAVEAT_TRAPS_SOME = 1 << 14,	/* not all exceptions in the kernel */
	KUTRACE_CAVEAT_THROTTLED = 1 << 15,	/* no throttling of cgroups */
	KUTRACE_CAVEAT_PRIORITIES = 1 << 16,	/* no changes of priorities */
};

/* Names of the caveats in traces and programs, by bit. */
#define KUTRACE_CAVEAT_LABELS \
	{ "sched_entry", "fault_end", "traps", "irq_action", "ipi_send", "pc", \
	  "nmi_time", "fault_no_end", "locks", "lock_holder", "fault_late", \
	  "fault_none", "calls_direct", "clock", "traps_some", "throttled", \
	  "priorities" }

/* Tracepoints that no release of Linux has. A bit is set if the module uses the tracepoint. */
enum kutrace_tracepoint {
	KUTRACE_TRACEPOINT_SYSCALL_BEGIN = 1 << 0,
	KUTRACE_TRACEPOINT_EXCEPTION_ENTRY = 1 << 1,
	KUTRACE_TRACEPOINT_DEVICE_INTERRUPT_ENTRY = 1 << 2,
	KUTRACE_TRACEPOINT_NMI_ENTRY = 1 << 3,
};

/* Names of these tracepoints, by bit. */
#define KUTRACE_TRACEPOINT_LABELS \
	{ "syscall_begin", "exception_entry", "device_interrupt_entry", "nmi_entry" }

/* The two clocks, read together. */
struct kutrace_pair {
	__u64 counts;		/* time counter after the shift */
	__u64 real_ns;		/* CLOCK_REALTIME */
};

/* Element of the block table, which is indexed by block number. */
struct kutrace_block {
	__u64 seq;		/* 0: never taken; increases each time that any block is taken */
	__u32 cpu;
	__u32 state;		/* KUTRACE_BLOCK_* */
};

#define KUTRACE_BLOCK_FREE	0
#define KUTRACE_BLOCK_CURRENT	1	/* a CPU writes to it */
#define KUTRACE_BLOCK_DONE	2

/*
 * Page 0 of the mapping. A program that marks checks @active: it is not 0 while events are
 * recorded. It has no other meaning.
 */
struct kutrace_meta_page {
	__u32 length;		/* bytes of this struct */
	__u32 abi_version;
	__u32 active;
	__u32 nblocks;
	__u64 meta_bytes;	/* size to map: this struct and the table, rounded up to pages */
	__u64 table_offset;	/* offset of struct kutrace_block[nblocks] */
	__u64 aux_bytes;
	__u64 reserved[27];
};

/* Filled by KUTRACE_IOC_INFO; the caller sets length. */
struct kutrace_info {
	__u32 length;		/* bytes of this struct */
	__u32 abi_version;
	__u32 backend;		/* enum kutrace_backend */
	__u32 recording;	/* 1 = on */
	__u32 flags;		/* KUTRACE_RESET_* of the last reset */
	__u32 wrapped;		/* 1 = blocks were overwritten */
	__u32 nblocks;		/* number of blocks in the ring */
	__u32 used_blocks;	/* blocks that contain data */
	__u64 taken_blocks;	/* blocks taken since the reset */
	__u32 categories;	/* attached KUTRACE_MASK_* */
	__u32 caveats;		/* KUTRACE_CAVEAT_* */
	__u64 clock_khz;	/* frequency of the unshifted counter */
	__u32 clock_shift;
	__u32 ncpus;		/* highest possible CPU + 1 */
	struct kutrace_pair start;	/* at the first ON after the reset; 0: never on */
	struct kutrace_pair stop;	/* at the last OFF; while recording: now */
	__u32 start_cpu;	/* CPU and task that called ON */
	__u32 start_pid;
	char start_comm[16];
	__u64 lost[8];		/* since the reset, indexed by enum kutrace_lost_cause */
	__u64 aux_first;	/* offset of the oldest name */
	/* offset after the newest name; position of a name: offset & (aux_bytes - 1) */
	__u64 aux_last;
	__u64 emit_ps;		/* measured cost of one event at load, ps; 0: not measured */
	__u64 kinds;		/* recorded kinds: bits of enum kutrace_kind */
	__u32 session;		/* number of the session */
	__u32 sessions;		/* number of sessions that record now, including this one */
	__u32 filtered;		/* 1 = the session has a filter */
	__u32 triggers;		/* number of triggers that wait */
	__u32 fired;		/* number of firings since the reset */
	__u32 attended;		/* 1 = bound to a file: ends when the file is closed */
	char name[32];		/* name of the session */
	__u64 share_blocks;	/* blocks of the smallest share (RESET_PERCPU); 0: no shares */
	__u64 added_tracepoints;	/* KUTRACE_TRACEPOINT_* that the module uses */
	__u64 reserved[5];
};

/*
 * Entry of the name table, with the layout of ttrace. All entries from aux_first to aux_last are
 * complete: an entry is reserved and filled under one lock. So KUTRACE_AUX_INVALID, which means to
 * ttrace that an entry is being filled, is never set. Entries are aligned to 8 bytes, have at most
 * KUTRACE_AUX_MAX bytes, and may wrap from the end of the buffer to its start.
 *
 * Entries are not in order of time. When the buffer is nearly full, the oldest entries are dropped
 * if no readable event needs them; otherwise they are moved after the newest entry. So a reader
 * copies the entries from aux_first to aux_last, and then reads both offsets again. It drops
 * entries before the new aux_first. If there are such entries, it also copies the entries after the
 * old aux_last, and repeats this until nothing was moved.
 */
struct kutrace_aux_entry {
	__u32 head;		/* KUTRACE_AUX_INVALID | length << 1; bytes of the entry */
	__u16 base;		/* KUTRACE_NAME_* */
	__u16 cpu;
	__u64 counts;		/* time of the name, a full time count */
	__u32 number;		/* number of the named object: pid, interrupt ... */
	__u32 pid;		/* task that ran on @cpu at that time */
	/*
	 * name: length - 24 bytes, padded with NUL to a multiple of 8. After a pid's name: NUL,
	 * enum kutrace_task_kind
	 */
};

#define KUTRACE_AUX_BYTES	(1024 * 1024)	/* usual size; the actual size is aux_bytes */
#define KUTRACE_AUX_INVALID	1
#define KUTRACE_AUX_HEADER	24
#define KUTRACE_AUX_MAX		80	/* the header and 56 bytes of name */

/*
 * KUTRACE_IOC_CONTROL. The caller sets command and arg; result ~0 means refused. -EINVAL: unknown
 * flag of RESET. -ENOMEM, -EDQUOT, -EINTR: RESET or ON could not get its memory, or was
 * interrupted. -ENOBUFS: KUTRACE_RESET_PERCPU with fewer than two blocks for each online CPU.
 * Commands without an argument ignore arg, as in KUtrace 3.
 */
struct kutrace_control {
	__u64 command;
	__u64 arg;
	__u64 result;
};

#define KUTRACE_MMAP_META	0ULL
#define KUTRACE_MMAP_AUX	(1ULL << 40)
#define KUTRACE_MMAP_BLOCKS	(1ULL << 41)
/*
 * KUTRACE_IPC_BYTES for each block, one byte for each word. Exists after the first reset with
 * KUTRACE_RESET_IPC or KUTRACE_RESET_LLC. The bytes are valid only if the last reset had one of
 * these flags.
 */
#define KUTRACE_MMAP_BYTES	(1ULL << 42)

#define KUTRACE_IOC_MAGIC	0xBB
#define KUTRACE_IOC_INFO	_IOWR(KUTRACE_IOC_MAGIC, 1, struct kutrace_info)
#define KUTRACE_IOC_CONTROL	_IOWR(KUTRACE_IOC_MAGIC, 2, struct kutrace_control)
/*
 * Mark with little overhead: arg is not a pointer but the low 44 bits of the entry, event << 32 |
 * arg. Accepts points of category MARK, and those of LOCK and NET from user space. Returns -EINVAL
 * for other events, otherwise 0, also while nothing is recorded.
 */
#define KUTRACE_IOC_MARK	_IO(KUTRACE_IOC_MAGIC, 3)

/* ---- sessions ---- */

#define KUTRACE_SESSIONS	16	/* limit, including the main session */
#define KUTRACE_SESSION_MAIN	"main"

/*
 * CREATE: in name ("": the module chooses one), mb (0: size of the main session), flags, kinds (0:
 * all). -EEXIST, -ENOSPC, -ENOMEM. The file then has this session.
 * ATTACH, DESTROY and LIST do not use flags and kinds, so they accept a struct that LIST has
 * filled.
 * ATTACH: in name, or if it is "", id. -ENOENT. -EACCES: another user owns the session, and the
 * opener has neither CAP_PERFMON nor CAP_SYS_ADMIN. -EBUSY: this file has mapped or polled.
 * DESTROY: in as ATTACH. The recording ends. Files of the session keep their mappings; other
 * operations return -ENODEV. -EPERM: the main session.
 * LIST: in id; out the session with the lowest id that is at least this id. -ENOENT.
 * All of them fill the struct.
 */
struct kutrace_session {
	__u32 length;		/* bytes of this struct */
	__u32 id;
	char name[32];		/* a-z A-Z 0-9 . _ -, NUL-terminated */
	__u32 mb;
	__u32 flags;		/* KUTRACE_SESSION_* */
	__u64 kinds;
	__u32 owner_uid;	/* creator */
	__u32 owner_pid;
	char owner_comm[16];
	__u32 recording;	/* 1 = on */
	__u32 wrap;		/* 1 = wrap mode at the last reset */
	__u32 nblocks;
	__u32 used_blocks;
	__u64 reserved[6];
};

/* Keep the session when the file that created it is closed; otherwise it is destroyed. */
#define KUTRACE_SESSION_KEEP	1

/*
 * Mask of a session: one bit for each kind of event, KUTRACE_KIND_* in kutrace_events.h. A category
 * is the sum of its kinds. Out: old, and the new kinds = (old & ~mask) | (value & mask). Allowed
 * while recording. -EINVAL: value or mask has the bit of an unknown kind; KUTRACE_KINDS_ALL has all
 * known kinds.
 */
struct kutrace_switch {
	__u64 value;
	__u64 mask;
	__u64 old;
	__u64 kinds;
};

/*
 * Filter of a session. A task is selected if its thread id, process id or process group is listed,
 * or its cgroup or a parent of it. Without such lists all tasks are selected. CPUs: one bit each;
 * no bit selects all CPUs. While a CPU runs another task, it is recorded as running
 * KUTRACE_PID_OTHER, "-other-". Wakeups of selected tasks are recorded, whatever task makes them. A
 * struct with only a length removes the filter. Ids of threads, processes and groups are those of
 * the initial pid namespace, here and in triggers and events.
 */
#define KUTRACE_FILTER_PIDS	32
#define KUTRACE_FILTER_GROUPS	8
#define KUTRACE_FILTER_CGROUPS	8
#define KUTRACE_FILTER_CPUS	4096
#define KUTRACE_PID_OTHER	0x400000	/* higher than any pid */

struct kutrace_filter {
	__u32 length;		/* bytes of this struct */
	__u32 npids;
	__u32 ngroups;
	__u32 ncgroups;
	__u32 pids[KUTRACE_FILTER_PIDS];
	__u32 groups[KUTRACE_FILTER_GROUPS];	/* process groups */
	__u64 cgroups[KUTRACE_FILTER_CGROUPS];	/* inode numbers, cgroup v2 */
	__u64 cpus[KUTRACE_FILTER_CPUS / 64];
	__u64 reserved[8];
};

/*
 * A condition for which a session waits while it records. When it occurs, recording continues for
 * after_ms and then ends (with NOTIFY it does not end), and poll on the file returns EPOLLPRI. Only
 * the first trigger that fires counts. A reset or a TRIGGER of kind NONE removes all triggers.
 * -ENOSPC: more than KUTRACE_TRIGGERS. -EOPNOTSUPP: this kernel cannot show the condition.
 */
#define KUTRACE_TRIGGERS	8

enum kutrace_trigger_kind {
	KUTRACE_TRIGGER_NONE,
	KUTRACE_TRIGGER_SYSCALL,	/* number: as in event (0x800 + n), ~0 = any */
	KUTRACE_TRIGGER_SOFTIRQ,	/* number of the softirq, ~0 = any */
	KUTRACE_TRIGGER_IRQ,		/* number: low byte of the event number, ~0 = any */
	KUTRACE_TRIGGER_TRAP,		/* number of the trap, ~0 = any */
	KUTRACE_TRIGGER_RUNQ,		/* task runnable, but not running */
	KUTRACE_TRIGGER_MARKS,		/* from mark number to mark number2, in base 40 */
	KUTRACE_TRIGGER_MARK,		/* mark number, in base 40 */
	KUTRACE_TRIGGER_SIGNAL,		/* signal number generated; ~0 = any */
	KUTRACE_TRIGGER_EXIT,		/* process ends with status number; ~0 = any except 0 */
	KUTRACE_TRIGGER_KINDS
};

struct kutrace_trigger {
	__u32 length;		/* bytes of this struct */
	__u32 kind;		/* enum kutrace_trigger_kind */
	__u64 over_ns;		/* kinds SYSCALL to MARKS: limit of the duration */
	__u32 number;
	__u32 number2;
	__u32 pid;		/* only this thread or process; 0: any */
	__u32 after_ms;
	__u32 flags;		/* KUTRACE_TRIGGER_NOTIFY */
	__u32 index;		/* out */
	__u64 reserved[6];
};

#define KUTRACE_TRIGGER_NOTIFY	1	/* recording continues, and the trigger waits again */

/* Last trigger that fired; fired = 0: none. The status of EXIT is as in wait(). */
struct kutrace_fired {
	__u32 length;		/* bytes of this struct */
	__u32 fired;		/* number of firings since the reset */
	struct kutrace_trigger trigger;
	__u64 counts;		/* time of detection */
	__u64 ns;		/* duration */
	__u32 number;		/* system call, signal, status ... */
	__u32 cpu;
	__u32 pid;		/* task concerned */
	__u32 done;		/* 1 = the post-trigger interval is complete */
	char comm[16];
	/* number of durations that could not be measured, since the reset */
	__u64 missed;
	__u64 reserved[7];
};

#define KUTRACE_IOC_SESSION_CREATE  _IOWR(KUTRACE_IOC_MAGIC, 4, struct kutrace_session)
#define KUTRACE_IOC_SESSION_ATTACH  _IOWR(KUTRACE_IOC_MAGIC, 5, struct kutrace_session)
#define KUTRACE_IOC_SESSION_DESTROY _IOWR(KUTRACE_IOC_MAGIC, 6, struct kutrace_session)
#define KUTRACE_IOC_SESSION_LIST    _IOWR(KUTRACE_IOC_MAGIC, 7, struct kutrace_session)
#define KUTRACE_IOC_MASK	_IOWR(KUTRACE_IOC_MAGIC, 8, struct kutrace_switch)
#define KUTRACE_IOC_FILTER	_IOW(KUTRACE_IOC_MAGIC, 9, struct kutrace_filter)
#define KUTRACE_IOC_TRIGGER	_IOWR(KUTRACE_IOC_MAGIC, 10, struct kutrace_trigger)
#define KUTRACE_IOC_FIRED	_IOWR(KUTRACE_IOC_MAGIC, 11, struct kutrace_fired)
/*
 * arg 1 binds the recording to the file: it ends when the file is closed for any reason, for
 * example because the program was killed. arg 0 removes this binding. -EBUSY: it is bound to
 * another file.
 */
#define KUTRACE_IOC_ATTEND	_IO(KUTRACE_IOC_MAGIC, 12)
/* Keeps the session when the file that created it is closed. arg 0. */
#define KUTRACE_IOC_SESSION_KEEP _IO(KUTRACE_IOC_MAGIC, 13)

/* Lost events of each kind, of all causes, since the reset. */
struct kutrace_lost {
	__u32 length;		/* bytes of this struct */
	__u32 nkinds;		/* number of kinds that the module has */
	__u64 reserved[3];
	__u64 kinds[64];	/* indexed by enum kutrace_kind */
};

#define KUTRACE_IOC_LOST	_IOWR(KUTRACE_IOC_MAGIC, 14, struct kutrace_lost)

/* ---- typed tracepoints ---- */

/*
 * DEFINE returns the id (1 to 65535) of a definition; the same text has the same id.
 * BYTE binds the byte at @address, in private writable memory of the caller: the module sets it to
 * 1 while a session records the tracepoint, otherwise to 0.
 * POINT records an event: id, and up to seven words of payload.
 * FORGET (arg: the address) releases the byte: after the return nothing writes to it. -ENOENT: no
 * such byte. Closing the file, or unmapping its meta page, also releases the bytes. A write in
 * progress may then still reach memory that has not been unmapped. A process that has mapped the
 * meta page may close the descriptor and keep its bytes. A byte belongs to a process: a child does
 * not inherit its parent's bytes, and binds its own, also by the same file.
 * These commands need no control.
 * SWITCH needs control: in name, a pattern with * and ?, and value; out count, the number of
 * tracepoints switched, and behind, the number of bytes that could not be written. -ENOENT: none.
 * LIST needs control: as SESSION_LIST.
 *
 * A definition is "NAME TYPE FIELD, TYPE FIELD ...|FORMAT"; see kutrace-trace(5).
 */
#define KUTRACE_POINT_IDS	65536
#define KUTRACE_POINT_WORDS	7
#define KUTRACE_POINT_DEF_BYTES	400

struct kutrace_point_def {
	__u32 length;		/* bytes of this struct */
	__u32 id;
	__u32 on;		/* switched on */
	__u32 defined;		/* number of times it was defined */
	__u64 reserved[4];
	char text[KUTRACE_POINT_DEF_BYTES];	/* NUL-terminated */
};

struct kutrace_point_entry {
	__u32 id;
	__u32 nwords;
	__u64 words[KUTRACE_POINT_WORDS];
};

struct kutrace_point_byte {
	__u32 length;		/* bytes of this struct */
	__u32 id;
	__u64 address;
	__u64 reserved;
};

struct kutrace_point_switch {
	__u32 length;		/* bytes of this struct */
	__u32 value;		/* 1 = on, 0 = off */
	__u32 count;
	__u32 behind;
	char name[64];
};

#define KUTRACE_IOC_POINT_DEFINE _IOWR(KUTRACE_IOC_MAGIC, 16, struct kutrace_point_def)
#define KUTRACE_IOC_POINT	_IOW(KUTRACE_IOC_MAGIC, 17, struct kutrace_point_entry)
#define KUTRACE_IOC_POINT_LIST	_IOWR(KUTRACE_IOC_MAGIC, 18, struct kutrace_point_def)
#define KUTRACE_IOC_POINT_SWITCH _IOWR(KUTRACE_IOC_MAGIC, 19, struct kutrace_point_switch)
#define KUTRACE_IOC_POINT_BYTE	_IOW(KUTRACE_IOC_MAGIC, 20, struct kutrace_point_byte)
#define KUTRACE_IOC_POINT_FORGET _IO(KUTRACE_IOC_MAGIC, 21)

/*
 * A mark like KUTRACE_IOC_MARK, by pointer. Programs whose long has 32 bits need it, because their
 * ioctl cannot pass 44 bits as a number. All structs of this file have the same layout in such
 * programs.
 */
struct kutrace_mark {
	__u64 entry;		/* event << 32 | arg; -EINVAL if a higher bit is set */
};

#define KUTRACE_IOC_MARK_ENTRY	_IOW(KUTRACE_IOC_MAGIC, 22, struct kutrace_mark)

#endif
