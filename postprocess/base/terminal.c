// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fits reports to the terminal (base/terminal.h). Must not change a report that is written to a file
 * or a pipe.
 */
#include "base/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/pager.h"
#include "base/text.h"
#include "common/utf8.h"

#define COLUMNS_DEFAULT	80	/* width of a terminal that does not report it */
#define COLUMNS_MIN	20	/* narrower terminals break lines themselves */
#define NAME_MIN	12	/* minimum number of columns to which kp_print_name() cuts a name */
#define END_MIN		8	/* the same for kp_print_end() */
#define INDENT		4	/* columns before the rest of a long line */

const char *kp_report_color, *kp_report_top;
bool kp_report_no_pager;

struct buffer {
	char *text;
	size_t len, room;
};

/* The terminal, and the report that is written to it. */
static struct {
	size_t columns;		/* width of the terminal; 0: no terminal */
	bool utf8;
	bool coloured;
	/* number of rows that are held until it is known whether a pager is needed; 0: none */
	size_t hold;
	size_t held_rows;
	struct buffer held;
	struct buffer line;	/* the last line, which has no end yet */
} terminal;

size_t kp_top(const char *other)
{
	int64_t rows;

	if (!kp_report_top)
		return SIZE_MAX;
	if (other)
		kp_usage_error("--top cannot be used with %s", other);
	if (kp_number_argument(kp_report_top, 0, &rows) || rows < 1)
		kp_usage_error("--top needs " KP_TOP_WANTS);
	return (size_t)rows;
}

const char *kp_colour(enum kp_colour colour)
{
	/* red and magenta are readable on dark and on light backgrounds */
	static const char *const sequences[] = {
		[KP_PLAIN] = "\033[m", [KP_HEADING] = "\033[1m", [KP_WAITING] = "\033[35m",
		[KP_CAVEAT] = "\033[31m", [KP_LOST] = "\033[1;31m",
	};

	return terminal.coloured ? sequences[colour] : "";
}

size_t kp_columns(void)
{
	return terminal.columns;
}

/* Returns the length of the character at @text, and sets *@columns to its width. */
static size_t character(const char *text, size_t len, size_t *columns)
{
	size_t n = terminal.utf8 ? ku_utf8_sequence(text, len) : 0;
	wchar_t wide;
	int width;

	*columns = 1;
	if (n < 2 || mbtowc(&wide, text, n) < 1)
		return 1;
	width = wcwidth(wide);
	if (width >= 0)
		*columns = (size_t)width;
	return n;
}

static size_t columns_of(const char *text, size_t len)
{
	size_t columns, all = 0;

	for (size_t i = 0; i < len; all += columns)
		i += character(text + i, len - i, &columns);
	return all;
}

/* Returns the length of the longest beginning of @text in at most @room columns. */
static size_t beginning(const char *text, size_t len, size_t room)
{
	size_t columns, n;

	for (size_t i = 0; i < len; i += n) {
		n = character(text + i, len - i, &columns);
		if (columns > room)
			return i;
		room -= columns;
	}
	return len;
}

/* Returns the index of the longest end of @text in at most @room columns. */
static size_t ending(const char *text, size_t len, size_t room)
{
	size_t columns, all = columns_of(text, len), i = 0;

	while (i < len && all > room) {
		i += character(text + i, len - i, &columns);
		all -= columns;
	}
	return i;
}

static const char *ellipsis(void)
{
	return terminal.utf8 ? "\xE2\x80\xA6" : "...";
}

void kp_print_end(FILE *out, const char *text, size_t len, size_t room)
{
	if (room < END_MIN)
		room = END_MIN;
	if (!terminal.columns || columns_of(text, len) <= room) {
		kp_print_plain(out, text, len);
		return;
	}
	kp_print_plain(out, text, beginning(text, len, room - (terminal.utf8 ? 1 : 3)));
	fputs(ellipsis(), out);
}

void kp_print_name(FILE *out, const char *text, size_t len)
{
	size_t room = terminal.columns / 3, last;

	if (room < NAME_MIN)
		room = NAME_MIN;
	if (!terminal.columns || columns_of(text, len) <= room) {
		kp_print_plain(out, text, len);
		return;
	}
	/* the end of a name is often a number, which distinguishes it */
	room -= terminal.utf8 ? 1 : 3;
	kp_print_plain(out, text, beginning(text, len, room - room / 2));
	fputs(ellipsis(), out);
	last = ending(text, len, room / 2);
	kp_print_plain(out, text + last, len - last);
}

/* Returns the length of a control sequence of kp_colour() at @text; 0: there is none. */
static size_t sequence(const char *text, size_t len)
{
	size_t i = 2;

	if (len < 3 || text[0] != '\033' || text[1] != '[')
		return 0;
	while (i < len && text[i] != 'm')
		i++;
	return i < len ? i + 1 : 0;
}

/*
 * Returns the length of the beginning of @text that fits @room columns: up to the last blank, if the
 * text is longer and has one.
 */
static size_t fitting(const char *text, size_t len, size_t room)
{
	size_t i = 0, blank = 0, columns, n;
	bool word = false;

	while (i < len) {
		n = sequence(text + i, len - i);
		columns = 0;
		if (!n)
			n = character(text + i, len - i, &columns);
		if (columns > room)
			return blank ? blank : i;
		if (text[i] == ' ' && word)
			blank = i;
		word |= text[i] != ' ';
		room -= columns;
		i += n;
	}
	return len;
}

/* Adds @len bytes. Returns 0, or -1 without memory. */
static int add(struct buffer *buffer, const char *text, size_t len)
{
	size_t room = buffer->room;
	char *larger;

	if (!len)
		return 0;
	while (room - buffer->len < len)
		room += room + 256;
	if (room > buffer->room) {
		larger = kp_allocated(realloc(buffer->text, room));
		if (!larger)
			return -1;
		buffer->text = larger;
		buffer->room = room;
	}
	memcpy(buffer->text + buffer->len, text, len);
	buffer->len += len;
	return 0;
}

/* Writes the rows that are held. Later rows are written immediately. */
static void release(void)
{
	terminal.hold = 0;
	if (terminal.held.len)
		fwrite(terminal.held.text, 1, terminal.held.len, stdout);
	terminal.held.len = 0;
	/* the pager shows the first page while the report is still written */
	fflush(stdout);
}

/* Writes or holds a row, which fits the terminal. Returns 0, or -1 after an error. */
static int put_row(size_t indent, const char *text, size_t len)
{
	static const char blanks[INDENT + 1] = "    ";

	if (terminal.hold && terminal.held_rows == terminal.hold) {
		kp_pager_start();
		release();
	}
	if (terminal.hold) {
		terminal.held_rows++;
		return add(&terminal.held, blanks, indent) || add(&terminal.held, text, len) ||
		       add(&terminal.held, "\n", 1) ? -1 : 0;
	}
	fwrite(blanks, 1, indent, stdout);
	fwrite(text, 1, len, stdout);
	putc('\n', stdout);
	return ferror(stdout) ? -1 : 0;
}

/* Divides a line into rows that fit. Returns 0, or -1 after an error. */
static int put_line(const char *text, size_t len)
{
	size_t indent = 0, n;

	do {
		n = fitting(text, len, terminal.columns - indent);
		if (put_row(indent, text, n))
			return -1;
		while (n < len && text[n] == ' ')
			n++;
		text += n;
		len -= n;
		indent = INDENT;
	} while (len);
	return 0;
}

static ssize_t write_report(void *cookie, const char *text, size_t len)
{
	size_t done = 0;
	const char *end;

	(void)cookie;
	while ((end = memchr(text + done, '\n', len - done))) {
		if (add(&terminal.line, text + done, (size_t)(end - text) - done) ||
		    put_line(terminal.line.text, terminal.line.len))
			return 0;
		terminal.line.len = 0;
		done = (size_t)(end - text) + 1;
	}
	return add(&terminal.line, text + done, len - done) ? 0 : (ssize_t)len;
}

/* Returns whether the report has colours. */
static bool has_colours(bool is_terminal)
{
	const char *none = getenv("NO_COLOR"), *type = getenv("TERM");

	if (kp_report_color && !strcmp(kp_report_color, "always"))
		return true;
	if (kp_report_color && !strcmp(kp_report_color, "never"))
		return false;
	if (kp_report_color && strcmp(kp_report_color, "auto"))
		kp_usage_error("--color needs auto, always or never");
	return is_terminal && !(none && *none) && type && strcmp(type, "dumb");
}

FILE *kp_report_open(void)
{
	static const cookie_io_functions_t io = { .write = write_report };
	const char *type = getenv("TERM");
	struct winsize size = {0};

	if (!isatty(STDOUT_FILENO)) {
		terminal.coloured = has_colours(false);
		return stdout;
	}
	terminal.coloured = has_colours(true);
	setlocale(LC_CTYPE, "");
	terminal.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	terminal.columns = size.ws_col ? size.ws_col : COLUMNS_DEFAULT;
	if (terminal.columns < COLUMNS_MIN)
		terminal.columns = COLUMNS_MIN;
	/* the shell's prompt also needs a row */
	if (!kp_report_no_pager && isatty(STDIN_FILENO) && size.ws_row > 1 && type && strcmp(type, "dumb"))
		terminal.hold = size.ws_row - 1U;
	return kp_needed(fopencookie(NULL, "w", io));
}

void kp_report_close(FILE *out)
{
	if (out == stdout)
		return;
	fclose(out);
	if (terminal.line.len)
		put_line(terminal.line.text, terminal.line.len);
	/* the whole report fits the screen */
	if (terminal.hold)
		release();
	free(terminal.line.text);
	free(terminal.held.text);
}
