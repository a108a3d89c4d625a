// SPDX-License-Identifier: BSD-3-Clause
/**
 * Event numbers, with the names that they have in the table.
 * Generated from module/uapi/kutrace_events.def by `make docs`.
 */

/* Entries that name something. */
export const FILE = 0x001;
export const PID = 0x002;
export const METHOD = 0x003;
export const TRAPNAME = 0x004;
export const IRQNAME = 0x005;
export const TIMEPAIR = 0x006;
export const LOCKNAME = 0x007;
export const SYS64NAME = 0x008;
export const SYS32NAME = 0x00c;
export const ERRNO = 0x00e;
export const PACKET = 0x100;
export const KERNELVER = 0x102;
export const CPUMODEL = 0x103;
export const HOSTNAME = 0x104;
export const QUEUENAME = 0x105;
export const RESNAME = 0x106;
export const TPOINT = 0x109;
export const CGROUP = 0x10a;
export const DISKNAME = 0x10b;
export const PRIORITY = 0x10c;
export const TASK = 0x10d;
export const EVENTDEF = 0x10e;
export const META = 0x10f;

/* Events without a duration. */
export const USERPID = 0x200;
export const RPCIDREQ = 0x201;
export const RPCIDRESP = 0x202;
export const RPCIDMID = 0x203;
export const RPCIDRXMSG = 0x204;
export const RPCIDTXMSG = 0x205;
export const RUNNABLE = 0x206;
export const IPI = 0x207;
export const MWAIT = 0x208;
export const PSTATE = 0x209;
export const MARKA = 0x20a;
export const MARKB = 0x20b;
export const MARKC = 0x20c;
export const MARKD = 0x20d;
export const LOCKNOACQ = 0x210;
export const LOCKACQ = 0x211;
export const LOCKWAKEUP = 0x212;
export const TASKEXIT = 0x213;
export const RX_PKT = 0x214;
export const TX_PKT = 0x215;
export const RX_USER = 0x216;
export const TX_USER = 0x217;
export const MBIT_SEC = 0x218;
export const RESOURCE = 0x219;
export const ENQUEUE = 0x21a;
export const DEQUEUE = 0x21b;
export const PSTATE2 = 0x21c;
export const TSDELTA = 0x21d;
export const MONITORST = 0x21e;
export const MONITOREX = 0x21f;
export const THROTTLE = 0x220;
export const UNTHROTTLE = 0x221;
export const THROTTLE_TASK = 0x222;
export const DISK_QUEUED = 0x223;
export const DISK_ISSUED = 0x224;
export const DISK_DONE = 0x225;
export const DISK_REQUEUED = 0x226;
export const DISK_MERGED = 0x227;
export const DIRTY_WAIT = 0x228;
export const RECLAIM = 0x229;
export const PRIORITY_PI = 0x22a;
export const TIMER = 0x22b;
export const PC_OLD = 0x101;
export const PC_U = 0x280;
export const PC_K = 0x281;

/* The numbers of COUNT calls begin here, and the numbers of their returns at _RETURN. */
export const TRAP = 0x400, TRAP_RETURN = 0x600, TRAP_COUNT = 256;
export const IRQ = 0x500, IRQ_RETURN = 0x700, IRQ_COUNT = 255;
export const BH = 0x5ff, BH_RETURN = 0x7ff, BH_COUNT = 1;
export const SYSCALL64 = 0x800, SYSCALL64_RETURN = 0xa00, SYSCALL64_COUNT = 512;
export const SYSCALL32 = 0xc00, SYSCALL32_RETURN = 0xe00, SYSCALL32_COUNT = 510;
export const SYSOTHER = 0xdfe, SYSOTHER_RETURN = 0xffe, SYSOTHER_COUNT = 1;
export const SCHED = 0xdff, SCHED_RETURN = 0xfff, SCHED_COUNT = 1;

/* Events that only the filters make. */
export const LEFTMARK = 0x20e;
export const RIGHTMARK = 0x20f;
export const LOCKHELD = 0x282;
export const LOCKTRY = 0x283;
export const PAUSE = 0x284;
export const STOPPED = 0x285;
export const STOLEN = 0x286;
export const DISK_QUEUE = 0x287;
export const DISK_SERVED = 0x288;
export const RECLAIMED = 0x289;
export const PRIORITY_SPAN = 0x28a;
export const TIMER_LATE = 0x28b;
export const WAITA = 0x300;
export const WAITZ = 0x319;
