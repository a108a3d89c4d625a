// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes spans into a page from the original's template (page/original.h): a span JSON writer,
 * whose output a stream escapes for a JavaScript string.
 */
#include "page/original.h"

#include <errno.h>
#include <stdlib.h>

#include "base/tool.h"
#include "page/string.h"
#include "spanjson/write.h"

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

static int take_behind(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_original *page = self;

	return kp_json_write_behind(&page->writer, items, count) ? failed(page) : 0;
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
		.behind = take_behind,
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
