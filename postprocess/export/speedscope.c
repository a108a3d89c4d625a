// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts spans to speedscope (export/exporters.h):
 *
 *	[ 12.07652033, 0.00000293, 0, 51, 0, 2087, 9849, 51, 0, "getpid"]
 *	becomes  {"type":"O","at":12076520330,"frame":4},{"type":"C","at":12076523260,"frame":4}
 *
 * Frames are numbered in the order of first use. Their names are written at the end, because a
 * thread has no name before it runs in user mode.
 */
#include "export/exporters.h"

#include <errno.h>

#include "base/progress.h"
#include "base/temp.h"
#include "base/text.h"
#include "base/tool.h"

struct cpu {
	int32_t number;
	FILE *events;
	bool any, open;		/* an event has been written; the frame of a thread is open */
	uint32_t thread;	/* the open frame */
	int64_t end;		/* end of the last span, units of 10 ns */
};

struct frame {
	const struct kp_str *name;	/* NULL: a thread whose name is unknown */
	int64_t pid;
};

struct kp_speedscope {
	FILE *out;
	char message[256];
	char *title;			/* JSON text */
	int64_t first, last;		/* first and last time, units of 10 ns */
	/* size of the text of all CPUs' events; number of bytes of it that were written */
	uint64_t bytes, written;
	bool any;
	uint64_t overlaps;
	struct kp_map cpu_places;
	KP_VECTOR(struct cpu) cpus;
	struct kp_strings names;
	struct kp_lives lives;
	struct kp_map thread_frames;	/* kp_life_key() -> frame */
	struct kp_map call_frames;	/* address of the name -> frame */
	KP_VECTOR(struct frame) frames;
};

struct kp_speedscope *kp_speedscope_new(FILE *out)
{
	struct kp_speedscope *s = calloc(1, sizeof(*s));

	if (s)
		s->out = out;
	return s;
}

#define fail(s, ...)	kp_message((s)->message, sizeof((s)->message), __VA_ARGS__)

static int fail_temp(struct kp_speedscope *s, const char *verb)
{
	return fail(s, "cannot %s a temporary file: %s%s", verb, strerror(errno),
		    kp_temp_remedy(errno));
}

static struct cpu *cpu_of(struct kp_speedscope *s, int32_t number)
{
	struct cpu *cpu;
	uint32_t index;

	if (kp_map_get(&s->cpu_places, (uint64_t)number, &index))
		return &s->cpus.items[index];
	index = (uint32_t)s->cpus.count;
	cpu = KP_PUSH(&s->cpus);
	if (!cpu || kp_map_set(&s->cpu_places, (uint64_t)number, index)) {
		fail(s, "no memory");
		return NULL;
	}
	memset(cpu, 0, sizeof(*cpu));
	cpu->number = number;
	cpu->events = kp_temp_file();
	if (!cpu->events) {
		fail_temp(s, "create");
		return NULL;
	}
	return cpu;
}

/* Returns the frame of @key in @map, and adds the frame if it is new; -1 without memory. */
static int64_t frame_of(struct kp_speedscope *s, struct kp_map *map, uint64_t key,
			const struct kp_str *name, int64_t pid)
{
	struct frame *frame;
	uint32_t number;

	if (kp_map_get(map, key, &number))
		return number;
	number = (uint32_t)s->frames.count;
	frame = KP_PUSH(&s->frames);
	if (!frame || kp_map_set(map, key, number))
		return fail(s, "no memory");
	*frame = (struct frame){ name, pid };
	return number;
}

static int put(struct kp_speedscope *s, struct cpu *cpu, char type, int64_t at, uint32_t frame)
{
	if (fprintf(cpu->events, "%s{\"type\":\"%c\",\"at\":%" PRId64 ",\"frame\":%" PRIu32 "}",
		    cpu->any ? ",\n" : "", type, at * 10, frame) < 0)
		return fail_temp(s, "write");
	cpu->any = true;
	return 0;
}

static int close_thread(struct kp_speedscope *s, struct cpu *cpu)
{
	if (!cpu->open)
		return 0;
	cpu->open = false;
	return put(s, cpu, 'C', cpu->end, cpu->thread);
}

static int put_execution(struct kp_speedscope *s, struct cpu *cpu, const struct kp_span *span,
			 int64_t life)
{
	const bool user = span->event >= KP_EVENT_USER;
	const struct kp_str *name = kp_strings_add(&s->names, span->name, span->name_len);
	int64_t thread, call;

	if (!name)
		return fail(s, "no memory");
	thread = frame_of(s, &s->thread_frames, kp_life_key(span->pid, life), NULL, span->pid);
	if (thread < 0)
		return -1;
	if (user && !s->frames.items[thread].name)
		s->frames.items[thread].name = name;
	if (cpu->open && (cpu->thread != thread || cpu->end != span->start) && close_thread(s, cpu))
		return -1;
	if (!cpu->open && put(s, cpu, 'O', span->start, (uint32_t)thread))
		return -1;
	cpu->open = true;
	cpu->thread = (uint32_t)thread;
	if (user)
		return 0;
	call = frame_of(s, &s->call_frames, (uintptr_t)name, name, 0);
	if (call < 0 || put(s, cpu, 'O', span->start, (uint32_t)call))
		return -1;
	return put(s, cpu, 'C', span->start + span->dur, (uint32_t)call);
}

static int take_span(void *self, const struct kp_span *span)
{
	struct kp_speedscope *s = self;
	const int64_t life = kp_lives_row(&s->lives, span);
	struct cpu *cpu;

	if (life < 0)
		return fail(s, "no memory");
	if (!kp_span_is_execution(span))
		return 0;
	if (!s->any)
		s->first = span->start;
	s->any = true;
	cpu = cpu_of(s, span->cpu);
	if (!cpu)
		return -1;
	/* frames must nest */
	if (span->start < cpu->end) {
		s->overlaps++;
		return 0;
	}
	if (kp_span_is_idle(span)) {
		if (close_thread(s, cpu))
			return -1;
	} else if (put_execution(s, cpu, span, life)) {
		return -1;
	}
	cpu->end = span->start + span->dur;
	if (cpu->end > s->last)
		s->last = cpu->end;
	return 0;
}

static int take_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_speedscope *s = self;

	kp_lives_header(&s->lives, items, count);
	for (size_t i = 0; i < count; i++)
		if (!strcmp(items[i].key, "title") && items[i].value[0] == '"')
			s->title = kp_allocated(strdup(items[i].value));
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const struct cpu *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/* Closes all open frames, so that the number of bytes to write is known. */
static int end_events(struct kp_speedscope *s)
{
	for (size_t i = 0; i < s->cpus.count; i++) {
		if (close_thread(s, &s->cpus.items[i]))
			return -1;
		s->bytes += (uint64_t)ftello(s->cpus.items[i].events);
	}
	return 0;
}

static int put_profile(struct kp_speedscope *s, const struct cpu *cpu, bool first)
{
	char buffer[16384];
	size_t got;

	if (fflush(cpu->events) || fseeko(cpu->events, 0, SEEK_SET))
		return fail_temp(s, "write");
	fprintf(s->out, "%s{\"type\":\"evented\",\"name\":\"CPU %" PRId32 "\",\"unit\":\"nanoseconds\","
		"\"startValue\":%" PRId64 ",\"endValue\":%" PRId64 ",\"events\":[\n",
		first ? "" : ",\n", cpu->number, s->first * 10, s->last * 10);
	while ((got = fread(buffer, 1, sizeof(buffer), cpu->events)) > 0) {
		if (kp_interrupted() || fwrite(buffer, 1, got, s->out) != got)
			return -1;
		s->written += got;
		kp_progress(s->written, s->bytes);
	}
	if (ferror(cpu->events))
		return fail_temp(s, "write");
	fputs("\n]}", s->out);
	return ferror(s->out) ? -1 : 0;
}

static int put_frames(struct kp_speedscope *s)
{
	char unnamed[32], *quoted;

	fputs("],\n\"shared\":{\"frames\":[\n", s->out);
	for (size_t i = 0; i < s->frames.count; i++) {
		const struct frame *frame = &s->frames.items[i];

		snprintf(unnamed, sizeof(unnamed), "pid.%" PRId64, frame->pid);
		quoted = frame->name ? kp_json_quote(frame->name->text, frame->name->len) :
			 frame->pid  ? kp_json_quote(unnamed, strlen(unnamed)) :
				       kp_json_quote("-idle-", 6);
		if (!quoted)
			return fail(s, "no memory");
		fprintf(s->out, "%s{\"name\":%s}", i ? ",\n" : "", quoted);
		free(quoted);
	}
	fputs("\n]}}\n", s->out);
	return fflush(s->out) || ferror(s->out) ? -1 : 0;
}

static int take_end(void *self)
{
	struct kp_speedscope *s = self;
	int err;

	if (s->cpus.count)
		qsort(s->cpus.items, s->cpus.count, sizeof(*s->cpus.items), by_number);
	fprintf(s->out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		"\"exporter\":\"kutrace spantospeedscope\",\"activeProfileIndex\":0,\"name\":%s,\n"
		"\"profiles\":[\n", s->title ? s->title : "\"\"");
	kp_progress_phase("writing", NULL);
	err = end_events(s);
	for (size_t i = 0; !err && i < s->cpus.count; i++)
		err = put_profile(s, &s->cpus.items[i], !i);
	return err ? err : put_frames(s);
}

struct kp_span_sink kp_speedscope_sink(struct kp_speedscope *s)
{
	return (struct kp_span_sink){
		.header = take_header, .span = take_span, .end = take_end, .self = s,
	};
}

const char *kp_speedscope_message(const struct kp_speedscope *s)
{
	return s->message;
}

uint64_t kp_speedscope_overlaps(const struct kp_speedscope *s)
{
	return s->overlaps;
}

void kp_speedscope_free(struct kp_speedscope *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->cpus.count; i++)
		if (s->cpus.items[i].events)
			fclose(s->cpus.items[i].events);
	free(s->cpus.items);
	free(s->frames.items);
	kp_lives_free(&s->lives);
	kp_map_free(&s->cpu_places);
	kp_map_free(&s->thread_frames);
	kp_map_free(&s->call_frames);
	kp_strings_free(&s->names);
	free(s->title);
	free(s);
}
