// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fuzz target for unmakeself, which reads the spans of our pages and of the original's. A page that
 * it accepts as complete can be written again.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "page/elements.h"

struct taken {
	struct kp_json_writer writer;
	uint64_t rows;
	bool ended;
};

static int take_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct taken *taken = self;

	return kp_json_write_header(&taken->writer, items, count);
}

static int take_span(void *self, const struct kp_span *span)
{
	struct taken *taken = self;

	taken->rows++;
	return kp_json_write_span(&taken->writer, span);
}

static int take_trailing(void *self, const struct kp_header_item *items, size_t count)
{
	struct taken *taken = self;

	return kp_json_write_trailing(&taken->writer, items, count);
}

static int take_end(void *self)
{
	struct taken *taken = self;

	taken->ended = true;
	return kp_json_write_end(&taken->writer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kp_unpage unpage;
	struct taken taken = {.rows = 0};
	const struct kp_span_sink sink = {
		take_header, take_span, take_end, &taken, take_trailing,
	};
	int fd = memfd_create("page", MFD_CLOEXEC);
	enum kp_json_result result;
	FILE *in;

	fuzz_check(fd >= 0 && write(fd, data, size) == (ssize_t)size, "a file in memory");
	lseek(fd, 0, SEEK_SET);
	in = fdopen(fd, "r");
	fuzz_check(in != NULL, "a stream");
	memset(&unpage, 0, sizeof(unpage));
	unpage.foreign_out = fuzz_nowhere();
	kp_json_writer_init(&taken.writer, fuzz_nowhere());
	result = kp_unpage_read(&unpage, in, "fuzz", &sink);
	fuzz_check(result != KP_JSON_BAD || unpage.message[0] || unpage.reader.message[0],
		   "a page that is refused has a reason");
	if (!unpage.foreign.kind)
		fuzz_check(taken.ended == (result == KP_JSON_OK),
			   "only a whole page has an end");
	kp_json_writer_free(&taken.writer);
	fclose(in);
	return 0;
}
