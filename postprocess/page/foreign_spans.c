// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts rows of RPCs and of disk blocks to span JSON (page/foreign.h). Holds all spans in memory to
 * sort them by start.
 */
#include "page/foreign.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/memory.h"
#include "base/tool.h"
#include "model/span.h"

#define UNITS 100000000.0	/* units of 10 ns in a second */
#define LANES_MAX 65535
#define FIELDS 15

#define WAIT_NETWORK	(KUTRACE_MADE_WAITA + 'n' - 'a')

struct span {
	int64_t start, dur;
	int64_t cpu, pid, event, arg;
	char *name;		/* escaped for JSON; NULL for marks of blocks */
	uint64_t order;
};

/* A field of a row: a number, or the content of a string without blanks at its end. */
struct field {
	double number;
	const char *text;
	size_t len;
};

struct lane {
	int64_t until;
	int64_t cpu;
};

struct convert {
	struct kp_foreign *foreign;
	KP_VECTOR(struct span) spans;
	KP_VECTOR(struct lane) lanes;	/* heap of lanes: the first lane is free earliest */
	FILE *around;		/* stream to text, for the text around the rows */
	char *text;
	size_t size;
	double shift;		/* deltaT23 of the header, which is added to the server's times */
	uint64_t rows, left_out;
	/*
	 * current transfer: times of its first and last block; numbers of its last and first block
	 */
	int64_t first, last, block, first_block;
	bool failed;
};

static void take_apart(const struct kp_foreign_row *row, struct field *fields)
{
	const char *p = row->text + 1;

	for (int i = 0; i < FIELDS; i++) {
		struct field *f = &fields[i];

		p += strspn(p, " \t\r\n");
		*f = (struct field){ 0 };
		if (*p == '"') {
			f->text = ++p;
			while (*p != '"')
				p += *p == '\\' ? 2 : 1;
			f->len = (size_t)(p++ - f->text);
			while (f->len && f->text[f->len - 1] == ' ')
				f->len--;
		} else {
			char *end;

			f->number = strtod(p, &end);
			p = end;
		}
		p += strspn(p, " \t\r\n");
		if (*p++ != ',')
			return;
	}
}

static int64_t units(double seconds)
{
	return (int64_t)(seconds * UNITS + 0.5);
}

static bool is(const struct field *f, const char *text)
{
	return f->len == strlen(text) && !memcmp(f->text, text, f->len);
}

static char *printed(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static char *printed(const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	return text;
}

static void add(struct convert *c, struct span span)
{
	struct span *item = KP_PUSH(&c->spans);

	if (!item) {
		c->failed = true;
		free(span.name);
		return;
	}
	*item = span;
	item->dur = span.dur < 1 ? 1 : span.dur;
	item->order = c->spans.count;
}

/* Returns the number of @key in the header, from @text to @end; @otherwise if there is none. */
static double header_number(const char *text, const char *end, const char *key, double otherwise)
{
	const size_t len = strlen(key);

	for (const char *p = text; (p = memmem(p, (size_t)(end - p), key, len)); p += len) {
		const char *value = p + len + strspn(p + len, " \t\r\n:");

		if (p > text && p[-1] != '\\' && value < end)
			return strtod(value, NULL);
	}
	return otherwise;
}

/* Returns METHOD [STATUS] [CLIENT>SERVER].NUMBER, such as "Read ERROR_2 10.0.0.1>10.0.0.2.17". */
static char *rpc_name(const struct field *fields, uint64_t number)
{
	const struct field *client = &fields[4], *server = &fields[5];
	const struct field *method = &fields[11], *status = &fields[12];
	const bool wrong = status->len && !is(status, "Success");
	const bool known = !is(client, "unk:unk") || !is(server, "unk:unk");

	return printed("%.*s%s%.*s%s%.*s%s%.*s.%" PRIu64,
		       (int)method->len, method->text, wrong ? " " : "",
		       wrong ? (int)status->len : 0, status->text, known ? " " : "",
		       known ? (int)client->len : 0, client->text, known ? ">" : "",
		       known ? (int)server->len : 0, server->text, number);
}

/* Returns whether both times exist and are in order. Counts times that are not in order. */
static bool stretch(struct convert *c, double from, double to)
{
	if (!(from > 0) || !(to > 0))
		return false;
	if (to >= from)
		return true;
	c->left_out++;
	return false;
}

static bool take_rpc(void *self, const struct kp_foreign_row *row)
{
	struct convert *c = self;
	struct field f[FIELDS];
	double t[4];
	bool any = false;
	const uint64_t number = ++c->rows;

	if (number == 1 && !fflush(c->around))
		c->shift = header_number(c->text, c->text + c->size, "\"deltaT23\"", 0);
	take_apart(row, f);
	for (int i = 0; i < 4; i++)
		t[i] = f[i].number;
	for (int i = 1; i < 3; i++)
		t[i] = t[i] > 0 ? t[i] + c->shift : 0;
	for (int i = 0; i < 3; i++) {
		struct span span = { .pid = (int64_t)number };

		if (!stretch(c, t[i], t[i + 1]))
			continue;
		any |= i == 1;
		/* the request or response took no time: no wait */
		if (i != 1 && units(t[i]) == units(t[i + 1]))
			continue;
		span.start = units(t[i]);
		span.dur = units(t[i + 1]) - span.start;
		span.cpu = -1;
		span.event = WAIT_NETWORK;
		span.name = i == 1 ? rpc_name(f, number) : strdup("wait_net");
		if (i == 1) {
			span.event = KP_EVENT_USER + (int64_t)number;
			span.arg = (int64_t)f[13].number;
		}
		c->failed |= !span.name;
		add(c, span);
	}
	/* mark an incomplete RPC; its known intervals were added above */
	if (!any || !(t[3] > 0)) {
		char *name = rpc_name(f, number);
		char *text = name ? printed("mark_a=%s, not whole", name) : NULL;

		free(name);
		c->failed |= !text;
		add(c, (struct span){ .start = units(t[0]), .cpu = -1, .pid = (int64_t)number,
				      .event = KUTRACE_MARKA, .name = text });
	}
	return false;
}

static bool free_earlier(void *self, const struct lane *a, const struct lane *b)
{
	(void)self;
	return a->until < b->until;
}

KP_HEAP(lanes, struct lane, void *, free_earlier)

/*
 * Puts @span on the lane that has been free for longest, or on a new lane if none is free. Must be
 * called in the order of the spans' starts.
 */
static int place(struct convert *c, struct span *span)
{
	const int64_t until = span->start + span->dur;
	struct lane *lane = c->lanes.items;

	if (c->lanes.count && lane->until <= span->start) {
		span->cpu = lane->cpu;
		lane->until = until;
		lanes_down(NULL, lane, c->lanes.count, 0);
		return 0;
	}
	lane = c->lanes.count < LANES_MAX ? KP_PUSH(&c->lanes) : NULL;
	if (!lane)
		return -1;
	span->cpu = (int64_t)c->lanes.count - 1;
	*lane = (struct lane){ .until = until, .cpu = span->cpu };
	lanes_up(NULL, c->lanes.items, c->lanes.count - 1);
	return 0;
}

static void end_transfer(struct convert *c)
{
	char *name;

	if (c->block < 0)
		return;
	c->rows++;
	name = c->block == c->first_block ? printed("block %" PRId64 ".%" PRIu64, c->block, c->rows) :
		printed("blocks %" PRId64 " to %" PRId64 ".%" PRIu64, c->first_block, c->block, c->rows);
	c->failed |= !name;
	add(c, (struct span){ .start = c->first, .dur = c->last - c->first,
			      .pid = (int64_t)c->rows, .event = KP_EVENT_USER + (int64_t)c->rows,
			      .arg = c->first_block, .name = name });
	c->block = -1;
}

static bool take_block(void *self, const struct kp_foreign_row *row)
{
	struct convert *c = self;
	struct field f[FIELDS];
	int64_t block;

	take_apart(row, f);
	block = (int64_t)f[1].number;
	if (block < 0 || (c->block >= 0 && row->first < c->last)) {
		c->left_out++;
		return false;
	}
	if (c->block < 0 || block != c->block + 1) {
		end_transfer(c);
		c->first = row->first;
		c->first_block = block;
	}
	c->block = block;
	c->last = row->first;
	add(c, (struct span){ .start = row->first, .pid = (int64_t)c->rows + 1, .event = KUTRACE_MARKD, .arg = block });
	return false;
}

static int by_start(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static void write_spans(const struct convert *c, FILE *out)
{
	for (size_t i = 0; i < c->spans.count; i++) {
		const struct span *s = &c->spans.items[i];

		fprintf(out, "[%3" PRId64 ".%08" PRId64 ", %" PRId64 ".%08" PRId64 ", %" PRId64 ", %" PRId64
			", 0, %" PRId64 ", %" PRId64 ", 0, 0, \"%s\"],\n",
			s->start / 100000000, s->start % 100000000, s->dur / 100000000,
			s->dur % 100000000, s->cpu, s->pid, s->event, s->arg, s->name ? s->name : "mark_d");
	}
	fputs("[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"]\n", out);
}

/* Writes the file with the spans instead of the rows. */
static void write_all(const struct convert *c, FILE *out)
{
	static const char points[] = "\"points\"";
	const bool disk = c->foreign->kind == KP_FOREIGN_DISK;
	const char *rows = c->text + c->foreign->rows_at, *brace = strchr(c->text, '{');
	const char *key = rows;

	fprintf(out, "{\n \"foreign\" : {\"rows\": \"%s\", \"lanes\": %zu, \"left_out\": %" PRIu64,
		kp_foreign_what(c->foreign->kind), c->lanes.count, c->left_out);
	if (disk)
		fprintf(out, ", \"block_bytes\": %.0f",
			header_number(c->text, rows, "\"shortMulY\"", 4096));
	fputs("},\n", out);
	while (disk && key > brace && strncmp(key, points, sizeof(points) - 1))
		key--;
	fwrite(brace + 1, 1, (size_t)(key - brace - 1), out);
	fputs(disk ? "\"events\" : [\n" : "[\n", out);
	write_spans(c, out);
	fputs(c->text + c->foreign->rows_end, out);
}

/*
 * Sorts the spans by start, and gives a lane to each span in which an RPC runs. Returns an exit
 * status.
 */
static int place_all(struct convert *c, const char *shown)
{
	if (c->spans.count)
		qsort(c->spans.items, c->spans.count, sizeof(*c->spans.items), by_start);
	for (size_t i = 0; i < c->spans.count; i++) {
		if (c->spans.items[i].event <= KP_EVENT_USER || !place(c, &c->spans.items[i]))
			continue;
		kp_error("%s: more than %d RPCs at the same time, or no memory", shown, LANES_MAX);
		return KP_BAD;
	}
	return KP_OK;
}

int kp_foreign_spans(struct kp_foreign *foreign, FILE *in, const char *shown, FILE *out)
{
	struct convert c = { .foreign = foreign, .block = -1 };
	int status;

	c.around = open_memstream(&c.text, &c.size);
	if (!c.around) {
		kp_error("no memory");
		return KP_BAD;
	}
	foreign->keep = foreign->kind == KP_FOREIGN_RPC ? take_rpc : take_block;
	foreign->self = &c;
	status = kp_foreign_copy(foreign, in, shown, c.around);
	if (foreign->kind == KP_FOREIGN_DISK)
		end_transfer(&c);
	if (fclose(c.around) || c.failed) {
		kp_error("no memory");
		status = KP_BAD;
	}
	if (!status && !(status = place_all(&c, shown)))
		write_all(&c, out);
	for (size_t i = 0; i < c.spans.count; i++)
		free(c.spans.items[i].name);
	free(c.spans.items);
	free(c.lanes.items);
	free(c.text);
	return status;
}
