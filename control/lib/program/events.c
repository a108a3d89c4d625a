// SPDX-License-Identifier: BSD-3-Clause
/*
 * Events of a program: marks, and events of its RPCs, locks, queues and resources with their names.
 * This code runs while something is recorded, and for the first mark, which finds the module.
 *
 * Must not allocate, print or change errno: an event may be recorded in any thread, in a signal
 * handler, or in the child of a fork. Marks take no lock. The only lock is held with signals
 * blocked and across forks.
 *
 * Each call records one event, and its name if the recording lacks the name. The program registers
 * each name once. This code puts the name into every recording in which such an event is recorded.
 * An event goes to all sessions, but a name goes to one session. So each name is put into every
 * session that records, whichever session the thread uses.
 *
 * In the table of methods, a newer method replaces an older one, because programs reuse RPC ids. So
 * the number of names never exceeds KUTRACE_KEPT_NAMES.
 */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "common/entry.h"
#include "lib/base/lock.h"
#include "lib/base/sizes.h"
#include "lib/device/device.h"
#include "lib/session/handle.h"

/* --- marks ------------------------------------------------------------------------- */

/*
 * kutrace_active_word points to one of these words until the meta page is mapped:
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
 *	B) The first thread to offer its descriptor wins; the other threads close theirs.
 *	C) After B, the first thread to offer its mapping wins; the others unmap theirs.
 *
 * So a thread that sees the mapping also sees a descriptor. All mappings are of the same page,
 * and any descriptor can be used. A child of a fork between the steps can continue from there.
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

/* Makes the next mark search for the module again, because a command found the module. */
static void on_module_found(void)
{
	replace_word(&no_module, &not_attached);
}

KU_CONSTRUCTOR static void on_load_marks(void)
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

/* Returns whether something is recorded. The first call searches for the module. */
static bool marks_on(void)
{
	active_word word = current_word();

	if (word == &not_attached)
		word = attach();
	return *word != 0;
}

static void mark_if_on(uint64_t event, uint64_t arg)
{
	int saved = errno;

	if (marks_on())
		mark(event, arg);
	errno = saved;
}

void kutrace_mark_label_on(int which, const char *label)
{
	mark_if_on(which == 'a' ? KUTRACE_MARKA : which == 'b' ? KUTRACE_MARKB : KUTRACE_MARKC,
		   kutrace_char_to_base40(label));
}

void kutrace_mark_number_on(uint64_t number)
{
	mark_if_on(KUTRACE_MARKD, number);
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
	bool on = marks_on();
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

	if (!mask || event == KUTRACE_TSDELTA || ku_event_words((uint32_t)event) != 1)
		return -EINVAL;	/* more than one word, or an event that the ring itself records */
	if (!marks_on())
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

/* --- names ------------------------------------------------------------------------- */

#define SLOTS		(KUTRACE_KEPT_NAMES / 2)	/* number of slots in each table */
#define CHECK_NS	10000000LL	/* interval for checking for a new recording */
#define DENIED_NS	1000000000LL	/* interval for checking again after a refusal */

struct registered {
	uint16_t base;		/* kind of name; 0: free slot */
	uint16_t length;
	uint32_t number;
	uint16_t emitted;	/* one bit per target; set if the target has the name */
	char text[KUTRACE_NAME_MAX_BYTES];
};

/* A recording that gets the names. */
struct target {
	uint32_t id;		/* session id */
	uint64_t start_counts;	/* start of the recording; 0: unused target */
	uint32_t count;		/* number of names put into this recording */
	uint32_t seen;		/* last round in which the session was recording */
};

static struct ku_lock names_lock = KU_LOCK_INITIALIZER;
static struct registered methods[SLOTS], others[SLOTS];
static struct target targets[KUTRACE_SESSIONS];
static uint32_t rounds;
static int64_t next_check_ns;	/* time of the next check, CLOCK_MONOTONIC */
static bool pending;		/* some names may be missing in a recording */
static bool full;

static void fork_prepare(void)
{
	ku_lock_for_fork(&names_lock);
}

static void fork_done(void)
{
	ku_unlock_after_fork(&names_lock);
}

KU_CONSTRUCTOR static void on_load(void)
{
	pthread_atfork(fork_prepare, fork_done, fork_done);
}

/* Returns the slot of the name, or a free slot for it. NULL: no room. */
static struct registered *slot(uint16_t base, uint32_t number)
{
	uint32_t at = (number * 2654435761U ^ base * 40503U) % SLOTS, i;

	if (base == KUTRACE_NAME_METHOD)
		return &methods[number % SLOTS];
	for (i = 0; i < SLOTS; i++, at = (at + 1) % SLOTS)
		if (!others[at].base || (others[at].base == base && others[at].number == number))
			return &others[at];
	return NULL;
}

static int register_name(uint16_t base, uint32_t number, const char *text)
{
	struct registered *entry;
	sigset_t saved;
	size_t length;

	if (!text || !*text)
		return 0;
	length = strnlen(text, KUTRACE_NAME_MAX_BYTES);
	ku_lock(&names_lock, &saved);
	entry = slot(base, number);
	if (entry && (entry->base != base || entry->number != number ||
		      entry->length != length || memcmp(entry->text, text, length))) {
		entry->base = base;
		entry->number = number;
		entry->length = (uint16_t)length;
		memcpy(entry->text, text, length);
		entry->emitted = 0;
		__atomic_store_n(&pending, true, __ATOMIC_RELAXED);
	}
	ku_unlock(&names_lock, &saved);
	return entry ? 0 : -ENOSPC;
}

static int emit_table(int fd, struct registered *table, struct target *target)
{
	uint16_t bit = (uint16_t)(1U << (target - targets));
	uint64_t words[KUTRACE_NAME_MAX_WORDS];
	struct ku_name name = {0};
	int ret = 0;

	for (size_t i = 0; i < SLOTS && !ret; i++) {
		struct registered *entry = &table[i];

		if (!entry->base || entry->emitted & bit)
			continue;
		if (target->count >= KUTRACE_KEPT_NAMES) {
			full = true;
			return 0;
		}
		memset(words, 0, sizeof(words));
		name.base = entry->base;
		name.number = entry->number;
		name.length = entry->length;
		memcpy(name.text, entry->text, entry->length);
		ku_name_put(words, &name, 0);
		ret = ku_device_command(fd, KUTRACE_CMD_INSERTN, (uint64_t)(uintptr_t)words, NULL);
		if (ret)
			break;
		entry->emitted |= bit;
		target->count++;
	}
	return ret;
}

/* Returns the target of the recording. A new recording has none of the names. */
static struct target *find_target(uint32_t id, uint64_t start_counts)
{
	struct target *target = &targets[0];
	uint16_t bit;

	/*
	 * Use the target of this session, otherwise the target of the session that has not recorded
	 * for the longest time.
	 */
	for (size_t i = 0; i < KUTRACE_SESSIONS; i++) {
		if (targets[i].start_counts && targets[i].id == id) {
			target = &targets[i];
			break;
		}
		if (targets[i].seen < target->seen)
			target = &targets[i];
	}
	target->seen = rounds;
	if (target->id == id && target->start_counts == start_counts)
		return target;
	*target = (struct target){.id = id, .start_counts = start_counts, .seen = rounds};
	bit = (uint16_t)(1U << (target - targets));
	for (size_t i = 0; i < SLOTS; i++) {
		methods[i].emitted &= (uint16_t)~bit;
		others[i].emitted &= (uint16_t)~bit;
	}
	full = false;
	return target;
}

/* Puts the names into the session that @fd is attached to, if the session is recording. */
static int emit_into(int fd, uint32_t id)
{
	struct kutrace_info info;
	struct target *target;
	int ret = ku_device_info(fd, &info);

	if (ret || !info.recording)
		return ret;
	target = find_target(id, info.start.counts);
	ret = emit_table(fd, others, target);
	return ret ?: emit_table(fd, methods, target);
}

/* Puts the names into all sessions that record. Returns 0 or a negative errno. Lock held. */
static int emit_all(void)
{
	struct kutrace_session session = {.length = sizeof(session)};
	int fd = ku_session_open_main(), ret;

	if (fd < 0)
		return fd;
	rounds++;
	ret = emit_into(fd, 0);
	for (uint32_t id = 1; !ret; id = session.id + 1) {
		session.id = id;
		session.name[0] = '\0';
		/* no more sessions, or a module without sessions */
		if (ku_device_ioctl(fd, KUTRACE_IOC_SESSION_LIST, &session))
			break;
		id = session.id;
		session.name[0] = '\0';
		/* skip the sessions of other users, and destroyed sessions */
		if (!session.recording || ku_device_ioctl(fd, KUTRACE_IOC_SESSION_ATTACH, &session))
			continue;
		ret = emit_into(fd, id);
		if (ret == -ESRCH || ret == -EINVAL)
			ret = 0;	/* the recording has ended meanwhile */
	}
	ku_dev->close(fd);
	return ret;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static int emit_registered(void)
{
	int64_t now = now_ns();
	static bool denied;
	sigset_t saved;
	int ret;

	if (now < __atomic_load_n(&next_check_ns, __ATOMIC_RELAXED) &&
	    (__atomic_load_n(&denied, __ATOMIC_RELAXED) || full ||
	     !__atomic_load_n(&pending, __ATOMIC_RELAXED)))
		return full ? -ENOSPC : 0;
	ku_lock(&names_lock, &saved);
	__atomic_store_n(&pending, false, __ATOMIC_RELAXED);
	ret = emit_all();
	if (ret)
		__atomic_store_n(&pending, true, __ATOMIC_RELAXED);
	__atomic_store_n(&denied, ret != 0, __ATOMIC_RELAXED);
	__atomic_store_n(&next_check_ns, now + (ret ? DENIED_NS : CHECK_NS), __ATOMIC_RELAXED);
	ret = full ? -ENOSPC : 0;
	ku_unlock(&names_lock, &saved);
	return ret;
}

/* Appends the names of a table to @names, whose elements have @bytes bytes each. */
static size_t copy_table(const struct registered *table, char *names, size_t bytes, size_t count,
			 size_t room)
{
	for (size_t i = 0; i < SLOTS; i++) {
		if (!table[i].base)
			continue;
		if (count < room) {
			struct kutrace_kept_name own = {
				.event = table[i].base, .number = table[i].number,
			};

			memcpy(own.name, table[i].text, table[i].length);
			ku_copy_out(names + count * bytes, bytes, &own, sizeof(own));
		}
		count++;
	}
	return count;
}

size_t kutrace_kept_names_sized(struct kutrace_kept_name *names, size_t room, size_t bytes)
{
	sigset_t saved;
	size_t count;

	ku_lock(&names_lock, &saved);
	count = copy_table(others, (char *)names, bytes, 0, room);
	count = copy_table(methods, (char *)names, bytes, count, room);
	ku_unlock(&names_lock, &saved);
	return count;
}

/* --- events ------------------------------------------------------------------------ */

#define METHOD_MASK	0xFFFF	/* bits of an RPC id that identify its method */

/* Records the event. An error of the event takes precedence over an error of its name. */
static int record(uint64_t event, uint32_t arg, int name_error)
{
	int ret, emit_error = emit_registered();

	ret = kutrace_addevent_on(event, arg);
	return ret ?: name_error ? name_error : emit_error;
}

/* Records the event of an RPC with its method, or another event (@method NULL). */
static int record_if_on(uint64_t event, uint32_t arg, const char *method)
{
	int saved = errno, ret = 0;

	if (marks_on()) {
		ret = register_name(KUTRACE_NAME_METHOD, arg & METHOD_MASK, method);
		ret = record(event, arg, ret);
	}
	errno = saved;
	return ret;
}

int kutrace_rpc_on(int which, uint32_t id, const char *method)
{
	return record_if_on(which == 'q' ? KUTRACE_RPCIDREQ :
			    which == 'r' ? KUTRACE_RPCIDRESP : KUTRACE_RPCIDMID, id, method);
}

static const char *without_directory(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? slash + 1 : file;
}

static int lock_text(char *text, size_t size, const char *file, uint32_t line)
{
	return snprintf(text, size, "%.44s:%u", without_directory(file), line);
}

uint32_t kutrace_lock_number(const char *file, uint32_t line)
{
	char text[KUTRACE_NAME_MAX_BYTES + 1];
	uint32_t hash = 2166136261U;

	lock_text(text, sizeof(text), file ? file : "", line);
	for (const char *p = text; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 16777619U;
	return hash ? hash : 1;
}

/* Returns the number of the lock. The first call registers its names. */
static uint32_t name_lock(struct kutrace_lock *lock, int *error)
{
	uint32_t number = __atomic_load_n(&lock->number, __ATOMIC_ACQUIRE);
	char text[KUTRACE_NAME_MAX_BYTES + 1];
	const char *file = lock->file;
	size_t length;

	*error = 0;
	if (number)
		return number;
	number = kutrace_lock_number(file, lock->line);
	lock_text(text, sizeof(text), file, lock->line);
	*error = register_name(KUTRACE_NAME_LOCKNAME, number, text);
	/* the end of a long path identifies the file better */
	length = strlen(file);
	if (length > KUTRACE_NAME_MAX_BYTES)
		file += length - KUTRACE_NAME_MAX_BYTES;
	if (!*error)
		*error = register_name(KUTRACE_NAME_FILE, number, file);
	if (!*error)
		__atomic_store_n(&lock->number, number, __ATOMIC_RELEASE);
	return number;
}

int kutrace_lock_on(int which, struct kutrace_lock *lock)
{
	uint64_t event = which == 't' ? KUTRACE_LOCKNOACQ
		       : which == 'a' ? KUTRACE_LOCKACQ : KUTRACE_LOCKWAKEUP;
	int saved = errno, ret = 0, name_error;
	uint32_t number;

	if (!lock || !lock->file)
		return -EINVAL;
	if (marks_on()) {
		number = name_lock(lock, &name_error);
		ret = record(event, number, name_error);
	}
	errno = saved;
	return ret;
}

int kutrace_queue_on(int which, uint32_t number)
{
	return record_if_on(which == 'e' ? KUTRACE_ENQUEUE :
			    which == 'd' ? KUTRACE_DEQUEUE : KUTRACE_RESOURCE, number, NULL);
}

int kutrace_name_queue(uint32_t queue, const char *name)
{
	return name ? register_name(KUTRACE_NAME_QUEUENAME, queue, name) : -EINVAL;
}

int kutrace_name_resource(uint32_t resource, const char *name)
{
	return name ? register_name(KUTRACE_NAME_RESNAME, resource, name) : -EINVAL;
}
