/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the arguments of each call of ctlfuzz.c, and executes the call. */
#ifndef CTLFUZZ_CALLS_H
#define CTLFUZZ_CALLS_H

#include "ctlfuzz.h"
#include "kutrace_call.h"

/* ---- the calls ---- */

static inline void session_name(struct chance *chance, char *name, size_t room)
{
	static const char *const names[] = {"",
					    "a",
					    "b",
					    "main",
					    "uid-0",
					    "uid-1000",
					    "uid-1001",
					    "recorder",
					    "../x",
					    "session-3",
					    "01234567890123456789012345678901"};

	snprintf(name, room, "%s",
		 names[chance_below(chance, sizeof(names) / sizeof(names[0]))]);
	if (chance_one_in(chance, 30))
		memset(name, 'n', room);
}

/* Returns a mask of kinds, rarely with bits of unknown kinds, which are refused. */
static inline uint64_t chance_kinds(struct chance *chance)
{
	return chance_odd(chance) & (chance_one_in(chance, 16) ? ~0ULL : KUTRACE_KINDS_ALL);
}

static inline void do_session(struct state *s, const struct call *call,
			      struct chance *chance)
{
	static const unsigned long requests[] = {KUTRACE_IOC_SESSION_CREATE,
						 KUTRACE_IOC_SESSION_ATTACH,
						 KUTRACE_IOC_SESSION_DESTROY,
						 KUTRACE_IOC_SESSION_LIST};
	struct kutrace_session what = {.length = length_of(chance, sizeof(what))};

	session_name(chance, what.name, sizeof(what.name));
	what.id = (uint32_t)chance_about(chance, KUTRACE_SESSIONS);
	what.mb = chance_one_in(chance, 12) ? (uint32_t)chance_odd(chance)
					    : 1 + chance_below(chance, 2);
	what.flags = (uint32_t)chance_about(chance, 2);
	what.kinds = chance_one_in(chance, 2) ? 0 : chance_kinds(chance);
	held_to_marks(s, call,
		      with_struct(s, call, chance, requests[call->op - OP_CREATE], &what,
				  sizeof(what)));
}

static inline uint64_t control_arg(struct state *s, struct chance *chance,
				   uint64_t command)
{
	uint64_t words[8] = {0};
	char *at;

	switch (command) {
	case KUTRACE_CMD_RESET:
		return chance_about(chance, 8);
	case KUTRACE_CMD_INSERT1:
	case ~(uint64_t)KUTRACE_CMD_INSERT1:
		return chance_about(chance, KUTRACE_MADE_WAITA) << KUTRACE_EVENT_SHIFT |
		       chance_odd(chance) >> 32;
	case KUTRACE_CMD_INSERTN:
	case ~(uint64_t)KUTRACE_CMD_INSERTN:
		words[0] = chance_about(chance, KUTRACE_USERPID) << KUTRACE_EVENT_SHIFT |
			   (uint32_t)chance_odd(chance);
		if (chance_one_in(chance, 2))
			words[0] = (uint64_t)(chance_below(chance, 16) |
					      (1 + chance_below(chance, 9)) << 4 |
					      chance_below(chance, 2) << 8)
					   << KUTRACE_EVENT_SHIFT |
				   chance_below(chance, 5000);
		memset(&words[1], 'x', sizeof(words) - sizeof(words[0]));
		break;
	case KUTRACE_CMD_INFO:
		words[0] = length_of(chance, sizeof(struct kutrace_info));
		break;
	case KUTRACE_CMD_GET4KB:
	case KUTRACE_CMD_GETIPC4KB:
		at = place(s, chance, 4096);
		return (uint64_t)(uintptr_t)(at < s->arena + ARENA / 2 ? s->arena : at);
	case KUTRACE_CMD_SET4KB:
		return chance_one_in(chance, 4) ? chance_odd(chance)
						: chance_below(chance, 64) * 512;
	default:
		return chance_about(chance, 70000);
	}
	at = place(s, chance, sizeof(words));
	put(s, at, words, sizeof(words));
	return (uint64_t)(uintptr_t)at;
}

static inline void do_control(struct state *s, const struct call *call,
			      struct chance *chance)
{
	struct kutrace_control control = {.command = call->variant % 20};
	uint64_t command = control.command;
	long result;

	if (command > 16)
		command = control.command = command == 17 ? ~(uint64_t)KUTRACE_CMD_INSERT1
					    : command == 18
						    ? ~(uint64_t)KUTRACE_CMD_INSERTN
						    : chance_odd(chance);
	control.arg = control_arg(s, chance, command);
	if (call->op == OP_SYSCALL) {
		result = syscall(KUTRACE_CALL, control.command, control.arg);
		/* Users without a capability may do only what kutrace_abi.h lists. */
		if (s->role != ROLE_ROOT && result != -1 && command != KUTRACE_CMD_TEST &&
		    command != KUTRACE_CMD_VERSION && command != KUTRACE_CMD_INSERT1)
			bad(call, "was done by the system call for a user without rights",
			    result);
		if (result == -1)
			errno = EPERM;
		count(s, call, result == -1 ? -1 : 0);
		return;
	}
	result = ioctl(s->device[call->slot], KUTRACE_IOC_CONTROL, &control);
	if (!result && control.result != ~0ULL && command < 16)
		s->tally->commands[command]++;
	held_to_marks(s, call, count(s, call, result));
}

static inline void do_mark(struct state *s, const struct call *call,
			   struct chance *chance)
{
	uint64_t event = chance_one_in(chance, 2)
				 ? KUTRACE_MARKA + chance_below(chance, 4)
				 : chance_about(chance, 0x1000);
	uint64_t arg = event << KUTRACE_EVENT_SHIFT | (uint32_t)chance_odd(chance);

	if (chance_one_in(chance, 8))
		arg = chance_odd(chance);
	if (chance_one_in(chance, 2))
		with_struct(s, call, chance, KUTRACE_IOC_MARK_ENTRY, &arg, sizeof(arg));
	else
		count(s, call, ioctl(s->device[call->slot], KUTRACE_IOC_MARK, arg));
}

static inline void do_filter(struct state *s, const struct call *call,
			     struct chance *chance)
{
	struct kutrace_filter filter = {.length = length_of(chance, sizeof(filter))};
	uint32_t i;

	filter.npids = (uint32_t)chance_about(chance, 4);
	filter.ngroups = (uint32_t)chance_about(chance, 2);
	filter.ncgroups = (uint32_t)chance_about(chance, 2);
	for (i = 0; i < KUTRACE_FILTER_PIDS; i++)
		filter.pids[i] = i ? (uint32_t)chance_odd(chance) : (uint32_t)getpid();
	for (i = 0; i < KUTRACE_FILTER_GROUPS; i++)
		filter.groups[i] = (uint32_t)getpgid(0) + i;
	filter.cgroups[0] = 1;
	filter.cpus[chance_one_in(chance, 4) ? 63 : 0] = chance_below(chance, 4);
	if (chance_one_in(chance, 30))
		filter.reserved[chance_below(chance, 8)] = 1;
	held_to_marks(s, call,
		      with_struct(s, call, chance, KUTRACE_IOC_FILTER, &filter,
				  sizeof(filter)));
}

static inline void do_trigger(struct state *s, const struct call *call,
			      struct chance *chance)
{
	struct kutrace_trigger trigger = {.length = length_of(chance, sizeof(trigger))};

	trigger.kind = (uint32_t)chance_about(chance, KUTRACE_TRIGGER_KINDS);
	trigger.over_ns = chance_one_in(chance, 2) ? 0 : chance_odd(chance);
	/* FIRED returns this value: it must not look like an address of the kernel. */
	if (trigger.over_ns >> 47 == 0x1FFFF)
		trigger.over_ns = UINT64_MAX;
	trigger.number = chance_one_in(chance, 2) ? ~0u : (uint32_t)chance_odd(chance);
	trigger.number2 = (uint32_t)chance_odd(chance);
	trigger.pid = chance_one_in(chance, 4) ? (uint32_t)getpid() : 0;
	trigger.after_ms = chance_one_in(chance, 4) ? (uint32_t)chance_odd(chance)
						    : chance_below(chance, 3);
	trigger.flags = (uint32_t)chance_about(chance, 2);
	held_to_marks(s, call,
		      with_struct(s, call, chance, KUTRACE_IOC_TRIGGER, &trigger,
				  sizeof(trigger)));
}

static inline void do_info(struct state *s, const struct call *call,
			   struct chance *chance)
{
	uint64_t words[256] = {
		length_of(chance, call->op == OP_INFO	? sizeof(struct kutrace_info)
				  : call->op == OP_LOST ? sizeof(struct kutrace_lost)
							: sizeof(struct kutrace_fired))};

	if (call->op == OP_INFO)
		held_to_marks(s, call,
			      with_struct(s, call, chance, KUTRACE_IOC_INFO, words,
					  sizeof(struct kutrace_info)));
	else if (call->op == OP_LOST)
		held_to_marks(s, call,
			      with_struct(s, call, chance, KUTRACE_IOC_LOST, words,
					  sizeof(struct kutrace_lost)));
	else
		held_to_marks(s, call,
			      with_struct(s, call, chance, KUTRACE_IOC_FIRED, words,
					  sizeof(struct kutrace_fired)));
}

static inline void do_mask(struct state *s, const struct call *call,
			   struct chance *chance)
{
	struct kutrace_switch wanted = {chance_kinds(chance), chance_kinds(chance), 0, 0};

	held_to_marks(s, call,
		      with_struct(s, call, chance, KUTRACE_IOC_MASK, &wanted,
				  sizeof(wanted)));
}

static inline void point_text(struct chance *chance, char *text, size_t room)
{
	static const char *const kinds[] = {
		"p%u|",
		"p%u u32 a|a=%%u",
		"p%u u64 a, str b|%%d %%s",
		"p%u s8 a, u16 b, u32 c, u64 d, ptr e, double f, s64 g|x",
		"p%u u32|",
		"p%u bad a|",
		"%u",
		"p%u u8 a,b|",
		"p%u str a|\001",
		"p%u|%%s%%n%%p"};

	memset(text, 0, room);
	if (chance_one_in(chance, 25))
		memset(text, 't', room - chance_below(chance, 2));
	else
		snprintf(text, room,
			 kinds[chance_below(chance, sizeof(kinds) / sizeof(kinds[0]))],
			 chance_below(chance, 40));
}

static inline void do_define(struct state *s, const struct call *call,
			     struct chance *chance)
{
	struct kutrace_point_def def = {.length = length_of(chance, sizeof(def))};
	char *at = place(s, chance, sizeof(def));
	long result;

	def.id = (uint32_t)chance_about(chance, 60);
	point_text(chance, def.text, sizeof(def.text));
	put(s, at, &def, sizeof(def));
	result = count(s, call,
		       ioctl(s->device[call->slot],
			     call->op == OP_DEFINE ? KUTRACE_IOC_POINT_DEFINE
						   : KUTRACE_IOC_POINT_LIST,
			     at));
	if (!result && at >= s->arena && at + sizeof(def) <= s->arena + ARENA) {
		memcpy(&def, at, sizeof(def));
		s->point = def.id;
	}
	if (call->op == OP_POINT_LIST)
		held_to_marks(s, call, result);
}

static inline void do_switch(struct state *s, const struct call *call,
			     struct chance *chance)
{
	static const char *const patterns[] = {"*",	  "p1*", "p?",
					       "nothing", "",	 "*1*2*3*4*"};
	struct kutrace_point_switch wanted = {.length =
						      length_of(chance, sizeof(wanted))};

	wanted.value = (uint32_t)chance_about(chance, 2);
	snprintf(wanted.name, sizeof(wanted.name), "%s",
		 patterns[chance_below(chance, 6)]);
	held_to_marks(s, call,
		      with_struct(s, call, chance, KUTRACE_IOC_POINT_SWITCH, &wanted,
				  sizeof(wanted)));
}

static inline void do_point(struct state *s, const struct call *call,
			    struct chance *chance)
{
	struct kutrace_point_entry entry = {0};
	struct kutrace_point_byte byte = {.length = length_of(chance, sizeof(byte))};

	entry.id = byte.id =
		chance_one_in(chance, 6) ? (uint32_t)chance_about(chance, 60) : s->point;
	entry.nwords = (uint32_t)chance_about(chance, KUTRACE_POINT_WORDS + 1);
	byte.address = (uintptr_t)place(s, chance, 64);
	if (chance_one_in(chance, 12) && s->map[call->slot].at)
		byte.address = (uintptr_t)s->map[call->slot].at;
	if (call->op == OP_FORGET && !chance_one_in(chance, 3))
		byte.address = s->byte;
	if (call->op == OP_BYTE)
		s->byte = byte.address;
	if (call->op == OP_FORGET)
		count(s, call,
		      ioctl(s->device[call->slot], KUTRACE_IOC_POINT_FORGET,
			    byte.address));
	else if (call->op == OP_BYTE)
		with_struct(s, call, chance, KUTRACE_IOC_POINT_BYTE, &byte, sizeof(byte));
	else
		with_struct(s, call, chance, KUTRACE_IOC_POINT, &entry, sizeof(entry));
}

/* ---- mappings ---- */

static inline void do_unmap(struct state *s, unsigned int slot)
{
	if (s->map[slot].at)
		munmap(s->map[slot].at, s->map[slot].bytes);
	s->map[slot].at = NULL;
}

static inline void do_mmap(struct state *s, const struct call *call,
			   struct chance *chance)
{
	static const uint64_t bases[] = {KUTRACE_MMAP_META, KUTRACE_MMAP_AUX,
					 KUTRACE_MMAP_BLOCKS, KUTRACE_MMAP_BYTES};
	size_t bytes = 4096 * (1 + chance_below(chance, 20));
	int prot = chance_one_in(chance, 6) ? PROT_READ | PROT_WRITE : PROT_READ;
	uint64_t offset = bases[chance_below(chance, 4)];
	void *at;

	if (chance_one_in(chance, 3))
		offset += 4096ULL * chance_below(chance, 700);
	if (chance_one_in(chance, 20))
		offset = chance_odd(chance) & ~4095ULL & INT64_MAX;
	do_unmap(s, call->slot);
	at = mmap(NULL, bytes, prot, chance_one_in(chance, 6) ? MAP_PRIVATE : MAP_SHARED,
		  s->device[call->slot], (off_t)offset);
	count(s, call, at == MAP_FAILED ? -1 : 0);
	if (at == MAP_FAILED)
		return;
	if (prot & PROT_WRITE)
		bad(call, "mapped to be written", prot);
	if (offset && (s->role == ROLE_PLAIN || s->role == ROLE_USERNS))
		bad(call, "mapped for a user who may only mark", (long)offset);
	s->map[call->slot].at = at;
	s->map[call->slot].bytes = bytes;
}

/* Accesses memory by a system call, so that a missing page causes an error and no signal. */
static inline void do_touch(struct state *s, const struct call *call,
			    struct chance *chance)
{
	long result = -1;
	int pipes[2];

	errno = EFAULT;
	if (s->map[call->slot].at && !pipe2(pipes, O_CLOEXEC | O_NONBLOCK)) {
		result = write(
			pipes[1],
			s->map[call->slot].at +
				4096 * chance_below(chance,
						    (uint32_t)(s->map[call->slot].bytes /
							       4096)),
			4096);
		close(pipes[0]);
		close(pipes[1]);
	}
	count(s, call, result);
}

static inline void do_mprotect(struct state *s, const struct call *call,
			       struct chance *chance)
{
	int prot = (int)chance_below(chance, 8);
	long result = -1;

	errno = EINVAL;
	if (s->map[call->slot].at)
		result = mprotect(s->map[call->slot].at, 4096, prot);
	if (!count(s, call, result) && prot & PROT_WRITE && !s->racing)
		bad(call, "made writable", prot);
}

/* ---- nodes for scripts ---- */

static inline void do_node(struct state *s, const struct call *call,
			   struct chance *chance)
{
	static const char *const nodes[] = {"ctl", "tracepoints", "aux", "cpu000",
					    "cpu001"};
	static const int flags[] = {O_RDWR, O_RDONLY, O_WRONLY, O_RDWR | O_APPEND};
	char path[40];

	snprintf(path, sizeof(path), "/dev/kutrace/%s", nodes[call->variant % 5]);
	if (s->node[call->slot] >= 0)
		close(s->node[call->slot]);
	s->node[call->slot] =
		open(path, flags[chance_one_in(chance, 4) ? chance_below(chance, 4) : 0] |
				   O_CLOEXEC);
	count(s, call, s->node[call->slot]);
	if (s->node[call->slot] >= 0 && (s->role == ROLE_PLAIN || s->role == ROLE_USERNS))
		bad(call, "opened for a user who may only mark", s->node[call->slot]);
}

static inline void do_write(struct state *s, const struct call *call,
			    struct chance *chance)
{
	static const char *const lines[] = {"setmask %llu %llu\n",
					    "setbits %llu\n",
					    "clrbits 0x%llx\n",
					    "session main\n",
					    "session a\nsetbits %llu",
					    "settimestamp %llu\n",
					    "* on\n",
					    "* off\n",
					    "syscall off\nsyscall on\n",
					    "p* on\n",
					    "%llu %llu %llu %llu\n",
					    "\n\n\n",
					    " \t on\n",
					    "settimestamp x\n",
					    "session \n",
					    "*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?x on\n"};
	char text[5000];
	int n;

	n = snprintf(text, sizeof(text),
		     lines[chance_below(chance, sizeof(lines) / sizeof(lines[0]))],
		     (unsigned long long)chance_odd(chance),
		     (unsigned long long)chance_odd(chance), 7ULL, 8ULL);
	if (chance_one_in(chance, 20)) {
		memset(text, chance_one_in(chance, 2) ? 'w' : 0, sizeof(text));
		n = (int)chance_below(chance, sizeof(text));
	}
	count(s, call, write(s->node[call->slot], text, (size_t)n));
}

/* ---- all calls ---- */

static inline void do_fork(struct state *s, const struct call *call,
			   struct chance *chance)
{
	struct kutrace_point_byte byte = {.length = sizeof(byte),
					  .id = s->point,
					  .address = (uintptr_t)s->arena};
	pid_t pid = (pid_t)syscall(SYS_fork);

	if (!pid) {
		ioctl(s->device[call->slot], KUTRACE_IOC_POINT_BYTE, &byte);
		if (chance_one_in(chance, 4))
			raise(SIGKILL);
		_exit(0);
	}
	count(s, call, pid);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static inline void do_call(struct state *s, const struct call *call)
{
	struct chance chance = {(uint64_t)call->seed << 32 |
				(uint32_t)(call->op << 16 | call->variant)};
	int *device = &s->device[call->slot], *node = &s->node[call->slot];
	struct pollfd wait = {.fd = call->variant & 1 ? *device : *node,
			      .events = POLLIN | POLLPRI};
	char data[3000];

	switch ((enum op)call->op) {
	case OP_OPEN:
		if (*device >= 0)
			close(*device);
		*device = open(KUTRACE_DEVICE,
			       (call->variant & 1 ? O_RDONLY : O_RDWR) | O_CLOEXEC);
		count(s, call, *device);
		break;
	case OP_CLOSE:
		count(s, call, close(*device));
		*device = -1;
		break;
	case OP_INFO:
	case OP_LOST:
	case OP_FIRED:
		do_info(s, call, &chance);
		break;
	case OP_CONTROL:
	case OP_SYSCALL:
		do_control(s, call, &chance);
		break;
	case OP_MARK:
		do_mark(s, call, &chance);
		break;
	case OP_CREATE:
	case OP_ATTACH:
	case OP_DESTROY:
	case OP_LIST:
		do_session(s, call, &chance);
		break;
	case OP_MASK:
		do_mask(s, call, &chance);
		break;
	case OP_FILTER:
		do_filter(s, call, &chance);
		break;
	case OP_TRIGGER:
		do_trigger(s, call, &chance);
		break;
	case OP_ATTEND:
		held_to_marks(s, call,
			      count(s, call,
				    ioctl(*device, KUTRACE_IOC_ATTEND,
					  chance_about(&chance, 2))));
		break;
	case OP_KEEP:
		held_to_marks(s, call,
			      count(s, call,
				    ioctl(*device, KUTRACE_IOC_SESSION_KEEP, 0)));
		break;
	case OP_DEFINE:
	case OP_POINT_LIST:
		do_define(s, call, &chance);
		break;
	case OP_POINT:
	case OP_BYTE:
	case OP_FORGET:
		do_point(s, call, &chance);
		break;
	case OP_SWITCH:
		do_switch(s, call, &chance);
		break;
	case OP_UNKNOWN:
		held_to_marks(s, call,
			      count(s, call,
				    ioctl(*device,
					  (unsigned long)chance_odd(&chance) |
						  KUTRACE_IOC_MAGIC << 8 | 0x80,
					  place(s, &chance, 64))));
		break;
	case OP_MMAP:
		do_mmap(s, call, &chance);
		break;
	case OP_TOUCH:
		do_touch(s, call, &chance);
		break;
	case OP_MUNMAP:
		do_unmap(s, call->slot);
		break;
	case OP_MPROTECT:
		do_mprotect(s, call, &chance);
		break;
	case OP_POLL:
		count(s, call, poll(&wait, 1, call->variant & 2 ? 1 : 0));
		break;
	case OP_NODE:
		do_node(s, call, &chance);
		break;
	case OP_READ:
		count(s, call,
		      read(*node,
			   chance_one_in(&chance, 12) ? place(s, &chance, 64) : data,
			   chance_one_in(&chance, 8) ? sizeof(data)
						     : 1 + chance_below(&chance, 200)));
		break;
	case OP_SEEK:
		count(s, call,
		      lseek(*node, (off_t)chance_odd(&chance),
			    (int)chance_below(&chance, 3)));
		break;
	case OP_WRITE:
		do_write(s, call, &chance);
		break;
	case OP_NODE_CLOSE:
		if (*node >= 0)
			close(*node);
		*node = -1;
		break;
	case OP_FORK:
		do_fork(s, call, &chance);
		break;
	case OP_WORK:
		for (int i = 0; i < 200; i++)
			syscall(SYS_getppid);
		sched_yield();
		break;
	case OPS:
		break;
	}
}

#endif
