// SPDX-License-Identifier: BSD-3-Clause
/*
 * Typed tracepoints (kutrace_point.h). Their objects are in a list, and registered with the
 * module, when it is there, as soon as the program or library that they are in is loaded;
 * from then on the module writes the byte in each that says whether to record. So recording
 * itself looks nothing up, takes no lock and may be done in a signal handler. Must never
 * print or allocate. Called by constructors and by the macros of kutrace_point.h.
 *
 * The module knows a process by the file that it told it by, as long as that is open or its
 * first page is mapped. So we map it, for programs that close all descriptors.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>

#include "kutrace_abi.h"
#include "kutrace_point.h"
#include "lib/base/lock.h"
#include "lib/device/call.h"
#include "lib/device/device.h"
#include "lib/session/open.h"
#include "libkutrace.h"

_Static_assert(KUTRACE_POINT_TEXT_BYTES == KUTRACE_POINT_DEF_BYTES &&
	       KUTRACE_POINT_FIELDS == KUTRACE_POINT_WORDS, "one size for the same thing");

#define RETRY_NS	1000000000LL	/* how often constructors try to find the module */

static struct ku_lock lock = KU_LOCK_INITIALIZER;
static struct kutrace_point *points;	/* all that are loaded */
static void *mapping;		/* what is mapped; NULL: no module so far */
static int64_t next_try_ns;		/* CLOCK_MONOTONIC */
static int point_fd = -1;
static bool gone;	/* the descriptor was closed and cannot be opened again */
static bool reopened;	/* it was, and is not that of what is mapped */

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* The descriptor is not ours any more: the program has closed it. */
static bool is_lost(int error)
{
	return error == -EBADF || error == -ENOTTY;
}

/*
 * Binds its byte to the module, which writes it from now on. The lock is held for this and
 * all up to fork_prepare().
 */
static int bind_byte(struct kutrace_point *point)
{
	struct kutrace_point_byte byte = {
		.length = sizeof(byte),
		.id = point->id,
		.address = (uintptr_t)&point->on,
	};
	int ret = ku_dev->ioctl(point_fd, KUTRACE_IOC_POINT_BYTE, (unsigned long)&byte);

	if (is_lost(ret))
		return ret;
	point->known = ret >= 0;
	if (ret < 0)
		__atomic_store_n(&point->on, 0, __ATOMIC_RELAXED);
	return ret;
}

/* Tells the module of it. 0 or -errno; then it stays off. */
static int define(struct kutrace_point *point)
{
	struct kutrace_point_def def;
	int ret;

	if (point->known)
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
	/* Before its byte: pairs with the acquire of the id in kutrace_point_record(). */
	__atomic_store_n(&point->id, def.id, __ATOMIC_RELEASE);
	return bind_byte(point);
}

/* Finds the module. Its descriptor stays, as that of the marks does. */
static int attach(void)
{
	int fd, error;
	void *map;

	fd = ku_dev->open(O_RDONLY);
	if (fd < 0)
		return ku_device_error(fd);
	if (fd == KU_CALL_FD) {
		ku_dev->close(fd);
		return -ENODEV;
	}
	/* There is nothing to forget; a module that does not write bytes says so. */
	error = ku_dev->ioctl(fd, KUTRACE_IOC_POINT_FORGET, 0);
	if (error == -ENOTTY) {
		ku_dev->close(fd);
		return -EPROTO;
	}
	map = ku_dev->map(fd, KUTRACE_MMAP_META, sizeof(struct kutrace_meta_page), &error);
	if (!map) {
		ku_dev->close(fd);
		return ku_device_error(error);
	}
	__atomic_store_n(&point_fd, fd, __ATOMIC_RELEASE);
	__atomic_store_n(&gone, false, __ATOMIC_RELAXED);
	__atomic_store_n(&mapping, map, __ATOMIC_RELAXED);
	return 0;
}

static void unmap(void *map)
{
	if (map)
		ku_dev->unmap(map, sizeof(struct kutrace_meta_page));
}

/* The module writes nothing more; the tracepoints are as if there were none. */
static void reset_all(void)
{
	struct kutrace_point *point;

	unmap(mapping);
	__atomic_store_n(&mapping, NULL, __ATOMIC_RELAXED);
	for (point = points; point; point = point->next) {
		point->known = 0;
		__atomic_store_n(&point->on, 0, __ATOMIC_RELAXED);
	}
}

/* How many the module knows; -EBADF or -ENOTTY: it cannot be told, the descriptor is lost. */
static int notify_all(int (*notify)(struct kutrace_point *))
{
	struct kutrace_point *point;
	int ret, known = 0;

	for (point = points; point; point = point->next) {
		ret = notify(point);
		if (is_lost(ret))
			return ret;
		known += !ret;
	}
	return known;
}

static int bind_or_define(struct kutrace_point *point)
{
	return point->known ? bind_byte(point) : define(point);
}

/*
 * By a descriptor of its own: there was none, or it is lost. Those that the module knows
 * stay on meanwhile. How many it knows, or -errno of finding it; then it knows none.
 */
static int renew(void)
{
	void *before = mapping;
	int ret;

	next_try_ns = now_ns() + RETRY_NS;
	__atomic_store_n(&reopened, false, __ATOMIC_RELAXED);
	ret = attach();
	if (!ret) {
		ret = notify_all(bind_or_define);
		unmap(before);
	}
	if (ret < 0)
		reset_all();
	return ret;
}

/* How many the module knows, or -errno of finding it. */
static int refresh(void)
{
	int known;

	if (mapping && !__atomic_load_n(&reopened, __ATOMIC_RELAXED)) {
		known = notify_all(define);
		if (known >= 0)
			return known;
	}
	return renew();
}

/*
 * A command found the module. Does not wait: the caller may hold the lock of registered
 * names, which a fork may take behind ours. Who has ours now is looking, or will be asked
 * again.
 */
static void on_module_found(void)
{
	int saved_errno = errno;
	sigset_t saved;

	if (!__atomic_load_n(&points, __ATOMIC_RELAXED) ||
	    __atomic_load_n(&mapping, __ATOMIC_RELAXED))
		return;
	if (ku_trylock(&lock, &saved)) {
		refresh();
		ku_unlock(&lock, &saved);
	}
	errno = saved_errno;
}

static void fork_prepare(void)
{
	ku_lock_for_fork(&lock);
}

static void fork_parent(void)
{
	ku_unlock_after_fork(&lock);
}

static void fork_child(void)
{
	int saved = errno;

	/* These are copies: the module writes our parent's. */
	if (points && (!mapping || notify_all(bind_or_define) < 0))
		renew();
	errno = saved;
	ku_unlock_after_fork(&lock);
}

KU_CONSTRUCTOR static void at_first(void)
{
	static struct ku_found_hook hook = {.found = on_module_found};

	pthread_atfork(fork_prepare, fork_parent, fork_child);
	ku_session_on_found(&hook);
}

void kutrace_point_attach(struct kutrace_point *point)
{
	int saved_errno = errno;
	sigset_t saved;

	ku_lock(&lock, &saved);
	point->next = points;
	points = point;
	if (mapping || now_ns() >= next_try_ns)
		refresh();
	ku_unlock(&lock, &saved);
	errno = saved_errno;
}

void kutrace_point_detach(struct kutrace_point *point)
{
	int saved_errno = errno, ret = 0;
	struct kutrace_point **at;
	sigset_t saved;

	ku_lock(&lock, &saved);
	for (at = &points; *at && *at != point; at = &(*at)->next)
		;
	if (*at)
		*at = point->next;
	if (point->known)
		ret = ku_dev->ioctl(point_fd, KUTRACE_IOC_POINT_FORGET,
				    (unsigned long)&point->on);
	/* It cannot be told: so all that it knows by that file goes, and the others come anew. */
	if (is_lost(ret))
		renew();
	point->known = 0;
	__atomic_store_n(&point->on, 0, __ATOMIC_RELAXED);
	ku_unlock(&lock, &saved);
	errno = saved_errno;
}

int kutrace_points_look(void)
{
	int saved_errno = errno, ret;
	sigset_t saved;

	ku_lock(&lock, &saved);
	ret = refresh();
	ku_unlock(&lock, &saved);
	errno = saved_errno;
	return ret;
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
		return old;
	}
	__atomic_store_n(&reopened, true, __ATOMIC_RELAXED);
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
	entry.id = __atomic_load_n(&point->id, __ATOMIC_ACQUIRE);
	entry.nwords = nwords;
	memcpy(entry.words, words, nwords * sizeof(*words));
	ret = ku_dev->ioctl(fd, KUTRACE_IOC_POINT, (unsigned long)&entry);
	if (is_lost(ret)) {
		fd = reopen(fd);
		if (fd >= 0)
			ku_dev->ioctl(fd, KUTRACE_IOC_POINT, (unsigned long)&entry);
	}
	errno = saved;
}
