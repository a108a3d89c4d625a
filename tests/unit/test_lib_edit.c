// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests kutrace_control's prompt at a terminal: sends keys to a pseudo terminal and checks the
 * commands and the drawn text. The fake module answers.
 */
#include <pty.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <termios.h>

#include "cli/command/commands.h"
#include "lib_fake.h"

#define WAIT_MS	20000	/* time limit for an expected text */

static int terminal = -1;
static pid_t child;
static char screen[60000];
static size_t screen_length;

static void start(const char *term)
{
	struct winsize size = {.ws_row = 24, .ws_col = 40};

	screen_length = 0;
	fflush(NULL);
	child = forkpty(&terminal, NULL, NULL, &size);
	assert_true(child >= 0);
	if (!child) {
		setenv("TERM", term, 1);
		signal(SIGPIPE, SIG_IGN);
		exit(cmd_prompt());
	}
}

/* Reads until the text has arrived, starting after the previously expected text. */
static void expect(const char *text)
{
	static size_t from;
	struct pollfd poll_fd = {.fd = terminal, .events = POLLIN};
	char *found;
	ssize_t n;

	if (!screen_length)
		from = 0;
	for (;;) {
		screen[screen_length] = '\0';
		found = strstr(screen + from, text);
		if (found) {
			from = (size_t)(found - screen) + strlen(text);
			return;
		}
		if (poll(&poll_fd, 1, WAIT_MS) != 1)
			break;
		n = read(terminal, screen + screen_length,
			 sizeof(screen) - 1 - screen_length);
		if (n <= 0)
			break;
		screen_length += (size_t)n;
	}
	print_message("waited for '%s' in '%s'\n", text, screen);
	fail();
}

/* Types after the prompt has appeared. Before that, the terminal itself would edit the line. */
static void type(const char *keys)
{
	expect("> \033[K");
	assert_int_equal(write(terminal, keys, strlen(keys)), (ssize_t)strlen(keys));
}

static void type_plainly(const char *keys)
{
	assert_int_equal(write(terminal, keys, strlen(keys)), (ssize_t)strlen(keys));
}

static int end(void)
{
	int status, i;

	for (i = 0; i < WAIT_MS; i++) {
		if (waitpid(child, &status, WNOHANG) == child) {
			close(terminal);
			return status;
		}
		kutrace_msleep(1);
	}
	kill(child, SIGKILL);
	print_message("did not end; the screen: '%s'\n", screen);
	fail();
	return -1;
}

static int fresh(void **state)
{
	(void)state;
	fake_reset();
	return 0;
}

static void lines_are_edited(void **state)
{
	(void)state;
	start("xterm");
	type("xxtesst\001\004\004\033[C\033[C\033[C\177\r");	/* home, delete 2, tes|st */
	expect("not recording");
	type("wrong words here\025test\r");		/* ctrl-u */
	expect("not recording");
	type("test garbage more\027\027\010\r");	/* ctrl-w twice, backspace */
	expect("not recording");
	type("tesXYZ\033[D\033[D\033[D\013t\r");		/* left, ctrl-k */
	expect("not recording");
	type("est\033[Ht\033[F\r");			/* home, end */
	expect("not recording");
	type("go\002\033[3~\033[3~test\005\r");		/* ctrl-b, delete key */
	expect("no such command");			/* "gtest" */
	type("nonsense\003test\r");			/* ctrl-c drops the line */
	expect("^C");
	expect("not recording");
	type("\014test\r");				/* ctrl-l */
	expect("\033[H\033[2J");
	expect("not recording");
	type("\004");
	assert_int_equal(end(), 0);
	assert_int_equal(fake->info.recording, 0);
}

static void history_goes_up_and_down(void **state)
{
	(void)state;
	start("xterm");
	type("go\r");
	type("off\r");
	type("test\r");
	expect("not recording");
	type("\033[A\033[A\033[A\r");		/* go */
	type("\033[A\033[A\r");			/* go, test */
	expect(", recording");
	/* two keys up and two down: the line is "off" again */
	type("off\033[A\033[A\033[B\033[B\r");
	type("test\r");
	expect("not recording");
	type("quit\r");
	assert_int_equal(end(), 0);
}

static void commands_are_completed(void **state)
{
	(void)state;
	start("xterm");
	type("te\t\r");
	expect("> test ");
	expect("not recording");
	type("g\t\tw\t\r");		/* go, and then which */
	expect("go  goipc  gowrap");
	type("test\r");
	expect(", recording");
	type("zz\t\025off\r");
	expect("\a");
	expect("off\033[K\r\n");
	type("\004");
	assert_int_equal(end(), 0);
	assert_int_equal(fake->info.flags, KUTRACE_RESET_WRAP);
}

static void long_lines_scroll(void **state)
{
	char line[200];

	(void)state;
	memset(line, 'a', 120);
	strcpy(line + 120, "\r");
	start("xterm");
	type(line);
	line[120] = '\0';
	expect("no such command");
	assert_non_null(strstr(screen, line));
	type("\004");
	assert_int_equal(end(), 0);
}

static bool is_cooked(void)
{
	struct termios mode;

	assert_int_equal(tcgetattr(terminal, &mode), 0);
	return mode.c_lflag & ICANON && mode.c_lflag & ECHO && mode.c_iflag & ICRNL;
}

static void the_terminal_is_as_before(void **state)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
	size_t i;
	int status;

	(void)state;
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		start("xterm");
		expect("> ");
		assert_false(is_cooked());
		kill(child, signals[i]);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
		assert_true(is_cooked());
		close(terminal);
	}
}

/* Acts as a shell: the prompt is a separate job, which can be stopped. */
static _Noreturn void be_a_shell(void)
{
	struct termios mode;
	sigset_t usr1;
	int status, number;
	pid_t job;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	job = fork();
	if (!job) {
		sigprocmask(SIG_UNBLOCK, &usr1, NULL);
		signal(SIGTTOU, SIG_IGN);
		setpgid(0, 0);
		tcsetpgrp(STDIN_FILENO, getpid());
		exit(cmd_prompt());
	}
	sigwait(&usr1, &number);
	kill(job, SIGTSTP);
	waitpid(job, &status, WUNTRACED);
	tcgetattr(STDIN_FILENO, &mode);
	printf("%s %s\n", WIFSTOPPED(status) ? "stopped" : "not stopped",
	       mode.c_lflag & ICANON && mode.c_lflag & ECHO ? "cooked" : "raw");
	fflush(stdout);
	kill(job, SIGCONT);
	waitpid(job, &status, 0);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
}

static void the_terminal_is_as_before_while_it_is_stopped(void **state)
{
	int i;

	(void)state;
	screen_length = 0;
	fflush(NULL);
	child = forkpty(&terminal, NULL, NULL, NULL);
	assert_true(child >= 0);
	if (!child) {
		setenv("TERM", "xterm", 1);
		be_a_shell();
	}
	expect("> ");
	kill(child, SIGUSR1);
	expect("stopped cooked");
	/* wait for raw mode, in which the program receives the keys */
	for (i = 0; i < WAIT_MS && is_cooked(); i++)
		kutrace_msleep(1);
	type_plainly("test\r");
	expect("not recording");
	/* type() waits for the prompt: before, the cooked terminal would consume ctrl-d */
	type("\004");
	assert_int_equal(end(), 0);
}

static void a_dumb_terminal_gets_no_line_editing(void **state)
{
	struct termios mode;

	(void)state;
	start("dumb");
	expect("> ");
	assert_int_equal(tcgetattr(terminal, &mode), 0);
	assert_true(mode.c_lflag & ICANON);
	type_plainly("test\n");
	expect("not recording");
	type_plainly("\004");
	assert_int_equal(end(), 0);
	assert_null(strchr(screen, '\033'));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(lines_are_edited, fresh),
		cmocka_unit_test_setup(history_goes_up_and_down, fresh),
		cmocka_unit_test_setup(commands_are_completed, fresh),
		cmocka_unit_test_setup(long_lines_scroll, fresh),
		cmocka_unit_test_setup(the_terminal_is_as_before, fresh),
		cmocka_unit_test_setup(the_terminal_is_as_before_while_it_is_stopped, fresh),
		cmocka_unit_test_setup(a_dumb_terminal_gets_no_line_editing, fresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
