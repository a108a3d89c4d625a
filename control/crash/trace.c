// SPDX-License-Identifier: BSD-3-Clause
/*
 * Makes a raw trace of a session in a dump, by the same code as a trace of a stopped recording.
 * Must not leave an incomplete file.
 */
#include "crash/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crash/device.h"
#include "lib/trace/collect.h"
#include "lib/trace/compose.h"
#include "lib/trace/recording.h"

static int write_to(struct ku_dump *d, const char *path)
{
	int ret = 0;

	if (path)
		ret = ku_file_create(&d->file, path, ku_dump_patience(d));
	else
		d->file.part.fd = STDOUT_FILENO;
	if (ret)
		return ret;
	ret = ku_dump_write_names(d);
	if (!ret)
		ret = ku_dump_write_data(d, NULL);
	d->result->bytes = d->file.written_bytes;
	if (path && ret)
		ku_file_abandon(&d->file);
	else if (path)
		ret = ku_file_commit(&d->file);
	else if (close(STDOUT_FILENO) && !ret)
		ret = -errno;
	return ret;
}

static int make(struct ku_dump *d, const char *path)
{
	int ret = ku_dump_collect(d);

	return ret ? ret : write_to(d, path);
}

int kc_trace_write(struct kc_session *session, const char *path,
		   int (*progress)(void *arg, uint64_t done_bytes, uint64_t total_bytes),
		   struct kutrace_dump_result *result)
{
	const struct kutrace_anchor_state *state = &session->anchor.state;
	const struct kc_damage *damage = &session->damage;
	const struct ku_system system = {.release = state->release, .version = state->version,
					 .machine = state->machine, .nodename = state->nodename};
	const struct kutrace_dump_options options = {
		.progress = progress, .tool = "kutrace_crash " KUTRACE_VERSION};
	struct ku_dump *d = calloc(1, sizeof(*d));
	int ret = -ENOMEM;

	memset(result, 0, sizeof(*result));
	if (!d)
		return ret;
	kc_device_is(session);
	d->fd = -1;	/* no descriptor to close */
	d->options = &options;
	d->result = result;
	d->info = session->info;
	d->system = &system;
	/* the trace contains the losses by damage too */
	result->bad_blocks = damage->entries + damage->unreadable + damage->headers + damage->cut;
	d->words = malloc(KUTRACE_BLOCK_BYTES);
	if (d->words)
		ret = make(d, path);
	ku_dump_end(d);
	return ret;
}
