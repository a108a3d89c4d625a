// SPDX-License-Identifier: BSD-3-Clause
/*
 * libkutrace: typed tracepoints (kutrace_point.h). Their objects are kept in a list, and
 * told to the module, when it is there, as soon as the program or library that they
 * are in is loaded; then each points to its byte of the module's switches. So recording
 * itself looks nothing up, takes no lock and may be done in a signal handler. Must
 * never print or allocate. Called by constructors and by the macros of kutrace_point.h;
 * the dump takes the module's definitions from here.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "ku_lib.h"
#include "kutrace_point.h"

_Static_assert(KUTRACE_POINT_TEXT_BYTES == KUTRACE_POINT_DEF_BYTES &&
	       KUTRACE_POINT_FIELDS == KUTRACE_POINT_WORDS, "one size for the same thing");

#define LOOK_AGAIN_NS	1000000000LL	/* how often a constructor looks for the module */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct kutrace_point *points;	/* all that are loaded */
static const volatile unsigned char *flags;	/* by id; NULL: no module so far */
static int64_t next_look_ns;		/* CLOCK_MONOTONIC */
static int point_fd = -1;
static bool gone;	/* the descriptor was closed and cannot be opened again */

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Tells the module of it; the lock is held. 0 or -errno; then it stays off. */
static int define(struct kutrace_point *point)
{
	struct kutrace_point_def def;
	int ret;

	if (point->id)
		return 0;
	memset(&def, 0, sizeof(def));
	def.length = sizeof(def);
	if (!kutrace_point_text(point->desc, def.text))
		return -EINVAL;
	ret = ku_dev->ioctl(point_fd, KUTRACE_IOC_POINT_DEFINE, (unsigned long)&def);
	if (ret < 0)
		return ret;
	if (!def.id || def.id >= KUTRACE_POINT_IDS)
		return -EPROTO;
	point->id = def.id;
	__atomic_store_n(&point->flag, flags + def.id, __ATOMIC_RELEASE);
	return 0;
}

/* Finds the module; the lock is held. Its descriptor stays, as that of the marks does. */
static int attach(void)
{
	const unsigned char *map;
	int fd, error = 0;

	fd = ku_dev->open(O_RDONLY);
	if (fd < 0)
		return ku_device_error(fd);
	if (fd == KU_CALL_FD) {
		ku_dev->close(fd);
		return -ENODEV;
	}
	map = ku_dev->map(fd, KUTRACE_MMAP_POINTS, KUTRACE_POINT_IDS, &error);
	if (!map) {
		ku_dev->close(fd);
		/* a module that has no such thing */
		return error == -EPERM || error == -EINVAL ? -EPROTO : ku_device_error(error);
	}
	__atomic_store_n(&point_fd, fd, __ATOMIC_RELEASE);
	flags = map;
	return 0;
}

/* The lock is held. How many the module knows, or -errno of finding it. */
static int look(void)
{
	struct kutrace_point *point;
	int ret, known = 0;

	if (!flags) {
		next_look_ns = now_ns() + LOOK_AGAIN_NS;
		ret = attach();
		if (ret)
			return ret;
	}
	for (point = points; point; point = point->next)
		known += !define(point);
	return known;
}

static void fork_prepare(void)
{
	pthread_mutex_lock(&lock);
}

static void fork_parent(void)
{
	pthread_mutex_unlock(&lock);
}

static void fork_child(void)
{
	int saved = errno;

	if (points && !flags)
		look();
	errno = saved;
	pthread_mutex_unlock(&lock);
}

static void at_first(void)
{
	pthread_atfork(fork_prepare, fork_parent, fork_child);
}

static void lock_points(sigset_t *saved)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, saved);
	pthread_once(&once, at_first);
	pthread_mutex_lock(&lock);
}

static void unlock_points(const sigset_t *saved)
{
	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, saved, NULL);
}

void kutrace_point_register(struct kutrace_point *point)
{
	int saved_errno = errno;
	sigset_t saved;

	lock_points(&saved);
	point->next = points;
	points = point;
	if (flags)
		define(point);
	else if (now_ns() >= next_look_ns)
		look();
	unlock_points(&saved);
	errno = saved_errno;
}

void kutrace_point_unregister(struct kutrace_point *point)
{
	struct kutrace_point **at;
	sigset_t saved;

	lock_points(&saved);
	for (at = &points; *at && *at != point; at = &(*at)->next)
		;
	if (*at)
		*at = point->next;
	__atomic_store_n(&point->flag, &point->unset, __ATOMIC_RELEASE);
	unlock_points(&saved);
}

int kutrace_points_look(void)
{
	int saved_errno = errno, ret;
	sigset_t saved;

	lock_points(&saved);
	ret = look();
	unlock_points(&saved);
	errno = saved_errno;
	return ret;
}

/*
 * Does not wait: the caller may hold the lock of lib_given.c, which a fork may take
 * behind ours. Who has ours now is looking, or will be asked again.
 */
void ku_points_rearm(void)
{
	int saved_errno = errno;
	sigset_t all, saved;

	if (!__atomic_load_n(&points, __ATOMIC_RELAXED) ||
	    __atomic_load_n(&flags, __ATOMIC_RELAXED))
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &saved);
	if (!pthread_mutex_trylock(&lock)) {
		look();
		pthread_mutex_unlock(&lock);
	}
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	errno = saved_errno;
}

/* The program has closed our descriptor, or something else has its number now. */
static int reopen(int old)
{
	int fd = ku_dev->open(O_RDONLY);

	if (fd < 0 || fd == KU_CALL_FD) {
		__atomic_store_n(&gone, true, __ATOMIC_RELAXED);
		return -1;
	}
	if (!__atomic_compare_exchange_n(&point_fd, &old, fd, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE)) {
		ku_dev->close(fd);
		fd = old;
	}
	return fd;
}

void kutrace_point_record(const struct kutrace_point *point, const uint64_t *words,
			  uint32_t nwords)
{
	int saved = errno, fd = __atomic_load_n(&point_fd, __ATOMIC_ACQUIRE), ret;
	struct kutrace_point_entry entry;

	if (nwords > KUTRACE_POINT_WORDS || __atomic_load_n(&gone, __ATOMIC_RELAXED))
		return;
	memset(&entry, 0, sizeof(entry));
	entry.id = point->id;
	entry.nwords = nwords;
	memcpy(entry.words, words, nwords * sizeof(*words));
	ret = ku_dev->ioctl(fd, KUTRACE_IOC_POINT, (unsigned long)&entry);
	if (ret == -EBADF || ret == -ENOTTY) {
		fd = reopen(fd);
		if (fd >= 0)
			ku_dev->ioctl(fd, KUTRACE_IOC_POINT, (unsigned long)&entry);
	}
	errno = saved;
}

/* ---- for dumps ---- */

/* A definition as names: number says which piece of which it is. */
int ku_names_add_point(struct ku_names *names, uint32_t id, const char *text)
{
	size_t length = strlen(text), at, part;
	uint32_t piece = 0;
	int ret = 0;

	for (at = 0; at < length && !ret; at += part, piece++) {
		part = length - at < KUTRACE_NAME_MAX_BYTES ? length - at :
							      KUTRACE_NAME_MAX_BYTES;
		ret = ku_names_add(names, KUTRACE_NAME_EVENTDEF, KUTRACE_POINT_NUMBER(id, piece),
				   text + at, part);
	}
	return ret;
}

int ku_names_points(int fd, struct ku_names *names)
{
	struct kutrace_point_def def;
	uint32_t id = 1;
	int ret;

	if (fd == KU_CALL_FD)
		return 0;
	while (id < KUTRACE_POINT_IDS) {
		memset(&def, 0, sizeof(def));
		def.length = sizeof(def);
		def.id = id;
		ret = ku_dev->ioctl(fd, KUTRACE_IOC_POINT_LIST, (unsigned long)&def);
		/* none left; or a module that has none */
		if (ret == -ENOENT || ret == -ENOTTY)
			return 0;
		if (ret < 0)
			return ku_device_error(ret);
		if (def.id < id || def.id >= KUTRACE_POINT_IDS)
			return -EBADMSG;
		def.text[sizeof(def.text) - 1] = '\0';
		ret = ku_names_add_point(names, def.id, def.text);
		if (ret)
			return ret;
		id = def.id + 1;
	}
	return 0;
}
