# SPDX-License-Identifier: BSD-3-Clause
#
# Converts the macros of <asm/unistd.h>, as `cc -E -dM` prints them, into C
# initializers `{number, "name"},` sorted by number:
#
#	#define __NR_getpid 39		->	{39, "getpid"},
#	#define __NR_fcntl __NR3264_fcntl	(asm-generic: followed to the number)
#
# Numbers that are expressions, or at least limit (-v limit=N), are not system
# calls of this table and are left out. Fails if it finds no system call.

$1 == "#define" && NF == 3 && $2 ~ /^__NR/ {
	value[$2] = $3
}

END {
	for (macro in value) {
		if (macro !~ /^__NR_/)
			continue
		name = substr(macro, 6)
		if (name == "syscalls" || name == "arch_specific_syscall" || \
		    name ~ /_SYSCALL_BASE$/ || name ~ /^syscall_/)
			continue
		number = value[macro]
		for (steps = 0; number in value && steps < 4; steps++)
			number = value[number]
		if (number !~ /^[0-9]+$/ || number + 0 >= limit + 0)
			continue
		# of two names for a number, take the first in alphabetical order
		if (!(number in names) || name < names[number])
			names[number] = name
	}
	for (n = 0; n < limit + 0; n++) {
		if (n in names) {
			printf "\t{%d, \"%s\"},\n", n, names[n]
			found++
		}
	}
	if (!found) {
		print "gen_syscall_names: no system call in the input" > "/dev/stderr"
		exit 1
	}
}
