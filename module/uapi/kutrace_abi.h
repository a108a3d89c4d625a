/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause */
/*
 * What crosses between kutrace.ko and user space, other than the entries
 * themselves (kutrace_events.h). Every struct starts with its own length and
 * has reserved space that must be zero. Every command answers -EINVAL to a reserved
 * field that is not zero, to an unknown flag and to the bit of an unknown kind, so
 * that a later version can give them a meaning.
 *
 * Device: /dev/kutrace/control.
 *
 *   open     O_RDONLY is enough for marks and for the meta page; the commands
 *            that change or read a recording want CAP_PERFMON, CAP_SYS_ADMIN,
 *            or that the device's permissions let you open it O_RDWR and
 *            the module parameter marks_all is off (with it on, mode 0666 says
 *            nothing, so group gid or a capability is required).
 *   ioctl    below. MARK is for every opener, INFO and CONTROL as above. A 32-bit
 *            program uses the same commands, except that it marks by MARK_ENTRY.
 *   mmap     read-only. Page offset 0: struct kutrace_meta_page and the block
 *            table behind it (meta_bytes in all). Byte offset
 *            KUTRACE_MMAP_BLOCKS + i * KUTRACE_BLOCK_BYTES: block i. Byte
 *            offset KUTRACE_MMAP_AUX: the auxiliary name buffer.
 *   poll     EPOLLIN when a block has been filled since this file's last
 *            KUTRACE_IOC_INFO, or when recording has stopped; EPOLLPRI when a
 *            trigger has fired and what was to be recorded after it has been.
 *
 * Sessions. Every opened file is of one session, at first of the main one, which
 * is there as long as the module is and has the size that the module was
 * loaded with; SESSION_CREATE and SESSION_ATTACH change that, before anything
 * of the file is mapped. INFO, CONTROL, MASK, FILTER, TRIGGER, ATTEND, LOST, mmap and
 * poll are about the file's session. Marks and typed tracepoints go to every
 * session that records and wants them.
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
#define KUTRACE_MODULE_VERSION	4	/* what command VERSION answers */

/*
 * Commands of KUTRACE_IOC_CONTROL. ~0 = refused.
 *
 * Reading (GETCOUNT to GETIPC4KB) is of one sequence of words, ready to be written
 * to a file but for the time in word 1 of each block, and the version in the first:
 * names, then what the CPUs recorded. It is refused while recording.
 */
enum kutrace_command {
	KUTRACE_CMD_OFF = 0,
	KUTRACE_CMD_ON = 1,		/* answers 1 */
	KUTRACE_CMD_FLUSH = 2,		/* pads partial blocks */
	KUTRACE_CMD_RESET = 3,		/* arg: KUTRACE_RESET_* */
	KUTRACE_CMD_STAT = 4,		/* blocks used */
	KUTRACE_CMD_GETCOUNT = 5,	/* words to read; complemented if wrapped */
	KUTRACE_CMD_GETWORD = 6,	/* arg: index of a word */
	/*
	 * They answer how many words were recorded: 0 while recording is off. Their
	 * complements insert then, too.
	 */
	KUTRACE_CMD_INSERT1 = 7,	/* arg: a point event, timestamp 0; 0: may I mark? */
	KUTRACE_CMD_INSERTN = 8,	/* arg: pointer to a name entry, 8 words */
	KUTRACE_CMD_GETIPCWORD = 9,	/* arg: index of eight bytes, 1024 a block */
	KUTRACE_CMD_TEST = 10,		/* 1 = recording */
	KUTRACE_CMD_VERSION = 11,
	KUTRACE_CMD_SET4KB = 12,	/* arg: index of a word, multiple of 512 */
	KUTRACE_CMD_GET4KB = 13,	/* arg: pointer; copies from where this process set */
	KUTRACE_CMD_GETIPC4KB = 14,	/* arg: pointer; likewise; 4096: there are none */
	KUTRACE_CMD_INFO = 15,		/* arg: struct kutrace_info *; as KUTRACE_IOC_INFO */
};

#define KUTRACE_RESET_IPC	1
#define KUTRACE_RESET_WRAP	2
#define KUTRACE_RESET_LLC	4
/* With WRAP only: each CPU overwrites only the oldest block of its share. */
#define KUTRACE_RESET_PERCPU	8

/* Why an event is not in the trace. */
enum kutrace_lost_cause {
	KUTRACE_LOST_FULL,	/* no block left, stop mode */
	KUTRACE_LOST_NESTED,	/* NMI where a block was needed, or inside a block switch */
	KUTRACE_LOST_NOBLOCK,	/* wrap mode: every block in use by a CPU */
	KUTRACE_LOST_NAMES,	/* name dropped that an event in the buffer has */
	KUTRACE_LOST_PROBE,	/* return probe had no instance left */
	KUTRACE_LOST_RATE,	/* mark of a user who makes too many */
	KUTRACE_LOST_CAUSES
};

/* What traces and programs call them, by number. */
#define KUTRACE_LOST_LABELS \
	{ "full", "nested", "noblock", "names", "probe", "rate" }

enum kutrace_backend {
	KUTRACE_BACKEND_NONE,
	KUTRACE_BACKEND_TRACEPOINTS,
	KUTRACE_BACKEND_PATCHED,
};

/* Things a hook back end cannot see, or sees inexactly. */
enum kutrace_caveat {
	KUTRACE_CAVEAT_SCHED_ENTRY = 1 << 0,	/* no scheduler entry and exit */
	KUTRACE_CAVEAT_FAULT_END = 1 << 1,	/* page fault ends at handle_mm_fault */
	KUTRACE_CAVEAT_TRAPS = 1 << 2,		/* traps seen by their signal only */
	KUTRACE_CAVEAT_IRQ_ACTION = 1 << 3,	/* interrupts per action, not vector */
	KUTRACE_CAVEAT_IPI_SEND = 1 << 4,	/* no IPI sends */
	KUTRACE_CAVEAT_PC = 1 << 5,		/* no PC samples */
	KUTRACE_CAVEAT_NMI_TIME = 1 << 6,	/* NMI handlers, not the whole NMI */
	KUTRACE_CAVEAT_FAULT_NO_END = 1 << 7,	/* no end of page faults at all */
	KUTRACE_CAVEAT_LOCKS = 1 << 8,		/* not every wait for a spinlock, no futex */
	KUTRACE_CAVEAT_LOCK_HOLDER = 1 << 9,	/* not who lets go of a lock */
	KUTRACE_CAVEAT_FAULT_LATE = 1 << 10,	/* page fault begins at handle_mm_fault */
	KUTRACE_CAVEAT_FAULT_NONE = 1 << 11,	/* no page faults at all */
	KUTRACE_CAVEAT_CALLS_DIRECT = 1 << 12,	/* not calls of before, nor of unknown numbers */
	KUTRACE_CAVEAT_CLOCK = 1 << 13,		/* time counter unstable, or it jumped */
	KUTRACE_CAVEAT_TRAPS_SOME = 1 << 14,	/* not all exceptions of the kernel */
};

/* Likewise, by bit. */
#define KUTRACE_CAVEAT_LABELS \
	{ "sched_entry", "fault_end", "traps", "irq_action", "ipi_send", "pc", \
	  "nmi_time", "fault_no_end", "locks", "lock_holder", "fault_late", \
	  "fault_none", "calls_direct", "clock", "traps_some" }

/* Tracepoints that no release of Linux has. A bit is set if the module uses the tracepoint. */
enum kutrace_tracepoint {
	KUTRACE_TRACEPOINT_SYSCALL_BEGIN = 1 << 0,
	KUTRACE_TRACEPOINT_EXCEPTION_ENTRY = 1 << 1,
	KUTRACE_TRACEPOINT_DEVICE_INTERRUPT_ENTRY = 1 << 2,
	KUTRACE_TRACEPOINT_NMI_ENTRY = 1 << 3,
};

/* Names of the begin tracepoints, by bit. */
#define KUTRACE_TRACEPOINT_LABELS \
	{ "syscall_begin", "exception_entry", "device_interrupt_entry", "nmi_entry" }

/* Two clocks read together. */
struct kutrace_pair {
	__u64 counts;		/* time counter, already shifted */
	__u64 real_ns;		/* CLOCK_REALTIME */
};

/* One per block, in the order of the block numbers. */
struct kutrace_block {
	__u64 seq;		/* 0 = never taken; grows with each taking of any block */
	__u32 cpu;
	__u32 state;		/* KUTRACE_BLOCK_* */
};

#define KUTRACE_BLOCK_FREE	0
#define KUTRACE_BLOCK_CURRENT	1	/* a CPU writes to it */
#define KUTRACE_BLOCK_DONE	2

/*
 * Page 0 of the mapping. active is the word that a mark looks at: it is not 0
 * while events are recorded, and nothing else may be derived from it.
 */
struct kutrace_meta_page {
	__u32 length;		/* of this struct, bytes */
	__u32 abi_version;
	__u32 active;
	__u32 nblocks;
	__u64 meta_bytes;	/* to map: this struct, then the table, page rounded */
	__u64 table_offset;	/* bytes to struct kutrace_block[nblocks] */
	__u64 aux_bytes;
	__u64 reserved[27];
};

/* KUTRACE_IOC_INFO fills it; the caller sets length. */
struct kutrace_info {
	__u32 length;		/* of this struct, bytes */
	__u32 abi_version;
	__u32 backend;		/* enum kutrace_backend */
	__u32 recording;	/* 1 = on */
	__u32 flags;		/* KUTRACE_RESET_* of the last reset */
	__u32 wrapped;		/* 1 = blocks were overwritten */
	__u32 nblocks;		/* the pool */
	__u32 used_blocks;	/* holding data */
	__u64 taken_blocks;	/* blocks taken since the reset */
	__u32 categories;	/* KUTRACE_MASK_* that are attached */
	__u32 caveats;		/* KUTRACE_CAVEAT_* */
	__u64 clock_khz;	/* of the unshifted counter */
	__u32 clock_shift;
	__u32 ncpus;		/* highest possible CPU + 1 */
	struct kutrace_pair start;	/* at the first ON after the reset; 0 = never on */
	struct kutrace_pair stop;	/* at the last OFF; while on: now */
	__u32 start_cpu;	/* where and as whom ON was called */
	__u32 start_pid;
	char start_comm[16];
	__u64 lost[8];		/* by enum kutrace_lost_cause, since the reset */
	__u64 aux_first;	/* running byte offsets into the aux buffer, */
	__u64 aux_last;		/* offset & (aux_bytes - 1) is where it is */
	__u64 emit_ps;		/* cost of one event measured at load, ps; 0 = not measured */
	__u64 kinds;		/* that this session records: a bit for each enum kutrace_kind */
	__u32 session;		/* its number */
	__u32 sessions;		/* how many are recording now, this one included */
	__u32 filtered;		/* 1 = it has a filter */
	__u32 triggers;		/* how many are waiting */
	__u32 fired;		/* how often one has fired since the reset */
	__u32 attended;		/* 1 = ends with the file that attends it */
	char name[32];		/* of the session */
	__u64 share_blocks;	/* of the smallest share, by KUTRACE_RESET_PERCPU; 0: no shares */
	__u64 added_tracepoints;	/* KUTRACE_TRACEPOINT_* that the module uses */
	__u64 reserved[5];
};

/*
 * An entry of the auxiliary name buffer (layout of ttrace). What lies from aux_first to
 * aux_last is whole: entries are reserved and filled under one lock, so none has
 * KUTRACE_AUX_INVALID set, which to ttrace says that it is being filled. Entries are
 * 8-byte aligned, KUTRACE_AUX_MAX bytes long at most, and may run over the end of the
 * buffer to its start. Their times are not in order: when there is little room the
 * oldest ones go if nothing that can be read has that name any more, else they move
 * behind the newest. So a reader that has copied what lies from aux_first to aux_last
 * asks for both again: what lies before aux_first then it has to drop, and if there is
 * such, to copy what lies behind the aux_last of before, too, until nothing was moved.
 */
struct kutrace_aux_entry {
	__u32 head;		/* KUTRACE_AUX_INVALID | length << 1; length in bytes, all */
	__u16 base;		/* KUTRACE_NAME_* */
	__u16 cpu;
	__u64 counts;		/* when, unshifted wrap: full time count */
	__u32 number;		/* what is named: pid, interrupt ... */
	__u32 pid;		/* of the task running on cpu then */
	/*
	 * name: length - 24 bytes, NUL padded to 8; after a pid's name: NUL, enum
	 * kutrace_task_kind
	 */
};

#define KUTRACE_AUX_BYTES	(1024 * 1024)	/* the usual size; aux_bytes says which */
#define KUTRACE_AUX_INVALID	1
#define KUTRACE_AUX_HEADER	24
#define KUTRACE_AUX_MAX		80	/* the header and 56 bytes of name */

/*
 * KUTRACE_IOC_CONTROL: in command and arg, out result; ~0 = refused. -ENOMEM, -EDQUOT, -EINTR:
 * RESET or ON could not get its memory, or was interrupted. -ENOBUFS: KUTRACE_RESET_PERCPU, and
 * there are fewer than two blocks for each CPU that is online. Commands without an argument ignore
 * arg, as the original's do.
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
 * KUTRACE_IPC_BYTES for each block, one byte a word, once a reset has asked for
 * KUTRACE_RESET_IPC or _LLC; they mean something if the flags of the last one did.
 */
#define KUTRACE_MMAP_BYTES	(1ULL << 42)

#define KUTRACE_IOC_MAGIC	0xBB
#define KUTRACE_IOC_INFO	_IOWR(KUTRACE_IOC_MAGIC, 1, struct kutrace_info)
#define KUTRACE_IOC_CONTROL	_IOWR(KUTRACE_IOC_MAGIC, 2, struct kutrace_control)
/*
 * The cheap mark: arg is not a pointer but the low 44 bits of the entry, event
 * << 32 | arg. Only point events of category MARK (and LOCK, NET from user
 * space) are taken; 0 when recorded or when not recording, -EINVAL otherwise.
 */
#define KUTRACE_IOC_MARK	_IO(KUTRACE_IOC_MAGIC, 3)

/* ---- sessions ---- */

#define KUTRACE_SESSIONS	16	/* at once, with the main one */
#define KUTRACE_SESSION_MAIN	"main"

/*
 * CREATE: in name ("": one is made up), mb (0: as much as the main one), flags,
 * kinds (0: all); -EEXIST, -ENOSPC, -ENOMEM. The file is of it from then on.
 * ATTACH, DESTROY and LIST do not use flags and kinds, so they accept what LIST has filled.
 * ATTACH: in name, or if that is "", id; -ENOENT; -EACCES: somebody else's, and the
 * caller has not CAP_PERFMON or CAP_SYS_ADMIN. -EBUSY: this file has mapped another.
 * DESTROY: in as ATTACH. Its recording ends; files that are of it keep what they
 * have mapped, and get -ENODEV. The main one cannot: -EPERM.
 * LIST: in id; out the session with the lowest id that is not below; -ENOENT.
 * All fill the struct with what is known of the session.
 */
struct kutrace_session {
	__u32 length;		/* of this struct, bytes */
	__u32 id;
	char name[32];		/* a-z A-Z 0-9 . _ -, NUL-terminated */
	__u32 mb;
	__u32 flags;		/* KUTRACE_SESSION_* */
	__u64 kinds;
	__u32 owner_uid;	/* who created it */
	__u32 owner_pid;
	char owner_comm[16];
	__u32 recording;	/* 1 = on */
	__u32 wrap;		/* 1 = of the last reset */
	__u32 nblocks;
	__u32 used_blocks;
	__u64 reserved[6];
};

/* Outlives the file that created it; else it is destroyed with that file. */
#define KUTRACE_SESSION_KEEP	1

/*
 * What a session records: kinds of events, one bit each, KUTRACE_KIND_* in
 * kutrace_events.h, a category being the sum of its kinds. Out: old and the new
 * kinds; new = (old & ~mask) | (value & mask). Also while recording. -EINVAL: value or
 * mask has the bit of an unknown kind; KUTRACE_KINDS_ALL has the known ones.
 */
struct kutrace_switch {
	__u64 value;
	__u64 mask;
	__u64 old;
	__u64 kinds;
};

/*
 * Whose events a session records. A task is wanted if its thread or process id, its
 * process group or its cgroup (or one above) is given; no such list: everybody's.
 * CPUs: one bit each, no bit at all: all of them. While another task runs, a CPU's
 * time is that of pid KUTRACE_PID_OTHER, "-other-"; wakeups of a wanted task are
 * recorded whoever makes them. A struct of zeros but for length: no filter. Ids of threads,
 * processes and groups are those of the initial pid namespace, here and in triggers and events.
 */
#define KUTRACE_FILTER_PIDS	32
#define KUTRACE_FILTER_GROUPS	8
#define KUTRACE_FILTER_CGROUPS	8
#define KUTRACE_FILTER_CPUS	4096
#define KUTRACE_PID_OTHER	0x400000	/* no task has it */

struct kutrace_filter {
	__u32 length;		/* of this struct, bytes */
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
 * Something that a session waits for while it records. When it happens, recording
 * goes on for after_ms and then ends (or, with NOTIFY, does not), and the file's poll
 * says EPOLLPRI. The first that fires counts; reset or a TRIGGER of kind NONE
 * takes all away. Up to KUTRACE_TRIGGERS a session: -ENOSPC. -EOPNOTSUPP: this
 * kernel shows no such thing.
 */
#define KUTRACE_TRIGGERS	8

enum kutrace_trigger_kind {
	KUTRACE_TRIGGER_NONE,
	KUTRACE_TRIGGER_SYSCALL,	/* number: as event (0x800 + n), ~0 = any */
	KUTRACE_TRIGGER_SOFTIRQ,	/* number: the softirq's, ~0 = any */
	KUTRACE_TRIGGER_IRQ,		/* number: event number's low byte, ~0 = any */
	KUTRACE_TRIGGER_TRAP,		/* number: the trap's, ~0 = any */
	KUTRACE_TRIGGER_RUNQ,		/* runnable, waiting for a CPU */
	KUTRACE_TRIGGER_MARKS,		/* from mark number to mark number2, base 40 */
	KUTRACE_TRIGGER_MARK,		/* mark number, base 40 */
	KUTRACE_TRIGGER_SIGNAL,		/* signal number is generated; ~0 = any */
	KUTRACE_TRIGGER_EXIT,		/* process ends with status number; ~0 = not 0 */
	KUTRACE_TRIGGER_KINDS
};

struct kutrace_trigger {
	__u32 length;		/* of this struct, bytes */
	__u32 kind;		/* enum kutrace_trigger_kind */
	__u64 over_ns;		/* SYSCALL to MARKS: longer than this */
	__u32 number;
	__u32 number2;
	__u32 pid;		/* only this thread or process; 0 = any */
	__u32 after_ms;
	__u32 flags;		/* KUTRACE_TRIGGER_NOTIFY */
	__u32 index;		/* out */
	__u64 reserved[6];
};

#define KUTRACE_TRIGGER_NOTIFY	1	/* recording goes on; waits for the next */

/* What fired last; fired = 0: nothing. EXIT's status is as of wait(). */
struct kutrace_fired {
	__u32 length;		/* of this struct, bytes */
	__u32 fired;		/* how often, since the reset */
	struct kutrace_trigger trigger;
	__u64 counts;		/* when it was seen */
	__u64 ns;		/* how long the span was */
	__u32 number;		/* which system call, signal, status ... */
	__u32 cpu;
	__u32 pid;		/* of whom */
	__u32 done;		/* 1 = what was to follow is recorded */
	char comm[16];
	__u64 missed;		/* spans that could not be watched, since the reset */
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
 * arg 1: recording ends when this file is closed, however that comes about; 0: not
 * any more. For whoever wants to leave nothing behind, should it be killed. -EBUSY:
 * another file attends it.
 */
#define KUTRACE_IOC_ATTEND	_IO(KUTRACE_IOC_MAGIC, 12)
/* Makes the session outlive the file that created it. arg 0. */
#define KUTRACE_IOC_SESSION_KEEP _IO(KUTRACE_IOC_MAGIC, 13)

/* What was lost of each kind, whatever the cause, since the reset. */
struct kutrace_lost {
	__u32 length;		/* of this struct, bytes */
	__u32 nkinds;		/* that the module knows */
	__u64 reserved[3];
	__u64 kinds[64];	/* by enum kutrace_kind */
};

#define KUTRACE_IOC_LOST	_IOWR(KUTRACE_IOC_MAGIC, 14, struct kutrace_lost)

/* ---- typed tracepoints ---- */

/*
 * DEFINE gives a definition its id (1..65535), the same one for the same text.
 * BYTE has the byte at address, in the caller's private writable memory, follow it from
 * then on: it is 1 while somebody records it, else 0. Then POINT records it: id and up to
 * seven words of payload. FORGET (arg: the address) ends that: when it returns, nothing will
 * write there any more; -ENOENT: there was none. So do closing the file and unmapping its
 * meta page, but for a write that is under way to memory that has not been unmapped. (Who
 * has mapped it may close the descriptor.) A byte is that of a process: a child has none
 * of its parent's, and gives its own, by the same file if it likes. These are for every opener.
 * SWITCH (for those who control): in name, in which * and ? are patterns, and
 * value; out count of those switched, and behind: bytes of processes that could not be
 * written; -ENOENT: none. LIST as SESSION_LIST.
 *
 * A definition is "NAME TYPE FIELD, TYPE FIELD ...|FORMAT"; see kutrace-trace(5).
 */
#define KUTRACE_POINT_IDS	65536
#define KUTRACE_POINT_WORDS	7
#define KUTRACE_POINT_DEF_BYTES	400

struct kutrace_point_def {
	__u32 length;		/* of this struct, bytes */
	__u32 id;
	__u32 on;		/* wanted, should something record */
	__u32 defined;		/* how often it has been defined */
	__u64 reserved[4];
	char text[KUTRACE_POINT_DEF_BYTES];	/* NUL-terminated */
};

struct kutrace_point_entry {
	__u32 id;
	__u32 nwords;
	__u64 words[KUTRACE_POINT_WORDS];
};

struct kutrace_point_byte {
	__u32 length;		/* of this struct, bytes */
	__u32 id;
	__u64 address;
	__u64 reserved;
};

struct kutrace_point_switch {
	__u32 length;		/* of this struct, bytes */
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
 * A mark as of KUTRACE_IOC_MARK, by pointer. Programs whose long has 32 bits need it: their ioctl
 * cannot pass 44 bits as a number. All structs of this file have the same layout in such programs.
 */
struct kutrace_mark {
	__u64 entry;		/* event << 32 | arg; -EINVAL if a higher bit is set */
};

#define KUTRACE_IOC_MARK_ENTRY	_IOW(KUTRACE_IOC_MAGIC, 22, struct kutrace_mark)

#endif
