// SPDX-License-Identifier: BSD-3-Clause
/*
 * Makes the overview of a page, which the page shows until the spans are decoded. The time is
 * divided into up to 2048 equal bins. For each CPU and bin, the overview has the share of each kind
 * of execution, and the task with the longest part.
 *
 * The end of the trace is not known in advance. When a span ends after the last bin, each pair of
 * bins is joined to one bin. Bins are also joined if the overview does not fit into its room.
 * Memory must not depend on the length of the trace.
 */
#include <errno.h>

#include "base/text.h"
#include "page/pack.h"

/* maximum number of bins */
#define BINS	2048u
/* number of CPUs in the picture, lowest first; more rows do not fit a screen */
#define CPUS	64
#define FEWEST	200000u		/* minimum number of spans; a smaller page is decoded fast enough */

/* Kinds of execution, as in templates/js/base/kinds.ts. */
enum kind { IDLE, IDLELP, CEXIT, USER, SYSCALL, TRAP, IRQ, SOFTIRQ, SCHED, KTHREAD, KINDS };

/* reserved bytes for names of programs (kp_overview_room()) */
#define ROOM_BYTES	(64u << 10)
#define ROW_ROOM_BYTES	(16u << 10)	/* additional reserved bytes for each row */
#define FEWEST_BINS	64u		/* minimum number of bins; a coarser picture is useless */
#define OPEN	"<script type=\"application/json\" id=\"kutrace-overview\">"
#define CLOSE	"</script>\n"

#define PROGRAMS 8192u		/* a power of two; see struct program */
#define PROGRAM_MAX 256		/* longest name that is stored, in bytes */
#define PID_MAX	((int64_t)1 << 40)

/* The execution of one CPU. */
struct row {
	uint64_t units[BINS * KINDS];	/* time in each bin and kind, units of 10 ns */
	struct most {			/* longest part of the bin that is not idle */
		uint64_t units;
		uint64_t who;		/* of this part: 1 + kind + KINDS * pid; 0: the bin is idle */
	} most[BINS];
};

/* The latest name of all pids with the same pid % PROGRAMS. */
struct program {
	int64_t pid;
	char *name;			/* name of the program; NULL: none */
	size_t len;
};

struct kp_overview {
	bool open, useless;		/* useless: a span begins before the first span */
	int64_t first;			/* start of the first span */
	int64_t last;			/* end of the last execution, mark or wakeup */
	unsigned int shift;		/* a bin is 1 << shift units of 10 ns */
	uint64_t spans;
	uint8_t cpus[KP_OVERVIEW_CPUS / 8];	/* bitmap of the CPUs with execution */
	uint32_t held, highest;		/* number of rows; highest CPU with a row */
	struct row *rows[KP_OVERVIEW_CPUS];	/* rows of up to CPUS CPUs, the lowest so far */
	struct program programs[PROGRAMS];
};

static enum kind kind_of(const struct kp_span *s)
{
	const int64_t e = s->event;

	if (e == KP_EVENT_USER)
		return s->name_len >= 7 && !memcmp(s->name, "-idlelp", 7) ? IDLELP : IDLE;
	if (kp_span_leaves_idle(s))
		return CEXIT;
	if (e > KP_EVENT_USER)
		return kp_span_is_kernel_thread(s) ? KTHREAD : USER;
	if (e == KUTRACE_CALL_SCHED || e == KUTRACE_RET_SCHED || kp_is_old_sched_span(s))
		return SCHED;
	if (e >= KUTRACE_CALL_SYSCALL64)
		return SYSCALL;
	if (e == KUTRACE_CALL_BH || e == KUTRACE_RET_BH)
		return SOFTIRQ;
	return e & (KUTRACE_CALL_IRQ ^ KUTRACE_CALL_TRAP) ? IRQ : TRAP;
}

struct kp_overview *kp_overview_open(void)
{
	return calloc(1, sizeof(struct kp_overview));
}

void kp_overview_close(struct kp_overview *o)
{
	if (!o)
		return;
	for (uint32_t c = 0; c <= o->highest; c++)
		free(o->rows[c]);
	for (uint32_t i = 0; i < PROGRAMS; i++)
		free(o->programs[i].name);
	free(o);
}

/*
 * Joins every two neighboring bins of @row to one. @full: length of a bin before the join, in units
 * of 10 ns.
 */
static void halve(struct row *row, uint64_t full)
{
	for (uint32_t i = 0; i < BINS / 2; i++) {
		const struct most a = row->most[2 * i], b = row->most[2 * i + 1];

		for (uint32_t k = 0; k < KINDS; k++)
			row->units[i * KINDS + k] = row->units[2 * i * KINDS + k] +
						    row->units[(2 * i + 1) * KINDS + k];
		row->most[i] = a.units >= b.units ? a : b;
		/* one task fills both bins: probably one span */
		if (a.who == b.who && a.units == full && b.units == full)
			row->most[i].units = 2 * full;
	}
	memset(&row->units[BINS / 2 * KINDS], 0, sizeof(row->units) / 2);
	memset(&row->most[BINS / 2], 0, sizeof(row->most) / 2);
}

/* Joins each two bins of all rows to one. */
static void coarser(struct kp_overview *o)
{
	for (uint32_t c = 0; c <= o->highest; c++) {
		if (o->rows[c])
			halve(o->rows[c], (uint64_t)1 << o->shift);
	}
	o->shift++;
}

/* Joins bins until @end is not after the last bin. */
static void reach(struct kp_overview *o, int64_t end)
{
	while ((end - o->first) >> o->shift >= BINS)
		coarser(o);
}

/* Sets *@to to the row of @cpu, or to NULL if CPUS lower CPUs have rows. Returns 0 or -ENOMEM. */
static int row_of(struct kp_overview *o, uint32_t cpu, struct row **to)
{
	*to = o->rows[cpu];
	if (*to || (o->held == CPUS && cpu > o->highest))
		return 0;
	*to = calloc(1, sizeof(**to));
	if (!*to)
		return -ENOMEM;
	if (o->held == CPUS) {
		/* replace the row of the highest CPU */
		free(o->rows[o->highest]);
		o->rows[o->highest] = NULL;
		while (o->highest && !o->rows[o->highest])
			o->highest--;
	} else {
		o->held++;
	}
	o->rows[cpu] = *to;
	if (cpu > o->highest)
		o->highest = cpu;
	return 0;
}

/*
 * Stores the name of the span's program, from which the page computes the color of the part. May
 * replace the name of another pid. Returns 0 or -ENOMEM.
 */
static int keep_name(struct kp_overview *o, const struct kp_span *s)
{
	const int64_t pid = s->event - KP_EVENT_USER;
	struct program *p = &o->programs[(uint64_t)pid % PROGRAMS];

	if (p->pid == pid && p->len == s->name_len && p->name && !memcmp(p->name, s->name, p->len))
		return 0;
	if (s->name_len > PROGRAM_MAX)
		return 0;
	free(p->name);
	p->pid = pid;
	p->len = s->name_len;
	p->name = malloc(p->len + 1);
	if (!p->name)
		return -ENOMEM;
	memcpy(p->name, s->name, p->len);
	return 0;
}

int kp_overview_span(struct kp_overview *o, const struct kp_span *s)
{
	const int64_t end = s->start + s->dur;
	const bool execution = kp_span_is_execution(s);
	struct row *row;
	enum kind kind;
	uint64_t who;
	int rc;

	if (!o->open) {
		o->open = true;
		o->first = o->last = s->start;
	}
	o->spans++;
	if (s->start < o->first)
		o->useless = true;
	if (o->useless)
		return 0;
	if (end > o->last && (execution || s->event == KP_EVENT_WAKEUP ||
			      (s->event >= KUTRACE_MARKA && s->event <= KUTRACE_MARKD)))
		o->last = end;
	if (!execution)
		return 0;
	o->cpus[s->cpu / 8] |= (uint8_t)(1 << s->cpu % 8);
	rc = row_of(o, (uint32_t)s->cpu, &row);
	if (rc || !row)
		return rc;
	reach(o, end);
	kind = kind_of(s);
	if (kind == USER || kind == KTHREAD) {
		rc = keep_name(o, s);
		if (rc)
			return rc;
	}
	who = kind <= IDLELP ? 0 : 1 + kind +
	      KINDS * (uint64_t)(s->pid > 0 && s->pid < PID_MAX ? s->pid : 0);
	for (int64_t at = s->start; at < end; ) {
		const int64_t bin = (at - o->first) >> o->shift;
		const int64_t next = o->first + ((bin + 1) << o->shift);
		const uint64_t part = (uint64_t)((next < end ? next : end) - at);

		row->units[bin * KINDS + kind] += part;
		if (who && part > row->most[bin].units)
			row->most[bin] = (struct most){ .units = part, .who = who };
		at = next;
	}
	return 0;
}

/* Appends the shares of a row, one byte for each bin and kind; 255 is the whole bin. */
static int add_shares(const struct kp_overview *o, const struct row *row, uint32_t bins,
		      struct kp_bytes *bytes)
{
	const uint64_t full = (uint64_t)1 << o->shift;
	int rc = kp_bytes_reserve(bytes, bins * KINDS);

	if (rc)
		return rc;
	for (uint32_t i = 0; i < bins * KINDS; i++) {
		/* in floating point, units * 255 cannot overflow */
		const double share = (double)row->units[i] / (double)full * 255.0;

		/* a share above 0 becomes at least 1: it stays visible */
		bytes->data[bytes->len++] = share >= 255 ? 255 : share > 0 && share < 1 ? 1 :
					    (uint8_t)(share + 0.5);
	}
	return 0;
}

/* Appends the longest part of each bin. Sets @used for the programs of these parts. */
static int add_most(const struct kp_overview *o, const struct row *row, uint32_t bins,
		    struct kp_bytes *bytes, uint8_t *used)
{
	int rc = kp_bytes_reserve(bytes, bins * KP_VARINT_MAX);

	if (rc)
		return rc;
	for (uint32_t i = 0; i < bins; i++) {
		const uint64_t who = row->most[i].who;
		const uint64_t pid = who ? (who - 1) / KINDS : 0;
		const struct program *p = &o->programs[pid % PROGRAMS];

		kp_put_varint(bytes, who);
		if (pid && p->name && (uint64_t)p->pid == pid)
			used[pid % PROGRAMS] = 1;
	}
	return 0;
}

/* Writes a JSON string inside a script element, with each '<' as \u003c. */
static int write_quoted(const struct program *p, FILE *out)
{
	char *text = kp_json_quote(p->name, p->len);
	int rc = 0;

	if (!text)
		return -ENOMEM;
	for (const char *c = text; *c && !rc; c++) {
		if (*c == '<' ? fputs("\\u003c", out) < 0 : fputc(*c, out) < 0)
			rc = -EIO;
	}
	free(text);
	return rc;
}

static int write_programs(const struct kp_overview *o, const uint8_t *used, FILE *out)
{
	bool any = false;
	int rc = 0;

	for (uint32_t i = 0; i < PROGRAMS && !rc; i++) {
		if (!used[i])
			continue;
		if (fprintf(out, "%s[%" PRId64 ",", any ? "," : "", o->programs[i].pid) < 0)
			rc = errno ? -errno : -EIO;
		if (!rc)
			rc = write_quoted(&o->programs[i], out);
		if (!rc && fputc(']', out) < 0)
			rc = -EIO;
		any = true;
	}
	return rc;
}

/* Returns the number of bins, or 0 if there is no overview. */
static uint32_t bins_of(const struct kp_overview *o)
{
	int64_t bins;

	if (!o->open || o->useless || o->spans < FEWEST || o->last <= o->first)
		return 0;
	bins = (o->last - o->first + (((int64_t)1 << o->shift) - 1)) >> o->shift;
	/*
	 * marks, wakeups and CPUs without a row do not extend the bins, but can end after the last
	 * bin
	 */
	return bins > (int64_t)BINS ? BINS : (uint32_t)bins;
}

int kp_overview_write(struct kp_overview *o, struct kp_packer *packer, FILE *out)
{
	struct kp_bytes shares = {0}, most = {0};
	uint8_t used[PROGRAMS] = {0};
	const uint32_t bins = bins_of(o);
	uint32_t count = 0;
	char head[80];
	int rc = 0;

	if (!bins)
		return 0;
	errno = 0;
	if (fprintf(out, OPEN "{\"spans\":%" PRIu64 ",\"first\":%" PRId64 ",\"last\":%" PRId64
		    ",\"width\":%" PRId64 ",\"bins\":%" PRIu32 ",\"cpus\":[", o->spans,
		    o->first, o->last, (int64_t)1 << o->shift, bins) < 0)
		return errno ? -errno : -EIO;
	for (int cpu = 0; cpu < KP_OVERVIEW_CPUS && !rc; cpu++) {
		const struct row *row = o->rows[cpu];

		if (!(o->cpus[cpu / 8] >> cpu % 8 & 1))
			continue;
		if (fprintf(out, "%s%d", count++ ? "," : "", cpu) < 0)
			rc = errno ? -errno : -EIO;
		if (!rc && row)
			rc = add_shares(o, row, bins, &shares);
		if (!rc && row)
			rc = add_most(o, row, bins, &most, used);
	}
	if (!rc && fprintf(out, "],\"programs\":[") < 0)
		rc = errno ? -errno : -EIO;
	if (!rc)
		rc = write_programs(o, used, out);
	if (!rc) {
		snprintf(head, sizeof(head), "],\"mostBytes\":%zu,\"most\":\"", most.len);
		rc = kp_packer_add(packer, head, &most, "\",");
	}
	if (!rc) {
		snprintf(head, sizeof(head), "\"bytes\":%zu,\"shares\":\"", shares.len);
		rc = kp_packer_add(packer, head, &shares, "\"}" CLOSE);
	}
	if (!rc)
		rc = kp_packer_finish(packer);
	kp_bytes_free(&shares);
	kp_bytes_free(&most);
	return rc;
}

size_t kp_overview_room(const struct kp_overview *o)
{
	return o->useless || o->spans < FEWEST ? 0 : ROOM_BYTES + o->held * ROW_ROOM_BYTES;
}

/* Sets *@text to the overview element, which the caller frees. Returns 0 or a negative errno. */
static int as_text(struct kp_overview *o, char **text, size_t *len)
{
	FILE *out = open_memstream(text, len);
	struct kp_packer *packer;
	int rc = -ENOMEM;

	if (!out)
		return -ENOMEM;
	packer = kp_packer_open(out);
	if (packer)
		rc = kp_overview_write(o, packer, out);
	kp_packer_close(packer);
	return fclose(out) && !rc ? -ENOMEM : rc;
}

int kp_overview_fill(struct kp_overview *o, size_t room, char **filled)
{
	const size_t open = strlen(OPEN), close = strlen(CLOSE);
	char *text = NULL;
	size_t len = 0;
	int rc = 0;

	*filled = NULL;
	while (o && !(rc = as_text(o, &text, &len)) && len > room && bins_of(o) >= 2 * FEWEST_BINS) {
		free(text);
		coarser(o);
	}
	if (!rc)
		*filled = malloc(room);
	if (!rc && !*filled)
		rc = -ENOMEM;
	if (!rc) {
		memset(*filled, ' ', room);
		memcpy(*filled, OPEN, open);
		if (len > open + close && len <= room)
			memcpy(*filled, text, len - close);
		memcpy(*filled + room - close, CLOSE, close);
	}
	free(text);
	return rc;
}
