// SPDX-License-Identifier: BSD-3-Clause
/*
 * Lists the data elements of a page (page/elements.h). Must reject counts and columns that
 * contradict each other.
 */
#include "page/elements.h"

#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/tool.h"
#include "common/utf8.h"
#include "page/pack.h"

/*
 * ---- text of a page ----
 *
 * Reads the JSON in a page of the original: removes the escapes of its JavaScript string, which
 * page/out.c writes:
 *
 *   "a\'b\\n\x3c/script>",<space>';   ->   "a'b\n</script>",<space>
 */

#define WINDOW_BYTES (256u << 10)
#define TEXT_MAX_BYTES 256u

off_t kp_unpage_find(int fd, off_t from, off_t end, const char *text)
{
	size_t len = strlen(text), retained = 0;
	char *window = malloc(WINDOW_BYTES + TEXT_MAX_BYTES);
	off_t found = -1;

	if (!window) {
		errno = ENOMEM;
		return -2;
	}
	while (from < end && found == -1) {
		size_t want = WINDOW_BYTES;
		const char *at;
		ssize_t n;

		if ((off_t)want > end - from)
			want = (size_t)(end - from);
		n = pread(fd, window + retained, want, from);
		if (kp_interrupted()) {
			errno = EINTR;
			n = -1;
		}
		if (n < 0)
			found = -2;
		if (n <= 0)
			break;
		at = memmem(window, retained + (size_t)n, text, len);
		if (at) {
			found = from - (off_t)retained + (at - window);
			break;
		}
		from += n;
		n += (ssize_t)retained;
		retained = (size_t)n < len - 1 ? (size_t)n : len - 1;
		memmove(window, window + n - retained, retained);
	}
	free(window);
	return found;
}

struct unstring {
	int fd;
	off_t offset;
	bool ended;
	char in[4096];
	size_t used, len;
	char held[4];		/* decoded bytes that were not passed on yet */
	size_t held_used, held_len;
};

static int get(struct unstring *s)
{
	if (s->used == s->len) {
		ssize_t n = pread(s->fd, s->in, sizeof(s->in), s->offset);

		if (n <= 0)
			return n < 0 ? -2 : -1;
		s->offset += n;
		s->used = 0;
		s->len = (size_t)n;
	}
	return (unsigned char)s->in[s->used++];
}

static int hex_digits(struct unstring *s, int count)
{
	int value = 0;

	while (count--) {
		int c = get(s);

		if (c >= '0' && c <= '9')
			c -= '0';
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			c = (c | 32) - 'a' + 10;
		else
			return -1;
		value = value * 16 + c;
	}
	return value;
}

/* Decodes the rest of a JavaScript escape into held. Returns false if it is invalid. */
static bool unescape(struct unstring *s)
{
	static const char letters[] = "bfnrtv0", meanings[] = "\b\f\n\r\t\v";
	const char *letter;
	int c = get(s);

	s->held_used = 0;
	s->held_len = 1;
	if (c < 0)
		return false;
	if (c == 'x' || c == 'u') {
		c = hex_digits(s, c == 'x' ? 2 : 4);
		/* an unpaired surrogate is encoded too: the JSON reader replaces it */
		if (c >= 0)
			s->held_len = ku_utf8_encode((uint32_t)c, s->held);
		return c >= 0;
	}
	letter = strchr(letters, c);
	s->held[0] = (char)(c && letter ? meanings[letter - letters] : c);
	if (c == '\n')		/* backslash and newline: the string continues */
		s->held_len = 0;
	return true;
}

static ssize_t read_unescaped(void *cookie, char *to, size_t size)
{
	struct unstring *s = cookie;
	size_t n = 0;

	while (n < size) {
		int c;

		if (s->held_used < s->held_len) {
			to[n++] = s->held[s->held_used++];
			continue;
		}
		if (s->ended)
			break;
		c = get(s);
		if (c == -2)
			return -1;
		if (c < 0 || c == '\'' || (c == '\\' && !unescape(s))) {
			s->held_len = s->held_used = 0;
			s->ended = true;
		} else if (c != '\\') {
			to[n++] = (char)c;
		}
	}
	return (ssize_t)n;
}

static int close_unescaped(void *cookie)
{
	free(cookie);
	return 0;
}

FILE *kp_unstring_stream(int fd, off_t offset)
{
	cookie_io_functions_t io = {.read = read_unescaped, .close = close_unescaped};
	struct unstring *s = calloc(1, sizeof(*s));
	FILE *f;

	if (!s)
		return NULL;
	s->fd = fd;
	s->offset = offset;
	f = fopencookie(s, "r", io);
	if (f)
		setvbuf(f, NULL, _IOFBF, 1 << 16);
	else
		free(s);
	return f;
}

#define DATA_TAG "<script type=\"application/octet-stream\" data-kutrace=\""
#define OVERVIEW_TAG "<script type=\"application/json\" id=\"kutrace-overview\">"
#define FINDINGS_TAG "<script type=\"application/json\" id=\"kutrace-findings\">"
#define TRAILING_TAG "<script type=\"application/json\" id=\"kutrace-behind\">"
#define END_TAG "<script type=\"application/json\" id=\"kutrace-end\">"

const char *const kp_page_column_names[KP_COLUMNS] = {
	"gap", "dur", "name", "pid", "rpc", "arg", "ret", "ipc", "cpu",
};

enum kp_json_result kp_elements_fail(struct kp_elements *st, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (st->message[0])
		return KP_JSON_BAD;
	n = snprintf(st->message, st->message_room, "%.200s: ", st->shown);
	va_start(ap, fmt);
	vsnprintf(st->message + n, st->message_room - (size_t)n, fmt, ap);
	va_end(ap);
	return KP_JSON_BAD;
}

enum kp_json_result kp_elements_no_memory(struct kp_elements *st)
{
	return kp_elements_fail(st, "no memory");
}

enum kp_json_result kp_elements_damaged(struct kp_elements *st, const char *what)
{
	/* the read failed: do not report a damaged page, which may be intact */
	if (st->read_errno)
		return kp_elements_fail(st, "cannot read: %s", strerror(st->read_errno));
	return kp_elements_fail(st, "damaged page (byte %" PRId64 "): %s", (int64_t)st->at + 1, what);
}

enum kp_json_result kp_elements_close(struct kp_elements *st, off_t from, off_t *to,
				      const char *what)
{
	*to = kp_unpage_find(st->fd, from, st->end, KP_PAGE_CLOSE_TAG);
	if (*to == -2)
		return kp_elements_fail(st, "cannot read: %s", strerror(errno));
	return *to < 0 ? kp_elements_damaged(st, what) : KP_JSON_OK;
}

/* Reads up to @size - 1 bytes at st->at into @text, and adds a NUL. Returns the number of bytes. */
static size_t peek(struct kp_elements *st, char *text, size_t size)
{
	ssize_t n = pread(st->fd, text, size - 1, st->at);

	if (n < 0)
		st->read_errno = errno;
	text[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

/* Parses the number after the attribute or key @name in @tag. Returns false if there is none. */
static bool number_attribute(const char *tag, const char *name, uint64_t *value)
{
	const char *at = strstr(tag, name);
	char *end;

	if (!at)
		return false;
	at += strlen(name);
	if (*at < '0' || *at > '9')
		return false;
	errno = 0;
	*value = strtoull(at, &end, 10);
	return !errno && (*end == '"' || *end == ',' || *end == '}');
}

static struct kp_page_track *track_of(struct kp_elements *st, int32_t cpu)
{
	struct kp_page_track *track;

	for (size_t i = 0; i < st->tracks.count; i++)
		if (st->tracks.items[i]->cpu == cpu)
			return st->tracks.items[i];
	track = calloc(1, sizeof(*track));
	if (!track || KP_ADD(&st->tracks)) {
		free(track);
		return NULL;
	}
	track->cpu = cpu;
	st->tracks.items[st->tracks.count - 1] = track;
	return track;
}

static enum kp_json_result add_column(struct kp_elements *st, const char *tag,
				      const struct kp_page_element *element)
{
	uint64_t number, count, cpu = 0;
	bool other = strstr(tag, " data-track=\"other\"") != NULL;
	enum kp_page_column column = 0;
	struct kp_page_track *track;
	struct kp_page_chunk *chunk;

	while (column < KP_COLUMNS && (strncmp(tag, kp_page_column_names[column],
					    strlen(kp_page_column_names[column])) ||
				    tag[strlen(kp_page_column_names[column])] != '"'))
		column++;
	if (column == KP_COLUMNS || !number_attribute(tag, " data-chunk=\"", &number) ||
	    !number_attribute(tag, " data-count=\"", &count) || !count || count > UINT32_MAX ||
	    (!other && !number_attribute(tag, " data-track=\"", &cpu)) || cpu > KP_JSON_CPU_MAX)
		return kp_elements_damaged(st, "bad data element");
	if (number + 1 < st->chunk_count || number > st->chunk_count)
		return kp_elements_damaged(st, "a chunk in the wrong place");
	track = track_of(st, other ? -1 : (int32_t)cpu);
	if (!track)
		return kp_elements_no_memory(st);
	if (number == st->chunk_count) {
		chunk = KP_PUSH(&track->chunks);
		if (!chunk)
			return kp_elements_no_memory(st);
		memset(chunk, 0, sizeof(*chunk));
		chunk->count = (uint32_t)count;
		st->chunk_count++;
		st->span_count += count;
		st->last_track = track;
	}
	/* the chunk belongs to last_track; @track may have no chunk */
	if (track != st->last_track)
		return kp_elements_damaged(st, "columns of a chunk disagree");
	chunk = &track->chunks.items[track->chunks.count - 1];
	if (chunk->count != count || chunk->columns[column].to)
		return kp_elements_damaged(st, "columns of a chunk disagree");
	chunk->columns[column] = *element;
	return KP_JSON_OK;
}

static bool room_for_name(struct kp_elements *st, size_t len)
{
	while (!st->text.items || st->text.cap - st->text.count < len)
		if (kp_vector_grow((void **)&st->text.items, &st->text.cap, 1))
			return false;
	return !KP_ROOM(st->names.items, st->names.count, st->names.cap);
}

static enum kp_json_result add_names(struct kp_elements *st, const char *tag,
				     const struct kp_page_element *element)
{
	enum kp_json_result result = KP_JSON_OK;
	struct kp_unpack *u;
	uint64_t count, event, len;

	if (!number_attribute(tag, " data-count=\"", &count))
		return kp_elements_damaged(st, "names without their number");
	u = malloc(sizeof(*u));
	if (!u || kp_unpack_open(u, st->fd, element->from, element->to, element->bytes)) {
		free(u);
		return kp_elements_no_memory(st);
	}
	while (count-- && !result) {
		if (kp_unpack_varint(u, &event) || kp_unpack_varint(u, &len))
			break;
		if (len > KP_JSON_NAME_MAX) {
			u->fault = "a name longer than 65536 bytes";
		} else if (!room_for_name(st, (size_t)len)) {
			result = kp_elements_no_memory(st);
		} else if (!kp_unpack_bytes(u, st->text.items + st->text.count, (size_t)len)) {
			const int64_t coded = kp_unzigzag(event);

			st->names.items[st->names.count++] = (struct kp_page_name){
				coded - (coded > KP_DICTIONARY_IN_KERNEL ? KP_DICTIONARY_IN_KERNEL : 0),
				st->text.count, (size_t)len };
			st->text.count += (size_t)len;
		}
		if (u->fault)
			break;
	}
	if (!result && (u->fault || kp_unpack_end(u)))
		result = kp_elements_fail(st, "damaged page (byte %" PRId64 "): names: %s",
			      (int64_t)st->at + 1, u->fault);
	kp_unpack_close(u);
	free(u);
	return result;
}

/* Adds the data element at st->at to the list of columns or to the names. */
static enum kp_json_result add_element(struct kp_elements *st)
{
	struct kp_page_element element = {0};
	enum kp_json_result result;
	char text[512], *tag = text + strlen(DATA_TAG), *close;

	peek(st, text, sizeof(text));
	close = strchr(text, '>');
	if (!close)
		return kp_elements_damaged(st, "bad data element");
	close[1] = '\0';
	element.from = st->at + (close + 1 - text);
	if (kp_elements_close(st, element.from, &element.to, "cut off inside a data element"))
		return KP_JSON_BAD;
	if (!number_attribute(tag, " data-bytes=\"", &element.bytes))
		return kp_elements_damaged(st, "a data element without a length");
	st->element_count++;
	result = strncmp(tag, "names\"", 6) ? add_column(st, tag, &element) :
					      add_names(st, tag, &element);
	st->at = element.to + (off_t)strlen(KP_PAGE_CLOSE_TAG);
	return result;
}

static enum kp_json_result check_end(struct kp_elements *st)
{
	const struct { const char *key; uint64_t have; } counts[] = {
		{ "\"chunks\":", st->chunk_count }, { "\"spans\":", st->span_count },
		{ "\"names\":", st->names.count }, { "\"elements\":", st->element_count },
	};
	char text[512], *close;
	uint64_t value;

	peek(st, text, sizeof(text));
	close = strstr(text, KP_PAGE_CLOSE_TAG);
	if (!close)
		return kp_elements_damaged(st, "cut off at its end");
	*close = '\0';
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		if (!number_attribute(text, counts[i].key, &value))
			return kp_elements_damaged(st, "bad end");
		if (value != counts[i].have)
			return kp_elements_fail(st, "damaged page: %" PRIu64 " of %" PRIu64 " %.*s",
				    counts[i].have, value,
				    (int)strlen(counts[i].key) - 3, counts[i].key + 1);
	}
	if (number_attribute(text, "\"width\":", &value) && value <= 20)
		st->start_width = (int)value;
	return KP_JSON_OK;
}

/* Skips the overview or the findings, because all of their information is in the rows. */
static enum kp_json_result skip(struct kp_elements *st, const char *cut_off)
{
	off_t to;

	if (kp_elements_close(st, st->at, &to, cut_off))
		return KP_JSON_BAD;
	st->at = to + (off_t)strlen(KP_PAGE_CLOSE_TAG);
	return KP_JSON_OK;
}

static enum kp_json_result find_trailing(struct kp_elements *st)
{
	off_t from = st->at + (off_t)strlen(TRAILING_TAG);

	if (kp_elements_close(st, from, &st->trailing_end,
			      "cut off inside the keys after the events"))
		return KP_JSON_BAD;
	st->trailing = from;
	st->at = st->trailing_end + (off_t)strlen(KP_PAGE_CLOSE_TAG);
	return KP_JSON_OK;
}

enum kp_json_result kp_elements_list(struct kp_elements *st)
{
	enum kp_json_result result = KP_JSON_OK;
	char text[128];

	while (!result) {
		size_t n = peek(st, text, sizeof(text));

		if (kp_interrupted())
			return KP_JSON_INTERRUPTED;
		if (n && (text[0] == '\n' || text[0] == '\r'))
			st->at++;
		else if (!strncmp(text, DATA_TAG, strlen(DATA_TAG)))
			result = add_element(st);
		else if (!strncmp(text, OVERVIEW_TAG, strlen(OVERVIEW_TAG)))
			result = skip(st, "cut off inside its overview");
		else if (!strncmp(text, FINDINGS_TAG, strlen(FINDINGS_TAG)))
			result = skip(st, "cut off inside its findings");
		else if (!strncmp(text, TRAILING_TAG, strlen(TRAILING_TAG)))
			result = find_trailing(st);
		else if (!strncmp(text, END_TAG, strlen(END_TAG)))
			return check_end(st);
		else
			return kp_elements_damaged(st, n ? "expected a data element or the end marker" :
				       "its end is missing: the file is truncated, or the program that wrote it stopped");
	}
	return result;
}

void kp_elements_close_columns(struct kp_page_track *track)
{
	for (enum kp_page_column c = 0; c < KP_COLUMNS; c++) {
		if (track->columns[c])
			kp_unpack_close(track->columns[c]);
		free(track->columns[c]);
		track->columns[c] = NULL;
	}
}

void kp_elements_free(struct kp_elements *st)
{
	for (size_t i = 0; i < st->tracks.count; i++) {
		kp_elements_close_columns(st->tracks.items[i]);
		free(st->tracks.items[i]->chunks.items);
		free(st->tracks.items[i]);
	}
	free(st->tracks.items);
	free(st->names.items);
	free(st->text.items);
}
