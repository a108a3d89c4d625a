// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes a memory dump of an invented machine:
 *
 *	make_crash elf|kdump|lzo|nothing FILE
 *
 * The dump has one session, main, with 3004 marks of CPU 0 and 1010 of CPU 1. With "nothing", the
 * session's anchor is missing.
 */
#include "../unit/crash_build.h"

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	snprintf(dump_path, sizeof(dump_path), "%s", argv[2]);
	record();
	if (!strcmp(argv[1], "nothing"))
		memset(mem(AT_ANCHOR), 0, 16);
	if (!strcmp(argv[1], "kdump"))
		write_kdump(1);
	else if (!strcmp(argv[1], "lzo"))
		write_kdump(2);
	else
		write_elf();
	free(memory);
	return 0;
}
