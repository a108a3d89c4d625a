// SPDX-License-Identifier: BSD-3-Clause
/*
 * Typed tracepoints (kutrace_point.h). Their objects form a list. When a program or library is
 * loaded, its constructors register its tracepoints with the module. From then on the module
 * writes the enable byte in each object. So recording needs no search and no lock, and works in
 * signal handlers.
 *
 * Must not print or allocate.
 *
 * The module keeps the registrations of a process as long as the file that made them is open or the
 * file's first page is mapped. This code maps the page, because programs may close all descriptors.
 */
#include <fcntl.h>
#include <time.h>

#include "kutrace_point.h"
#include "lib/base/lock.h"
#include "lib/device/device.h"
#include "lib/session/handle.h"

_Static_assert(KUTRACE_POINT_TEXT_BYTES == KUTRACE_POINT_DEF_BYTES &&
	       KUTRACE_POINT_FIELDS == KUTRACE_POINT_WORDS, "one size for the same thing");

#define RETRY_NS	1000000000LL	/* interval at which constructors look for the module */

static struct ku_lock lock = KU_LOCK_INITIALIZER;
static struct kutrace_point *points;	/* list of all loaded tracepoints */
static void *mapping;		/* the mapped page; NULL: no module so far */
static int64_t next_try_ns;		/* time of the next attempt, CLOCK_MONOTONIC */
static int point_fd = -1;
static bool device_lost;	/* the descriptor was closed and the device cannot be opened again */
static bool reopened;	/* point_fd was opened again, so it is not the mapped file */

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Returns whether @error shows that the program has closed the descriptor. */
static bool is_lost(int error)
{
	return error == -EBADF || error == -ENOTTY;
}

/*
 * Registers the tracepoint's enable byte with the module, which writes it from now on. Lock held.
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

/*
 * Registers the tracepoint with the module. Returns 0 or -errno; after an error it stays off. Lock
 * held.
 */
static int define(struct kutrace_point *point)
{
	struct kutrace_point_def def = {.length = sizeof(def)};
	int ret;

	if (point->known)
		return 0;
	if (!kutrace_point_text(point->desc, def.text))
		return -EINVAL;
	ret = ku_dev->ioctl(point_fd, KUTRACE_IOC_POINT_DEFINE, (unsigned long)&def);
	if (ret < 0)
		return ret;
	if (!def.id || def.id >= KUTRACE_POINT_IDS)
		return -EPROTO;
	/* id before enable byte: pairs with the acquire of the id in kutrace_point_record() */
	__atomic_store_n(&point->id, def.id, __ATOMIC_RELEASE);
	return bind_byte(point);
}

/* Opens the device and maps its page. The descriptor stays open. Lock held. */
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
	/* nothing is registered yet: this only tests whether the module supports the request */
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
	__atomic_store_n(&device_lost, false, __ATOMIC_RELAXED);
	__atomic_store_n(&mapping, map, __ATOMIC_RELAXED);
	return 0;
}

static void unmap(void *map)
{
	if (map)
		ku_dev->unmap(map, sizeof(struct kutrace_meta_page));
}

/*
 * Resets all tracepoints to their state without a module. The module no longer writes their
 * enable bytes. Lock held.
 */
static void reset_all(void)
{
	unmap(mapping);
	__atomic_store_n(&mapping, NULL, __ATOMIC_RELAXED);
	for (struct kutrace_point *point = points; point; point = point->next) {
		point->known = 0;
		__atomic_store_n(&point->on, 0, __ATOMIC_RELAXED);
	}
}

/*
 * Calls @notify for all tracepoints. Returns the number of registered tracepoints; -EBADF or
 * -ENOTTY if the descriptor is lost. Lock held.
 */
static int notify_all(int (*notify)(struct kutrace_point *))
{
	int ret, known = 0;

	for (struct kutrace_point *point = points; point; point = point->next) {
		ret = notify(point);
		if (is_lost(ret))
			return ret;
		known += !ret;
	}
	return known;
}

/* Lock held. */
static int bind_or_define(struct kutrace_point *point)
{
	return point->known ? bind_byte(point) : define(point);
}

/*
 * Opens the device, which was not open or whose descriptor is lost, and registers all tracepoints.
 * Registered tracepoints stay on meanwhile. Returns the number of registered tracepoints, or -errno
 * if the module was not found; then no tracepoint is registered. Lock held.
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

/* Registers all tracepoints. Returns the number of registered tracepoints, or -errno. Lock held. */
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
 * Registers the tracepoints after a command found the module. Must not wait for the lock: the
 * caller may hold the lock of registered names, which fork() takes after this lock. A thread that
 * holds this lock now registers the tracepoints itself, or a later command calls this function
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

	/* the child has copies of the enable bytes: the module writes only the parent's */
	if (points && (!mapping || notify_all(bind_or_define) < 0))
		renew();
	errno = saved;
	ku_unlock_after_fork(&lock);
}

KU_CONSTRUCTOR static void on_load(void)
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
		ret = ku_dev->ioctl(point_fd, KUTRACE_IOC_POINT_FORGET, (unsigned long)&point->on);
	/*
	 * point_fd is lost, so the module cannot be notified: open the device again, register the
	 * other tracepoints with the new file, and unmap the old file, which drops its registrations
	 */
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

/*
 * Opens the device again after the program has closed the descriptor. Its number may belong to
 * another file now.
 */
static int reopen(int old)
{
	int fd = ku_dev->open(O_RDONLY);

	if (fd < 0 || fd == KU_CALL_FD) {
		__atomic_store_n(&device_lost, true, __ATOMIC_RELAXED);
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

	if (nwords > KUTRACE_POINT_WORDS || __atomic_load_n(&device_lost, __ATOMIC_RELAXED))
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
