// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fuzz target for span JSON, which goes to the page, the writer and the merge, as in makeself,
 * spantotrim and spantospan. Run it from the top of the checkout.
 */
#include "fuzz.h"
#include "page/page.h"
#include "spanjson/json.h"

struct sinks {
	struct kp_page *page;
	struct kp_span_sink to_page;
	struct kp_json_writer writer;
	struct kp_merge *merge;
	struct kp_span_sink nowhere;
	int ended;
};

static int on_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct sinks *sinks = self;

	fuzz_check(!kp_json_write_header(&sinks->writer, items, count),
		   "the header can be written");
	return sinks->to_page.header(sinks->to_page.self, items, count);
}

static int on_span(void *self, const struct kp_span *span)
{
	struct sinks *sinks = self;
	int err;

	fuzz_check(!kp_json_write_span(&sinks->writer, span), "a row can be written");
	err = sinks->to_page.span(sinks->to_page.self, span);
	if (err) {
		fuzz_check(kp_page_error(sinks->page)[0], "what the page refuses has a reason");
		return err;
	}
	return kp_merge_span(sinks->merge, span);
}

static int on_trailing(void *self, const struct kp_header_item *items, size_t count)
{
	struct sinks *sinks = self;
	int err;

	fuzz_check(!kp_json_write_trailing(&sinks->writer, items, count), "the keys can be kept");
	err = sinks->to_page.trailing(sinks->to_page.self, items, count);
	fuzz_check(!err, "the page takes what stands behind the events");
	return err;
}

static int on_end(void *self)
{
	struct sinks *sinks = self;

	sinks->ended = 1;
	fuzz_check(!kp_merge_end(sinks->merge), "the merge ends");
	fuzz_check(!kp_json_write_end(&sinks->writer), "the end can be written");
	return sinks->to_page.end(sinks->to_page.self);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sinks sinks;
	const struct kp_page_options options = {
		.out = fuzz_nowhere(), .template_path = "tests/data/template.html",
	};
	const struct kp_span_sink sink = { on_header, on_span, on_end, &sinks, on_trailing };
	struct kp_json_reader reader = { 0 };
	enum kp_json_result result;
	char error[512];
	FILE *file;

	if (!size)
		return 0;
	file = fmemopen((void *)(uintptr_t)data, size, "r");
	fuzz_check(file != NULL, "a stream");
	sinks.ended = 0;
	sinks.page = kp_page_open(&options, error, sizeof(error));
	fuzz_check(sinks.page != NULL, "a page (run this from the checkout's top)");
	sinks.to_page = kp_page_sink(sinks.page);
	sinks.nowhere = (struct kp_span_sink){ .span = fuzz_ignore };
	sinks.merge = kp_merge_new(1000, &sinks.nowhere);
	fuzz_check(sinks.merge != NULL, "memory");
	kp_json_writer_init(&sinks.writer, fuzz_nowhere());
	result = kp_json_read(&reader, file, "fuzz", &sink);
	fuzz_check(result != KP_JSON_OK || sinks.ended, "what was whole was ended");
	fuzz_check(result != KP_JSON_BAD || (reader.message[0] && !sinks.ended),
		   "what was not whole was not ended, and has a reason");
	kp_merge_free(sinks.merge);
	kp_json_writer_free(&sinks.writer);
	kp_page_close(sinks.page);
	fclose(file);
	return 0;
}
