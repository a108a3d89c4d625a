// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes spans into the page that page/page.h describes. out.c makes pages from the original's
 * templates.
 *
 * Holds the columns of a track in memory until it has a million spans. If all tracks together reach
 * HELD_MAX_BYTES, writes the track with the most spans.
 */
#include <errno.h>
#include <malloc.h>

#include "base/text.h"
#include "page/pack.h"
#include "page/page.h"
#include "page/template.h"
#include "spanjson/json.h"

#define CHUNK_SPANS (1u << 20)
#define HELD_MAX_BYTES (24u << 20)
#define NAMES_MAX_BYTES (4u << 20)
#define LARGE_BYTES (256 << 10)	/* malloc() maps larger buffers (kp_page_begin()) */
#define RESERVE_SPANS 32u	/* a power of two */

/* Limits within which numbers in JavaScript are exact, and differences of two numbers too. */
#define TIME_LIMIT ((int64_t)1 << 50)	/* units of 10 ns: 130 days */
#define VALUE_LIMIT ((int64_t)1 << 51)

enum column { GAP, DUR, NAME, PID, RPC, ARG, RET, IPC, CPU, COLUMNS };

static const char *const column_names[COLUMNS] = {
	"gap", "dur", "name", "pid", "rpc", "arg", "ret", "ipc", "cpu",
};

struct track {
	int32_t cpu;			/* number of the CPU; -1: track "other" */
	uint32_t count;			/* number of spans in the columns */
	int64_t last_time, last_pid, last_rpc;
	/* for each column, the bitwise OR of its values and of their coded forms */
	uint64_t seen[COLUMNS];
	struct kp_bytes columns[COLUMNS];
};

struct kp_page {
	struct kp_page_out out;
	const int *start_width;
	/* writer for the original's template; NULL: the template is ours */
	struct kp_original *original;
	struct kp_dictionary names;
	struct kp_packer *packer;
	struct kp_overview *overview;
	/* [0]: track "other"; [1 + cpu]: track of that CPU */
	struct track *tracks[KP_JSON_CPU_MAX + 2];
	uint32_t track_max;				/* highest index in use */
	size_t held_bytes;
	uint64_t elements, chunks, spans;
	bool begun;			/* the first data element has been added */
	bool overview_written;
	off_t overview_at;		/* offset of the room reserved for the overview */
	size_t overview_room;		/* size of this room; 0: none */
	const char *findings;		/* text of the element kutrace-findings; NULL: none */
};

static const char end_of_element[] = "</script>\n";

/* Writes @overview into its reserved room, or spaces if @overview is NULL. */
static int write_filled(struct kp_page *page, struct kp_overview *overview)
{
	char *text;
	int rc = kp_overview_fill(overview, page->overview_room, &text);

	if (rc)
		return kp_page_fail_errno(&page->out, rc);
	rc = kp_page_write(&page->out, text, page->overview_room);
	free(text);
	return rc;
}

/*
 * Reserves room for the overview before the first data element, so that the browser can draw the
 * overview while it reads the rest. The content is known only after the last span.
 */
static int begin_data(struct kp_page *page)
{
	size_t room;

	if (page->begun)
		return 0;
	page->begun = true;
	room = kp_overview_room(page->overview);
	page->overview_at = room ? ftello(page->out.file) : -1;
	if (page->overview_at < 0)
		return 0;	/* a pipe, or too few spans: the overview follows the columns */
	page->overview_room = room;
	return write_filled(page, NULL);
}

/* Writes the overview after the last span: into its reserved room, if it has one, or at the end. */
static int write_overview(struct kp_page *page)
{
	off_t end;
	int rc;

	if (page->overview_written)
		return 0;
	page->overview_written = true;
	if (!page->overview_room) {
		page->begun = true;
		rc = kp_overview_write(page->overview, page->packer, page->out.file);
		return rc ? kp_page_fail_errno(&page->out, rc) : 0;
	}
	errno = 0;
	end = ftello(page->out.file);
	if (end < 0 || fseeko(page->out.file, page->overview_at, SEEK_SET))
		return kp_page_fail_errno(&page->out, errno ? -errno : -EIO);
	rc = write_filled(page, page->overview);
	if (!rc && fseeko(page->out.file, end, SEEK_SET))
		rc = kp_page_fail_errno(&page->out, errno ? -errno : -EIO);
	return rc;
}

static int pack(struct kp_page *page, const char *head, struct kp_bytes *bytes)
{
	int rc = begin_data(page);

	if (rc)
		return rc;
	rc = kp_packer_add(page->packer, head, bytes, end_of_element);
	page->elements++;
	return rc ? kp_page_fail_errno(&page->out, rc) : 0;
}

static int write_column(struct kp_page *page, struct track *track, enum column c)
{
	struct kp_bytes *bytes = &track->columns[c];
	char name[16], head[200];

	if (track->cpu >= 0)
		snprintf(name, sizeof(name), "%" PRId32, track->cpu);
	else
		strcpy(name, "other");
	snprintf(head, sizeof(head),
		 "<script type=\"application/octet-stream\" data-kutrace=\"%s\" "
		 "data-chunk=\"%" PRIu64 "\" data-track=\"%s\" data-count=\"%" PRIu32 "\" "
		 "data-bytes=\"%zu\"%s>", column_names[c], page->chunks, name,
		 track->count, bytes->len, track->seen[c] > UINT32_MAX ? " data-wide" : "");
	return pack(page, head, bytes);
}

static int write_chunk(struct kp_page *page, struct track *track)
{
	int rc = 0;

	for (enum column c = 0; c < COLUMNS && !rc; c++) {
		page->held_bytes -= track->columns[c].cap;
		if (track->seen[c] || c == GAP)
			rc = write_column(page, track, c);
		kp_bytes_free(&track->columns[c]);
		track->seen[c] = 0;
	}
	page->chunks++;
	track->count = 0;
	track->last_time = track->last_pid = track->last_rpc = 0;
	return rc;
}

static int write_names(struct kp_page *page)
{
	struct kp_dictionary *names = &page->names;
	uint32_t count = names->pending_count;
	char head[160];

	if (!count)
		return 0;
	snprintf(head, sizeof(head),
		 "<script type=\"application/octet-stream\" data-kutrace=\"names\" "
		 "data-count=\"%" PRIu32 "\" data-bytes=\"%zu\">", count, names->pending.len);
	names->pending_count = 0;
	return pack(page, head, &names->pending);
}

static int write_fullest(struct kp_page *page)
{
	struct track *fullest = NULL;

	for (uint32_t i = 0; i <= page->track_max; i++) {
		struct track *t = page->tracks[i];

		if (t && (!fullest || t->count > fullest->count))
			fullest = t;
	}
	return fullest ? write_chunk(page, fullest) : 0;
}

/* Writes @items, joined by @between, as members of a JSON object, then } and the element's end. */
static int write_keys(struct kp_page *page, const struct kp_header_item *items, size_t count,
		      const char *between)
{
	for (size_t i = 0; i < count; i++) {
		char *key = kp_json_quote(items[i].key, strlen(items[i].key));

		if (!key)
			return kp_page_fail_errno(&page->out, -ENOMEM);
		if (i)
			kp_page_write(&page->out, between, strlen(between));
		kp_page_write_json(&page->out, key);
		free(key);
		kp_page_write(&page->out, ":", 1);
		kp_page_write_json(&page->out, items[i].value);
	}
	return kp_page_write(&page->out, "}</script>\n", 11);
}

static int page_header(void *self, const struct kp_header_item *items, size_t count)
{
	static const char open[] = "<script type=\"application/json\" id=\"kutrace-header\">{";
	struct kp_page *page = self;

	kp_page_write_before(&page->out, open, sizeof(open) - 1);
	return write_keys(page, items, count, ",\n");
}

static struct track *track_of(struct kp_page *page, const struct kp_span *span)
{
	bool execution = kp_span_is_execution(span);
	uint32_t index = execution ? (uint32_t)span->cpu + 1 : 0;
	struct track *track = page->tracks[index];

	if (track)
		return track;
	track = calloc(1, sizeof(*track));
	if (!track)
		return NULL;
	track->cpu = execution ? span->cpu : -1;
	page->tracks[index] = track;
	if (index > page->track_max)
		page->track_max = index;
	return track;
}

/* Reserves room for RESERVE_SPANS more spans in each column. */
static int reserve(struct kp_page *page, struct track *track)
{
	for (enum column c = 0; c < COLUMNS; c++) {
		struct kp_bytes *bytes = &track->columns[c];
		size_t cap = bytes->cap;
		int rc = kp_bytes_reserve(bytes, RESERVE_SPANS * KP_VARINT_MAX);

		if (rc)
			return rc;
		page->held_bytes += bytes->cap - cap;
	}
	return 0;
}

static inline void put(struct track *track, enum column c, uint64_t coded, uint64_t value)
{
	struct kp_bytes *bytes = &track->columns[c];

	track->seen[c] |= coded | value;
	if (coded < 0x80)
		bytes->data[bytes->len++] = (uint8_t)coded;
	else
		kp_put_varint(bytes, coded);
}

static bool beyond(int64_t value, int64_t limit)
{
	return value > limit || value < -limit;
}

static int check_span(struct kp_page *page, const struct kp_span *s)
{
	static const char *const names[] = {"pid", "RPC id", "event", "arg0", "return value"};
	const int64_t values[] = {s->pid, s->rpc, s->event, s->arg0, s->retval};

	if (beyond(s->start, TIME_LIMIT) || s->dur < 0 || s->dur > TIME_LIMIT)
		return kp_page_fail(&page->out, -ERANGE, "span of %.8f s at %.8f s: a page can show "
			    "130 days and no negative durations; see spantotrim",
			    (double)s->dur / 1e8, (double)s->start / 1e8);
	if (s->cpu < -1 || s->cpu > KP_JSON_CPU_MAX)
		return kp_page_fail(&page->out, -ERANGE, "span at %.8f s: impossible CPU %" PRId32,
			    (double)s->start / 1e8, s->cpu);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (beyond(values[i], VALUE_LIMIT))
			return kp_page_fail(&page->out, -ERANGE, "span at %.8f s: %s %" PRId64
				    " is out of range", (double)s->start / 1e8, names[i],
				    values[i]);
	}
	return 0;
}

static int page_span(void *self, const struct kp_span *s)
{
	struct kp_page *page = self;
	struct track *t;
	uint32_t name;
	int rc = check_span(page, s);

	if (rc)
		return rc;
	t = track_of(page, s);
	if (!t)
		return kp_page_fail_errno(&page->out, -ENOMEM);
	rc = kp_dictionary_find(&page->names,
				s->event + (kp_span_is_kernel_thread(s) ? KP_DICTIONARY_IN_KERNEL : 0),
				s->name, s->name_len, &name);
	if (rc == -ERANGE)
		return kp_page_fail(&page->out, rc, "span at %.8f s: too many different names",
			    (double)s->start / 1e8);
	if (!rc && !(t->count & (RESERVE_SPANS - 1)))
		rc = reserve(page, t);
	if (!rc)
		rc = kp_overview_span(page->overview, s);
	if (rc)
		return kp_page_fail_errno(&page->out, rc);
	put(t, GAP, kp_zigzag(s->start - t->last_time), kp_zigzag(s->start));
	put(t, DUR, (uint64_t)s->dur, kp_zigzag(s->dur));
	put(t, NAME, name, 0);
	put(t, PID, kp_zigzag(s->pid - t->last_pid), kp_zigzag(s->pid));
	put(t, RPC, kp_zigzag(s->rpc - t->last_rpc), kp_zigzag(s->rpc));
	put(t, ARG, kp_zigzag(s->arg0), 0);
	put(t, RET, kp_zigzag(s->retval), 0);
	put(t, IPC, kp_zigzag(s->ipc), 0);
	if (t->cpu < 0)
		put(t, CPU, kp_zigzag(s->cpu), 0);
	t->last_time = t->cpu < 0 ? s->start : s->start + s->dur;
	t->last_pid = s->pid;
	t->last_rpc = s->rpc;
	t->count++;
	page->spans++;
	if (page->names.pending.len >= NAMES_MAX_BYTES)
		rc = write_names(page);
	if (!rc && t->count >= CHUNK_SPANS)
		rc = write_chunk(page, t);
	else if (!rc && page->held_bytes >= HELD_MAX_BYTES)
		rc = write_fullest(page);
	return rc;
}

/*
 * Writes all remaining data after the last span. In a small page, no element has been written yet,
 * so the overview can come first.
 */
static int write_held(struct kp_page *page)
{
	int rc = page->begun ? 0 : write_overview(page);

	for (uint32_t i = 0; i <= page->track_max && !rc; i++) {
		if (page->tracks[i] && page->tracks[i]->count)
			rc = write_chunk(page, page->tracks[i]);
	}
	if (!rc)
		rc = write_names(page);
	if (!rc) {
		rc = kp_packer_finish(page->packer);
		if (rc)
			return kp_page_fail_errno(&page->out, rc);
	}
	return rc ? rc : write_overview(page);
}

static int page_trailing(void *self, const struct kp_header_item *items, size_t count)
{
	static const char open[] = "<script type=\"application/json\" id=\"kutrace-behind\">{";
	struct kp_page *page = self;
	int rc = write_held(page);

	if (rc)
		return rc;
	kp_page_write(&page->out, open, sizeof(open) - 1);
	return write_keys(page, items, count, ",");
}

static int write_findings(struct kp_page *page)
{
	static const char open[] = "<script type=\"application/json\" id=\"kutrace-findings\">";

	if (!page->findings)
		return 0;
	kp_page_write(&page->out, open, sizeof(open) - 1);
	kp_page_write_json(&page->out, page->findings);
	return kp_page_write(&page->out, end_of_element, sizeof(end_of_element) - 1);
}

static int page_end(void *self)
{
	struct kp_page *page = self;
	char width[32] = "";
	int rc = write_held(page);

	if (!rc)
		rc = write_findings(page);
	if (rc)
		return rc;
	if (page->start_width && *page->start_width > KP_JSON_WIDTH)
		snprintf(width, sizeof(width), ",\"width\":%d", *page->start_width);
	errno = 0;
	if (fprintf(page->out.file, "<script type=\"application/json\" id=\"kutrace-end\">"
		    "{\"chunks\":%" PRIu64 ",\"spans\":%" PRIu64 ",\"names\":%" PRIu32
		    ",\"elements\":%" PRIu64 "%s}</script>", page->chunks, page->spans,
		    (uint32_t)page->names.entries.count, page->elements, width) < 0)
		return kp_page_fail_errno(&page->out, errno ? -errno : -EIO);
	return kp_page_write(&page->out, page->out.template.after.data,
			     page->out.template.after.len);
}

void kp_page_begin(void)
{
	mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
}

bool kp_page_is_original(const struct kp_page *page)
{
	return page->out.template.kind == KP_TEMPLATE_ORIGINAL;
}

int kp_page_foreign(struct kp_page *page, struct kp_foreign *foreign, FILE *in,
		    const char *shown)
{
	return kp_original_foreign(page->original, foreign, in, shown);
}

struct kp_page *kp_page_open(const struct kp_page_options *options, char *error,
			     size_t error_size)
{
	struct kp_page *page = calloc(1, sizeof(*page));

	if (!page)
		goto no_memory;
	page->out.file = options->out;
	page->start_width = options->start_width;
	if (!kp_template_open(&page->out.template, options->template_path, options->d3_path,
			      error, error_size)) {
		free(page);
		return NULL;
	}
	if (kp_page_is_original(page)) {
		page->original = kp_original_open(&page->out, page->start_width);
		if (!page->original)
			goto no_memory;
		return page;
	}
	page->packer = kp_packer_open(page->out.file);
	page->overview = kp_overview_open();
	if (page->packer && page->overview)
		return page;
no_memory:
	if (page)
		kp_page_close(page);
	snprintf(error, error_size, "cannot make the page: %s", strerror(ENOMEM));
	return NULL;
}

void kp_page_set_findings(struct kp_page *page, const char *json)
{
	page->findings = json;
}

uint64_t kp_page_spans(const struct kp_page *page)
{
	return page->spans;
}

void kp_page_print_large(uint64_t spans, FILE *out)
{
	if (spans > KP_PAGE_LARGE)
		fprintf(out, "  %.1f M spans: a browser needs about %.1f GB of memory for them\n",
			(double)spans / 1e6, (double)spans * KP_PAGE_BROWSER_BYTES / 1e9);
}

struct kp_span_sink kp_page_sink(struct kp_page *page)
{
	if (page->original)
		return kp_original_sink(page->original);
	return (struct kp_span_sink){
		.header = page_header,
		.span = page_span,
		.end = page_end,
		.self = page,
		.trailing = page_trailing,
	};
}

const char *kp_page_error(const struct kp_page *page)
{
	return page->out.error;
}

void kp_page_close(struct kp_page *page)
{
	for (uint32_t i = 0; i <= page->track_max; i++) {
		for (enum column c = 0; page->tracks[i] && c < COLUMNS; c++)
			kp_bytes_free(&page->tracks[i]->columns[c]);
		free(page->tracks[i]);
	}
	kp_original_close(page->original);
	kp_overview_close(page->overview);
	kp_packer_close(page->packer);
	kp_dictionary_close(&page->names);
	kp_template_close(&page->out.template);
	free(page);
}
