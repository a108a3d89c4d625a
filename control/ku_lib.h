/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside libkutrace: what its files share. Not installed, and none of these
 * names leaves the shared library. Functions return 0 or a negative errno unless
 * they say otherwise.
 */
#ifndef KU_LIB_H
#define KU_LIB_H

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"
#include "libkutrace.h"

_Static_assert(sizeof(long) == 8, "libkutrace is for 64-bit programs");

/* --- locks (lib_lock.c) ------------------------------------------------------ */

/* For use in signal handlers, too: signals are blocked while one is held. */
struct ku_lock {
	pthread_mutex_t mutex;
	sigset_t before_fork;	/* signals blocked before the fork that holds it */
};

#define KU_LOCK_INITIALIZER {.mutex = PTHREAD_MUTEX_INITIALIZER}

void ku_lock(struct ku_lock *lock, sigset_t *saved);
/* false: somebody else has it, and nothing is blocked. */
bool ku_trylock(struct ku_lock *lock, sigset_t *saved);
void ku_unlock(struct ku_lock *lock, const sigset_t *saved);
/* For pthread_atfork(): held over the fork; given back in parent and child. */
void ku_lock_for_fork(struct ku_lock *lock);
void ku_unlock_after_fork(struct ku_lock *lock);

/*
 * For functions that register such handlers: before the program's own constructors,
 * which may record already.
 */
#define KU_CONSTRUCTOR __attribute__((constructor(101)))

/* --- structs of the caller's (lib_sizes.c) ------------------------------------ */

/*
 * Fills a struct of the caller's, which may be shorter than ours, or longer: then the
 * rest is zero. NULL: there is none.
 */
void ku_give(void *to, size_t to_bytes, const void *from, size_t from_bytes);
/*
 * The other way; NULL: all zero. -E2BIG: the caller's is longer, and says something there
 * that we know nothing of.
 */
int ku_take(void *to, size_t to_bytes, const void *from, size_t from_bytes);

static inline uint32_t ku_common(size_t a, size_t b)
{
	return (uint32_t)(a < b ? a : b);
}

/* --- device (lib_device.c) -------------------------------------------------- */

struct ku_names;

/*
 * How the library reaches the module. Unit tests put a module made of memory in
 * its place; nothing outside the process can.
 */
struct ku_dev_ops {
	/* flags as of open(); returns a descriptor or -errno */
	int (*open)(int flags);
	void (*close)(int fd);
	/* arg as of ioctl(); returns what it returns or -errno */
	int (*ioctl)(int fd, unsigned long request, unsigned long arg);
	/* read-only; NULL and *error = -errno on failure */
	void *(*map)(int fd, uint64_t offset, size_t bytes, int *error);
	void (*unmap)(void *address, size_t bytes);
	/*
	 * As poll(), for such events, or so long; true: there are some. NULL: cannot
	 * tell.
	 */
	bool (*wait)(int fd, short events, int timeout_ms);
};

extern const struct ku_dev_ops *ku_dev;

/*
 * A descriptor for commands: read-write where that is allowed, else read-only; of the
 * session that this thread uses (-ESRCH: it is gone), or of the main one.
 */
int ku_device_open(void);
int ku_device_open_main(void);
/* ioctl() with a pointer, in the library's errors; -ESRCH: no such session. */
int ku_device_ioctl(int fd, unsigned long request, void *arg);
/* By how much the module shifts its counter; -1: it has not been asked yet. */
int ku_clock_shift(void);
/* Fills and checks *info. */
int ku_device_info(int fd, struct kutrace_info *info);
/* A command; *result is not ~0 when 0 is returned. -EINVAL: refused. */
int ku_device_command(int fd, uint64_t command, uint64_t arg, uint64_t *result);
/* Turns an errno of the device into one of the library's (negative). */
int ku_device_error(int error);

/* --- sessions (lib_session.c) ----------------------------------------------------- */

struct kutrace_handle {
	int fd;			/* of that session; -1: the main one, without a file */
	uint32_t id;
	char name[32];
	/* of lib_control.c, under its lock */
	uint64_t started_counts;	/* start of the recording that is ours; 0 = none */
	bool refused;			/* we were to begin one, and nothing was begun; */
	uint64_t refused_counts;	/* start of the recording that was there then */
	char process_name[KUTRACE_NAME_MAX_BYTES + 1];
};

/* What this thread's calls are about; never NULL. */
struct kutrace_handle *ku_session_used(void);
/* Makes a file one of that session. */
int ku_session_attach(int fd);

/* --- control system call (lib_call.c) ---------------------------------------- */

/*
 * Stands for a descriptor where there is no device but the call answers; must not be
 * waited for. INT_MAX is none that open() gives.
 */
#define KU_CALL_FD	INT_MAX

bool ku_call_answers(void);
/* As ioctl() of the device; as mmap(): what it gives is a copy, for munmap(). */
int ku_call_ioctl(unsigned long request, unsigned long arg);
void *ku_call_map(uint64_t offset, size_t bytes, int *error);
/* The module's names, as ku_names_kernel() reads them from the device. */
int ku_call_names(struct ku_names *names, uint64_t *bad);

/* A mark found no device, but there is one now: let the next one look again. */
void ku_marks_rearm(void);

/* Is something being recorded? Looks for the module the first time. */
bool ku_marks_on(void);

/* A command found a device: the program's typed tracepoints may know of it, too. */
void ku_points_rearm(void);

/* --- names of the program (lib_given.c) ---------------------------------------- */

/*
 * Keeps a name, to be put into every recording; NULL: there is none. Async-signal-
 * safe. -ENOSPC: no room.
 */
int ku_given_keep(uint16_t base, uint32_t number, const char *text);
/*
 * Puts those into the recording that are not in it yet, if this process may. Called
 * for every event while recording; looks at the module only now and then. 0, or
 * -ENOSPC once it has put in as many as it may.
 */
int ku_given_emit(void);

/* What kutrace_do_init() was told last; empty string: nothing. */
void ku_process_name(char *name, size_t size);

/* --- text (lib_text.c) -------------------------------------------------------- */

/*
 * As snprintf(), strtod(), strncasecmp() of programs that have no locale: how we
 * write numbers and names does not depend on where the program's user lives.
 */
int ku_print(char *str, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
double ku_parse_double(const char *text, char **end);
bool ku_same_letters(const char *a, const char *b, size_t length);
static inline bool ku_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* --- names (lib_names.c, lib_aux.c) ----------------------------------------- */

struct ku_name {
	uint64_t counts;	/* since when; 0 = always */
	uint32_t order;		/* among equal counts, the later one is newer */
	uint32_t number;
	uint16_t base;		/* KUTRACE_NAME_* */
	uint16_t length;	/* of text, 0..56 bytes */
	char text[KUTRACE_NAME_MAX_BYTES];
};

struct ku_names {
	struct ku_name *list;
	size_t count;
	size_t room;
};

/* text is cut at 56 bytes. */
int ku_names_add(struct ku_names *names, uint16_t base, uint32_t number,
		 const char *text, size_t length);
void ku_names_free(struct ku_names *names);
/* By kind and number, of each number the newest only (of META all). */
void ku_names_newest(struct ku_names *names);
/* What is the same in all, time included, only once; the order stays. */
void ku_names_once(struct ku_names *names);
/* By time. */
void ku_names_by_time(struct ku_names *names);
/* Words that a name entry takes: 1..8. */
unsigned int ku_name_words(const struct ku_name *name);
/* Writes it with time stamp ts (low 20 bits are used); returns words written. */
unsigned int ku_name_put(uint64_t *words, const struct ku_name *name, uint64_t ts);

/* A typed tracepoint's definition (lib_tpoint.c); all that the module knows. */
int ku_names_add_point(struct ku_names *names, uint32_t id, const char *text);
int ku_names_points(int fd, struct ku_names *names);

/* Names that do not depend on the recording: system calls, traps, errors ... */
int ku_names_fixed(struct ku_names *names);
/* The machine's: kernel version, CPU model, host name. */
int ku_names_machine(struct ku_names *names);
/* Something that the trace says about itself: key=value. */
int ku_names_add_meta(struct ku_names *names, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* What the trace says about itself. tool may be NULL. */
int ku_names_meta(struct ku_names *names, const struct kutrace_info *info,
		  const char *tool, uint64_t unread_names, uint64_t bad_blocks,
		  int64_t clock_step_us);

/*
 * Reads the kernel's names out of the auxiliary buffer of aux_bytes; *bad counts
 * those that could not be read. info is that of before; it is read again inside.
 */
int ku_names_kernel(int fd, const struct kutrace_info *info, uint64_t aux_bytes,
		    struct ku_names *names, uint64_t *bad);
/* The same, of now. */
int ku_names_device(int fd, struct ku_names *names);

/* --- file (lib_file.c) ------------------------------------------------------ */

/*
 * What has to be waited for, asks this: several times a second, and after every signal.
 * Anything but 0 ends it, with that. NULL: waits as long as it takes.
 */
struct ku_patience {
	int (*go_on)(void *arg);
	void *arg;
};

/* A file that gets its name when it is whole. */
struct ku_file {
	int fd;
	char *target;		/* NULL: written directly */
	char *temporary;
	bool replaces;		/* a file that had this: */
	mode_t mode;
	uid_t uid;
	gid_t gid;
	uint64_t written_bytes;
	size_t last_bytes;	/* by the last write, which may have ended early */
	struct ku_patience patience;
};

int ku_file_create(struct ku_file *file, const char *fname, struct ku_patience patience);
/* A new one gets the owner that options (or NULL) name, if root writes it. */
void ku_file_give(const struct ku_file *file, const struct kutrace_dump_options *options);
/* Writes all; iov is used up. */
int ku_file_write(struct ku_file *file, struct iovec *iov, int count);
/*
 * Closes and names it; on failure nothing is left. (But whole and named it is if only
 * the folder could not be brought to the disk.)
 */
int ku_file_commit(struct ku_file *file);
/* Closes it; nothing is left. */
void ku_file_abandon(struct ku_file *file);

#endif
