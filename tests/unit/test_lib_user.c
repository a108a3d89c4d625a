// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the user as which kutrace_control run starts a program, the owner of the trace, and exit
 * statuses that differ from the program's. Some tests need root, as recording does, and are skipped
 * for other users.
 */
#include "lib_tool.h"

#define NOBODY		65534
#define UNKNOWN		3123456789u	/* a user id that no Debian system assigns */

static int fresh_user(void **state)
{
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	setenv("HOME", "/root", 1);
	setenv("USER", "root", 1);
	return fresh(state);
}

static void sudo(const char *uid, const char *gid)
{
	setenv("SUDO_UID", uid, 1);
	setenv("SUDO_GID", gid, 1);
	setenv("SUDO_USER", "nobody", 1);
	setenv("SUDO_COMMAND", "run", 1);
}

/* Calls: run [--user NAME] -o r.trace -- sh -c SCRIPT */
static int run_script(const char *user, const char *script)
{
	char *argv[] = {"run", "--user", (char *)(uintptr_t)user, "-o", "r.trace", "--", "sh", "-c",
			(char *)(uintptr_t)script, NULL};

	if (user)
		return call(cmd_run, 9, argv, "");
	argv[2] = argv[0];
	return call(cmd_run, 7, argv + 2, "");
}

#define WHO	"id -ru; id -u; id -g; id -G; echo $USER $LOGNAME ${SUDO_UID-none} ${SUDO_COMMAND-none};" \
		"grep -c '^Cap\\(Prm\\|Eff\\):.0*$' /proc/self/status"

static void only_root(void)
{
	if (geteuid())
		skip();
}

static void assert_owner(const char *file, uint32_t uid, uint32_t gid)
{
	struct stat st;

	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_uid, uid);
	assert_int_equal(st.st_gid, gid);
}

static void under_sudo_the_trace_belongs_to_the_caller(void **state)
{
	(void)state;
	only_root();
	sudo("65534", "65534");
	assert_int_equal(run_script(NULL, WHO), 0);
	assert_string_equal(out, "65534\n65534\n65534\n65534\nnobody nobody none none\n2\n");
	assert_owner("r.trace", NOBODY, NOBODY);
	/* HOME is the user's, not root's */
	assert_int_equal(run_script(NULL, "test \"$HOME\" != /root"), 0);
}

static void a_user_may_be_named(void **state)
{
	(void)state;
	only_root();
	assert_int_equal(run_script("nobody", WHO), 0);
	assert_string_equal(out, "65534\n65534\n65534\n65534\nnobody nobody none none\n2\n");
	assert_owner("r.trace", 0, 0);	/* no other user requested the trace */
	unlink("r.trace");
	assert_int_equal(run_script("65534", "id -u"), 0);
	assert_string_equal(out, "65534\n");
	sudo("65534", "65534");
	assert_int_equal(run_script("root", "id -u; id -g; echo $HOME"), 0);
	assert_string_equal(out, "0\n0\n/root\n");
}

static void without_sudo_it_stays_as_it_is(void **state)
{
	(void)state;
	only_root();
	assert_int_equal(run_script(NULL, "id -u; echo $HOME"), 0);
	assert_string_equal(out, "0\n/root\n");
	sudo("0", "0");
	assert_int_equal(run_script(NULL, "id -u"), 0);
	assert_string_equal(out, "0\n");
}

static void a_file_that_is_there_keeps_its_owner(void **state)
{
	(void)state;
	only_root();
	assert_int_equal(run_script(NULL, "true"), 0);
	sudo("65534", "65534");
	assert_int_equal(run_script(NULL, "true"), 0);
	assert_owner("r.trace", 0, 0);
	assert_int_equal(chown("r.trace", NOBODY, 4321), 0);
	unsetenv("SUDO_UID");
	assert_int_equal(run_script(NULL, "true"), 0);
	assert_owner("r.trace", NOBODY, 4321);
}

static void a_user_without_an_entry_has_ids(void **state)
{
	char text[100];

	(void)state;
	only_root();
	snprintf(text, sizeof(text), "%u", UNKNOWN);
	sudo(text, "4321");
	assert_int_equal(run_script(NULL, "id -u; id -g; id -G"), 0);
	snprintf(text, sizeof(text), "%u\n4321\n4321\n", UNKNOWN);
	assert_string_equal(out, text);
}

static void invalid_users_are_refused(void **state)
{
	(void)state;
	assert_int_equal(run_script("no-such-user", "echo ran"), 125);
	assert_string_equal(out, "");
	assert_string_equal(err, "kutrace_control: run: --user: no-such-user: there is no such user\n");
	assert_int_equal(access("r.trace", F_OK), -1);
	assert_int_equal(fake->info.recording, 0);
	only_root();
	sudo("12x", "12");
	assert_int_equal(run_script(NULL, "echo ran"), 125);
	assert_string_equal(out, "");
	starts_with(err, "kutrace_control: run: SUDO_UID and SUDO_GID are invalid");
	unsetenv("SUDO_GID");
	setenv("SUDO_UID", "65534", 1);
	assert_int_equal(run_script(NULL, "echo ran"), 125);
	assert_string_equal(out, "");
}

/* Runs the command as an unprivileged user. */
static int run_unprivileged(int argc, char **argv)
{
	return setresuid(NOBODY, NOBODY, NOBODY) ? 77 : cmd_run(argc, argv);
}

static void only_root_runs_as_another(void **state)
{
	char *argv[] = {"run", "--user", "root", "-o", "/dev/null", "echo", "ran", NULL};

	(void)state;
	only_root();
	assert_int_equal(call(run_unprivileged, 7, argv, ""), 125);
	assert_string_equal(out, "");
	starts_with(err, "kutrace_control: run: --user: root: only root can run a program as ");
	/* a user may name itself with --user, and SUDO_UID counts only for root */
	argv[2] = "nobody";
	sudo("1", "1");
	assert_int_equal(call(run_unprivileged, 7, argv, ""), 0);
	assert_string_equal(out, "ran\n");
}

static void statuses_are_the_programs_or_125_and_up(void **state)
{
	static const int own[] = {0, 1, 2, 3, 77, 124, 255};
	char script[40];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		snprintf(script, sizeof(script), "exit %d", own[i]);
		assert_int_equal(run_script(NULL, script), own[i]);
	}
	assert_int_equal(run_script(NULL, "kill -TERM $$"), 128 + SIGTERM);
	/* if the recording fails, the program's status does not matter */
	fake->refuse = 1 << KUTRACE_CMD_ON;
	assert_int_equal(run_script(NULL, "exit 1"), 125);
	fake->refuse = 1 << KUTRACE_CMD_FLUSH;
	assert_int_equal(run_script(NULL, "exit 1"), 125);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(under_sudo_the_trace_belongs_to_the_caller, fresh_user),
		cmocka_unit_test_setup(a_user_may_be_named, fresh_user),
		cmocka_unit_test_setup(without_sudo_it_stays_as_it_is, fresh_user),
		cmocka_unit_test_setup(a_file_that_is_there_keeps_its_owner, fresh_user),
		cmocka_unit_test_setup(a_user_without_an_entry_has_ids, fresh_user),
		cmocka_unit_test_setup(invalid_users_are_refused, fresh_user),
		cmocka_unit_test_setup(only_root_runs_as_another, fresh_user),
		cmocka_unit_test_setup(statuses_are_the_programs_or_125_and_up, fresh_user),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
