// SPDX-License-Identifier: BSD-3-Clause
/**
 * Return values of system calls as people read them, with the names of errors.
 * Never fails: a number without a name stays a number.
 */

/** The x86-64, arm64 and riscv numbers agree on these. */
const errnoNames = [
	'', 'EPERM', 'ENOENT', 'ESRCH', 'EINTR', 'EIO', 'ENXIO', 'E2BIG', 'ENOEXEC', 'EBADF', 'ECHILD',
	'EAGAIN', 'ENOMEM', 'EACCES', 'EFAULT', 'ENOTBLK', 'EBUSY', 'EEXIST', 'EXDEV', 'ENODEV',
	'ENOTDIR', 'EISDIR', 'EINVAL', 'ENFILE', 'EMFILE', 'ENOTTY', 'ETXTBSY', 'EFBIG', 'ENOSPC',
	'ESPIPE', 'EROFS', 'EMLINK', 'EPIPE', 'EDOM', 'ERANGE', 'EDEADLK', 'ENAMETOOLONG', 'ENOLCK',
	'ENOSYS', 'ENOTEMPTY', 'ELOOP',
];
/** @type {Record<number, string>} */
const moreErrnoNames = {
	61: 'ENODATA', 62: 'ETIME', 71: 'EPROTO', 74: 'EBADMSG', 75: 'EOVERFLOW', 84: 'EILSEQ',
	88: 'ENOTSOCK', 89: 'EDESTADDRREQ', 90: 'EMSGSIZE', 91: 'EPROTOTYPE', 92: 'ENOPROTOOPT',
	93: 'EPROTONOSUPPORT', 95: 'EOPNOTSUPP', 97: 'EAFNOSUPPORT', 98: 'EADDRINUSE',
	99: 'EADDRNOTAVAIL', 100: 'ENETDOWN', 101: 'ENETUNREACH', 103: 'ECONNABORTED',
	104: 'ECONNRESET', 105: 'ENOBUFS', 106: 'EISCONN', 107: 'ENOTCONN', 110: 'ETIMEDOUT',
	111: 'ECONNREFUSED', 113: 'EHOSTUNREACH', 114: 'EALREADY', 115: 'EINPROGRESS', 125: 'ECANCELED',
	512: 'ERESTARTSYS', 513: 'ERESTARTNOINTR', 514: 'ERESTARTNOHAND', 516: 'ERESTART_RESTARTBLOCK',
};

/** The number of an error, of its name or of its number as text; 0: there is none. @param {string} text */
export function errnoOf(text) {
	if (/^-?\d+$/.test(text)) return Math.abs(Number(text));
	const name = text.toUpperCase();
	const at = errnoNames.indexOf(name);
	return at > 0 ? at : Number(Object.keys(moreErrnoNames).find((n) => moreErrnoNames[Number(n)] === name) ?? 0);
}

/** The name of an error, or its number. @param {number} errno */
export const errnoName = (errno) => errnoNames[errno] || moreErrnoNames[errno] || String(errno);

/** A system call's return value with its sign, of its low 16 bits. @param {number} value */
export const signedReturn = (value) => (value > 0x7fff && value <= 0xffff ? value - 0x10000 : value);

/**
 * The low 16 bits of a system call's return value as people read it: `3`,
 * `-2 ENOENT`.
 * @param {number} value
 */
export function returnText(value) {
	const signed = signedReturn(value);
	if (signed >= 0 || signed < -4095) return String(signed);
	const name = errnoNames[-signed] ?? moreErrnoNames[-signed];
	return name ? `${signed} ${name}` : String(signed);
}
