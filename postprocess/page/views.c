// SPDX-License-Identifier: BSD-3-Clause
/*
 * Adds views and notes after the events of a trace (page/views.h). Must not let a key occur twice
 * in a page, because no reader accepts it.
 */
#include "page/views.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/template.h"
#include "spanjson/reader.h"

static const char *const known[] = { "extra", "savedview", "kutrace" };

static bool is_known(const char *key)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strcmp(key, known[i]))
			return true;
	}
	return false;
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
	struct kp_span_sink sink = { .self = views, .behind = keep };
	struct kp_json_reader reader = {0};
	enum kp_json_result result;
	char *text, *from;
	size_t len;

	memset(views, 0, sizeof(*views));
	if (!kp_template_read_file("views", path, &text, &len, views->error, sizeof(views->error)))
		return -1;
	from = text + strspn(text, " \t\r\n");
	/* the original's page exports a new last line for a JSON file: ],"extra" ...} */
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

/* Adds the views. Other keys of the trace stay. */
static int views_behind(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_views *views = self;
	struct kp_header all = {0};
	int rc = kp_header_copy(&all, items, count);

	for (size_t i = 0; i < views->keys.count && !rc; i++)
		rc = kp_header_set(&all, views->keys.items[i].key, views->keys.items[i].value);
	views->given = true;
	rc = rc ? -ENOMEM : views->to.behind(views->to.self, all.items, all.count);
	kp_header_free(&all);
	return rc;
}

static int views_end(void *self)
{
	struct kp_views *views = self;
	int rc = views->given ? 0 : views_behind(self, NULL, 0);

	return rc ? rc : views->to.end(views->to.self);
}

struct kp_span_sink kp_views_sink(struct kp_views *views, const struct kp_span_sink *sink)
{
	views->to = *sink;
	return (struct kp_span_sink) {
		.header = views_header, .span = views_span, .end = views_end,
		.behind = views_behind, .self = views,
	};
}
