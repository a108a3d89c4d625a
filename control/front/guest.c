// SPDX-License-Identifier: BSD-3-Clause
/* kutrace guest: runs "make guest" in a checkout. Must not run make in another project. */
#include <limits.h>
#include <unistd.h>

#include "front/front.h"

/* Makes @folder the checkout that contains it. Returns false if there is none. */
static bool find_checkout(char *folder)
{
	char file[PATH_MAX + 40], *end;

	for (;;) {
		snprintf(file, sizeof(file), "%s/module/uapi/kutrace_events.def", folder);
		if (!access(file, R_OK))
			return true;
		end = strrchr(folder, '/');
		if (!end)
			return false;
		*end = '\0';
	}
}

/* Returns whether the word is NAME=VALUE. */
static bool is_variable(const char *word)
{
	size_t length = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");

	return length && word[length] == '=';
}

int front_guest(int argc, char **argv)
{
	struct cmd_options o = {.what = "guest", .list = (const struct cmd_option[]){{0}}};
	char folder[PATH_MAX], make[4200], **call = front_words(argc + 6), **to = call;

	if (cmd_next_option(&o, argc, argv) == CMD_OPTION_STOP)
		return o.status;
	for (int i = optind; i < argc; i++)
		if (!is_variable(argv[i]))
			return cmd_usage_error("guest: %s: needs NAME=VALUE (example: CMD='ls -l')", argv[i]);
	if (!(getcwd(folder, sizeof(folder)) && find_checkout(folder)) &&
	    !(cmd_own_folder(folder, sizeof(folder)) && find_checkout(folder)))
		return cmd_fail("guest: needs the source of KUtrace, because \"make guest\" builds the virtual machine: "
				"go to a checkout (git clone), and type \"kutrace guest\" there");
	if (!cmd_find_in_path("make", make, sizeof(make)))
		return cmd_fail("guest: cannot find make; try \"sudo apt-get install make\"");
	*to++ = make;
	*to++ = (char[]){"--no-print-directory"};
	*to++ = (char[]){"-C"};
	*to++ = folder;
	*to++ = (char[]){"guest"};
	memcpy(to, argv + optind, (size_t)(argc - optind + 1) * sizeof(*argv));
	execv(make, call);
	return cmd_fail("guest: cannot run %s: %s", make, strerror(errno));
}
