// SPDX-License-Identifier: BSD-3-Clause
/*
 * Dumps a recording that is off: writes its trace to a file. Must not change the recording, so
 * that a failed dump can be repeated.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/sizes.h"
#include "lib/device/device.h"
#include "lib/trace/collect.h"
#include "lib/trace/compose.h"
#include "lib/trace/recording.h"

/* Returns -ESTALE if another program has reset the recording or recorded into it meanwhile. */
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
	ret = ku_dump_collect(d);
	return ret ? ret : write_file(d, fname);
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
