/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints the output of the raw trace reader as lines, for the tests of the reader. One file of
 * each test program includes it.
 */
#ifndef RAW_SEEN_H
#define RAW_SEEN_H

#include "raw_build.h"

#include <inttypes.h>
#include <unistd.h>

#include "rawtrace/blocks.h"
#include "rawtrace/raw.h"

#define INIT "+0 022 1 init\n+0 1 200 c0 p1 r0 0=0 i0 init.1\n"

struct seen {
	char text[1 << 16];	/* lines in a short form of the event text */
	size_t used;
	uint64_t events;
	int64_t last[256];
};

static void see(struct seen *seen, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void see(struct seen *seen, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	seen->used += (size_t)vsnprintf(seen->text + seen->used,
					sizeof(seen->text) - seen->used, fmt, ap);
	va_end(ap);
	assert_true(seen->used < sizeof(seen->text) - 1000);
}

/*
 * Prints an event as "+100 20 827 c0 p51 r0 a0=51 getpid": time since T0, duration, event
 * number, ...
 */
static int see_event(void *self, const struct kp_event *e)
{
	struct seen *seen = self;

	if (e->event >= 0x400) {
		assert_true(!seen->last[e->cpu] || e->ts > seen->last[e->cpu]);
		seen->last[e->cpu] = e->ts;
	}
	seen->events++;
	see(seen, "%+" PRId64 " %" PRId64 " %03x c%d p%u r%u %u=%d i%u %.*s\n",
	    e->ts - AT(0), e->dur, e->event, e->cpu, e->pid, e->rpc, e->arg0, e->retval,
	    e->ipc, (int)e->name_len, e->name);
	return 0;
}

static int see_namedef(void *self, const struct kp_namedef *d)
{
	if (d->ts < 0)
		see(self, "-1 %03x %u %.*s\n", d->event, d->number, (int)d->name_len, d->name);
	else
		see(self, "%+" PRId64 " %03x %u %.*s\n", d->ts - AT(0), d->event, d->number,
		    (int)d->name_len, d->name);
	return 0;
}

static int see_comment(void *self, const char *text, size_t len)
{
	if (len > 5 && !memcmp(text, "# ## ", 5))
		see(self, "%.*s\n", (int)len, text);
	return 0;
}

static struct seen seen;

/* Stores the output in seen.text, without comments and without definitions at time -1. */
static void look(struct trace *t, struct kp_raw *raw)
{
	struct kp_event_sink sink = { see_event, see_namedef, see_comment, &seen };
	char *in, *out;

	memset(&seen, 0, sizeof(seen));
	if (kp_raw_open(raw, as_file(t), "test"))
		fail_msg("%s", raw->message);
	if (kp_raw_events(raw, &sink, false, NULL))
		fail_msg("%s", raw->message);
	for (in = out = seen.text; *in;) {
		char *end = strchr(in, '\n') + 1;

		if (strncmp(in, "-1 ", 3) && *in != '#') {
			memmove(out, in, (size_t)(end - in));
			out += end - in;
		}
		in = end;
	}
	*out = 0;
}

#endif
