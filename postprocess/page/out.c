// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes to the output of a page (page/out.h). Must not depend on spans.
 */
#include "page/out.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

int kp_page_fail(struct kp_page_out *out, int code, const char *fmt, ...)
{
	va_list ap;

	if (out->error[0])
		return code;
	va_start(ap, fmt);
	vsnprintf(out->error, sizeof(out->error), fmt, ap);
	va_end(ap);
	return code;
}

int kp_page_fail_errno(struct kp_page_out *out, int code)
{
	return kp_page_fail(out, code, "cannot %s the page: %s",
			    code == -ENOMEM ? "make" : "write", strerror(-code));
}

int kp_page_write(struct kp_page_out *out, const char *text, size_t len)
{
	if (!len)
		return 0;
	errno = 0;
	if (fwrite(text, 1, len, out->file) == len)
		return 0;
	return kp_page_fail_errno(out, errno ? -errno : -EIO);
}

int kp_page_write_json(struct kp_page_out *out, const char *text)
{
	int rc = 0;

	while (*text && !rc) {
		size_t plain = strcspn(text, "<");

		rc = kp_page_write(out, text, plain);
		text += plain;
		if (!rc && *text == '<') {
			rc = kp_page_write(out, "\\u003c", 6);
			text++;
		}
	}
	return rc;
}

int kp_page_write_before(struct kp_page_out *out, const char *open, size_t len)
{
	const struct kp_piece *before = out->template.before;
	int rc = 0;

	for (size_t i = 0; i < sizeof(out->template.before) / sizeof(*before) && !rc; i++)
		rc = kp_page_write(out, before[i].data, before[i].len);
	return rc ? rc : kp_page_write(out, open, len);
}

int kp_page_printed(struct kp_page_out *out, int rc)
{
	return rc < 0 ? kp_page_fail_errno(out, errno ? -errno : -EIO) : 0;
}
