// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads a template, finds its marker comments, and splits it into the text before and after the
 * data. The template is a file of the user, so only its size and its markers are checked.
 */
#include "page/template.h"

#include <errno.h>
#include <strings.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "spanjson/json.h"

#define TEMPLATE_MAX_BYTES (64u << 20)
#define OUR_MARKER "<!-- kutrace-data -->"
#define ORIGINAL_MARKER "<!-- selfcontained%d -->"

#define fail(...)	(kp_message(__VA_ARGS__) == 0)	/* always false */

/*
 * Reads a whole file of up to 64 MiB and adds a NUL; the caller frees *@text. On failure, returns
 * false and sets the error. @what names the kind of file in errors, such as "template" or "d3
 * file".
 */
static bool kp_template_read_file(const char *what, const char *path, char **text, size_t *len,
				  char *error, size_t error_size)
{
	FILE *f = fopen(path, "re");
	KP_VECTOR(char) buf = {0};
	size_t n = 1;
	int err = 0;

	if (!f)
		return fail(error, error_size, "cannot open %s: %s: %s", what, path,
			    strerror(errno));
	while (n && !err) {
		if (buf.count >= TEMPLATE_MAX_BYTES || KP_ROOM(buf.items, buf.count, buf.cap)) {
			err = buf.count >= TEMPLATE_MAX_BYTES ? EFBIG : ENOMEM;
			break;
		}
		errno = 0;
		n = fread(buf.items + buf.count, 1, buf.cap - buf.count, f);
		buf.count += n;
		err = !ferror(f) ? 0 : errno ? errno : EIO;
	}
	fclose(f);
	if (err) {
		free(buf.items);
		return fail(error, error_size, "cannot read %s: %s: %s", what, path, strerror(err));
	}
	buf.items[buf.count] = '\0';	/* the last fread() had room but read nothing */
	*text = buf.items;
	*len = buf.count;
	return true;
}

/*
 * Finds the template by the path of the program: build/templates for build/bin/makeself,
 * PREFIX/share/kutrace for PREFIX/bin/makeself and PREFIX/lib/kutrace/bin/makeself.
 */
static bool find_default(char *path, size_t size)
{
	static const char *const places[] = {
		"../templates/show_cpu.html",
		"../share/kutrace/show_cpu.html",
		"../../../share/kutrace/show_cpu.html",
	};
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (n <= 0)
		return false;
	self[n] = '\0';
	slash = strrchr(self, '/');
	if (!slash)
		return false;
	slash[1] = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int len = snprintf(path, size, "%s%s", self, places[i]);

		if (len > 0 && (size_t)len < size && access(path, F_OK) == 0)
			return true;
	}
	return false;
}

static char *find(const struct kp_template *t, const char *from, const char *marker)
{
	size_t left = t->len - (size_t)(from - t->text);

	return memmem(from, left, marker, strlen(marker));
}

/* Returns the start of the line after the line that contains @p. */
static const char *next_line(const struct kp_template *t, const char *p)
{
	const char *end = t->text + t->len;
	const char *nl = memchr(p, '\n', (size_t)(end - p));

	return nl ? nl + 1 : end;
}

static struct kp_template_part part(const char *from, const char *to)
{
	return (struct kp_template_part){from, (size_t)(to - from)};
}

/*
 * Reads the d3 file. "</script" in it would end the script element, so it becomes "<\/script",
 * which has the same meaning in JavaScript wherever it can occur.
 */
static bool take_d3(struct kp_template *t, const char *path, char *error, size_t error_size)
{
	char *text, *out;
	size_t len, n = 0;

	if (!kp_template_read_file("d3 file", path, &text, &len, error, error_size))
		return false;
	out = malloc(len + len / 8 + 1);	/* each "</script" grows by one byte */
	if (!out) {
		free(text);
		return fail(error, error_size, "cannot read d3 file: %s: %s", path,
			    strerror(ENOMEM));
	}
	for (size_t i = 0; i < len; i++) {
		out[n++] = text[i];
		if (text[i] == '<' && !strncasecmp(text + i + 1, "/script", 7))
			out[n++] = '\\';
	}
	free(text);
	t->d3 = out;
	t->d3_len = n;
	return true;
}

static bool split_original(struct kp_template *t, const char *path, const char *d3_path,
			   char *error, size_t error_size)
{
	const char *line, *at = t->text, *include, *middle;
	const char *m[3];
	char marker[sizeof(ORIGINAL_MARKER) + 10];
	size_t n = 0;

	for (int i = 0; i < 3; i++) {
		snprintf(marker, sizeof(marker), ORIGINAL_MARKER, i);
		m[i] = find(t, at, marker);
		if (!m[i])
			return fail(error, error_size,
				    find(t, t->text, marker) ?
				    "template has its markers out of order: %s: \"%s\"" :
				    "template lacks a marker: %s: \"%s\"", path, marker);
		at = m[i] + 1;
	}
	t->kind = KP_TEMPLATE_ORIGINAL;
	include = next_line(t, m[0]);
	middle = next_line(t, include);
	line = next_line(t, m[1]);
	if (m[1] < middle || m[2] < line)
		return fail(error, error_size,
			    "template has two markers in one line: %s", path);
	t->before[n++] = part(t->text, include);
	if (d3_path) {
		static const char open[] = "<script>\n", close[] = "\n</script>\n";

		if (!take_d3(t, d3_path, error, error_size))
			return false;
		t->before[n++] = part(open, open + sizeof(open) - 1);
		t->before[n++] = part(t->d3, t->d3 + t->d3_len);
		t->before[n++] = part(close, close + sizeof(close) - 1);
	} else {
		t->before[n++] = part(include, middle);
	}
	t->before[n] = part(middle, line);
	t->after = part(line, t->text + t->len);
	return true;
}

bool kp_template_open(struct kp_template *t, const char *path, const char *d3_path,
		      char *error, size_t error_size)
{
	char found[4200];
	char *ours;
	bool ok = true;

	memset(t, 0, sizeof(*t));
	if (!path) {
		if (!find_default(found, sizeof(found)))
			return fail(error, error_size,
				    "no template given, and none beside the program "
				    "(../templates or ../share/kutrace); "
				    "'make template' builds it");
		path = found;
	}
	if (!kp_template_read_file("template", path, &t->text, &t->len, error, error_size))
		return false;
	if (!t->len) {
		kp_template_close(t);
		return fail(error, error_size, "%s is empty", path);
	}
	ours = find(t, t->text, OUR_MARKER);
	if (!ours) {
		if (find(t, t->text, "<!-- selfcontained"))
			ok = split_original(t, path, d3_path, error, error_size);
		else
			ok = fail(error, error_size,
				  "template has no marker for the data: %s: "
				  "neither \"%s\" nor the one of KUtrace 3", path, OUR_MARKER);
	} else if (find(t, ours + 1, OUR_MARKER)) {
		ok = fail(error, error_size, "template has its marker twice: %s: \"%s\"",
			  path, OUR_MARKER);
	} else if (d3_path) {
		ok = fail(error, error_size,
			  "template has no place for a d3 file: %s: omit --d3", path);
	} else {
		t->kind = KP_TEMPLATE_OURS;
		t->before[0] = part(t->text, ours);
		t->after = part(ours + strlen(OUR_MARKER), t->text + t->len);
	}
	if (!ok)
		kp_template_close(t);
	return ok;
}

void kp_template_close(struct kp_template *t)
{
	free(t->text);
	free(t->d3);
	memset(t, 0, sizeof(*t));
}

static bool is_known(const char *key)
{
	return !strcmp(key, "extra") || !strcmp(key, "savedview") || !strcmp(key, "kutrace");
}

static int keep(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_views *views = self;

	for (size_t i = 0; i < count; i++) {
		if (!is_known(items[i].key)) {
			snprintf(views->error, sizeof(views->error),
				 "key \"%.64s\" is neither views nor notes", items[i].key);
			return -EINVAL;
		}
	}
	if (kp_header_copy(&views->keys, items, count)) {
		snprintf(views->error, sizeof(views->error), "no memory");
		return -ENOMEM;
	}
	return 0;
}

int kp_views_read(struct kp_views *views, const char *path)
{
	struct kp_span_sink sink = { .self = views, .trailing = keep };
	struct kp_json_reader reader = {0};
	enum kp_json_result result;
	char *text, *from;
	size_t len;

	memset(views, 0, sizeof(*views));
	if (!kp_template_read_file("views", path, &text, &len, views->error, sizeof(views->error)))
		return -1;
	from = text + strspn(text, " \t\r\n");
	/* the original's pages export a new last line of the JSON file: ],"extra" ...} */
	if (*from == ']') {
		from += 1 + strspn(from + 1, " \t\r\n");
		if (*from == ',')
			*from = '{';
	}
	result = kp_json_read_keys(&reader, from, len - (size_t)(from - text), path, &sink);
	free(text);
	if (!result && !views->keys.count)
		snprintf(views->error, sizeof(views->error), "it has no views and no notes");
	if (result == KP_JSON_BAD)
		snprintf(views->error, sizeof(views->error), "%s", reader.message);
	else if (views->error[0]) {
		char why[sizeof(views->error)];

		memcpy(why, views->error, sizeof(why));
		snprintf(views->error, sizeof(views->error), "%.200s: %.300s", path, why);
	}
	return views->error[0] ? -1 : 0;
}

void kp_views_free(struct kp_views *views)
{
	kp_header_free(&views->keys);
}

static int views_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_views *views = self;

	for (size_t i = 0; i < views->keys.count; i++) {
		if (kp_header_get(items, count, views->keys.items[i].key)) {
			snprintf(views->error, sizeof(views->error),
				 "key \"%s\" is already before the events", views->keys.items[i].key);
			return -EINVAL;
		}
	}
	return views->to.header(views->to.self, items, count);
}

static int views_span(void *self, const struct kp_span *span)
{
	struct kp_views *views = self;

	return views->to.span(views->to.self, span);
}

/* Adds the views to the keys of the trace; keys with the same name are replaced. */
static int views_trailing(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_views *views = self;
	struct kp_header all = {0};
	int rc = kp_header_copy(&all, items, count);

	for (size_t i = 0; i < views->keys.count && !rc; i++)
		rc = kp_header_set(&all, views->keys.items[i].key, views->keys.items[i].value);
	views->given = true;
	rc = rc ? -ENOMEM : views->to.trailing(views->to.self, all.items, all.count);
	kp_header_free(&all);
	return rc;
}

static int views_end(void *self)
{
	struct kp_views *views = self;
	int rc = views->given ? 0 : views_trailing(self, NULL, 0);

	return rc ? rc : views->to.end(views->to.self);
}

struct kp_span_sink kp_views_sink(struct kp_views *views, const struct kp_span_sink *sink)
{
	views->to = *sink;
	return (struct kp_span_sink) {
		.header = views_header, .span = views_span, .end = views_end,
		.trailing = views_trailing, .self = views,
	};
}
