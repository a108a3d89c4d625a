// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fuzz target for our templates and the original's, filled with a few spans. The input up to the
 * first byte 0xFF is the template, and the rest is the d3 file.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "page/page.h"

/* Makes a file in memory with a name that can be opened. */
static int named(const uint8_t *data, size_t size, char *path, size_t room)
{
	int fd = memfd_create("template", MFD_CLOEXEC);

	fuzz_check(fd >= 0 && write(fd, data, size) == (ssize_t)size, "a file in memory");
	snprintf(path, room, "/proc/self/fd/%d", fd);
	return fd;
}

static void fill(struct kp_page *page)
{
	static char title[] = "title", value[] = "\"</script>'\\\\\"";
	const struct kp_header_item item = { title, value };
	struct kp_span span = {
		.start = 100, .dur = 7, .cpu = 0, .pid = 51, .event = 65587,
		.name = "it's </script>", .name_len = 14,
	};
	struct kp_span_sink sink = kp_page_sink(page);

	fuzz_check(!sink.header(sink.self, &item, 1), "a header goes into a page");
	fuzz_check(!sink.span(sink.self, &span), "a span goes into a page");
	span.cpu = -1;
	span.event = 770;
	fuzz_check(!sink.span(sink.self, &span), "a wait goes into a page");
	fuzz_check(!sink.end(sink.self), "a page ends");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *split = size ? memchr(data, 0xFF, size) : NULL;
	struct kp_page_options options = { .out = fuzz_nowhere() };
	char path[64], d3[64], error[512];
	int fd, d3_fd = -1;
	struct kp_page *page;

	fd = named(data, split ? (size_t)(split - data) : size, path, sizeof(path));
	options.template_path = path;
	if (split) {
		d3_fd = named(split + 1, size - (size_t)(split + 1 - data), d3, sizeof(d3));
		options.d3_path = d3;
	}
	error[0] = 0;
	page = kp_page_open(&options, error, sizeof(error));
	if (page) {
		fill(page);
		kp_page_close(page);
	} else {
		fuzz_check(error[0], "a template that is refused has a reason");
	}
	close(fd);
	if (d3_fd >= 0)
		close(d3_fd);
	return 0;
}
