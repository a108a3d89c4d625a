// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads a raw trace for an exporter of rows (export/source.h).
 */
#include "export/source.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/progress.h"
#include "base/tool.h"

static int name_task(void *self, const struct kp_namedef *def)
{
	return def->ts < 0 ? kp_tasks_name(self, def) : 0;
}

void kp_source_open(struct kp_source *source, const char *path)
{
	struct kp_trace *trace = &source->trace;
	const char *shown;
	FILE *file = kp_open_input(path, &shown);

	trace->names = name_task;
	trace->names_self = &source->tasks;
	if (kp_trace_open(trace, file, shown))
		kp_die(KP_BAD, "%s", kp_trace_message(trace));
	kp_raw_about(&trace->raw, &source->about);
}

void kp_source_read(struct kp_source *source)
{
	if (kp_trace_read(&source->trace))
		kp_die(KP_BAD, "%s", kp_trace_message(&source->trace));
}

void kp_source_failed(const struct kp_source *source, const char *why)
{
	if (!*why)
		why = kp_rows_message(source->trace.rows);
	if (!ferror(stdout) && !kp_interrupted())
		kp_error("%s", *why ? why : "no memory");
}

void kp_source_summary(const struct kp_source *source, const char *tool, uint64_t count,
		       const char *what)
{
	const struct kp_trace *trace = &source->trace;

	kp_progress_clear();
	fprintf(stderr, "%s: %" PRIu64 " events, %" PRIu64 " spans, %" PRIu64 " %s%s\n", tool,
		trace->raw.events, kp_reconstruct_stats(trace->rec)->spans, count, what,
		trace->raw.wrapped ? ", wrapped" : "");
	if (trace->raw.has_meta)
		fprintf(stderr, "  %" PRIu64 " events lost\n", trace->raw.lost);
}

void kp_source_free(struct kp_source *source)
{
	kp_tasks_free(&source->tasks);
	kp_trace_free(&source->trace);
}
