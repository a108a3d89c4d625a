// SPDX-License-Identifier: BSD-3-Clause
/*
 * Names of errors and signals. glibc has all of them. Other C libraries, such as musl, have only
 * the texts of errors; for these libraries the names are listed here.
 */
#include "common/libc_names.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#ifdef __GLIBC__

const char *ku_error_name(int error)
{
	return strerrorname_np(error);
}

const char *ku_error_text(int error)
{
	return strerrordesc_np(error);
}

const char *ku_signal_name(int signal_number)
{
	return sigabbrev_np(signal_number);
}

#else

#define NAME(error) [error] = #error
static const char *const errors[] = {
	[0] = "0",
	NAME(EPERM), NAME(ENOENT), NAME(ESRCH), NAME(EINTR), NAME(EIO), NAME(ENXIO),
	NAME(E2BIG), NAME(ENOEXEC), NAME(EBADF), NAME(ECHILD), NAME(EAGAIN),
	NAME(ENOMEM), NAME(EACCES), NAME(EFAULT), NAME(ENOTBLK), NAME(EBUSY),
	NAME(EEXIST), NAME(EXDEV), NAME(ENODEV), NAME(ENOTDIR), NAME(EISDIR),
	NAME(EINVAL), NAME(ENFILE), NAME(EMFILE), NAME(ENOTTY), NAME(ETXTBSY),
	NAME(EFBIG), NAME(ENOSPC), NAME(ESPIPE), NAME(EROFS), NAME(EMLINK), NAME(EPIPE),
	NAME(EDOM), NAME(ERANGE), NAME(EDEADLK), NAME(ENAMETOOLONG), NAME(ENOLCK),
	NAME(ENOSYS), NAME(ENOTEMPTY), NAME(ELOOP), NAME(ENOMSG), NAME(EIDRM),
	NAME(ECHRNG), NAME(EL2NSYNC), NAME(EL3HLT), NAME(EL3RST), NAME(ELNRNG),
	NAME(EUNATCH), NAME(ENOCSI), NAME(EL2HLT), NAME(EBADE), NAME(EBADR),
	NAME(EXFULL), NAME(ENOANO), NAME(EBADRQC), NAME(EBADSLT), NAME(EBFONT),
	NAME(ENOSTR), NAME(ENODATA), NAME(ETIME), NAME(ENOSR), NAME(ENONET),
	NAME(ENOPKG), NAME(EREMOTE), NAME(ENOLINK), NAME(EADV), NAME(ESRMNT),
	NAME(ECOMM), NAME(EPROTO), NAME(EMULTIHOP), NAME(EDOTDOT), NAME(EBADMSG),
	NAME(EOVERFLOW), NAME(ENOTUNIQ), NAME(EBADFD), NAME(EREMCHG), NAME(ELIBACC),
	NAME(ELIBBAD), NAME(ELIBSCN), NAME(ELIBMAX), NAME(ELIBEXEC), NAME(EILSEQ),
	NAME(ERESTART), NAME(ESTRPIPE), NAME(EUSERS), NAME(ENOTSOCK), NAME(EDESTADDRREQ),
	NAME(EMSGSIZE), NAME(EPROTOTYPE), NAME(ENOPROTOOPT), NAME(EPROTONOSUPPORT),
	NAME(ESOCKTNOSUPPORT), NAME(EOPNOTSUPP), NAME(EPFNOSUPPORT), NAME(EAFNOSUPPORT),
	NAME(EADDRINUSE), NAME(EADDRNOTAVAIL), NAME(ENETDOWN), NAME(ENETUNREACH),
	NAME(ENETRESET), NAME(ECONNABORTED), NAME(ECONNRESET), NAME(ENOBUFS),
	NAME(EISCONN), NAME(ENOTCONN), NAME(ESHUTDOWN), NAME(ETOOMANYREFS),
	NAME(ETIMEDOUT), NAME(ECONNREFUSED), NAME(EHOSTDOWN), NAME(EHOSTUNREACH),
	NAME(EALREADY), NAME(EINPROGRESS), NAME(ESTALE), NAME(EUCLEAN), NAME(ENOTNAM),
	NAME(ENAVAIL), NAME(EISNAM), NAME(EREMOTEIO), NAME(EDQUOT), NAME(ENOMEDIUM),
	NAME(EMEDIUMTYPE), NAME(ECANCELED), NAME(ENOKEY), NAME(EKEYEXPIRED),
	NAME(EKEYREVOKED), NAME(EKEYREJECTED), NAME(EOWNERDEAD), NAME(ENOTRECOVERABLE),
	NAME(ERFKILL), NAME(EHWPOISON),
};

static const char *const signals[] = {
	[SIGHUP] = "HUP", [SIGINT] = "INT", [SIGQUIT] = "QUIT", [SIGILL] = "ILL",
	[SIGTRAP] = "TRAP", [SIGABRT] = "ABRT", [SIGBUS] = "BUS", [SIGFPE] = "FPE",
	[SIGKILL] = "KILL", [SIGUSR1] = "USR1", [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2",
	[SIGPIPE] = "PIPE", [SIGALRM] = "ALRM", [SIGTERM] = "TERM",
	[SIGSTKFLT] = "STKFLT", [SIGCHLD] = "CHLD", [SIGCONT] = "CONT",
	[SIGSTOP] = "STOP", [SIGTSTP] = "TSTP", [SIGTTIN] = "TTIN", [SIGTTOU] = "TTOU",
	[SIGURG] = "URG", [SIGXCPU] = "XCPU", [SIGXFSZ] = "XFSZ", [SIGVTALRM] = "VTALRM",
	[SIGPROF] = "PROF", [SIGWINCH] = "WINCH", [SIGPOLL] = "POLL", [SIGPWR] = "PWR", [SIGSYS] = "SYS",
};

const char *ku_error_name(int error)
{
	return error >= 0 && (size_t)error < sizeof(errors) / sizeof(errors[0]) ? errors[error]
										 : NULL;
}

const char *ku_error_text(int error)
{
	return ku_error_name(error) ? strerror(error) : NULL;
}

const char *ku_signal_name(int signal_number)
{
	return signal_number > 0 &&
	       (size_t)signal_number < sizeof(signals) / sizeof(signals[0]) ? signals[signal_number]
									     : NULL;
}

#endif
