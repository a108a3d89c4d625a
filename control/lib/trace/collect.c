// SPDX-License-Identifier: BSD-3-Clause
/*
 * Collects the names of a trace: those in force when it begins, and those recorded later. Must
 * not omit a name that an event in the trace needs.
 */
#include "lib/trace/recording.h"

#include <string.h>
#include <unistd.h>

#include "lib/device/device.h"
#include "lib/names/sources.h"
#include "lib/session/handle.h"

/* Adds the process name that the program passed to go, if it differs from the kernel's. */
static int add_process_name(struct ku_dump *d)
{
	char name[KUTRACE_NAME_MAX_BYTES + 1];

	ku_process_name(name, sizeof(name));
	if (d->system || !*name || !strcmp(name, d->info.start_comm) ||
	    d->info.start_pid != (uint32_t)getpid())
		return 0;
	return ku_names_add(&d->names, KUTRACE_NAME_PID, d->info.start_pid, name,
			    strlen(name));
}

/* Adds the last firing. A trace without a firing has no such fact. */
static int add_fired(struct ku_dump *d)
{
	struct kutrace_fired fired = {.length = sizeof(fired)};
	char text[400], *what;
	int ret;

	if (!d->info.fired || ku_device_ioctl(d->fd, KUTRACE_IOC_FIRED, &fired) ||
	    !fired.fired)
		return 0;
	fired.comm[sizeof(fired.comm) - 1] = '\0';
	kutrace_fired_text(&fired, text, sizeof(text));
	what = strstr(text, ": ");	/* one name cannot hold the whole text */
	if (what)
		*what = '\0';
	ret = ku_names_add_meta(&d->names, "fired=%s", text);
	return ret || !what ? ret : ku_names_add_meta(&d->names, "fired_by=%s", what + 2);
}

/*
 * Adds the time from which the trace has events of all CPUs. With shares, each CPU overwrites its
 * own blocks, so the events of the CPUs begin at different times.
 */
static int add_partial(struct ku_dump *d)
{
	uint64_t oldest[KUTRACE_CPUS] = {0}, complete = d->complete;
	size_t i;

	if (!d->info.share_blocks || !d->info.wrapped)
		return 0;
	/* from the newest to the oldest block */
	for (i = complete ? 0 : d->nrefs; i--; )
		oldest[d->refs[i].header.word0 >> 56] = ku_counts_of(&d->refs[i].header);
	for (i = 0; i < KUTRACE_CPUS; i++)
		if (oldest[i] > complete)
			complete = oldest[i];
		else if (d->recorded[i] && !oldest[i])	/* the trace has no block of this CPU */
			complete = d->info.stop.counts;
	return complete <= d->begin ? 0 :
	       ku_names_add_meta(&d->names, KUTRACE_META_PARTIAL "%llu:%llu",
				 (unsigned long long)d->begin, (unsigned long long)complete);
}

static int add_copy(struct ku_name_list *to, const struct ku_name *name)
{
	int ret = ku_names_add(to, name->base, name->number, name->text, name->length);

	if (!ret) {
		to->list[to->count - 1].counts = name->counts;
		to->list[to->count - 1].kind = name->kind;
	}
	return ret;
}

/*
 * Collects all names: those in force when the trace begins in d->names, one for each number; the
 * others in d->late, sorted by time.
 */
int ku_dump_collect_names(struct ku_dump *d)
{
	uint64_t end = d->info.stop.counts;
	struct ku_name_list all = {0};
	size_t i;
	int ret;

	d->begin = d->info.start.counts;
	if (d->info.wrapped && d->oldest && ku_counts_of(d->oldest) > d->begin)
		d->begin = ku_counts_of(d->oldest);
	ret = ku_names_fixed(&d->names, d->system ? d->system->machine : NULL);
	if (!ret)
		ret = ku_names_points(d->fd, &d->names);
	for (i = 0; i < d->early.count && !ret; i++)
		ret = add_copy(&all, &d->early.list[i]);
	if (!ret)
		ret = ku_names_kernel(d->fd, &d->info, d->meta->aux_bytes, &all,
				      &d->result->bad_names);
	ku_names_once(&all);
	for (i = 0; i < all.count && !ret; i++) {
		const struct ku_name *name = &all.list[i];
		struct ku_name_list *to = name->counts <= d->begin ? &d->names : &d->late;

		ret = add_copy(to, name);
		/* names recorded while recording went off get the time of its end */
		if (!ret && name->counts > end)
			to->list[to->count - 1].counts = end;
	}
	ku_names_free(&all);
	if (!ret)
		ret = add_process_name(d);
	/* after the module's names, so that the idle task is never swapper */
	if (!ret)
		ret = ku_names_add(&d->names, KUTRACE_NAME_PID, 0, "-idle-", 6);
	if (!ret) {
		d->names.list[d->names.count - 1].counts = d->begin;
		ret = d->system ? ku_names_system(&d->names, d->system)
				: ku_names_machine(&d->names);
	}
	if (!ret && d->live)
		ret = ku_names_add_meta(&d->names, "live_overwritten_blocks=%llu",
					(unsigned long long)d->result->overwritten_blocks);
	if (!ret)
		ret = ku_names_meta(&d->names, &d->info,
				    d->options ? d->options->tool : NULL,
				    d->result->bad_names, d->result->bad_blocks,
				    d->clock_step_us, d->system);
	if (!ret)
		ret = add_partial(d);
	if (!ret)
		ret = add_fired(d);
	if (ret)
		return ret;
	ku_names_newest(&d->names);
	ku_names_by_time(&d->late);
	d->result->names = d->names.count + d->late.count;
	return 0;
}

int ku_dump_collect(struct ku_dump *d)
{
	int ret = ku_dump_describe(d);

	if (!ret)
		ret = ku_dump_map_meta(d);
	if (!ret)
		ret = ku_dump_list_blocks(d);
	if (!ret)
		ret = ku_dump_collect_names(d);
	if (ret)
		return ret;
	d->total_bytes = d->nrefs * (uint64_t)ku_dump_block_bytes(d) + KUTRACE_BLOCK_BYTES;
	return 0;
}
