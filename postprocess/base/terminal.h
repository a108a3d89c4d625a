/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints text reports. At a terminal, reports fit its width, have colours, and are shown in a pager
 * if they are longer than the screen. Must not change a report in a file or pipe, except by
 * --color=always and --top.
 */
#ifndef KP_BASE_TERMINAL_H
#define KP_BASE_TERMINAL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/tool.h"

/* Options of all text reports, for a table of kp_option. They have no short form. */
#define KP_REPORT_OPTIONS \
	{ "color", KP_LONG(60), "auto, always or never", &kp_report_color }, \
	{ "no-pager", KP_LONG(61), NULL, &kp_report_no_pager }
#define KP_TOP_OPTION { "top", KP_LONG(62), KP_TOP_WANTS, &kp_report_top }
#define KP_TOP_WANTS "a number of rows (1 or more)"

#define KP_HELP_REPORT \
"  --color WHEN   use colours: auto (at a terminal), always or never (default: auto)\n" \
"  --no-pager     do not show a long report in a pager\n"

/* Values of the options; set by kp_next_option(). */
extern const char *kp_report_color, *kp_report_top;
extern bool kp_report_no_pager;

/*
 * Returns the value of --top, or SIZE_MAX without this option. A bad number is a usage error, and so
 * is --top if @other, the option for another format such as "--json", is not NULL.
 */
size_t kp_top(const char *other);

/*
 * Returns the stream for a report: standard output, or at a terminal a stream that writes there.
 * Must be called after kp_open_output(). A bad value of --color is a usage error.
 */
FILE *kp_report_open(void);
/* Writes what remains in the stream of kp_report_open(). Must be called before kp_finish(). */
void kp_report_close(FILE *out);

enum kp_colour {
	KP_PLAIN,	/* end of a colour */
	KP_HEADING,
	KP_WAITING,	/* time in which a thread waits */
	KP_CAVEAT,	/* something that is inferred, or missing in the report */
	KP_LOST,	/* lost events, and faults of a trace */
};

/* Returns the control sequence of a colour; "" if there are no colours. */
const char *kp_colour(enum kp_colour colour);

/* Returns the number of columns of the terminal; 0: the output is no terminal, and has no limit. */
size_t kp_columns(void);

/* Prints @len bytes as kp_print_plain() does. At a terminal, a long name is cut in the middle. */
void kp_print_name(FILE *out, const char *text, size_t len);
/* Prints @len bytes as kp_print_plain() does. At a terminal, cuts the end beyond @room columns. */
void kp_print_end(FILE *out, const char *text, size_t len, size_t room);

#endif
