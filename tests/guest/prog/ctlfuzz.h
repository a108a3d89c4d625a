/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Defines the programs of ctlfuzz.c, their random numbers, and the checks of every call. A program
 * consists of calls. A few numbers determine a call completely, so that it can be changed slightly,
 * printed, and executed again. ctlfuzz_calls.h executes the calls.
 */
#ifndef CTLFUZZ_H
#define CTLFUZZ_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"

#define CALLS 40 /* maximum number of calls of a program */
#define SLOTS 4 /* files of the device; also nodes, and mappings */
#define ARENA (16 * 4096) /* bytes of memory for the structs of calls; a hole follows */

enum op {
	OP_OPEN,
	OP_CLOSE,
	OP_INFO,
	OP_CONTROL,
	OP_SYSCALL,
	OP_MARK,
	OP_CREATE,
	OP_ATTACH,
	OP_DESTROY,
	OP_LIST,
	OP_MASK,
	OP_FILTER,
	OP_TRIGGER,
	OP_FIRED,
	OP_ATTEND,
	OP_KEEP,
	OP_LOST,
	OP_DEFINE,
	OP_POINT,
	OP_POINT_LIST,
	OP_SWITCH,
	OP_BYTE,
	OP_FORGET,
	OP_UNKNOWN,
	OP_MMAP,
	OP_TOUCH,
	OP_MUNMAP,
	OP_MPROTECT,
	OP_POLL,
	OP_NODE,
	OP_READ,
	OP_SEEK,
	OP_WRITE,
	OP_NODE_CLOSE,
	OP_FORK,
	OP_WORK,
	OPS
};

/* True for calls that remove an object that other calls use, such as a file or a session. */
static inline bool op_ends(enum op op)
{
	return op == OP_CLOSE || op == OP_DESTROY || op == OP_NODE_CLOSE ||
	       op == OP_MUNMAP || op == OP_OPEN || op == OP_NODE;
}

static const char *const op_names[OPS] = {
	"open",	   "close",	 "info",    "control",	  "syscall", "mark",
	"create",  "attach",	 "destroy", "list",	  "mask",    "filter",
	"trigger", "fired",	 "attend",  "keep",	  "lost",    "define",
	"point",   "point_list", "switch",  "byte",	  "forget",  "unknown",
	"mmap",	   "touch",	 "munmap",  "mprotect",	  "poll",    "node",
	"read",	   "seek",	 "write",   "node_close", "fork",    "work",
};

/* The user that executes a program. */
enum role { ROLE_ROOT, ROLE_GROUP, ROLE_GROUP2, ROLE_PLAIN, ROLE_USERNS, ROLES };

struct call {
	uint8_t op, slot;
	uint16_t variant;
	uint32_t seed;
};

struct program {
	uint8_t role;
	uint8_t threads; /* 2: both threads execute the program at the same time */
	uint8_t count;
	struct call call[CALLS];
};

/* How often each call succeeded, and how often it was refused: every call must do both. */
struct tally {
	uint64_t done[OPS], refused[OPS];
	uint64_t commands[16]; /* calls of each control command that were not refused */
};

/* ---- chance ---- */

struct chance {
	uint64_t state;
};

static inline uint64_t chance_next(struct chance *chance)
{
	uint64_t z = chance->state += 0x9E3779B97F4A7C15ULL;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
	z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
	return z ^ z >> 31;
}

static inline uint32_t chance_below(struct chance *chance, uint32_t limit)
{
	return (uint32_t)(chance_next(chance) % limit);
}

static inline bool chance_one_in(struct chance *chance, uint32_t n)
{
	return !chance_below(chance, n);
}

/* Returns a number that is likely to cause errors: a limit, its neighbour, one bit, any number. */
static inline uint64_t chance_odd(struct chance *chance)
{
	static const uint64_t odd[] = {
		0,
		1,
		2,
		7,
		8,
		15,
		16,
		31,
		32,
		63,
		64,
		255,
		256,
		511,
		512,
		4095,
		4096,
		8191,
		8192,
		65535,
		65536,
		INT32_MAX,
		0x80000000,
		UINT32_MAX,
		1ULL << 32,
		1ULL << 44,
		1ULL << 47,
		INT64_MAX,
		1ULL << 63,
		UINT64_MAX,
		0xFFFF888000000000,
		0xFFFFFFFF81000000,
	};
	uint64_t value = odd[chance_below(chance, sizeof(odd) / sizeof(odd[0]))];

	switch (chance_below(chance, 6)) {
	case 0:
		return value + 1;
	case 1:
		return value - 1;
	case 2:
		return chance_next(chance);
	case 3:
		return 1ULL << chance_below(chance, 64);
	default:
		return value;
	}
}

/* Returns a number that is mostly below @limit. */
static inline uint64_t chance_about(struct chance *chance, uint32_t limit)
{
	return chance_one_in(chance, 8) ? chance_odd(chance)
					: chance_below(chance, limit);
}

/* ---- state of a process of a program ---- */

struct state {
	int device[SLOTS], node[SLOTS];
	struct {
		char *at;
		size_t bytes;
	} map[SLOTS];
	char *arena;
	uint32_t point; /* the last tracepoint defined */
	uintptr_t byte; /* the last byte registered for it */
	enum role role;
	bool racing; /* another thread executes the program with the same files and memory */
	struct tally *tally;
};

static inline void bad(const struct call *call, const char *what, long value)
{
	printf("BAD %s variant %u seed %u: %s (%ld)\n", op_names[call->op], call->variant,
	       call->seed, what, value);
	fflush(stdout);
	_exit(9);
}

/*
 * Chooses the address of a call's struct: usually in the arena, or at its end, across its end into
 * the hole, NULL, or an address of the kernel.
 */
static inline char *place(struct state *s, struct chance *chance, size_t bytes)
{
	switch (chance_below(chance, 50)) {
	case 0:
		return s->arena + ARENA - bytes + chance_below(chance, (uint32_t)bytes);
	case 1:
		return NULL;
	case 2:
		return (char *)0xFFFF888000000000;
	case 3:
	case 4:
		return s->arena + ARENA - bytes;
	default:
		return s->arena + chance_below(chance, ARENA - 2048);
	}
}

/* Stores the data of a call, if all of its bytes are in the arena. */
static inline void put(const struct state *s, char *at, const void *what, size_t bytes)
{
	if (at >= s->arena && at + bytes <= s->arena + ARENA)
		memcpy(at, what, bytes);
}

/* Reports an address of the kernel that a call stored in its struct, which no user may get. */
static inline void look_for_addresses(const struct call *call, const uint64_t *before,
				      const uint64_t *after, size_t words)
{
	size_t i;

	for (i = 0; i < words; i++)
		if (after[i] != before[i] && after[i] >> 47 == 0x1FFFF &&
		    after[i] < -4096ULL)
			bad(call, "an address of the kernel in the answer",
			    (long)after[i]);
}

static inline long count(const struct state *s, const struct call *call, long result)
{
	if (result >= 0)
		s->tally->done[call->op]++;
	else if (errno > 0 && errno < 134)
		s->tally->refused[call->op]++;
	else
		bad(call, "no error that a program may see", errno);
	return result;
}

/* Reports a call that a user who may only mark was allowed, or that failed with a wrong error. */
static inline void held_to_marks(const struct state *s, const struct call *call,
				 long result)
{
	if (s->role != ROLE_PLAIN && s->role != ROLE_USERNS)
		return;
	if (result >= 0)
		bad(call, "was done for a user who may only mark", result);
	else if (errno != EPERM && errno != EBADF && !s->racing)
		bad(call, "was not refused with EPERM", errno);
}

/* Makes an ioctl with a random struct, and checks the result. */
static inline long with_struct(struct state *s, const struct call *call,
			       struct chance *chance, unsigned long request,
			       const void *wanted, size_t bytes)
{
	uint64_t before[256] = {0}, after[256] = {0};
	char *at = place(s, chance, bytes);
	bool inside = at >= s->arena && at + bytes <= s->arena + ARENA;
	long result;
	int error;

	put(s, at, wanted, bytes);
	memcpy(before, wanted, bytes);
	result = ioctl(s->device[call->slot], request, at);
	error = errno;
	if (inside && s->role != ROLE_ROOT && !s->racing) {
		memcpy(after, at, bytes);
		look_for_addresses(call, before, after, bytes / sizeof(before[0]));
	}
	errno = error;
	return count(s, call, result);
}

static inline uint32_t length_of(struct chance *chance, size_t bytes)
{
	return chance_one_in(chance, 16) ? (uint32_t)chance_odd(chance) : (uint32_t)bytes;
}

#endif
