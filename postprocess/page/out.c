// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes to the output of a page, and pages from the original's template (page/template.h).
 */
#include "page/template.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tool.h"
#include "spanjson/json.h"

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
	const struct kp_template_part *before = out->template.before;
	int rc = 0;

	for (size_t i = 0; i < sizeof(out->template.before) / sizeof(*before) && !rc; i++)
		rc = kp_page_write(out, before[i].data, before[i].len);
	return rc ? rc : kp_page_write(out, open, len);
}

int kp_page_printed(struct kp_page_out *out, int rc)
{
	return rc < 0 ? kp_page_fail_errno(out, errno ? -errno : -EIO) : 0;
}

/*
 * ---- pages from the original's template ----
 *
 * A span JSON writer writes them, and a stream escapes its output for a JavaScript string.
 *
 * Escapes JSON for the original's pages, as the inside of a JavaScript string in single quotes. No
 * byte of a name may end the string, its line or the script element. A newline becomes a space:
 *
 *   "a'b\n</script>",<newline>   ->   "a\'b\\n\x3c/script>",<space>
 */

static ssize_t write_escaped(void *cookie, const char *text, size_t len)
{
	FILE *out = cookie;
	char buf[4096];
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		switch (text[i]) {
		case '\n':
		case '\r':
			buf[n++] = ' ';
			break;
		case '\\':
		case '\'':
			buf[n++] = '\\';
			buf[n++] = text[i];
			break;
		case '<':
			memcpy(buf + n, "\\x3c", 4);
			n += 4;
			break;
		default:
			buf[n++] = text[i];
		}
		if (n > sizeof(buf) - 4 || i + 1 == len) {
			if (fwrite(buf, 1, n, out) != n)
				return 0;
			n = 0;
		}
	}
	return (ssize_t)len;
}

/*
 * Returns a stream that writes text to @out as the inside of a JavaScript string in single quotes,
 * in a script element. Close it before writing to @out again.
 */
static FILE *kp_string_stream(FILE *out)
{
	cookie_io_functions_t io = {.write = write_escaped};
	FILE *f = fopencookie(out, "w", io);

	if (f)
		setvbuf(f, NULL, _IOFBF, 1 << 16);
	return f;
}

struct kp_original {
	struct kp_page_out *out;
	const int *start_width;
	FILE *string;
	struct kp_json_writer writer;
};

static const char string_open[] = "var myString = '";

static int failed(struct kp_original *page)
{
	bool io = ferror(page->string) || ferror(page->out->file);

	return kp_page_fail_errno(page->out, io ? -EIO : -ENOMEM);
}

/* Ends the string, and writes the template's text after the data. */
static int finish(struct kp_original *page)
{
	int rc = fclose(page->string);

	page->string = NULL;
	if (rc)
		return kp_page_fail_errno(page->out, errno ? -errno : -EIO);
	rc = kp_page_write(page->out, "';\n", 3);
	if (!rc)
		rc = kp_page_write(page->out, page->out->template.after.data,
				   page->out->template.after.len);
	return rc;
}

static int take_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_original *page = self;
	int rc = kp_page_write_before(page->out, string_open, sizeof(string_open) - 1);

	if (rc)
		return rc;
	if (page->start_width)
		kp_json_writer_set_width(&page->writer, *page->start_width);
	return kp_json_write_header(&page->writer, items, count) ? failed(page) : 0;
}

static int take_span(void *self, const struct kp_span *span)
{
	struct kp_original *page = self;

	return kp_json_write_span(&page->writer, span) ? failed(page) : 0;
}

static int take_trailing(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_original *page = self;

	return kp_json_write_trailing(&page->writer, items, count) ? failed(page) : 0;
}

static int take_end(void *self)
{
	struct kp_original *page = self;

	return kp_json_write_end(&page->writer) ? failed(page) : finish(page);
}

struct kp_original *kp_original_open(struct kp_page_out *out, const int *start_width)
{
	struct kp_original *page = calloc(1, sizeof(*page));

	if (!page)
		return NULL;
	page->out = out;
	page->start_width = start_width;
	page->string = kp_string_stream(out->file);
	if (!page->string) {
		free(page);
		return NULL;
	}
	kp_json_writer_init(&page->writer, page->string);
	return page;
}

struct kp_span_sink kp_original_sink(struct kp_original *page)
{
	return (struct kp_span_sink){
		.header = take_header,
		.span = take_span,
		.end = take_end,
		.self = page,
		.trailing = take_trailing,
	};
}

int kp_original_foreign(struct kp_original *page, struct kp_foreign *foreign, FILE *in,
			const char *shown)
{
	int status;

	if (kp_page_write_before(page->out, string_open, sizeof(string_open) - 1))
		return KP_BAD;
	status = kp_foreign_copy(foreign, in, shown, page->string);
	if (!status && finish(page))
		status = KP_BAD;
	return status;
}

void kp_original_close(struct kp_original *page)
{
	if (!page)
		return;
	kp_json_writer_free(&page->writer);
	if (page->string)
		fclose(page->string);
	free(page);
}
