// SPDX-License-Identifier: BSD-3-Clause
/* Writes the output of a page, and pages from the original's template (page/template.h). */
#include "page/template.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/tool.h"
#include "spanjson/json.h"

int kp_page_fail(struct kp_page_out *out, int code, const char *fmt, ...)
{
	va_list ap;

	if (out->error[0])
		return code;
	out->code = code;
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
	if (!len || out->code)
		return out->code;
	errno = 0;
	if (fwrite(text, 1, len, out->file) == len)
		return 0;
	return kp_page_fail_errno(out, errno ? -errno : -EIO);
}

int kp_page_write_json(struct kp_page_out *out, const char *text)
{
	for (; *text; text++) {
		size_t plain = strcspn(text, "<");

		kp_page_write(out, text, plain);
		text += plain;
		if (!*text)
			break;
		kp_page_write(out, "\\u003c", 6);
	}
	return out->code;
}

int kp_page_write_before(struct kp_page_out *out, const char *open, size_t len)
{
	const struct kp_template_part *before = out->template.before;

	for (size_t i = 0; i < sizeof(out->template.before) / sizeof(*before); i++)
		kp_page_write(out, before[i].data, before[i].len);
	return kp_page_write(out, open, len);
}

/*
 * ---- pages from the original's template ----
 *
 * A span JSON writer writes to a stream, which escapes the text for a JavaScript string in single
 * quotes. No byte of a name may end the string, its line or the script element. A newline becomes a
 * space:
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

struct kp_original {
	struct kp_page_out *out;
	const int *start_width;
	FILE *string;		/* content of the JavaScript string; closed before other output */
	struct kp_json_writer writer;
};

static const char string_open[] = "var myString = '";

static int failed(struct kp_original *page)
{
	bool io = ferror(page->string) || ferror(page->out->file);

	return kp_page_fail_errno(page->out, io ? -EIO : -ENOMEM);
}

/* Ends the string, and writes the template's text after it. */
static int finish(struct kp_original *page)
{
	int rc = fclose(page->string);

	page->string = NULL;
	if (rc)
		return kp_page_fail_errno(page->out, errno ? -errno : -EIO);
	kp_page_write(page->out, "';\n", 3);
	return kp_page_write(page->out, page->out->template.after.data,
			     page->out->template.after.len);
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
	const cookie_io_functions_t io = { .write = write_escaped };
	struct kp_original *page = calloc(1, sizeof(*page));

	if (!page)
		return NULL;
	page->out = out;
	page->start_width = start_width;
	page->string = fopencookie(out->file, "w", io);
	if (!page->string) {
		free(page);
		return NULL;
	}
	setvbuf(page->string, NULL, _IOFBF, 1 << 16);
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
