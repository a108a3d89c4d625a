// SPDX-License-Identifier: BSD-3-Clause
/* Imports a CTF trace (interop/ctf.h) in two passes (import/feed.h). */
#include "interop/ctf.h"

#include "base/text.h"

struct import {
	struct kp_ctf_source *source;
	struct kp_feed *feed;
	struct kp_linux *linux_;	/* NULL for a trace of rawtoctf */
	struct kp_ctf_ours *ours;	/* NULL for a trace of another tracer */
	struct kp_import_counts *counts;
};

#define fail(source, ...)	kp_message((source)->message, sizeof((source)->message), __VA_ARGS__)

static int no_memory(struct import *import)
{
	return kp_feed_no_memory(import->feed) ? fail(import->source, "no memory") : -1;
}

static const char *env(const struct import *import, const char *key)
{
	const char *text = kp_ctf_env(&import->source->meta, key);

	return text ? text : "";
}

/*
 * Returns the value of the key @lttng. If the trace lacks it, returns the value of the key @perf,
 * or "".
 */
static const char *env_of(const struct import *import, const char *lttng, const char *perf)
{
	const char *text = env(import, lttng);

	return *text ? text : env(import, perf);
}

/* Returns the flags of the recorded counters, which the name of rawtoctf's counter field shows. */
static uint32_t counters(const struct kp_ctf_meta *meta)
{
	const struct kp_ctf_fields *context = &meta->streams.items[0].context;

	for (size_t i = 0; i < context->count; i++) {
		if (!strcmp(context->items[i].name, "ipc"))
			return KUTRACE_FLAG_IPC;
		if (!strcmp(context->items[i].name, "llc"))
			return KUTRACE_FLAG_LLC;
		if (!strcmp(context->items[i].name, "ipc_llc"))
			return KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC;
	}
	return 0;
}

static void machine(struct import *import)
{
	const struct kp_ctf_meta *meta = &import->source->meta;
	struct kp_feed_about *about = kp_feed_about(import->feed);
	const char *version = env_of(import, "kernel_version", "version");

	snprintf(about->host, sizeof(about->host), "%s", env_of(import, "hostname", "host"));
	snprintf(about->kernel, sizeof(about->kernel), "%s%s%s", env_of(import, "kernel_release", "release"),
		 *version ? " " : "", version);
	snprintf(about->cpu_model, sizeof(about->cpu_model), "%s", env(import, "cpu_model"));
	snprintf(about->trace_id, sizeof(about->trace_id), "%s", meta->trace_id);
	about->ours = import->counts->ours;
	about->flags = KUTRACE_FILE_VERSION;
	if (!about->ours) {
		kp_linux_set_release(import->linux_, env_of(import, "kernel_release", "release"));
		kp_linux_set_calls(import->linux_, kp_syscalls_of(env_of(import, "architecture", "machine"), 64));
		return;
	}
	about->base_s = meta->streams.items[0].offset_s;
	about->flags |= counters(meta) | (atoi(env(import, "kutrace_wrapped")) ? KUTRACE_FLAG_WRAP : 0);
	about->stale = strtoull(env(import, "kutrace_stale_dropped"), NULL, 10);
	about->damaged = strtoull(env(import, "kutrace_damaged"), NULL, 10);
}

/* Restores the facts of an entry of the environment: one fact, or pauses with spaces between them. */
static int our_fact(struct import *import, const char *text)
{
	const bool pauses = !strncmp(text, KUTRACE_META_PAUSE, strlen(KUTRACE_META_PAUSE));
	size_t len;

	do {
		len = pauses ? strcspn(text, " ") : strlen(text);
		if (kp_feed_meta(import->feed, "%.*s", (int)len, text))
			return -1;
		text += len + (text[len] == ' ');
	} while (*text);
	return 0;
}

/* Restores the facts of the raw trace from the environment: kutrace_0, kutrace_1 ... */
static int our_facts(struct import *import)
{
	const char *text = "";
	char key[32];

	for (unsigned int i = 0; text; i++) {
		snprintf(key, sizeof(key), "kutrace_%u", i);
		text = kp_ctf_env(&import->source->meta, key);
		if (text && our_fact(import, text))
			return -1;
	}
	return 0;
}

static int foreign_facts(struct import *import)
{
	const char *tracer = env(import, "tracer_name");
	struct kp_feed *feed = import->feed;
	const char *major = env(import, "tracer_major");
	const struct kp_ctf_stream_class *stream = &import->source->meta.streams.items[0];
	const bool dated = stream->offset_s || stream->offset;

	import->counts->lost = import->source->lost + import->source->lost_unknown;
	import->counts->others = kp_linux_others(import->linux_);
	import->counts->numberless = kp_linux_numberless(import->linux_);
	import->counts->nameless = kp_linux_nameless(import->linux_);
	if (kp_feed_meta(feed, "backend=%.40s%s%.4s%s%.4s", *tracer ? tracer : "CTF", *major ? " " : "",
			 major, *major ? "." : "", env(import, "tracer_minor")) ||
	    (!dated && kp_feed_meta(feed, "caveat=no_date")) ||
	    kp_feed_meta(feed, "tool=ctftoevent %s", KUTRACE_VERSION) ||
	    (*env_of(import, "architecture", "machine") &&
	     kp_feed_meta(feed, "arch=%.40s", env_of(import, "architecture", "machine"))))
		return -1;
	if (import->source->packets_lost && kp_feed_meta(feed, "caveat=packets_lost"))
		return -1;
	if (kp_feed_meta(feed, "lost_discarded=%" PRIu64, import->counts->lost))
		return -1;
	return kp_linux_facts(import->linux_);
}

static int tell(struct import *import, uint64_t *count)
{
	struct kp_ctf_event event;
	int there, err;

	*count = 0;
	kp_ctf_source_rewind(import->source);
	while ((there = kp_ctf_source_next(import->source, &event)) > 0) {
		++*count;
		err = import->ours ? kp_ctf_ours_event(import->ours, &event) :
				     kp_ctf_linux_event(import->linux_, import->feed, &event);
		if (err)
			return no_memory(import);
	}
	return there;
}

/* Writes the message for a trace of which the page can show no event. Returns -1. */
static int not_shown(struct import *import)
{
	const struct kp_ctf_meta *meta = &import->source->meta;
	const uint64_t events = import->counts->read;

	if (meta->lacking)
		return fail(import->source, "of %" PRIu64 " events, none has all necessary fields: %s has no %s", events,
			    meta->lacking, meta->lacks_cpu ? "CPU (cpu_id of its packets, or perf_cpu)" :
			    "number of a task (tid, pid), state or interrupt");
	return fail(import->source, "not a trace of a kernel: of %" PRIu64 " events, none has a name "
		    "of LTTng or the kernel for scheduling, system calls or interrupts", events);
}

static int tell_twice(struct import *import)
{
	struct kp_import_counts *counts = import->counts;
	uint64_t again;

	machine(import);
	if (tell(import, &counts->read))
		return -1;
	if (!counts->read)
		return fail(import->source, "the trace has no events");
	if (!kp_feed_any(import->feed))
		return not_shown(import);
	if (import->ours ? our_facts(import) : foreign_facts(import))
		return no_memory(import);
	if (import->ours)
		counts->lost = strtoull(env(import, "kutrace_lost"), NULL, 10);
	if (kp_feed_header(import->feed) || tell(import, &again))
		return -1;
	counts->events = kp_feed_counts(import->feed)->events;
	counts->far_cpus = kp_feed_counts(import->feed)->far_cpus;
	return 0;
}

int kp_ctf_import(struct kp_ctf_source *source, const struct kp_event_sink *sink,
		  struct kp_import_counts *counts)
{
	struct import import = { .source = source, .counts = counts, .feed = kp_feed_new(sink) };
	int err = -1;

	memset(counts, 0, sizeof(*counts));
	counts->ours = kp_ctf_is_ours(&source->meta);
	import.linux_ = import.feed && !counts->ours ? kp_linux_new(import.feed) : NULL;
	import.ours = import.feed && counts->ours ? kp_ctf_ours_new(&source->meta, import.feed) : NULL;
	if ((!import.linux_ && !import.ours) ||
	    (import.linux_ && kp_ctf_linux_classes(&source->meta, import.linux_, import.feed)))
		fail(source, "no memory");
	else
		err = tell_twice(&import);
	kp_linux_free(import.linux_);
	kp_ctf_ours_free(import.ours);
	kp_feed_free(import.feed);
	return err;
}
