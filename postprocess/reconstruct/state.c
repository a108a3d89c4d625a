// SPDX-License-Identifier: BSD-3-Clause
/*
 * Functions that all parts of the reconstruction use, see reconstruct/state.h. It must not call any
 * of these parts.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reconstruct/state.h"

int kp_rec_fail(struct kp_reconstruct *rec, const char *what)
{
	if (!rec->err) {
		rec->err = -1;
		snprintf(rec->message, sizeof(rec->message), "%s", what);
	}
	return rec->err;
}

int kp_rec_no_memory(struct kp_reconstruct *rec)
{
	return kp_rec_fail(rec, "no memory");
}

const struct kp_str *kp_rec_str(struct kp_reconstruct *rec, const char *text, size_t len)
{
	static const struct kp_str none = { .len = 0 };
	const struct kp_str *str = kp_strings_add(&rec->strings, text, len);

	if (str)
		return str;
	kp_rec_no_memory(rec);
	return &none;
}

const struct kp_str *kp_rec_mark(struct kp_reconstruct *rec, const struct kp_span *row,
				 const struct kp_str *name)
{
	int len = snprintf(rec->scratch, sizeof(rec->scratch), "%.*s?",
			   (int)(name->len < 400 ? name->len : 400), name->text);

	rec->stats.inferred++;
	rec->stats.inferred_units += row->dur;
	return kp_rec_str(rec, rec->scratch, (size_t)len);
}

void kp_rec_row(struct kp_reconstruct *rec, const struct kp_span *row,
		const struct kp_str *name)
{
	struct kp_span copy = *row;

	if (rec->err)
		return;
	copy.name = name->text;
	copy.name_len = name->len;
	rec->stats.spans++;
	rec->err = rec->sink.span(rec->sink.self, &copy);
}

void kp_rec_note(struct kp_reconstruct *rec, const struct kp_cpu *cpu, int64_t ts,
		 const char *what, const struct kp_str *name)
{
	if (rec->trace)
		fprintf(rec->trace, "%" PRId64 ".%08" PRId64 " CPU %d pid %u: %s%s%s\n",
			ts / 100000000, ts % 100000000, cpu->id, cpu->task->pid, what,
			name ? " " : "", name ? name->text : "");
}

void kp_rec_cpu_reset(struct kp_reconstruct *rec, struct kp_cpu *cpu)
{
	*cpu = (struct kp_cpu){
		.id = cpu->id, .paused = cpu->paused, .depth = 1,
		.frames[0].event = KP_EVENT_USER, .task = &rec->idle, .span_task = &rec->idle,
		.switch_time = -1, .freq_since = -1,
	};
}

struct kp_cpu *kp_rec_cpu(struct kp_reconstruct *rec, int id)
{
	struct kp_cpu *cpu;

	if (id < 0 || id > 255)
		return NULL;
	cpu = rec->cpus[id];
	if (cpu)
		return cpu;
	cpu = calloc(1, sizeof(*cpu));
	if (!cpu) {
		kp_rec_no_memory(rec);
		return NULL;
	}
	cpu->id = id;
	cpu->paused = -1;
	kp_rec_cpu_reset(rec, cpu);
	rec->cpus[id] = cpu;
	return cpu;
}
