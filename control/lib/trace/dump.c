// SPDX-License-Identifier: BSD-3-Clause
/*
 * The dump: a trace of a recording that is off, to a file. Must never change the recording:
 * a failed dump can be repeated. Called by kutrace_stop(), kutrace_control and programs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/sizes.h"
#include "lib/device/device.h"
#include "lib/trace/collect.h"
#include "lib/trace/compose.h"
#include "lib/trace/recording.h"

/* Fills refs[], oldest first, and the headers. */
static int list_blocks(struct ku_dump *d)
{
	const struct kutrace_block *table = (const struct kutrace_block *)
		((const char *)d->meta + d->meta->table_offset);
	uint32_t i, nblocks = d->info.nblocks;
	size_t from, to = 0;
	int ret = 0;

	d->refs = calloc((size_t)nblocks + 1, sizeof(*d->refs));
	if (!d->refs)
		return -ENOMEM;
	for (i = 0; i < nblocks; i++) {
		if (table[i].state == KUTRACE_BLOCK_FREE || !table[i].seq)
			continue;
		d->refs[d->nrefs].seq = table[i].seq;
		d->refs[d->nrefs++].index = i;
	}
	ku_dump_sort(d);
	for (from = 0; from < d->nrefs; from++) {
		struct ku_block_ref *ref = &d->refs[from];
		const uint64_t *block = ku_dump_map_block(d, ref->index, &ret);

		if (!block)
			return ret;
		if (ku_dump_read_header(&ref->header, block, table[ref->index].cpu))
			d->refs[to++] = *ref;
		else
			d->result->bad_blocks++;
		ku_dump_unmap_block(block);
	}
	d->nrefs = to;
	d->result->data_blocks = to;
	ku_dump_find_oldest(d);
	return 0;
}

/* Nobody reset it, or recorded into it, while it was read? */
static int check_unchanged(struct ku_dump *d)
{
	struct kutrace_info now;
	int ret = ku_device_info(d->fd, &now);

	if (ret)
		return ret;
	if (now.recording || now.taken_blocks != d->info.taken_blocks ||
	    now.start.counts != d->info.start.counts ||
	    now.stop.counts != d->info.stop.counts)
		return -ESTALE;
	return 0;
}

static int write_file(struct ku_dump *d, const char *fname)
{
	int ret = ku_file_create(&d->file, fname, ku_dump_patience(d));

	if (ret)
		return ret;
	ku_file_give(&d->file, d->options);
	ret = ku_dump_write_names(d);
	if (!ret)
		ret = ku_dump_write_data(d, NULL);
	if (!ret)
		ret = check_unchanged(d);
	if (ret) {
		ku_file_abandon(&d->file);
		return ret;
	}
	d->result->bytes = d->file.written_bytes;
	return ku_file_commit(&d->file);
}

static int dump(struct ku_dump *d, const char *fname)
{
	int ret;

	if (d->info.recording)
		return -EBUSY;
	ret = ku_dump_describe(d);
	if (!ret)
		ret = ku_dump_map_meta(d);
	if (!ret)
		ret = list_blocks(d);
	if (!ret)
		ret = ku_dump_collect_names(d);
	if (ret)
		return ret;
	d->total_bytes = d->nrefs * (uint64_t)ku_dump_block_bytes(d) + KUTRACE_BLOCK_BYTES;
	return write_file(d, fname);
}

int kutrace_dump_sized(const char *fname, const struct kutrace_dump_options *options,
		       size_t options_bytes, struct kutrace_dump_result *result,
		       size_t result_bytes)
{
	struct kutrace_dump_result own_result = {0};
	struct kutrace_dump_options own_options;
	char default_name[KUTRACE_FILE_NAME_BYTES];
	struct ku_dump *d = NULL;
	int ret = ku_take(&own_options, sizeof(own_options), options, options_bytes);

	if (!fname || !*fname)
		fname = kutrace_make_trace_file_name(NULL, default_name);
	if (!ret) {
		d = calloc(1, sizeof(*d));
		ret = d ? ku_dump_begin(d, &own_options, &own_result) : -ENOMEM;
	}
	if (!ret)
		ret = dump(d, fname);
	if (d)
		ku_dump_end(d);
	ku_give(result, result_bytes, &own_result, sizeof(own_result));
	return ret;
}
