// SPDX-License-Identifier: BSD-3-Clause
/*
 * The prompt, which reads commands from standard input, with a line editor for terminals. Must not
 * end a recording unless a command requests it: the recording goes on at the end of the input, and
 * the command quit ends it.
 *
 * The editor has history and completion. It uses only termios and the escape sequences that all
 * terminals support. Must restore the terminal's mode however the program ends.
 */
#include "cli/command/commands.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cli/base/base.h"

#define PROMPT		"> "
#define HISTORY_LINES	200

enum key {
	KEY_CTRL_A = 1, KEY_CTRL_B = 2, KEY_CTRL_C = 3, KEY_CTRL_D = 4, KEY_CTRL_E = 5,
	KEY_CTRL_F = 6, KEY_CTRL_H = 8, KEY_TAB = 9, KEY_LF = 10, KEY_CTRL_K = 11,
	KEY_CTRL_L = 12, KEY_CR = 13, KEY_CTRL_N = 14, KEY_CTRL_P = 16, KEY_CTRL_U = 21,
	KEY_CTRL_W = 23, KEY_CTRL_Z = 26, KEY_ESC = 27, KEY_DEL = 127,
	/* numbers above the values of all bytes */
	KEY_LEFT = 256, KEY_RIGHT, KEY_UP, KEY_DOWN, KEY_HOME, KEY_END, KEY_DELETE,
	KEY_NONE, KEY_END_OF_INPUT,
};

struct editor {
	char *line;
	size_t size;		/* size of line in bytes, including its NUL */
	size_t length;
	size_t at;		/* position of the next character */
	size_t shown;		/* history line on display; history_count: the typed line */
	char *typed;		/* the typed line, while a history line is on display */
	bool tab;		/* the previous key was a tab with several completions */
};

static char *history[HISTORY_LINES];
static size_t history_count;
static struct termios cooked;
static volatile sig_atomic_t raw;

/* --- terminal ------------------------------------------------------------------ */

static void leave_raw(void)
{
	if (raw)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &cooked);
	raw = 0;
}

static void on_end(int signal_number)
{
	leave_raw();
	signal(signal_number, SIG_DFL);
	raise(signal_number);	/* delivered when this handler returns */
}

static bool enter_raw(void)
{
	struct termios mode;

	if (tcgetattr(STDIN_FILENO, &cooked) < 0)
		return false;
	mode = cooked;
	mode.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR | IXON | ISTRIP);
	mode.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG | IEXTEN);
	mode.c_cc[VMIN] = 1;
	mode.c_cc[VTIME] = 0;
	raw = 1;
	if (tcsetattr(STDIN_FILENO, TCSADRAIN, &mode) == 0)
		return true;
	raw = 0;
	return false;
}

static size_t columns(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col < 8)
		return 80;
	return size.ws_col;
}

static bool is_continuation(char c)
{
	/* not the first byte of a UTF-8 character */
	return ((unsigned char)c & 0xC0) == 0x80;
}

static size_t width(const char *text, size_t bytes)
{
	size_t i, n = 0;

	for (i = 0; i < bytes; i++)
		n += !is_continuation(text[i]);
	return n;
}

/* Draws the line. If it is longer than the terminal, draws the part around the cursor. */
static void redraw(const struct editor *e)
{
	size_t room = columns() - 1, from = 0, to, prompt = strlen(PROMPT);
	size_t back;

	room = room > prompt + 4 ? room - prompt : 4;
	while (width(e->line + from, e->at - from) > room || is_continuation(e->line[from]))
		from++;
	for (to = e->length; width(e->line + from, to - from) > room; )
		to--;
	printf("\r" PROMPT "%.*s\033[K", (int)(to - from), e->line + from);
	back = width(e->line + e->at, to - e->at);
	if (back)
		printf("\033[%zuD", back);
	fflush(stdout);
}

/* --- keys ---------------------------------------------------------------------- */

static int read_byte(void)
{
	unsigned char c;
	ssize_t n;

	do
		n = read(STDIN_FILENO, &c, 1);
	while (n < 0 && errno == EINTR);
	return n == 1 ? c : KEY_END_OF_INPUT;
}

/* Reads the keys after an escape: [ or O, perhaps a number, a letter or ~. */
static int read_escape(void)
{
	int c = read_byte(), number = 0;

	if (c != '[' && c != 'O')
		return c == KEY_END_OF_INPUT ? c : KEY_NONE;
	for (c = read_byte(); (c >= '0' && c <= '9') || c == ';'; c = read_byte())
		number = c == ';' ? number : (number * 10 + c - '0') % 1000;
	switch (c) {
	case 'A': return KEY_UP;
	case 'B': return KEY_DOWN;
	case 'C': return KEY_RIGHT;
	case 'D': return KEY_LEFT;
	case 'H': return KEY_HOME;
	case 'F': return KEY_END;
	case '~':
		return number == 1 || number == 7 ? KEY_HOME
		     : number == 4 || number == 8 ? KEY_END
		     : number == 3 ? KEY_DELETE : KEY_NONE;
	default:
		return c == KEY_END_OF_INPUT ? c : KEY_NONE;
	}
}

/* --- editing ------------------------------------------------------------------- */

static void delete_range(struct editor *e, size_t from, size_t to)
{
	memmove(e->line + from, e->line + to, e->length - to + 1);
	e->length -= to - from;
	e->at = from;
}

static void insert(struct editor *e, const char *text, size_t bytes)
{
	if (e->length + bytes >= e->size) {
		putchar('\a');
		return;
	}
	memmove(e->line + e->at + bytes, e->line + e->at, e->length - e->at + 1);
	memcpy(e->line + e->at, text, bytes);
	e->length += bytes;
	e->at += bytes;
}

static size_t left_of(const struct editor *e)
{
	size_t at = e->at;

	while (at && is_continuation(e->line[--at]))
		;
	return at;
}

static size_t right_of(const struct editor *e)
{
	size_t at = e->at;

	if (at < e->length)
		at++;
	while (at < e->length && is_continuation(e->line[at]))
		at++;
	return at;
}

static size_t word_left_of(const struct editor *e)
{
	size_t at = e->at;

	while (at && e->line[at - 1] == ' ')
		at--;
	while (at && e->line[at - 1] != ' ')
		at--;
	return at;
}

static void set_line(struct editor *e, const char *text)
{
	snprintf(e->line, e->size, "%s", text);
	e->length = e->at = strlen(e->line);
}

/* --- history ------------------------------------------------------------------- */

static void show_history(struct editor *e, bool older)
{
	if (older ? e->shown == 0 : e->shown == history_count)
		return;
	if (e->shown == history_count) {
		free(e->typed);
		e->typed = strdup(e->line);
	}
	e->shown += older ? (size_t)-1 : 1;
	set_line(e, e->shown < history_count ? history[e->shown] : e->typed ? e->typed : "");
}

static void add_history(const char *line)
{
	char *copy;

	if (!line[strspn(line, " \t")] ||
	    (history_count && !strcmp(history[history_count - 1], line)))
		return;
	copy = strdup(line);
	if (!copy)
		return;
	if (history_count == HISTORY_LINES) {
		free(history[0]);
		memmove(history, history + 1, sizeof(history) - sizeof(history[0]));
		history_count--;
	}
	history[history_count++] = copy;
}

/* --- completion ---------------------------------------------------------------- */

/* Completes the first word as far as it is unique. After a second tab, lists the possible words. */
static void complete(struct editor *e)
{
	const char *name, *first = NULL;
	size_t common = 0, matches = 0, i;

	if (memchr(e->line, ' ', e->at)) {
		putchar('\a');
		return;
	}
	for (i = 0; (name = cmd_command_name(i)); i++) {
		size_t same = 0;

		if (strncmp(name, e->line, e->at))
			continue;
		if (!matches++) {
			first = name;
			common = strlen(name);
		}
		while (same < common && name[same] == first[same])
			same++;
		common = same;
	}
	if (common > e->at) {
		insert(e, first + e->at, common - e->at);
		e->tab = true;
	} else if (matches > 1 && e->tab) {
		for (i = 0, putchar('\n'); (name = cmd_command_name(i)); i++)
			if (!strncmp(name, e->line, e->at))
				printf("%s  ", name);
		putchar('\n');
	} else if (matches != 1) {
		putchar('\a');
		e->tab = true;
		return;
	}
	if (matches == 1 && e->at == e->length)
		insert(e, " ", 1);
}

/* --- signals ------------------------------------------------------------------- */

/* Stops the process by the signal's default action, with the terminal in its normal mode. */
static void on_stop(int signal_number)
{
	struct sigaction stop = {.sa_handler = SIG_DFL}, before;
	int saved = errno;
	bool was_raw = raw;
	sigset_t mask, only;

	leave_raw();
	sigemptyset(&only);
	sigaddset(&only, signal_number);
	sigaction(signal_number, &stop, &before);
	raise(signal_number);
	sigprocmask(SIG_UNBLOCK, &only, &mask);
	/* the process stops above, and continues here */
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(signal_number, &before, NULL);
	if (was_raw)
		enter_raw();
	errno = saved;
}

/* Signals from other processes. At the keyboard, the editor reads ctrl-c and ctrl-z as keys. */
static const struct {
	int number;
	void (*handler)(int);
} caught[] = {
	{SIGINT, on_end}, {SIGTERM, on_end}, {SIGHUP, on_end}, {SIGQUIT, on_end},
	{SIGTSTP, on_stop},
};
#define CAUGHT (sizeof(caught) / sizeof(caught[0]))

/* Catches the signals, except those that are ignored, as by nohup. */
static void catch_signals(struct sigaction before[CAUGHT])
{
	for (size_t i = 0; i < CAUGHT; i++) {
		struct sigaction action = {.sa_handler = caught[i].handler};

		sigaction(caught[i].number, NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(caught[i].number, &action, NULL);
	}
}

static void release_signals(const struct sigaction before[CAUGHT])
{
	for (size_t i = 0; i < CAUGHT; i++)
		sigaction(caught[i].number, &before[i], NULL);
}

/* --- one line ------------------------------------------------------------------ */

/* Executes an editing key. Returns false if the key is a character or ends the line. */
static bool edit(struct editor *e, int key)
{
	switch (key) {
	case KEY_CTRL_A: case KEY_HOME:
		e->at = 0;
		break;
	case KEY_CTRL_E: case KEY_END:
		e->at = e->length;
		break;
	case KEY_CTRL_B: case KEY_LEFT:
		e->at = left_of(e);
		break;
	case KEY_CTRL_F: case KEY_RIGHT:
		e->at = right_of(e);
		break;
	case KEY_CTRL_H: case KEY_DEL:
		delete_range(e, left_of(e), e->at);
		break;
	case KEY_CTRL_D: case KEY_DELETE:
		delete_range(e, e->at, right_of(e));
		break;
	case KEY_CTRL_K:
		delete_range(e, e->at, e->length);
		break;
	case KEY_CTRL_U:
		delete_range(e, 0, e->at);
		break;
	case KEY_CTRL_W:
		delete_range(e, word_left_of(e), e->at);
		break;
	case KEY_CTRL_P: case KEY_UP:
		show_history(e, true);
		break;
	case KEY_CTRL_N: case KEY_DOWN:
		show_history(e, false);
		break;
	case KEY_CTRL_L:
		fputs("\033[H\033[2J", stdout);
		break;
	case KEY_TAB:
		complete(e);
		return true;
	case KEY_CTRL_Z:
		putchar('\n');
		fflush(stdout);
		raise(SIGTSTP);
		break;
	case KEY_NONE:
		break;
	default:
		return false;
	}
	e->tab = false;
	return true;
}

/* Returns true for a line, false at the end of the input. */
static bool edit_line(struct editor *e)
{
	int key;
	char c;

	for (;;) {
		redraw(e);
		key = read_byte();
		if (key == KEY_ESC)
			key = read_escape();
		if (key == KEY_END_OF_INPUT || (key == KEY_CTRL_D && !e->length))
			return false;
		if (key == KEY_CR || key == KEY_LF)
			return true;
		if (key == KEY_CTRL_C) {
			fputs("^C\n", stdout);
			set_line(e, "");
			e->shown = history_count;
			continue;
		}
		if (edit(e, key) || key < ' ')
			continue;
		c = (char)key;
		e->tab = false;
		insert(e, &c, 1);
	}
}

/* Returns whether standard input and output are a terminal that supports editing. */
static bool can_edit(void)
{
	const char *terminal = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && terminal && *terminal &&
	       strcmp(terminal, "dumb");
}

/* Reads a line, without its newline. Returns false at the end of the input. */
static bool read_edited(char *line, size_t size)
{
	struct sigaction before[CAUGHT];
	struct editor e = {
		.line = line, .size = size, .shown = history_count,
	};
	bool got;

	*line = '\0';
	catch_signals(before);
	got = enter_raw() && edit_line(&e);
	leave_raw();
	release_signals(before);
	free(e.typed);
	if (got) {
		putchar('\n');
		fflush(stdout);
		add_history(line);
	}
	return got;
}

/* --- the prompt -------------------------------------------------------------------- */

#define LINE_BYTES	4200	/* a command and a path */
#define WORDS_MAX	40

static char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t\r\n");
	length = strlen(text);
	while (length && strchr(" \t\r\n", text[length - 1]))
		text[--length] = '\0';
	return text;
}

/* Executes a command with several arguments, none of which contains blanks. */
static int do_words(char *line)
{
	char *argv[WORDS_MAX + 1];
	int argc = 0;

	for (line = strtok(line, " \t"); line; line = strtok(NULL, " \t")) {
		if (argc == WORDS_MAX)
			return cmd_usage_error("%s: too many arguments", argv[0]);
		argv[argc++] = line;
	}
	argv[argc] = NULL;
	return cmd_do_argv(argc, argv);
}

static int do_line(char *line)
{
	char *name = trim(line), *arg, end;
	bool words;

	if (!*name)
		return cmd_do("stat", NULL);
	arg = name + strcspn(name, " \t");
	end = *arg;
	*arg = '\0';
	if (cmd_not_at_prompt(name))
		return cmd_usage_error("%s: not available at the prompt; run \"" CMD_TOOL
				       " %s ...\" in a shell", name, name);
	words = cmd_takes_words(name, end && arg[1 + strspn(arg + 1, " \t")] == '-');
	*arg = end;
	if (words)
		return do_words(name);
	if (*arg) {
		*arg++ = '\0';
		arg = trim(arg);
	}
	return cmd_do(name, *arg ? arg : NULL);
}

/*
 * Reads a line of standard input. Returns false at its end. Sets *@too_long for a line that does
 * not fit, and skips its rest.
 */
static bool read_line(char *line, size_t size, bool *too_long)
{
	int c;

	*too_long = false;
	if (!fgets(line, (int)size, stdin))
		return false;
	if (strchr(line, '\n') || strlen(line) + 1 < size)
		return true;
	*too_long = true;
	while ((c = getchar()) != EOF && c != '\n')
		;
	return true;
}

int cmd_prompt(void)
{
	bool tty = isatty(STDIN_FILENO), edit = can_edit(), too_long = false;
	char line[LINE_BYTES];
	int status = CMD_OK, ret;

	cmd_begin_prompt();
	for (;;) {
		if (tty && !edit)
			fputs(PROMPT, stdout);
		fflush(stdout);
		if (edit ? !read_edited(line, sizeof(line))
			 : !read_line(line, sizeof(line), &too_long))
			break;
		ret = too_long ? cmd_usage_error("line too long") : do_line(line);
		if (ret == CMD_QUIT)
			return tty ? CMD_OK : status;
		if (ret > CMD_SIGNAL)
			ret = CMD_FAILED;	/* a signal has ended only the command */
		if (ret > status)
			status = ret;
	}
	if (tty)
		putchar('\n');
	if (ferror(stdin)) {
		fprintf(stderr, CMD_TOOL ": standard input: %s\n", strerror(errno));
		return CMD_FAILED;
	}
	if (kutrace_test())
		cmd_print_still_recording();
	return tty ? CMD_OK : status;
}
