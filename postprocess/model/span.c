// SPDX-License-Identifier: BSD-3-Clause
/*
 * Header keys and pauses, see model/span.h. A header value that no function sets must keep its
 * exact text.
 */
#include "model/span.h"

#include <stdio.h>

#include "base/memory.h"
#include "base/number.h"

const char *kp_header_get(const struct kp_header_item *items, size_t count,
			  const char *key)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(items[i].key, key))
			return items[i].value;
	return NULL;
}

int kp_header_set(struct kp_header *header, const char *key, const char *value)
{
	struct kp_header_item *items;
	char *new_value = strdup(value), *new_key;

	if (!new_value)
		return -1;
	for (size_t i = 0; i < header->count; i++) {
		if (strcmp(header->items[i].key, key))
			continue;
		free(header->items[i].value);
		header->items[i].value = new_value;
		return 0;
	}
	new_key = strdup(key);
	items = realloc(header->items, (header->count + 1) * sizeof(*items));
	if (items)
		header->items = items;
	if (!new_key || !items) {
		free(new_key);
		free(new_value);
		return -1;
	}
	items[header->count].key = new_key;
	items[header->count].value = new_value;
	header->count++;
	return 0;
}

int kp_header_add_dropped(struct kp_header *header, const char *cause, uint64_t count)
{
	static const char key[] = "dropped";
	const char *old = kp_header_get(header->items, header->count, key), *found;
	const bool object = old && old[0] == '{';
	/* length of @old, without the last brace of an object */
	size_t keep = old ? strlen(old) - object : 0;
	char *value = NULL, *label = NULL, *end;
	int status = -1;

	if (asprintf(&label, "\"%s\": ", cause) < 0)
		return -1;
	found = object ? strstr(old, label) : NULL;
	if (found) {
		uint64_t before = strtoull(found + strlen(label), &end, 10);

		if (!strcmp(end, "}")) {
			count += before;
			keep = (size_t)(found - old);
		}
	}
	while (keep > 1 && strchr(" ,", old[keep - 1]))
		keep--;
	/* an old value that is not an object is stored under the key "before" */
	if (asprintf(&value, "%s%.*s%s%s%" PRIu64 "}", object ? "" : old ? "{\"before\": " : "{", (int)keep,
		     old ? old : "", keep > object ? ", " : "", label, count) >= 0)
		status = kp_header_set(header, key, value);
	free(value);
	free(label);
	return status;
}

#define RESOLUTION_KEY	"resolution_us"

/* Moves the last key to its position in the sorted list. */
static void sort_last(struct kp_header *header)
{
	const struct kp_header_item last = header->items[header->count - 1];
	size_t i = header->count - 1;

	for (; i && strcmp(header->items[i - 1].key, last.key) > 0; i--)
		header->items[i] = header->items[i - 1];
	header->items[i] = last;
}

int kp_header_coarser(struct kp_header *header, int64_t resolution)
{
	const size_t before = header->count;
	char value[32];

	if (resolution <= kp_header_resolution(header->items, header->count))
		return 0;
	snprintf(value, sizeof(value), "%" PRId64 ".%02d", resolution / 100,
		 (int)(resolution % 100));
	if (kp_header_set(header, RESOLUTION_KEY, value))
		return -1;
	if (header->count > before)
		sort_last(header);
	return 0;
}

int64_t kp_header_resolution(const struct kp_header_item *items, size_t count)
{
	const char *text = kp_header_get(items, count, RESOLUTION_KEY);
	bool inexact;
	int64_t value;

	if (!text || kp_number_json(&text, text + strlen(text), 2, &value, &inexact) || value < 0)
		return 0;
	return value;
}

/* Returns the value of @name in a flat JSON object, or NULL. */
static const char *find_value(const char *object, const char *name)
{
	const size_t len = strlen(name);
	const char *at;

	for (at = strchr(object, '"'); at; at = strchr(at + 1, '"')) {
		if (strncmp(at + 1, name, len) || at[len + 1] != '"' || at[len + 2 + strspn(at + len + 2, " \t\r\n")] != ':')
			continue;
		at += len + 2;
		return at + strspn(at, " \t\r\n:");
	}
	return NULL;
}

/* Returns the value of @name in the object @key, or in the objects that continue it, key2 and so on; NULL: there is none. */
static const char *find_member(const struct kp_header_item *items, size_t count, const char *key, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		const char *part = items[i].key + strlen(key), *value;

		if (strncmp(items[i].key, key, strlen(key)) || part[strspn(part, "0123456789")])
			continue;
		value = find_value(items[i].value, name);
		if (value)
			return value;
	}
	return NULL;
}

const char *kp_header_fact(const struct kp_header_item *items, size_t count, const char *name)
{
	return find_member(items, count, "coverage", name);
}

int64_t kp_header_lost(const struct kp_header_item *items, size_t count)
{
	const char *total = find_member(items, count, "lost", "total");
	const int64_t lost = total ? strtoll(total, NULL, 10) : -1;

	return lost < 0 ? -1 : lost;
}

bool kp_header_partial(const struct kp_header_item *items, size_t count, struct kp_pause *partial)
{
	const char *value = kp_header_fact(items, count, "partial");
	char text[KP_PAUSE_CHARS];

	if (!value || *value++ != '"')
		return false;
	snprintf(text, sizeof(text), KUTRACE_META_PARTIAL "%.*s", (int)strcspn(value, "\""), value);
	return kp_pause_parse(KUTRACE_META_PARTIAL, text, strlen(text), partial) && partial->on;
}

int kp_header_copy(struct kp_header *header, const struct kp_header_item *items,
		   size_t count)
{
	*header = (struct kp_header){ NULL, 0 };
	for (size_t i = 0; i < count; i++) {
		if (kp_header_set(header, items[i].key, items[i].value)) {
			kp_header_free(header);
			return -1;
		}
	}
	return 0;
}

void kp_header_free(struct kp_header *header)
{
	for (size_t i = 0; i < header->count; i++) {
		free(header->items[i].key);
		free(header->items[i].value);
	}
	free(header->items);
	*header = (struct kp_header){ NULL, 0 };
}

/* Returns the number (at most 18 digits) at *text, and moves *text after it; -1: no digit. */
static int64_t take_number(const char **text, const char *end)
{
	const char *p = *text;
	int64_t number = 0;

	while (p < end && *p >= '0' && *p <= '9' && p - *text < 18)
		number = number * 10 + (*p++ - '0');
	if (p == *text)
		return -1;
	*text = p;
	return number;
}

bool kp_pause_parse(const char *key, const char *text, size_t len, struct kp_pause *pause)
{
	const size_t key_len = strlen(key);
	const char *end = text + len, *p = text + key_len;
	int64_t off, on = -1;

	if (len < key_len || memcmp(text, key, key_len))
		return false;
	off = take_number(&p, end);
	if (off >= 0 && p < end && *p++ == ':')
		on = take_number(&p, end);
	*pause = (struct kp_pause){ 0, 0 };
	if (p == end && off < on)
		*pause = (struct kp_pause){ off, on };
	return true;
}

size_t kp_pause_text(const char *key, const struct kp_pause *pause, char text[KP_PAUSE_CHARS])
{
	return (size_t)snprintf(text, KP_PAUSE_CHARS, "%s%" PRId64 ":%" PRId64, key,
				pause->off, pause->on);
}

int kp_pauses_add(struct kp_pauses *pauses, const struct kp_pause *pause)
{
	const size_t count = pauses->count;

	if (pause->off >= pause->on ||
	    (pauses->begun && count && pause->off < pauses->items[count - 1].on))
		return 0;
	if (KP_ROOM(pauses->items, pauses->count, pauses->room))
		return -1;
	pauses->items[pauses->count++] = *pause;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct kp_pause *x = a, *y = b;

	return (x->off > y->off) - (x->off < y->off);
}

bool kp_pauses_next(struct kp_pauses *pauses, int64_t time, struct kp_pause *pause)
{
	if (!pauses->begun && pauses->count)
		qsort(pauses->items, pauses->count, sizeof(*pauses->items), by_time);
	pauses->begun = true;
	if (pauses->next == pauses->count || pauses->items[pauses->next].off > time)
		return false;
	*pause = pauses->items[pauses->next++];
	for (; pauses->next < pauses->count && pauses->items[pauses->next].off < pause->on; pauses->next++)
		if (pauses->items[pauses->next].on > pause->on)
			pause->on = pauses->items[pauses->next].on;
	return true;
}

void kp_pauses_free(struct kp_pauses *pauses)
{
	free(pauses->items);
	*pauses = (struct kp_pauses){ .items = NULL };
}
