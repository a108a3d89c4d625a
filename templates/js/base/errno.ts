// SPDX-License-Identifier: BSD-3-Clause
/** Formats return values of system calls, and converts between numbers and names of errors. */

/** Names of the error numbers 0 to 40, which are equal on x86-64, arm64 and riscv. */
const errnoNames = [
	'', 'EPERM', 'ENOENT', 'ESRCH', 'EINTR', 'EIO', 'ENXIO', 'E2BIG', 'ENOEXEC', 'EBADF', 'ECHILD',
	'EAGAIN', 'ENOMEM', 'EACCES', 'EFAULT', 'ENOTBLK', 'EBUSY', 'EEXIST', 'EXDEV', 'ENODEV',
	'ENOTDIR', 'EISDIR', 'EINVAL', 'ENFILE', 'EMFILE', 'ENOTTY', 'ETXTBSY', 'EFBIG', 'ENOSPC',
	'ESPIPE', 'EROFS', 'EMLINK', 'EPIPE', 'EDOM', 'ERANGE', 'EDEADLK', 'ENAMETOOLONG', 'ENOLCK',
	'ENOSYS', 'ENOTEMPTY', 'ELOOP',
];
const moreErrnoNames: Record<number, string> = {
	61: 'ENODATA', 62: 'ETIME', 71: 'EPROTO', 74: 'EBADMSG', 75: 'EOVERFLOW', 84: 'EILSEQ',
	88: 'ENOTSOCK', 89: 'EDESTADDRREQ', 90: 'EMSGSIZE', 91: 'EPROTOTYPE', 92: 'ENOPROTOOPT',
	93: 'EPROTONOSUPPORT', 95: 'EOPNOTSUPP', 97: 'EAFNOSUPPORT', 98: 'EADDRINUSE',
	99: 'EADDRNOTAVAIL', 100: 'ENETDOWN', 101: 'ENETUNREACH', 103: 'ECONNABORTED',
	104: 'ECONNRESET', 105: 'ENOBUFS', 106: 'EISCONN', 107: 'ENOTCONN', 110: 'ETIMEDOUT',
	111: 'ECONNREFUSED', 113: 'EHOSTUNREACH', 114: 'EALREADY', 115: 'EINPROGRESS', 125: 'ECANCELED',
	512: 'ERESTARTSYS', 513: 'ERESTARTNOINTR', 514: 'ERESTARTNOHAND', 516: 'ERESTART_RESTARTBLOCK',
};

/** Returns an error number for a name or for a number as text. Returns 0 for an unknown name. */
export function errnoOf(text: string) {
	if (/^-?\d+$/.test(text)) return Math.abs(Number(text));
	const name = text.toUpperCase();
	const at = errnoNames.indexOf(name);
	return at > 0 ? at : Number(Object.keys(moreErrnoNames).find((n) => moreErrnoNames[Number(n)] === name) ?? 0);
}

/** Returns the name of an error, or its number as text. */
export const errnoName = (errno: number) => errnoNames[errno] || moreErrnoNames[errno] || String(errno);

/** Converts the low 16 bits of a return value to a signed number. */
export const signedReturn = (value: number) => (value > 0x7fff && value <= 0xffff ? value - 0x10000 : value);

/** Formats the low 16 bits of a system call's return value: `3`, `-2 ENOENT`. */
export function returnText(value: number) {
	const signed = signedReturn(value);
	if (signed >= 0 || signed < -4095) return String(signed);
	const name = errnoNames[-signed] ?? moreErrnoNames[-signed];
	return name ? `${signed} ${name}` : String(signed);
}
