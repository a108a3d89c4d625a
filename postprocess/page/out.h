/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a page is written, of either kind: the stream, the template around the data, and the
 * first thing that went wrong. Called by page.c and original.c.
 */
#ifndef KP_PAGE_OUT_H
#define KP_PAGE_OUT_H

#include <stddef.h>
#include <stdio.h>

#include "page/template.h"

struct kp_page_out {
	FILE *file;
	struct kp_template template;
	char error[512];		/* one line; "": nothing went wrong */
};

/* These return code, a negative errno; the first one's words stay. */
int kp_page_fail(struct kp_page_out *out, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int kp_page_fail_errno(struct kp_page_out *out, int code);

/* These return 0, or have failed as above. */
int kp_page_write(struct kp_page_out *out, const char *text, size_t len);

/* JSON text inside a script element: only inside strings can there be a '<'. */
int kp_page_write_json(struct kp_page_out *out, const char *text);

/* What the template has in front of the data, and with what they begin. */
int kp_page_write_before(struct kp_page_out *out, const char *open, size_t len);

/* Of what printf to the stream returned; errno was 0 before. */
int kp_page_printed(struct kp_page_out *out, int rc);

#endif
