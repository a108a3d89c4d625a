/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fake module in memory that answers libkutrace's calls to the device, for the unit tests of
 * the library. It follows kutrace_abi.h as far as the library can observe, and makes the errors
 * that a test requests. One file of each test program includes it.
 */
#ifndef LIB_FAKE_H
#define LIB_FAKE_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/c_locale.h"
#include "kutrace_abi.h"
#include "kutrace_events.h"
#include "lib/base/name_list.h"
#include "lib/base/sizes.h"
#include "lib/device/device.h"
#include "lib/names/sources.h"
#include "lib/session/handle.h"
#include "libkutrace.h"

#define FAKE_FIRST_FD	1000
#define FAKE_BLOCKS	300
#define FAKE_META_BYTES	8192
#define FAKE_AUX_BYTES	(1 << 18)
#define FAKE_CALLS	4096
#define FAKE_SESSIONS	4

/* A session. The info, meta page and table of the main session are in struct fake instead. */
struct fake_session {
	bool used;
	bool keep;
	int creator;		/* descriptor of the session's creator */
	struct kutrace_info info;
	struct kutrace_filter filter;
	struct kutrace_trigger trigger[KUTRACE_TRIGGERS];
	struct kutrace_fired fired;
	uint32_t id;		/* session id, from 1 on, never reused */
	struct kutrace_meta_page meta;	/* meta page; the session claims no block */
	struct kutrace_block table[FAKE_BLOCKS];
};

/* The fake module. Its memory is shared, so that a test sees the changes of a child process. */
struct fake {
	struct kutrace_info info;
	struct kutrace_meta_page meta;
	struct kutrace_block table[FAKE_BLOCKS];
	uint64_t block[FAKE_BLOCKS][KUTRACE_BLOCK_WORDS];
	uint8_t bytes[FAKE_BLOCKS][KUTRACE_IPC_BYTES];
	char aux[FAKE_AUX_BYTES];

	int open_error;		/* error of every open */
	int open_write_error;	/* error of opens with O_RDWR */
	int ioctl_error;	/* error of IOC_INFO and IOC_CONTROL */
	int map_error_at;	/* number of the map that fails with ENOMEM; 0: none */
	int info_calls;
	int change_at;		/* first IOC_INFO that reports another recording; 0: none */
	uint64_t aux_first_at_2;	/* aux_first from the second IOC_INFO on, if not 0 */
	uint64_t aux_last_at_2;		/* aux_last from the second IOC_INFO on, if not 0 */
	int aux_info_at;		/* first IOC_INFO with aux_first_at_2 and aux_last_at_2;
					 * 0: the second */
	uint64_t refuse;	/* commands to refuse, one bit per command number */
	bool refuse_mark;
	bool mark_fd_gone;	/* the next mark finds another file under its descriptor number */
	bool sessions;		/* the module supports sessions */
	bool main_is_others;	/* the main session belongs to another user */
	int fire_after;		/* number of FIRED calls until one reports a firing; 0: none */
	uint32_t next_id;
	/* [0]: the main session */
	struct fake_session session[FAKE_SESSIONS];
	int of[32];		/* index of the session of each descriptor */
	bool attends[32];
	uint64_t lost_kinds[KUTRACE_KINDS];
	uint32_t points;	/* number of typed tracepoints, which match every pattern */
	uint32_t behind;
	struct kutrace_point_switch switched;	/* the last switch that was requested */

	int opens, closes, maps, unmaps;
	/* open descriptors: bit number is the descriptor minus FAKE_FIRST_FD */
	uint32_t fds;
	int marks;
	uint64_t mark[FAKE_CALLS];
	int commands;
	uint64_t command[FAKE_CALLS];
	uint64_t command_arg[FAKE_CALLS];
	uint64_t inserted[8];
	int named[FAKE_SESSIONS];	/* number of names inserted into each session */
};

static struct fake *fake;

static int fake_open(int flags)
{
	int i;

	errno = EXDEV;		/* set errno as a system call may: marks must restore it */
	if (fake->open_error)
		return -fake->open_error;
	if ((flags & O_ACCMODE) == O_RDWR && fake->open_write_error)
		return -fake->open_write_error;
	for (i = 0; i < 32; i++) {
		uint32_t bit = 1U << i;

		if (!(__atomic_fetch_or(&fake->fds, bit, __ATOMIC_SEQ_CST) & bit)) {
			__atomic_add_fetch(&fake->opens, 1, __ATOMIC_SEQ_CST);
			fake->of[i] = 0;
			fake->attends[i] = false;
			return FAKE_FIRST_FD + i;
		}
	}
	return -EMFILE;
}

static bool fake_fd_open(int fd)
{
	return fd >= FAKE_FIRST_FD && fd < FAKE_FIRST_FD + 32 &&
	       fake->fds >> (fd - FAKE_FIRST_FD) & 1;
}

static struct fake_session *fake_session(int fd)
{
	return &fake->session[fake->of[fd - FAKE_FIRST_FD]];
}

static struct kutrace_info *fake_info_of(int fd)
{
	struct fake_session *s = fake_session(fd);

	return s == &fake->session[0] ? &fake->info : &s->info;
}

static void fake_end_session(struct fake_session *s)
{
	s->used = false;
	s->info.recording = 0;
}

static void fake_close(int fd)
{
	struct fake_session *s = fake_session(fd);

	assert_true(fake_fd_open(fd));
	if (fake->attends[fd - FAKE_FIRST_FD]) {
		fake_info_of(fd)->recording = 0;
		fake_info_of(fd)->attended = 0;
		fake->attends[fd - FAKE_FIRST_FD] = false;
	}
	if (s != &fake->session[0] && s->used && !s->keep && s->creator == fd)
		fake_end_session(s);
	__atomic_fetch_and(&fake->fds, ~(1U << (fd - FAKE_FIRST_FD)), __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&fake->closes, 1, __ATOMIC_SEQ_CST);
}

static uint64_t fake_command(int fd, uint64_t number, uint64_t arg)
{
	struct kutrace_info *info = fake_info_of(fd);

	if (number < 64 && fake->refuse >> number & 1)
		return ~0ULL;
	if (number == ~(uint64_t)KUTRACE_CMD_INSERTN && !info->recording) {
		memcpy(fake->inserted, (void *)(uintptr_t)arg, sizeof(fake->inserted));
		return 0;
	}
	switch (number) {
	case KUTRACE_CMD_OFF:
		if (info->recording) {
			info->stop.counts = info->start.counts + 1000000;
			info->stop.real_ns = info->start.real_ns + 32000000;
		}
		info->recording = 0;
		fake->meta.active = 0;
		return 0;
	case KUTRACE_CMD_ON:
		info->recording = 1;
		fake->meta.active = 1;
		if (!info->start.counts) {
			info->start.counts = 0x123456;
			info->start.real_ns = 1700000000ULL * 1000000000;
			info->start_pid = (uint32_t)getpid();
			strcpy(info->start_comm, "fake");
		}
		return 1;
	case KUTRACE_CMD_FLUSH:
		return info->recording ? ~0ULL : 0;
	case KUTRACE_CMD_RESET:
		if (info->recording)
			return ~0ULL;
		info->flags = (uint32_t)arg;
		info->triggers = 0;
		info->fired = 0;
		memset(&fake_session(fd)->fired, 0, sizeof(struct kutrace_fired));
		info->start.counts = 0;
		info->taken_blocks = 0;
		info->used_blocks = 0;
		return 0;
	case KUTRACE_CMD_TEST:
		return info->recording;
	case KUTRACE_CMD_VERSION:
		return KUTRACE_MODULE_VERSION;
	case KUTRACE_CMD_INSERT1:
		return 1;
	case KUTRACE_CMD_INSERTN:
		memcpy(fake->inserted, (void *)(uintptr_t)arg, sizeof(fake->inserted));
		fake->named[fake->of[fd - FAKE_FIRST_FD]]++;
		return info->recording ? 1 : ~0ULL;
	default:
		return ~0ULL;
	}
}

static int fake_info(int fd, struct kutrace_info *to)
{
	int call = ++fake->info_calls;

	if (to->length != sizeof(*to))
		return -EINVAL;
	*to = *fake_info_of(fd);
	/* during a recording, the stop time is the present time */
	if (to->recording && !to->stop.counts && !to->stop.real_ns) {
		to->stop.counts = to->start.counts + 1000000;
		to->stop.real_ns = to->start.real_ns + 32000000;
	}
	if (fake->change_at && call >= fake->change_at)
		to->taken_blocks++;
	if (fake->aux_first_at_2 && call >= (fake->aux_info_at ? fake->aux_info_at : 2))
		to->aux_first = fake->aux_first_at_2;
	if (fake->aux_last_at_2 && call >= (fake->aux_info_at ? fake->aux_info_at : 2))
		to->aux_last = fake->aux_last_at_2;
	return 0;
}

static int fake_mark(int fd, unsigned long arg)
{
	unsigned int event = (unsigned int)(arg >> 32);
	int n;

	errno = EXDEV;
	if (fake->mark_fd_gone) {
		fake->mark_fd_gone = false;
		return -ENOTTY;
	}
	if (!fake_fd_open(fd))
		return -EBADF;
	if (fake->refuse_mark || event < 0x200 || event > 0x2FF)
		return -EINVAL;
	n = __atomic_fetch_add(&fake->marks, 1, __ATOMIC_SEQ_CST);
	if (n < FAKE_CALLS)
		fake->mark[n] = arg;
	return 0;
}

static void fake_tell_session(struct kutrace_session *to, int index)
{
	const struct fake_session *s = &fake->session[index];
	const struct kutrace_info *info = index ? &s->info : &fake->info;

	memset(to, 0, sizeof(*to));
	to->length = sizeof(*to);
	to->id = s->id;
	strcpy(to->name, info->name);
	to->mb = (uint32_t)((uint64_t)info->nblocks * KUTRACE_BLOCK_BYTES >> 20);
	to->flags = s->keep ? KUTRACE_SESSION_KEEP : 0;
	to->kinds = info->kinds;
	to->owner_uid = 7;
	to->owner_pid = 42;
	strcpy(to->owner_comm, "own\"er");
	to->recording = info->recording;
	to->wrap = info->flags & KUTRACE_RESET_WRAP ? 1 : 0;
	to->nblocks = info->nblocks;
	to->used_blocks = info->used_blocks;
}

static int fake_create(int fd, struct kutrace_session *want)
{
	struct fake_session *s;
	int i, at = 0;

	for (i = 1; i < FAKE_SESSIONS; i++) {
		if (fake->session[i].used && !strcmp(fake->session[i].info.name, want->name))
			return -EEXIST;
		if (!fake->session[i].used && !at)
			at = i;
	}
	if (!strcmp(want->name, KUTRACE_SESSION_MAIN))
		return -EEXIST;
	if (!at)
		return -ENOSPC;
	if (want->mb > 1000)
		return -ENOMEM;
	s = &fake->session[at];
	memset(s, 0, sizeof(*s));
	s->used = true;
	s->keep = want->flags & KUTRACE_SESSION_KEEP;
	s->creator = fd;
	s->id = ++fake->next_id;
	s->info = fake->info;
	memset(&s->info.start, 0, sizeof(s->info.start));
	s->info.recording = 0;
	s->info.used_blocks = 0;
	s->info.taken_blocks = 0;
	s->info.session = s->id;
	s->info.nblocks = want->mb ? want->mb * 16 : FAKE_BLOCKS;
	s->info.kinds = want->kinds ? want->kinds : KUTRACE_KINDS_ALL;
	s->meta = fake->meta;
	s->meta.nblocks = s->info.nblocks;
	snprintf(s->info.name, sizeof(s->info.name), "%.31s",
		 want->name[0] ? want->name : "made-up");
	fake->of[fd - FAKE_FIRST_FD] = at;
	fake_tell_session(want, at);
	return 0;
}

/*
 * Finds a session by name or id. With @list, finds the session with the lowest id that is not below
 * the given id.
 */
static int fake_find(const struct kutrace_session *want, bool list)
{
	int i, found = -ENOENT;

	for (i = 0; i < FAKE_SESSIONS; i++) {
		const struct fake_session *s = &fake->session[i];
		const char *name = i ? s->info.name : fake->info.name;

		if (i && !s->used)
			continue;
		if (list && s->id >= want->id &&
		    (found < 0 || s->id < fake->session[found].id))
			found = i;
		if (!list && (want->name[0] ? !strcmp(want->name, name) : want->id == s->id))
			found = i;
	}
	return found;
}

static int fake_trigger(int fd, struct kutrace_trigger *t)
{
	struct kutrace_info *info = fake_info_of(fd);

	if (t->kind == KUTRACE_TRIGGER_NONE) {
		info->triggers = 0;
		return 0;
	}
	if (t->kind == KUTRACE_TRIGGER_RUNQ)
		return -EOPNOTSUPP;
	if (info->triggers == KUTRACE_TRIGGERS)
		return -ENOSPC;
	t->index = info->triggers;
	fake_session(fd)->trigger[info->triggers++] = *t;
	return 0;
}

static int fake_fired(int fd, struct kutrace_fired *to)
{
	struct fake_session *s = fake_session(fd);
	struct kutrace_info *info = fake_info_of(fd);

	if (fake->fire_after && !--fake->fire_after) {
		s->fired.fired = ++info->fired;
		s->fired.trigger = s->trigger[0];
		s->fired.done = 1;
		s->fired.ns = 7000000;
		s->fired.number = KUTRACE_CALL_SYSCALL64 + 202;
		s->fired.pid = 1234;
		s->fired.cpu = 2;
		strcpy(s->fired.comm, "culprit");
		if (!(s->trigger[0].flags & KUTRACE_TRIGGER_NOTIFY))
			fake_command(fd, KUTRACE_CMD_OFF, 0);
	}
	*to = s->fired;
	to->length = sizeof(*to);
	return 0;
}

static int fake_switch(int fd, struct kutrace_switch *sw)
{
	struct kutrace_info *info = fake_info_of(fd);

	sw->old = info->kinds;
	info->kinds = (info->kinds & ~sw->mask) | (sw->value & sw->mask);
	sw->kinds = info->kinds;
	return 0;
}

static int fake_point_switch(struct kutrace_point_switch *wanted)
{
	fake->switched = *wanted;
	if (wanted->length != sizeof(*wanted) || wanted->value > 1)
		return -EINVAL;
	wanted->count = fake->points;
	wanted->behind = fake->behind;
	return fake->points ? 0 : -ENOENT;
}

/* Handles the ioctls that only a module with sessions has. */
static int fake_session_ioctl(int fd, unsigned long request, unsigned long arg)
{
	struct kutrace_session *session = (struct kutrace_session *)arg;
	struct fake_session *s = fake_session(fd);
	int found;

	switch (request) {
	case KUTRACE_IOC_SESSION_CREATE:
		return fake_create(fd, session);
	case KUTRACE_IOC_SESSION_ATTACH:
		found = fake_find(session, false);
		if (!found && fake->main_is_others)
			return -EACCES;
		if (found >= 0) {
			fake->of[fd - FAKE_FIRST_FD] = found;
			fake_tell_session(session, found);
		}
		return found < 0 ? found : 0;
	case KUTRACE_IOC_SESSION_DESTROY:
		found = fake_find(session, false);
		if (found > 0)
			fake_end_session(&fake->session[found]);
		return found < 0 ? found : found ? 0 : -EPERM;
	case KUTRACE_IOC_SESSION_LIST:
		found = fake_find(session, true);
		if (found >= 0)
			fake_tell_session(session, found);
		return found < 0 ? found : 0;
	case KUTRACE_IOC_SESSION_KEEP:
		s->keep = true;
		return 0;
	case KUTRACE_IOC_LOST:
		((struct kutrace_lost *)arg)->nkinds = KUTRACE_KINDS;
		memcpy(((struct kutrace_lost *)arg)->kinds, fake->lost_kinds,
		       sizeof(fake->lost_kinds));
		return 0;
	case KUTRACE_IOC_ATTEND:
		for (found = 0; found < 32; found++)
			if (arg && fake->attends[found] &&
			    fake->of[found] == fake->of[fd - FAKE_FIRST_FD] &&
			    found != fd - FAKE_FIRST_FD)
				return -EBUSY;
		fake->attends[fd - FAKE_FIRST_FD] = arg;
		fake_info_of(fd)->attended = arg != 0;
		return 0;
	case KUTRACE_IOC_MASK:
		return fake_switch(fd, (struct kutrace_switch *)arg);
	case KUTRACE_IOC_FILTER:
		memcpy(&s->filter, (void *)arg, sizeof(s->filter));
		fake_info_of(fd)->filtered = s->filter.npids || s->filter.ngroups ||
			s->filter.ncgroups || s->filter.cpus[0];
		return s->filter.length == sizeof(s->filter) ? 0 : -EINVAL;
	case KUTRACE_IOC_TRIGGER:
		return fake_trigger(fd, (struct kutrace_trigger *)arg);
	case KUTRACE_IOC_FIRED:
		return fake_fired(fd, (struct kutrace_fired *)arg);
	case KUTRACE_IOC_POINT_SWITCH:
		return fake_point_switch((struct kutrace_point_switch *)arg);
	default:
		return -ENOTTY;
	}
}

static int fake_ioctl(int fd, unsigned long request, unsigned long arg)
{
	struct kutrace_control *control = (struct kutrace_control *)arg;

	if (request == KUTRACE_IOC_MARK)
		return fake_mark(fd, arg);
	assert_true(fake_fd_open(fd));
	if (fake->ioctl_error)
		return -fake->ioctl_error;
	/* the session was destroyed: only attaching and listing still work */
	if (fake_session(fd) != &fake->session[0] && !fake_session(fd)->used &&
	    request != KUTRACE_IOC_SESSION_ATTACH && request != KUTRACE_IOC_SESSION_LIST)
		return -ENODEV;
	if (request == KUTRACE_IOC_INFO)
		return fake_info(fd, (struct kutrace_info *)arg);
	if (request != KUTRACE_IOC_CONTROL)
		return fake->sessions ? fake_session_ioctl(fd, request, arg) : -ENOTTY;
	if (fake->main_is_others && fake_session(fd) == &fake->session[0])
		return -EACCES;
	assert_true(fake->commands < FAKE_CALLS);
	fake->command[fake->commands] = control->command;
	fake->command_arg[fake->commands++] = control->arg;
	control->result = fake_command(fd, control->command, control->arg);
	return 0;
}

static void *fake_map(int fd, uint64_t offset, size_t bytes, int *error)
{
	uint64_t index = (offset - KUTRACE_MMAP_BLOCKS) / KUTRACE_BLOCK_BYTES;
	uint64_t bytes_index = (offset - KUTRACE_MMAP_BYTES) / KUTRACE_IPC_BYTES;
	const char *from;
	char *copy;
	size_t have;

	assert_true(fake_fd_open(fd));
	if (fake->map_error_at && fake->maps + 1 >= fake->map_error_at) {
		*error = -ENOMEM;
		return NULL;
	}
	if (offset == KUTRACE_MMAP_META) {
		__atomic_add_fetch(&fake->maps, 1, __ATOMIC_SEQ_CST);
		/* the live page with its table is mapped */
		return fake_session(fd) == &fake->session[0] ? &fake->meta
							     : &fake_session(fd)->meta;
	} else if (offset == KUTRACE_MMAP_AUX && bytes == FAKE_AUX_BYTES) {
		from = fake->aux;
		have = sizeof(fake->aux);
	} else if (offset >= KUTRACE_MMAP_BYTES && bytes_index < FAKE_BLOCKS &&
		   bytes == KUTRACE_IPC_BYTES) {
		from = (const char *)fake->bytes[bytes_index];
		have = KUTRACE_IPC_BYTES;
	} else if (offset >= KUTRACE_MMAP_BLOCKS && index < FAKE_BLOCKS &&
		   bytes == KUTRACE_BLOCK_BYTES) {
		from = (const char *)fake->block[index];
		have = KUTRACE_BLOCK_BYTES;
	} else {
		*error = -EINVAL;
		return NULL;
	}
	/* copy the bytes, so that a sanitizer detects reads beyond their end and after unmap */
	copy = malloc(have);
	assert_non_null(copy);
	memcpy(copy, from, have);
	__atomic_add_fetch(&fake->maps, 1, __ATOMIC_SEQ_CST);
	return copy;
}

static void fake_unmap(void *address, size_t bytes)
{
	__atomic_add_fetch(&fake->unmaps, 1, __ATOMIC_SEQ_CST);
	if ((char *)address < (char *)fake || (char *)address >= (char *)(fake + 1))
		free(address);
	assert_true(bytes > 0);
}

static const struct ku_dev_ops fake_ops = {
	.open = fake_open,
	.close = fake_close,
	.ioctl = fake_ioctl,
	.map = fake_map,
	.unmap = fake_unmap,
};

/*
 * Resets the module to its state after loading: nothing is recorded, and the blocks are zero.
 */
static inline void fake_reset(void)
{
	if (!fake) {
		fake = mmap(NULL, sizeof(*fake), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		assert_true(fake != MAP_FAILED);
	}
	memset(fake, 0, offsetof(struct fake, block));
	memset(fake->aux, 0, sizeof(*fake) - offsetof(struct fake, aux));
	fake->meta.length = sizeof(fake->meta);
	fake->meta.abi_version = KUTRACE_ABI_VERSION;
	fake->meta.nblocks = FAKE_BLOCKS;
	fake->meta.meta_bytes = FAKE_META_BYTES;
	fake->meta.table_offset = sizeof(fake->meta);
	fake->meta.aux_bytes = FAKE_AUX_BYTES;
	fake->info.length = sizeof(fake->info);
	fake->info.abi_version = KUTRACE_ABI_VERSION;
	fake->info.backend = KUTRACE_BACKEND_TRACEPOINTS;
	fake->info.nblocks = FAKE_BLOCKS;
	fake->info.clock_khz = 2000000;
	fake->info.clock_shift = 6;	/* 32 ns per count */
	fake->info.ncpus = 4;
	ku_dev = &fake_ops;
}

/* Resets to a module that supports sessions. */
static inline void fake_with_sessions(void)
{
	fake->sessions = true;
	fake->info.kinds = KUTRACE_KINDS_ALL;
	strcpy(fake->info.name, KUTRACE_SESSION_MAIN);
}

/*
 * Checks that every descriptor opened for commands is closed and everything mapped is unmapped.
 */
static inline void fake_assert_no_leak(void)
{
	assert_int_equal(fake->fds, 0);
	assert_int_equal(fake->maps, fake->unmaps);
}

/*
 * Returns the path of a device that is always full. For root, makes a device node at @path: if the
 * library replaces the device by a file, the machine's /dev/full remains. Returns NULL if the node
 * cannot be made or opened.
 */
static inline const char *fake_full_device(const char *path)
{
	int fd;

	if (geteuid())
		return "/dev/full";
	unlink(path);
	if (mknod(path, S_IFCHR | 0600, makedev(1, 7)) < 0)
		return NULL;
	fd = open(path, O_WRONLY);
	if (fd < 0) {
		unlink(path);
		return NULL;
	}
	close(fd);
	return path;
}

_Static_assert(offsetof(struct fake, table) ==
	       offsetof(struct fake, meta) + sizeof(struct kutrace_meta_page),
	       "the table follows the meta page");
_Static_assert(offsetof(struct fake_session, table) ==
	       offsetof(struct fake_session, meta) + sizeof(struct kutrace_meta_page),
	       "the table of a session follows its meta page");
_Static_assert(sizeof(struct kutrace_meta_page) +
	       FAKE_BLOCKS * sizeof(struct kutrace_block) <= FAKE_META_BYTES,
	       "the table fits into the mapping");

#endif
