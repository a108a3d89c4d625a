// SPDX-License-Identifier: BSD-3-Clause
/*
 * The part of marks that runs while something is recorded, and for the first mark, which finds
 * the module.
 *
 * Must not print, take a lock or change errno: a mark may run in any thread, in a signal handler,
 * or in the child of a fork.
 */
#include "lib/program/mark.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"
#include "lib/base/lock.h"
#include "lib/device/device.h"
#include "lib/session/handle.h"
#include "libkutrace.h"

/*
 * kutrace_active_word points to one of these until the meta page is mapped:
 *
 *   not_attached	at first; the first mark calls attach()
 *   no_module	there is no module; later marks end at the branch
 *   always_call	only the control system call is available, which shares no word
 */
static const volatile uint32_t not_attached = 1;
static const volatile uint32_t no_module = 0;
static const volatile uint32_t always_call = 1;

const volatile uint32_t *kutrace_active_word = &not_attached;

static int mark_fd = -1;

typedef const volatile uint32_t *active_word;

static active_word current_word(void)
{
	return __atomic_load_n(&kutrace_active_word, __ATOMIC_ACQUIRE);
}

/* Changes kutrace_active_word from @from to @to. Returns false if another thread has changed it. */
static bool replace_word(active_word from, active_word to)
{
	return __atomic_compare_exchange_n(&kutrace_active_word, &from, to, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Replaces the descriptor @old of the marks by @fd, or closes @fd if another thread was faster. */
static void publish_fd(int old, int fd)
{
	if (!__atomic_compare_exchange_n(&mark_fd, &old, fd, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		ku_dev->close(fd);
}

/*
 * Opens the device and maps its meta page. Several threads may run this at the same time, without
 * a lock:
 *
 *	A) Each thread opens and maps for itself.
 *	B) The first thread to offer its descriptor wins; the others close theirs.
 *	C) Only then, the first thread to offer its mapping wins; the others unmap theirs.
 *
 * So a thread that sees the mapping also sees a descriptor. All mappings are of the same page,
 * and any descriptor can be used. After a fork between the steps, the child can continue from
 * there.
 */
static active_word attach(void)
{
	const struct kutrace_meta_page *meta = NULL;
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	int error = 0, fd;

	fd = ku_dev->open(O_RDONLY);
	/* an empty mark tests the permission */
	if (fd == KU_CALL_FD && !ku_dev->ioctl(fd, KUTRACE_IOC_MARK, 0)) {
		publish_fd(-1, fd);
		replace_word(&not_attached, &always_call);
		return current_word();
	}
	if (fd >= 0 && fd != KU_CALL_FD) {
		meta = ku_dev->map(fd, KUTRACE_MMAP_META, bytes, &error);
		if (meta && meta->abi_version != KUTRACE_ABI_VERSION) {
			ku_dev->unmap((void *)(uintptr_t)meta, bytes);
			meta = NULL;
		}
		if (!meta)
			ku_dev->close(fd);
	}
	if (!meta) {
		replace_word(&not_attached, &no_module);
		return current_word();
	}
	publish_fd(-1, fd);
	if (!replace_word(&not_attached, &meta->active))
		ku_dev->unmap((void *)(uintptr_t)meta, bytes);
	return current_word();
}

/* A command found the module: the next mark tries again. */
static void on_module_found(void)
{
	replace_word(&no_module, &not_attached);
}

KU_CONSTRUCTOR static void on_load(void)
{
	static struct ku_found_hook hook = {.found = on_module_found};

	ku_session_on_found(&hook);
}

/* Records a mark. If the program has closed the descriptor, opens the device again once. */
static int mark(uint64_t event, uint64_t arg)
{
	unsigned long entry = (event & KUTRACE_EVENT_MASK) << KUTRACE_EVENT_SHIFT |
			      (uint32_t)arg;
	int fd = __atomic_load_n(&mark_fd, __ATOMIC_ACQUIRE);
	int fresh, ret;

	ret = ku_dev->ioctl(fd, KUTRACE_IOC_MARK, entry);
	if (ret != -EBADF && ret != -ENOTTY)
		return ret;
	fresh = ku_dev->open(O_RDONLY);
	if (fresh < 0)
		return ku_device_error(fresh);
	publish_fd(fd, fresh);
	fd = __atomic_load_n(&mark_fd, __ATOMIC_ACQUIRE);
	return ku_device_error(ku_dev->ioctl(fd, KUTRACE_IOC_MARK, entry));
}

bool ku_marks_on(void)
{
	active_word word = current_word();

	if (word == &not_attached)
		word = attach();
	return *word != 0;
}

void kutrace_mark_label_on(int which, const char *label)
{
	uint64_t event = which == 'a' ? KUTRACE_MARKA
		       : which == 'b' ? KUTRACE_MARKB : KUTRACE_MARKC;
	int saved = errno;

	if (ku_marks_on())
		mark(event, kutrace_char_to_base40(label));
	errno = saved;
}

void kutrace_mark_number_on(uint64_t number)
{
	int saved = errno;

	if (ku_marks_on())
		mark(KUTRACE_MARKD, number);
	errno = saved;
}

/* Returns the category of a point event, as a mask; 0 for any other event. */
static int category_mask(uint64_t event)
{
	switch (event) {
#define KU_POINT(id, code, cat, label, text) \
	case code: \
		return KUTRACE_MASK_##cat;
#include "kutrace_events.def"
	default:
		return 0;
	}
}

int kutrace_addevent_words(uint64_t event, uint64_t arg)
{
	active_word word;
	bool on = ku_marks_on();
	int ret = kutrace_addevent_on(event, arg);

	if (ret)
		return ret;
	word = current_word();
	if (word == &no_module)
		return -ENODEV;
	return word == &always_call ? kutrace_test() == 1 : on;
}

int kutrace_addevent_on(uint64_t event, uint64_t arg)
{
	int saved = errno, mask = category_mask(event), fd, ret = 0;

	if (!mask || event == KUTRACE_TSDELTA || event == KUTRACE_PC_U ||
	    event == KUTRACE_PC_K || event == KUTRACE_PC_OLD)
		return -EINVAL;	/* more than one word, or an event of the ring itself */
	if (!ku_marks_on())
		goto out;
	if (mask & (KUTRACE_MASK_MARK | KUTRACE_MASK_LOCK | KUTRACE_MASK_NET)) {
		ret = mark(event, arg);
		goto out;
	}
	ret = fd = ku_session_open();
	if (fd >= 0) {
		ret = ku_device_command(fd, KUTRACE_CMD_INSERT1,
					event << KUTRACE_EVENT_SHIFT | (uint32_t)arg, NULL);
		ku_dev->close(fd);
	}
out:
	errno = saved;
	return ret;
}
