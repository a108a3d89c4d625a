// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes a CTF trace as LTTng's kernel tracer does, for tests/cli/ctftoevent.sh, and prints the
 * event text that the trace must give. Uses no code of the converter.
 *
 *	make_lttng FOLDER [be] [large] [packets] [tid] [gap] [early] [wakeup] [nosched] [old]
 *
 *	be		big endian, and a clock of 2 GHz
 *	large		event headers with 16 bits for the id, instead of 5 bits
 *	packets		metadata in packets
 *	tid		each event has a context with the running thread
 *	gap		a packet is missing
 *	early		the first packet already reports lost events, otherwise only later packets do
 *	wakeup		no sched_waking
 *	nosched		no sched_switch; implies tid
 *	old		names of LTTng 2.5: sys_NAME, and one event exit_syscall for all calls. The first
 *			call began before the trace.
 *
 *	make_lttng FOLDER [be] [perf] [old] dead
 *
 * writes a trace without exit events, in which several threads have one pid, one after the other. The state in which a
 * thread leaves its CPU shows that it has ended. old: the states of Linux 3.10.
 *
 *	make_lttng FOLDER [wide] script
 *
 * writes the events on standard input, which are in the order of time: "MICROSECONDS CPU EVENT VALUE...", with - for an
 * empty text. scripted[] has the events and their fields. wide: numbers of tasks have 64 bits.
 *
 *	make_lttng FOLDER perf
 *
 * writes a small trace as "perf data convert --to-ctf" does: one stream for all CPUs, names of events with their group,
 * names of fields as in the kernel.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Packets are small, so that a trace has many packets. */
#define PACKET_BYTES	512u
#define CPUS		2

static bool be, large, perf, tid, gap, early, packets, wakeup, nosched, old_names;
static const char *folder;

static struct {
	uint8_t bytes[PACKET_BYTES];
	size_t used;
	uint64_t begin, end;	/* times of the packet in ns */
	uint64_t number, discarded;
	uint64_t clock;		/* clock value that a reader computes from the headers */
	/* running thread; thread that a reader finds without context switches */
	int running, shown;
	FILE *file;
} cpus[CPUS];

static struct { char text[1 << 20]; size_t used; } metadata;

/* ---- bytes ---- */

static uint8_t *put(uint8_t *p, uint64_t value, int size)
{
	int i;

	for (i = 0; i < size; i++)
		*p++ = (uint8_t)(value >> 8 * (be ? size - 1 - i : i));
	return p;
}

static uint8_t *put_text(uint8_t *p, const char *text)
{
	strcpy((char *)p, text);
	return p + strlen(text) + 1;
}

static uint8_t *put_comm(uint8_t *p, const char *comm)
{
	memset(p, 0, 16);
	memcpy(p, comm, strlen(comm));
	return p + 16;
}

static uint64_t cycles(uint64_t ns)
{
	return be ? 2 * ns : ns;
}

/*
 * Size of a packet's header. Fields in bytes: 4 magic, 16 uuid, 4 stream, 8 instance; 8 begin, 8
 * end, 8 content, 8 packet, 8 number, 8 discarded, 4 CPU.
 */
#define HEADER_BYTES	(32 + 52)

static void flush(int cpu)
{
	static const uint8_t uuid[16] = { 0x6f, 0x18, 0x0b, 0x0c, 0xb2, 0x42, 0xc1, 0x48,
					  0xab, 0x44, 0x6c, 0xbf, 0x96, 0x0a, 0x58, 0xb2 };
	uint8_t *p = cpus[cpu].bytes;

	if (!cpus[cpu].used)
		return;
	p = put(p, 0xC1FC1FC1, 4);
	memcpy(p, uuid, 16);
	p = put(p + 16, 0, 4);
	p = put(p, (uint64_t)cpu, 8);
	p = put(p, cycles(cpus[cpu].begin), 8);
	p = put(p, cycles(cpus[cpu].end), 8);
	p = put(p, cpus[cpu].used * 8, 8);
	p = put(p, PACKET_BYTES * 8, 8);
	p = put(p, cpus[cpu].number++, 8);
	p = put(p, early || cpus[cpu].number > 1 ? cpus[cpu].discarded : 0, 8);
	put(p, (uint64_t)cpu, 4);
	if (gap && cpu == 1 && cpus[cpu].number == 2)
		cpus[cpu].number += 2;
	fwrite(cpus[cpu].bytes, 1, PACKET_BYTES, cpus[cpu].file);
	memset(cpus[cpu].bytes, 0xA5, PACKET_BYTES);
	cpus[cpu].used = 0;
}

/* Writes an event's header, in the short form if id and time fit, and its context. */
static uint8_t *put_header(uint8_t *p, int cpu, uint64_t ns, unsigned int id)
{
	const uint64_t now = cycles(ns), old = cpus[cpu].clock;
	const unsigned int last = large ? 65535 : 31;
	const int bits = large ? 32 : 27;

	if (id >= last || (now - old) >> bits) {
		p = large ? put(p, last, 2) : put(p, be ? last << 3 : last, 1);
		p = put(put(p, id, 4), now, 8);
	} else if (large) {
		p = put(put(p, id, 2), now & 0xFFFFFFFF, 4);
	} else {
		const uint32_t low = now & 0x7FFFFFF;

		p = put(p, be ? (uint32_t)id << 27 | low : low << 5 | id, 4);
	}
	cpus[cpu].clock = now;
	return tid ? put(p, (uint64_t)cpus[cpu].running, 4) : p;
}

static void event(int cpu, uint64_t ns, unsigned int id, const uint8_t *fields, size_t len)
{
	uint8_t *p;

	if (cpus[cpu].used + len + 24 > PACKET_BYTES)
		flush(cpu);
	if (!cpus[cpu].used) {
		cpus[cpu].used = HEADER_BYTES;
		cpus[cpu].begin = ns;
		cpus[cpu].clock = cycles(ns);
	}
	cpus[cpu].end = ns;
	p = put_header(cpus[cpu].bytes + cpus[cpu].used, cpu, ns, id);
	memcpy(p, fields, len);
	cpus[cpu].used = (size_t)(p + len - cpus[cpu].bytes);
}

/* ---- metadata ---- */

static void say(const char *text)
{
	metadata.used += (size_t)sprintf(metadata.text + metadata.used, "%s", text);
}

static void say_class(unsigned int id, const char *name, const char *fields)
{
	metadata.used += (size_t)sprintf(metadata.text + metadata.used,
		"event {\n\tname = \"%s\";\n\tid = %u;\n\tstream_id = 0;\n\tloglevel = 13;\n"
		"\tfields := struct {\n%s\t};\n};\n\n", name, id, fields);
}

#define INT(size, sign, name) "\t\tinteger { size = " #size "; align = 8; signed = " #sign "; encoding = none; base = 10; } _" name ";\n"
#define COMM(name) "\t\tinteger { size = 8; align = 8; signed = 0; encoding = UTF8; base = 10; } _" name "[16];\n"

enum {
	SWITCH, WAKING, OPENAT, OPENAT_EXIT, READ, READ_EXIT, IRQ, IRQ_EXIT, SOFTIRQ, SOFTIRQ_EXIT,
	TIMER, TIMER_EXIT, FAULT, IDLE, FREQUENCY, FORK, EXEC, EXIT, STATE, SENT, RECEIVED, KFREE = 40,
	FROB, FROB_EXIT,
};

static void describe(void)
{
	say("/* CTF 1.8 */\n\n"
	    "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	    "typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
	    "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	    "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	    "typealias integer { size = 64; align = 8; signed = false; } := unsigned long;\n"
	    "typealias integer { size = 5; align = 1; signed = false; } := uint5_t;\n\n"
	    "trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"6f180b0c-b242-c148-ab44-6cbf960a58b2\";\n");
	say(be ? "\tbyte_order = be;\n" : "\tbyte_order = le;\n");
	say("\tpacket.header := struct {\n\t\tuint32_t magic;\n\t\tuint8_t uuid[16];\n"
	    "\t\tuint32_t stream_id;\n\t\tuint64_t stream_instance_id;\n\t};\n};\n\n"
	    "env {\n\thostname = \"build\\\"er\";\n\tdomain = \"kernel\";\n\tsysname = \"Linux\";\n");
	say(old_names ? "\tkernel_release = \"3.10.0-1160.el7\";\n" : "\tkernel_release = \"5.10.0-8-amd64\";\n");
	say("\tkernel_version = \"#1 SMP\";\n"
	    "\ttracer_name = \"lttng-modules\";\n\ttracer_major = 2;\n\ttracer_minor = 13;\n};\n\n"
	    "clock {\n\tname = \"monotonic\";\n\tuuid = \"c19b5ac9-b8e6-4f78-be95-a605d04e34c6\";\n"
	    "\tdescription = \"Monotonic Clock\";\n");
	/* LTTng writes the clock's offset in cycles */
	say(be ? "\tfreq = 2000000000; /* Hz */\n\toffset_s = 1571261763;\n\toffset = 100;\n};\n\n" :
		 "\tfreq = 1000000000; /* Hz */\n\toffset = 1571261763000000050;\n};\n\n");
	say("typealias integer { size = 27; align = 1; signed = false; map = clock.monotonic.value; } := uint27_clock_monotonic_t;\n"
	    "typealias integer { size = 32; align = 8; signed = false; map = clock.monotonic.value; } := uint32_clock_monotonic_t;\n"
	    "typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := uint64_clock_monotonic_t;\n\n"
	    "struct packet_context {\n\tuint64_clock_monotonic_t timestamp_begin;\n"
	    "\tuint64_clock_monotonic_t timestamp_end;\n\tuint64_t content_size;\n\tuint64_t packet_size;\n"
	    "\tuint64_t packet_seq_num;\n\tunsigned long events_discarded;\n\tuint32_t cpu_id;\n};\n\n"
	    "struct event_header_compact {\n\tenum : uint5_t { compact = 0 ... 30, extended = 31 } id;\n"
	    "\tvariant <id> {\n\t\tstruct {\n\t\t\tuint27_clock_monotonic_t timestamp;\n\t\t} compact;\n"
	    "\t\tstruct {\n\t\t\tuint32_t id;\n\t\t\tuint64_clock_monotonic_t timestamp;\n\t\t} extended;\n\t} v;\n} align(8);\n\n"
	    "struct event_header_large {\n\tenum : uint16_t { compact = 0 ... 65534, extended = 65535 } id;\n"
	    "\tvariant <id> {\n\t\tstruct {\n\t\t\tuint32_clock_monotonic_t timestamp;\n\t\t} compact;\n"
	    "\t\tstruct {\n\t\t\tuint32_t id;\n\t\t\tuint64_clock_monotonic_t timestamp;\n\t\t} extended;\n\t} v;\n} align(8);\n\n"
	    "stream {\n\tid = 0;\n");
	say(large ? "\tevent.header := struct event_header_large;\n" : "\tevent.header := struct event_header_compact;\n");
	say("\tpacket.context := struct packet_context;\n");
	if (tid)
		say("\tevent.context := struct {\n" INT(32, 1, "tid") "\t};\n");
	say("};\n\n");
	say_class(SWITCH, "sched_switch", COMM("prev_comm") INT(32, 1, "prev_tid") INT(32, 1, "prev_prio")
		  INT(64, 1, "prev_state") COMM("next_comm") INT(32, 1, "next_tid") INT(32, 1, "next_prio"));
	say_class(WAKING, wakeup ? "sched_wakeup" : "sched_waking",
		  COMM("comm") INT(32, 1, "tid") INT(32, 1, "prio") INT(32, 1, "target_cpu"));
	say_class(OPENAT, old_names ? "sys_openat" : "syscall_entry_openat", INT(32, 1, "dfd") "\t\tstring _filename;\n" INT(32, 1, "flags")
		  "\t\tenum : integer { size = 16; align = 8; signed = 0; } { none, user = 0400 ... 0777 } _mode;\n");
	say_class(OPENAT_EXIT, old_names ? "exit_syscall" : "syscall_exit_openat", INT(64, 1, "ret"));
	say_class(READ, old_names ? "sys_read" : "syscall_entry_read", INT(32, 0, "fd") INT(64, 0, "count"));
	say_class(READ_EXIT, "syscall_exit_read", INT(64, 1, "ret")
		  "\t\tinteger { size = 16; align = 8; signed = 0; } __buf_length;\n"
		  "\t\tinteger { size = 8; align = 8; signed = 0; base = 16; } _buf[ __buf_length ];\n"
		  "\t\tstruct { floating_point { exp_dig = 8; mant_dig = 24; align = 8; } _f; string _g[2]; } _more;\n");
	say_class(IRQ, "irq_handler_entry", INT(32, 1, "irq") "\t\tstring _name;\n");
	say_class(IRQ_EXIT, "irq_handler_exit", INT(32, 1, "irq") INT(32, 1, "ret"));
	say_class(SOFTIRQ, "irq_softirq_entry", INT(32, 0, "vec"));
	say_class(SOFTIRQ_EXIT, "irq_softirq_exit", INT(32, 0, "vec"));
	say_class(TIMER, "x86_irq_vectors_local_timer_entry", INT(32, 1, "vector"));
	say_class(TIMER_EXIT, "x86_irq_vectors_local_timer_exit", INT(32, 1, "vector"));
	say_class(FAULT, "x86_exceptions_page_fault_user", INT(64, 0, "address") INT(64, 0, "ip") INT(64, 0, "error_code"));
	say_class(IDLE, "power_cpu_idle", INT(32, 0, "state") INT(32, 0, "cpu_id"));
	say_class(FREQUENCY, "power_cpu_frequency", INT(32, 0, "state") INT(32, 0, "cpu_id"));
	say_class(FORK, "sched_process_fork", COMM("parent_comm") INT(32, 1, "parent_tid") INT(32, 1, "parent_pid")
		  COMM("child_comm") INT(32, 1, "child_tid") INT(32, 1, "child_pid"));
	say_class(EXEC, "sched_process_exec", "\t\tstring _filename;\n" INT(32, 1, "tid") INT(32, 1, "old_tid"));
	say_class(EXIT, "sched_process_exit", COMM("comm") INT(32, 1, "tid") INT(32, 1, "prio"));
	say_class(STATE, "lttng_statedump_process_state", INT(32, 1, "tid") INT(32, 1, "pid") INT(32, 1, "ppid")
		  COMM("name") "\t\tenum : integer { size = 32; align = 8; signed = 1; } { \"LTTNG_USER_THREAD\" = 0, \"LTTNG_KERNEL_THREAD\" = 1 } _type;\n");
	say_class(SENT, "net_dev_queue", INT(64, 0, "skbaddr") INT(32, 0, "len")
		  "\t\tenum : integer { size = 8; align = 8; signed = 0; } { \"_unknown\" = 0, \"_ipv4\" = 1 ... 4 } _kind;\n"
		  "\t\tvariant <_kind> {\n\t\t\tstruct { } _unknown;\n\t\t\tstruct {\n" INT(8, 0, "tos") INT(16, 0, "total")
		  "\t\t\t} _ipv4;\n\t\t} _header;\n\t\tstring _name;\n");
	say_class(RECEIVED, "net_if_receive_skb", INT(64, 0, "skbaddr") INT(32, 0, "len") "\t\tstring _name;\n");
	say_class(KFREE, "kmem_kfree", INT(64, 0, "call_site") INT(64, 0, "ptr"));
	say_class(FROB, old_names ? "sys_frobnicate" : "syscall_entry_frobnicate", INT(64, 0, "what"));
	say_class(FROB_EXIT, "syscall_exit_frobnicate", INT(64, 1, "ret"));
}

static void write_metadata(void)
{
	char path[4096];
	uint8_t head[37] = {0}, *p;
	size_t at, len;
	FILE *file;

	snprintf(path, sizeof(path), "%s/metadata", folder);
	file = fopen(path, "w");
	for (at = 0; packets && at < metadata.used; at += len) {
		len = metadata.used - at < 1000 ? metadata.used - at : 1000;
		p = put(head, 0x75D11D57, 4);
		p = put(p + 20, (len + 37) * 8, 4);
		put(p, 1200 * 8, 4);
		head[35] = 1;
		head[36] = 8;
		fwrite(head, 1, 37, file);
		fwrite(metadata.text + at, 1, len, file);
		for (p = head; p < head + 1200 - 37 - len; p++)
			fputc(0x5A, file);
	}
	if (!packets)
		fwrite(metadata.text, 1, metadata.used, file);
	fclose(file);
}

/* ---- events ---- */

static uint64_t now;	/* current time in ns */
static uint8_t fields[256];

/* Prints a line of event text. */
static void text(int cpu, int dur, int code, int pid, uint32_t arg0, int ret, const char *name)
{
	/* 50 ns are the clock's offset; the minute began 3 s before the trace */
	printf("%llu %d %d %d  %d 0  %u %d 0 %s (%03x)\n", (unsigned long long)(now + 50) / 10 + 300000000,
	       dur, code, cpu, pid, arg0, ret, name, code);
}

static void step(uint64_t ns)
{
	now += ns;
}

static const char *known_as(int pid)
{
	static char name[32];

	sprintf(name, "%s.%d", !pid ? "-idle-" : pid == 100 ? "init" : pid == 101 ? "pid" : "init", pid);
	return name;
}

static void done(int cpu, unsigned int id, const uint8_t *p)
{
	if (nosched && cpus[cpu].shown != cpus[cpu].running)
		text(cpu, 1, 512, cpus[cpu].running, 0, 0, known_as(cpus[cpu].running));
	cpus[cpu].shown = cpus[cpu].running;
	event(cpu, now, id, fields, (size_t)(p - fields));
}

static const char *comm_of(int pid, int cpu)
{
	static char name[32];

	if (pid)
		return pid == 100 ? "init" : pid == 101 ? "work er" : "child";
	sprintf(name, "swapper/%d", cpu);
	return name;
}

static void to(int cpu, int pid, const char *name)
{
	uint8_t *p = put_comm(fields, comm_of(cpus[cpu].running, cpu));
	char shown[64];

	step(100);
	p = put(put(put(p, (uint64_t)cpus[cpu].running, 4), 20, 4), 1, 8);
	p = put(put(put_comm(p, pid ? name : comm_of(0, cpu)), (uint64_t)pid, 4), 20, 4);
	if (!nosched)
		done(cpu, SWITCH, p);
	cpus[cpu].running = pid;
	if (nosched)
		return;
	snprintf(shown, sizeof(shown), "%s.%d", pid ? name : "-idle-", pid);
	text(cpu, 0, 512, pid, (uint32_t)pid, 0, shown);
}

static void call(int cpu, int number, unsigned int id, const char *name, uint32_t arg0, const uint8_t *p)
{
	step(30);
	done(cpu, id, p);
	text(cpu, 0, 2048 + number, cpus[cpu].running, arg0 & 0xFFFF, 0, name);
}

static void back(int cpu, int number, unsigned int id, const char *name, int ret, const uint8_t *p)
{
	if (old_names) {	/* one event for all calls */
		id = OPENAT_EXIT;
		p = put(fields, (uint64_t)ret, 8);
	}
	step(200);
	done(cpu, id, p);
	text(cpu, 0, 2560 + number, cpus[cpu].running, 0, ret & 0xFFFF, name);
}

static void some_calls(int cpu)
{
	uint8_t *p = put_text(put(fields, (uint64_t)-100, 4), "/etc/some file");

	call(cpu, 257, OPENAT, "openat", (uint32_t)-100, put(put(p, 2, 4), 0644, 2));
	back(cpu, 257, OPENAT_EXIT, "/openat", -2, put(fields, (uint64_t)-2, 8));
	call(cpu, 0, READ, "read", 7, put(put(fields, 7, 4), 4096, 8));
	p = put(put(fields, 5, 8), 5, 2);
	memcpy(p, "\0hel\xFF", 5);
	p = put(p + 5, 0x3F800000, 4);
	back(cpu, 0, READ_EXIT, "/read", 5, put_text(put_text(p, "ab"), ""));
	call(cpu, 511, FROB, "frobnicate", 9, put(fields, 9, 8));
	back(cpu, 511, FROB_EXIT, "/frobnicate", 0, put(fields, 0, 8));
	step(20);
	done(cpu, KFREE, put(put(fields, 1, 8), 2, 8));		/* this event has no counterpart */
}

static void interrupts(int cpu)
{
	step(50);
	done(cpu, TIMER, put(fields, 236, 4));
	text(cpu, 0, 1280 + 236, cpus[cpu].running, 0, 0, "local_timer");
	step(50);
	done(cpu, SOFTIRQ, put(fields, 1, 4));
	text(cpu, 0, 1535, cpus[cpu].running, 1, 0, "BH:timer");
	step(50);
	done(cpu, SOFTIRQ_EXIT, put(fields, 1, 4));
	text(cpu, 0, 2047, cpus[cpu].running, 0, 0, "/BH");
	step(50);
	done(cpu, TIMER_EXIT, put(fields, 236, 4));
	text(cpu, 0, 1792 + 236, cpus[cpu].running, 0, 0, "/local_timer");
	step(50);
	done(cpu, IRQ, put_text(put(fields, 300, 4), "eth0-TxRx"));
	text(cpu, 0, 1280 + 235, cpus[cpu].running, 300, 0, "eth0-TxRx");
	step(10);
	done(cpu, RECEIVED, put_text(put(put(fields, 0x1234, 8), 60, 4), "eth0"));
	text(cpu, 1, 532, cpus[cpu].running, 0x1234, 0, "rx_packet");
	step(50);
	done(cpu, IRQ_EXIT, put(put(fields, 300, 4), 1, 4));
	text(cpu, 0, 1792 + 235, cpus[cpu].running, 0, 1, "/eth0-TxRx");
}

static void power(int cpu)
{
	step(20);
	done(cpu, IDLE, put(put(fields, 2, 4), (uint64_t)cpu, 4));
	text(cpu, 1, 520, cpus[cpu].running, 2, 0, "mwait");
	step(150000000);	/* more than 27 bits */
	done(cpu, IDLE, put(put(fields, 0xFFFFFFFF, 4), (uint64_t)cpu, 4));
	text(cpu, 1, 543, cpus[cpu].running, 2, 0, "monitor_exit");
	step(20);
	done(cpu, FREQUENCY, put(put(fields, 2400000, 4), (uint64_t)cpu, 4));
	text(cpu, 1, 540, cpus[cpu].running, 2400, 0, "-freq-");
}

/* Prints the first event of a CPU, a context switch to the running thread, @ns after the present time. */
static void first(int cpu, uint64_t ns, const char *name)
{
	now += ns;
	text(cpu, 1, 512, cpus[cpu].running, 0, 0, name);
	now -= ns;
}

/* Adds the end of a call that began before the trace. */
static void nameless(int cpu)
{
	step(30);
	done(cpu, OPENAT_EXIT, put(fields, 7, 8));
	text(cpu, 0, 0xFFE, cpus[cpu].running, 0, 7, "/syscall_other");
}

/* Adds the events of a thread that is created, becomes another program, sends data and ends. */
static void lifetime(int cpu, int parent, int child)
{
	uint8_t *p = put(put(put_comm(fields, comm_of(parent, cpu)), (uint64_t)parent, 4), (uint64_t)parent, 4);

	step(20);
	done(cpu, FORK, put(put(put_comm(p, "init"), (uint64_t)child, 4), (uint64_t)child, 4));
	step(20);
	p = put(put(put(put_comm(fields, "init"), (uint64_t)child, 4), 20, 4), (uint64_t)cpu, 4);
	done(cpu, WAKING, p);
	text(cpu, 1, 518, cpus[cpu].running, (uint32_t)child, 0, child == 102 ? "runnable.102" : "runnable.103");
	to(cpu, child, "init");
	step(20);
	done(cpu, EXEC, put(put(put_text(fields, "/usr/bin/child"), (uint64_t)child, 4), (uint64_t)child, 4));
	step(20);
	done(cpu, FAULT, put(put(put(fields, 0x7f0000001000, 8), 0x400000, 8), 6, 8));
	text(cpu, 1, 1038, child, 6, 0, "page_fault");
	step(20);
	p = put(put(put(fields, 0xABCD, 8), 60, 4), 2, 1);
	done(cpu, SENT, put_text(put(put(p, 8, 1), 60, 2), "eth0"));
	text(cpu, 1, 533, child, 0xABCD, 0, "tx_packet");
	step(20);
	p = put(put(fields, 0, 8), 60, 4);
	done(cpu, SENT, put_text(put(p, 0, 1), "lo"));
	text(cpu, 1, 533, child, 0, 0, "tx_packet");
	step(20);
	done(cpu, EXIT, put(put(put_comm(fields, "child"), (uint64_t)child, 4), 20, 4));
	text(cpu, 1, 531, child, (uint32_t)child, 0, child == 102 ? "task_exit.102" : "task_exit.103");
	to(cpu, parent, comm_of(parent, cpu));
}

/* ---- a trace in the form of perf ---- */

#define BITS(size, sign, name) "\t\tinteger { size = " #size "; align = 1; signed = " #sign "; encoding = none; base = 10; } " name ";\n"
#define PERF BITS(64, false, "perf_ip") BITS(32, true, "perf_tid") BITS(32, true, "perf_pid") BITS(32, false, "perf_cpu") \
	BITS(32, false, "common_type") BITS(32, true, "common_pid")
#define PERF_TEXT(name) "\t\tstring { encoding = UTF8; } " name ";\n"

enum {
	P_SWITCH, P_WAKEUP, P_RUNTIME, P_FORK, P_EXIT, P_CALL, P_CALL_END, P_RAW, P_RAW_END, P_SOFTIRQ, P_SOFTIRQ_END,
	P_IDLE, P_TIMER, P_TIMER_END, P_FAULT,
};

static void describe_perf(void)
{
	say("/* CTF 1.8 */\n\ntrace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n\tpacket.header := struct {\n"
	    BITS(32, false, "magic") BITS(32, false, "stream_id") "\t} align(8);\n};\n\n"
	    "env {\n\thost = \"board\";\n\tsysname = \"Linux\";\n\trelease = \"6.1.0\";\n\tversion = \"6.1\";\n"
	    "\tmachine = \"x86_64\";\n\tdomain = \"kernel\";\n\ttracer_name = \"perf\";\n};\n\n"
	    "clock {\n\tname = perf_clock;\n\tfreq = 1000000000;\n\toffset_s = 0;\n\toffset = 0;\n\tabsolute = FALSE;\n};\n\n"
	    "stream {\n\tid = 0;\n\tevent.header := struct {\n" BITS(32, false, "id")
	    "\t\tinteger { size = 64; align = 8; signed = false; map = clock.perf_clock.value; } timestamp;\n\t} align(8);\n"
	    "\tpacket.context := struct {\n" BITS(64, false, "timestamp_begin") BITS(64, false, "timestamp_end")
	    BITS(64, false, "content_size") BITS(64, false, "packet_size") "\t} align(8);\n};\n\n");
	say_class(P_SWITCH, "sched:sched_switch", PERF PERF_TEXT("prev_comm") BITS(32, true, "prev_pid")
		  BITS(64, true, "prev_state") PERF_TEXT("next_comm") BITS(32, true, "next_pid"));
	say_class(P_WAKEUP, "sched:sched_wakeup", PERF PERF_TEXT("comm") BITS(32, true, "pid") BITS(32, true, "target_cpu"));
	say_class(P_RUNTIME, "sched:sched_stat_runtime", PERF PERF_TEXT("comm") BITS(32, true, "pid"));
	say_class(P_FORK, "sched:sched_process_fork", PERF PERF_TEXT("parent_comm") BITS(32, true, "parent_pid")
		  PERF_TEXT("child_comm") BITS(32, true, "child_pid"));
	say_class(P_EXIT, "sched:sched_process_exit", PERF PERF_TEXT("comm") BITS(32, true, "pid"));
	say_class(P_CALL, "syscalls:sys_enter_read", PERF BITS(32, true, "__syscall_nr") BITS(64, false, "fd") BITS(64, false, "count"));
	say_class(P_CALL_END, "syscalls:sys_exit_read", PERF BITS(32, true, "__syscall_nr") BITS(64, true, "ret"));
	say_class(P_RAW, "raw_syscalls:sys_enter", PERF BITS(64, true, "id"));
	say_class(P_RAW_END, "raw_syscalls:sys_exit", PERF BITS(64, true, "id") BITS(64, true, "ret"));
	say_class(P_SOFTIRQ, "irq:softirq_entry", PERF BITS(32, false, "vec"));
	say_class(P_SOFTIRQ_END, "irq:softirq_exit", PERF BITS(32, false, "vec"));
	say_class(P_IDLE, "power:cpu_idle", PERF BITS(32, false, "state") BITS(32, false, "cpu_id"));
	say_class(P_TIMER, "irq_vectors:local_timer_entry", PERF BITS(32, true, "vector"));
	say_class(P_TIMER_END, "irq_vectors:local_timer_exit", PERF BITS(32, true, "vector"));
	say_class(P_FAULT, "exceptions:page_fault_user", PERF BITS(64, false, "address") BITS(64, false, "error_code"));
}

/* The header has the fields magic, stream, two times and two sizes. */
static uint8_t perf_bytes[8192], *perf_at = perf_bytes + 40;
static uint64_t perf_begin;

/* Begins an event of a CPU, with the running thread. The event's own fields follow at perf_at. */
static void perf_event(int cpu, int running, unsigned int id)
{
	step(1000);
	perf_begin = perf_begin ? perf_begin : now;
	perf_at = put(put(perf_at, id, 4), now, 8);
	perf_at = put(put(put(put(perf_at, 0xFFFF, 8), (uint64_t)running, 4), (uint64_t)running, 4), (uint64_t)cpu, 4);
	perf_at = put(put(perf_at, 300 + id, 4), (uint64_t)running, 4);
}

static void perf_text(int cpu, int dur, int code, int pid, uint32_t arg0, int ret, const char *name)
{
	printf("%llu %d %d %d  %d 0  %u %d 0 %s (%03x)\n", (unsigned long long)now / 10, dur, code, cpu, pid, arg0, ret,
	       name, code);
}

static void perf_switch(int cpu, int from, int to_pid, const char *name, const char *shown)
{
	perf_event(cpu, from, P_SWITCH);
	perf_at = put(put(put_text(perf_at, from == 70 ? "tool" : from ? "child" : "swapper"), (uint64_t)from, 4), 1, 8);
	perf_at = put(put_text(perf_at, name), (uint64_t)to_pid, 4);
	perf_text(cpu, 0, 512, to_pid, (uint32_t)to_pid, 0, shown);
}

static void perf_numbers(int cpu, int running, unsigned int id, int size, uint64_t one, int size2, uint64_t two)
{
	perf_event(cpu, running, id);
	perf_at = put(put(perf_at, one, size), two, size2);
}

static void perf_end(void)
{
	char path[4096];
	FILE *file;

	put(put(put(put(put(put(perf_bytes, 0xC1FC1FC1, 4), 0, 4), perf_begin, 8), now, 8), (uint64_t)(perf_at - perf_bytes) * 8, 8),
	    (uint64_t)(perf_at - perf_bytes) * 8, 8);
	snprintf(path, sizeof(path), "%s/perf_stream_0", folder);
	file = fopen(path, "w");
	fwrite(perf_bytes, 1, (size_t)(perf_at - perf_bytes), file);
	fclose(file);
}

static void perf_trace(void)
{
	now = 5000000000;
	printf("%llu 1 512 0  0 0  0 0 0 -idle-.0 (200)\n", (unsigned long long)(now + 1000) / 10);
	perf_switch(0, 0, 70, "tool", "tool.70");
	perf_event(0, 70, P_CALL);
	perf_at = put(put(put(perf_at, 0, 4), 7, 8), 100, 8);
	perf_text(0, 0, 2048, 70, 7, 0, "read");
	perf_event(0, 70, P_CALL_END);
	perf_at = put(put(perf_at, 0, 4), 5, 8);
	perf_text(0, 0, 2560, 70, 0, 5, "/read");
	/* events of CPU 1 are in the same stream */
	printf("%llu 1 512 1  71 0  0 0 0 child.71 (200)\n", (unsigned long long)(now + 1000) / 10);
	perf_numbers(1, 71, P_FAULT, 8, 0x1000, 8, 6);
	perf_text(1, 1, 1038, 71, 6, 0, "page_fault");
	perf_event(1, 71, P_WAKEUP);
	perf_at = put(put(put_text(perf_at, "tool"), 72, 4), 0, 4);
	perf_text(1, 1, 518, 71, 72, 0, "runnable.72");
	perf_event(1, 71, P_RUNTIME);		/* this event has no counterpart */
	perf_at = put(put_text(perf_at, "child"), 71, 4);
	perf_numbers(0, 70, P_TIMER, 4, 236, 0, 0);
	perf_text(0, 0, 1516, 70, 0, 0, "local_timer");
	perf_numbers(0, 70, P_SOFTIRQ, 4, 1, 0, 0);
	perf_text(0, 0, 1535, 70, 1, 0, "BH:timer");
	perf_numbers(0, 70, P_SOFTIRQ_END, 4, 1, 0, 0);
	perf_text(0, 0, 2047, 70, 0, 0, "/BH");
	perf_numbers(0, 70, P_TIMER_END, 4, 236, 0, 0);
	perf_text(0, 0, 2028, 70, 0, 0, "/local_timer");
	perf_numbers(1, 71, P_RAW, 8, 1, 0, 0);
	perf_text(1, 0, 2049, 71, 0, 0, "write");
	perf_numbers(1, 71, P_RAW_END, 8, 1, 8, 3);
	perf_text(1, 0, 2561, 71, 0, 3, "/write");
	perf_event(1, 71, P_FORK);
	perf_at = put(put_text(put(put_text(perf_at, "child"), 71, 4), "new"), 73, 4);
	perf_event(1, 71, P_EXIT);
	perf_at = put(put_text(perf_at, "child"), 71, 4);
	perf_text(1, 1, 531, 71, 71, 0, "task_exit.71");
	perf_switch(1, 71, 0, "swapper", "-idle-.0");
	perf_numbers(1, 0, P_IDLE, 4, 2, 4, 1);
	perf_text(1, 1, 520, 0, 2, 0, "mwait");
}

/* ---- threads without exit events ---- */

static void line(int dur, int code, int pid, uint32_t arg0, const char *name)
{
	(perf ? perf_text : text)(0, dur, code, pid, arg0, 0, name);
}

/* Adds a context switch of CPU 0 after @ns. @state is the state of the thread that leaves. */
static void dead_switch(uint64_t ns, int from, int state, int to_pid)
{
	const char *before = from ? "work" : "swapper/0", *after = to_pid ? "work" : "swapper/0";
	uint8_t *p;

	step(ns - 1000);
	if (perf) {
		perf_event(0, from, P_SWITCH);
		perf_at = put(put(put_text(perf_at, before), (uint64_t)from, 4), (uint64_t)state, 8);
		perf_at = put(put_text(perf_at, after), (uint64_t)to_pid, 4);
	} else {
		step(1000);
		p = put(put(put(put_comm(fields, before), (uint64_t)from, 4), 20, 4), (uint64_t)state, 8);
		done(0, SWITCH, put(put(put_comm(p, after), (uint64_t)to_pid, 4), 20, 4));
	}
	cpus[0].running = to_pid;
}

/*
 * Adds a context switch of CPU 0 after @ns: from idle to thread 300 if @comes, otherwise from
 * thread 300, in the given state, to idle.
 */
static void work(uint64_t ns, bool comes, int state)
{
	const int from = comes ? 0 : 300, to_pid = comes ? 300 : 0;

	dead_switch(ns, from, state, to_pid);
	now -= 10;
	if (state & 48 || (old_names && state == 64))
		line(1, 531, from, (uint32_t)from, "task_exit.300");
	now += 10;
	line(0, 512, to_pid, (uint32_t)to_pid, comes ? "work.300" : "-idle-.0");
}

static void dead_threads(void)
{
	static const int states[] = { 16, 32, 48, 1, 16, 64, 1 };
	size_t i;

	now = 1001000000;
	line(1, 512, 0, 0, "-idle-.0");
	now = 1000000000;
	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		work(i ? 20000000 : 1000000, true, 0);
		work(1000000, false, states[i]);
	}
	dead_switch(1000000, 0, 0, -7);		/* ctftoevent omits an event with this pid */
}

/* ---- a trace of the events on standard input ---- */

/* Types of fields: s text, t number of a task, i 32 bits, q 64 bits. */
static const struct { const char *name, *fields; } scripted[] = {
	{ "sched_switch", "s_prev_comm t_prev_tid q_prev_state s_next_comm t_next_tid" },
	{ "sched_waking", "s_comm t_tid" },
	{ "sched_wakeup_new", "s_comm t_tid" },
	{ "sched_process_fork", "s_parent_comm t_parent_tid s_child_comm t_child_tid" },
	{ "sched_process_exec", "s_filename t_tid t_old_tid" },
	{ "sched_process_exit", "s_comm t_tid" },
	{ "task_rename", "t_tid s_oldcomm s_newcomm" },
	{ "lttng_statedump_process_state", "t_tid s_name i_type i_status" },
};
#define SCRIPTED	(sizeof(scripted) / sizeof(scripted[0]))

static bool wide;

static int bytes_of(char type)
{
	return type == 'i' || (type == 't' && !wide) ? 4 : 8;
}

static void describe_script(void)
{
	char class[2048], names[128], *name, *rest;
	size_t i, used;

	say("/* CTF 1.8 */\n\ntrace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n\tpacket.header := struct {\n"
	    BITS(32, false, "magic") BITS(32, false, "stream_id") "\t} align(8);\n};\n\n"
	    "env {\n\thostname = \"builder\";\n\tdomain = \"kernel\";\n\tsysname = \"Linux\";\n"
	    "\tkernel_release = \"6.1.0\";\n\ttracer_name = \"lttng-modules\";\n};\n\n"
	    "clock {\n\tname = mono;\n\tfreq = 1000000000;\n\toffset_s = 0;\n\toffset = 0;\n};\n\n"
	    "stream {\n\tid = 0;\n\tevent.header := struct {\n" BITS(32, false, "id")
	    "\t\tinteger { size = 64; align = 8; signed = false; map = clock.mono.value; } timestamp;\n\t} align(8);\n"
	    "\tpacket.context := struct {\n" BITS(64, false, "timestamp_begin") BITS(64, false, "timestamp_end")
	    BITS(64, false, "content_size") BITS(64, false, "packet_size") BITS(32, false, "cpu_id") "\t} align(8);\n};\n\n");
	for (i = 0; i < SCRIPTED; i++) {
		used = 0;
		strcpy(names, scripted[i].fields);
		for (name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
			used += (size_t)(*name == 's' ?
				sprintf(class + used, "\t\tstring { encoding = UTF8; } %s;\n", name + 1) :
				sprintf(class + used, "\t\tinteger { size = %d; align = 8; signed = true; } %s;\n",
					8 * bytes_of(*name), name + 1));
		say_class((unsigned int)i, scripted[i].name, class);
	}
}

static uint8_t script_bytes[CPUS][1 << 16];

static uint8_t *script_event(uint8_t *p, unsigned long long us, size_t id, char *values)
{
	const char *type = scripted[id].fields;
	char *value, *rest;

	p = put(put(p, id, 4), us * 1000, 8);
	for (value = strtok_r(values, " \n", &rest); value; value = strtok_r(NULL, " \n", &rest)) {
		p = *type == 's' ? put_text(p, strcmp(value, "-") ? value : "") :
				   put(p, (uint64_t)strtoll(value, NULL, 10), bytes_of(*type));
		type = strchr(type, ' ');
		if (!type)
			break;
		type++;
	}
	return p;
}

static void script(void)
{
	/* the header has the fields magic, stream, two times, two sizes and CPU */
	uint8_t *at[CPUS] = { script_bytes[0] + 44, script_bytes[1] + 44 };
	unsigned long long begin[CPUS] = { 0 }, end[CPUS] = { 0 };
	char input[256], name[64], path[4096];
	unsigned long long us;
	unsigned int cpu;
	FILE *file;
	int used;
	size_t i;

	while (fgets(input, sizeof(input), stdin)) {
		if (sscanf(input, "%llu %u %63s %n", &us, &cpu, name, &used) != 3 || cpu >= CPUS)
			exit(1);
		for (i = 0; i < SCRIPTED && strcmp(name, scripted[i].name); i++)
			;
		if (i == SCRIPTED)
			exit(1);
		begin[cpu] = begin[cpu] ? begin[cpu] : us * 1000;
		end[cpu] = us * 1000;
		at[cpu] = script_event(at[cpu], us, i, input + used);
	}
	for (cpu = 0; cpu < CPUS; cpu++) {
		const size_t size = (size_t)(at[cpu] - script_bytes[cpu]);

		put(put(put(put(put(put(put(script_bytes[cpu], 0xC1FC1FC1, 4), 0, 4), begin[cpu], 8), end[cpu], 8), size * 8, 8),
			size * 8, 8), cpu, 4);
		snprintf(path, sizeof(path), "%s/channel0_%u", folder, cpu);
		file = fopen(path, "w");
		fwrite(script_bytes[cpu], 1, size, file);
		fclose(file);
	}
}

int main(int argc, char **argv)
{
	bool dead = false, by_script = false;
	char path[4096];
	int i, cpu;

	folder = argv[1];
	for (i = 2; i < argc; i++) {
		be |= !strcmp(argv[i], "be");
		large |= !strcmp(argv[i], "large");
		packets |= !strcmp(argv[i], "packets");
		tid |= !strcmp(argv[i], "tid");
		gap |= !strcmp(argv[i], "gap");
		early |= !strcmp(argv[i], "early");
		wakeup |= !strcmp(argv[i], "wakeup");
		nosched |= !strcmp(argv[i], "nosched");
		old_names |= !strcmp(argv[i], "old");
		perf |= !strcmp(argv[i], "perf");
		dead |= !strcmp(argv[i], "dead");
		wide |= !strcmp(argv[i], "wide");
		by_script |= !strcmp(argv[i], "script");
	}
	tid |= nosched;
	mkdir(folder, 0700);
	if (by_script) {
		describe_script();
		write_metadata();
		script();
		return 0;
	}
	if (perf) {
		describe_perf();
		write_metadata();
		if (dead)
			dead_threads();
		else
			perf_trace();
		perf_end();
		return 0;
	}
	for (cpu = 0; cpu < CPUS; cpu++) {
		snprintf(path, sizeof(path), "%s/channel0_%d", folder, cpu);
		cpus[cpu].file = fopen(path, "w");
		memset(cpus[cpu].bytes, 0xA5, PACKET_BYTES);
	}
	describe();
	write_metadata();
	if (dead) {
		dead_threads();
		flush(0);
	}
	for (cpu = 0; dead && cpu < CPUS; cpu++)
		fclose(cpus[cpu].file);
	if (dead)
		return 0;
	now = 1000;
	cpus[0].running = cpus[0].shown = 100;
	done(0, STATE, put(put_comm(put(put(put(fields, 100, 4), 100, 4), 0, 4), "init"), 0, 4));
	now += 400;
	first(0, 30, "init.100");
	if (old_names)
		nameless(0);
	some_calls(0);
	now += 50;
	first(1, 50, "-idle-.0");
	interrupts(1);
	cpus[1].discarded = 3;
	to(1, 101, "work er");
	some_calls(1);
	power(0);
	lifetime(1, 101, 102);
	to(0, 0, "");
	power(0);
	interrupts(0);
	lifetime(1, 101, 103);
	to(1, 0, "");
	to(0, 100, "init");
	some_calls(0);
	for (cpu = 0; cpu < CPUS; cpu++) {
		flush(cpu);
		fclose(cpus[cpu].file);
	}
	return 0;
}
