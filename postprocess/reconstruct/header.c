// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes the header of the span JSON from comments, names and facts "key=value" (META names). Must
 * check each number and escape each string.
 */

#include "base/text.h"
#include "reconstruct/state.h"

#define KP_META_MAX	256	/* limit of distinct META items */
#define KP_START_S_MAX	4102444800ll	/* year 2100 */

static bool kp_take(const char **p, const char *end, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(end - *p) < len || memcmp(*p, word, len))
		return false;
	*p += len;
	return true;
}

static uint64_t kp_take_number(const char **p, const char *end)
{
	uint64_t number = 0;

	while (*p < end && **p == ' ')
		++*p;
	while (*p < end && **p >= '0' && **p <= '9') {
		if (number < 100000000000000000ull)
			number = number * 10 + (uint64_t)(**p - '0');
		++*p;
	}
	return number;
}

/* Reads seconds with eight decimals. Returns units of 10 ns. */
static int64_t kp_take_time(const char **p, const char *end)
{
	int64_t units = (int64_t)(kp_take_number(p, end) % 4000000000u) * 100000000;
	int64_t scale = 10000000;

	if (*p == end || **p != '.')
		return units;
	for (++*p; *p < end && **p >= '0' && **p <= '9'; ++*p) {
		units += (**p - '0') * scale;
		scale /= 10;
	}
	return units;
}

/*
 * Sets rec->base from the comment of block 0: "2026-11-20_08:50:11.085246 cpu 01 flags 03 block 0".
 */
static void kp_base_comment(struct kp_reconstruct *rec, const char *p, const char *end)
{
	static const char form[] = "dddd-dd-dd_dd:dd";
	static const char first[] = " block 0";
	size_t len = (size_t)(end - p), i;

	if (len < sizeof(form) + sizeof(first) ||
	    memcmp(end - (sizeof(first) - 1), first, sizeof(first) - 1))
		return;
	for (i = 0; i < sizeof(form) - 1; i++)
		if (form[i] == 'd' ? p[i] < '0' || p[i] > '9' : p[i] != form[i])
			return;
	snprintf(rec->base, sizeof(rec->base), "%.16s:00", p);
}

/* Sets the trace's id if the text is 8-4-4-4-12 hex digits. */
static void kp_trace_id(struct kp_reconstruct *rec, const char *p, const char *end)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

	if (p < end && *p == ' ')
		p++;
	if ((size_t)(end - p) != sizeof(form) - 1)
		return;
	for (size_t i = 0; i < sizeof(form) - 1; i++)
		if (form[i] == 'x' ? !strchr("0123456789abcdef", p[i]) || !p[i] : p[i] != '-')
			return;
	memcpy(rec->trace_id, p, sizeof(form) - 1);
}

void kp_rec_comment(struct kp_reconstruct *rec, const char *text, size_t len)
{
	const char *p = text, *end = text + len;

	if (kp_take(&p, end, "# [1] ")) {
		kp_base_comment(rec, p, end);
	} else if (kp_take(&p, end, "# ## VERSION:")) {
		rec->version = (uint32_t)kp_take_number(&p, end);
	} else if (kp_take(&p, end, "# ## FLAGS:")) {
		rec->flags = (uint32_t)kp_take_number(&p, end);
	} else if (kp_take(&p, end, "# ## TIMES:")) {
		rec->announced_first = kp_take_time(&p, end);
		rec->announced_last = kp_take_time(&p, end);
	} else if (kp_take(&p, end, "# ## DROPPED:")) {
		rec->dropped_first_block = kp_take_number(&p, end);
		rec->dropped_words = kp_take_number(&p, end);
	} else if (kp_take(&p, end, "# ## START:")) {
		rec->start_s = (int64_t)kp_take_number(&p, end);
	} else if (kp_take(&p, end, "# ## TRACE:")) {
		kp_trace_id(rec, p, end);
	}
}

/* If @text is a loss whose key is in meta_items, retains the larger value and returns true. */
static bool kp_meta_newer(struct kp_reconstruct *rec, const char *text, size_t len)
{
	size_t key = (size_t)((const char *)memchr(text, '=', len) - text) + 1, i;
	char value[32], *copy;

	if (len - key >= sizeof(value) || strncmp(text, "lost_", 5))
		return false;
	memcpy(value, text + key, len - key);
	value[len - key] = '\0';
	for (i = 0; i < rec->meta_count; i++)
		if (!strncmp(rec->meta_items[i], text, key))
			break;
	if (i == rec->meta_count)
		return false;
	if (strtoull(value, NULL, 10) <= strtoull(rec->meta_items[i] + key, NULL, 10))
		return true;
	copy = strndup(text, len);
	if (!copy) {
		kp_rec_no_memory(rec);
		return true;
	}
	free(rec->meta_items[i]);
	rec->meta_items[i] = copy;
	return true;
}

void kp_rec_meta(struct kp_reconstruct *rec, const char *text, size_t len)
{
	char *copy;

	/* stop at a NUL, which damaged data may contain before the = */
	len = strnlen(text, len);
	if (!memchr(text, '=', len) || rec->meta_count == KP_META_MAX)
		return;
	for (size_t i = 0; i < rec->meta_count; i++)
		if (strlen(rec->meta_items[i]) == len && !memcmp(rec->meta_items[i], text, len))
			return;
	if (kp_meta_newer(rec, text, len))
		return;
	copy = strndup(text, len);
	if (!copy || KP_ROOM(rec->meta_items, rec->meta_count, rec->meta_room)) {
		free(copy);
		kp_rec_no_memory(rec);
		return;
	}
	rec->meta_items[rec->meta_count++] = copy;
}

/* Returns the value of a META item if its key is @key, otherwise NULL. */
static const char *kp_meta_value(const char *item, const char *key)
{
	size_t len = strlen(key);

	return !strncmp(item, key, len) && item[len] == '=' ? item + len + 1 : NULL;
}

static const char *kp_meta(const struct kp_reconstruct *rec, const char *key)
{
	const char *value;

	for (size_t i = 0; i < rec->meta_count; i++) {
		value = kp_meta_value(rec->meta_items[i], key);
		if (value)
			return value;
	}
	return NULL;
}

bool kp_rec_silence_unreliable(const struct kp_reconstruct *rec)
{
	static const char *const counts[] = {
		"lost_full", "lost_noblock", "lost_blocks", "lost_stream_blocks",
		"lost_discarded", "lost_overrun", "lost_far_cpus", "filtered",
	};
	static const char *const caveats[] = { "clock", "packets_lost" };

	for (size_t i = 0; i < rec->meta_count; i++) {
		const char *item = rec->meta_items[i], *value = kp_meta_value(item, "caveat");

		for (size_t j = 0; value && j < sizeof(caveats) / sizeof(caveats[0]); j++)
			if (!strcmp(value, caveats[j]))
				return true;
		for (size_t j = 0; j < sizeof(counts) / sizeof(counts[0]); j++) {
			value = kp_meta_value(item, counts[j]);
			if (value && strtoull(value, NULL, 10))
				return true;
		}
	}
	return false;
}

/* Reads the kernel's exit latencies: idle_exit=STATE:NANOSECONDS, one for each state. */
static void kp_exit_latencies(struct kp_reconstruct *rec)
{
	for (size_t i = 0; i < rec->meta_count; i++) {
		const char *value = kp_meta_value(rec->meta_items[i], "idle_exit");
		unsigned int state, ns;

		if (value && sscanf(value, "%5u:%9u", &state, &ns) == 2 && state < KP_IDLE_STATES)
			rec->exit_units[state] = ns / 10;
	}
}

static bool kp_is_number(const char *value)
{
	size_t len = strspn(value, "0123456789");

	return len && len < 19 && !value[len] && (len == 1 || value[0] != '0');
}

/* ---- building JSON values ---- */

/*
 * Maximum length of a key's line: the original's filters break lines above 255 bytes. A longer
 * object continues under another key ("coverage2"), even inside a list. A longer string is cut off.
 */
#define KP_LINE_MAX	250

struct kp_items {
	struct kp_header header;
	const char *key;	/* key of the current object */
	/* number of the current line of the object, from 1 (see KP_LINE_MAX) */
	unsigned int part;
	size_t room, used;	/* size and used bytes of value, without the closing brace */
	char value[KP_LINE_MAX];
	char list[KP_LINE_MAX];	/* text of the current list */
	size_t list_used;
	bool failed;
};

/* Returns the space for a value in a line:  "KEY" : VALUE, */
static size_t kp_value_room(size_t key_len)
{
	return KP_LINE_MAX - key_len - (sizeof(" \"\" : ,") - 1);
}

/*
 * Returns @text in quotes. If the result exceeds @room bytes, cuts it off after a complete
 * character and appends "...".
 */
static char *kp_short_quote(const char *text, size_t room)
{
	size_t len = strlen(text), over;
	char *quoted = kp_json_quote(text, len), *cut;

	while (quoted && strlen(quoted) > room && len) {
		/* escaping makes at most six bytes of one */
		over = (strlen(quoted) - room + 5) / 6;
		len -= over < len ? over : len;
		while (len && ((unsigned char)text[len] & 0xC0) == 0x80)
			len--;
		free(quoted);
		if (asprintf(&cut, "%.*s...", (int)len, text) < 0)
			return NULL;
		quoted = kp_json_quote(cut, strlen(cut));
		free(cut);
	}
	return quoted;
}

static void kp_item(struct kp_items *items, const char *key, const char *value)
{
	items->failed |= !value || kp_header_set(&items->header, key, value);
}

static void kp_string_item(struct kp_items *items, const char *key, const char *text)
{
	char *quoted = kp_short_quote(text, kp_value_room(strlen(key)));

	kp_item(items, key, quoted);
	free(quoted);
}

static void kp_number_item(struct kp_items *items, const char *key, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	kp_item(items, key, text);
}

static void kp_open_part(struct kp_items *items)
{
	/*
	 * reserve room for a number of two digits in the key ("coverage12"), and for the closing
	 * brace
	 */
	items->room = kp_value_room(strlen(items->key) + 2) - 1;
	items->used = 1;
	strcpy(items->value, "{");
}

static void kp_close(struct kp_items *items)
{
	char key[40];

	snprintf(key, sizeof(key), items->part > 1 ? "%s%u" : "%s", items->key, items->part);
	strcpy(items->value + items->used, "}");
	kp_item(items, key, items->value);
}

static void kp_open(struct kp_items *items, const char *key)
{
	items->key = key;
	items->part = 1;
	kp_open_part(items);
}

/* Adds "name": value to the object, under a new key if the current line is full. */
static void kp_entry(struct kp_items *items, const char *name, const char *value)
{
	size_t len = strlen(name) + strlen(value) + 4;

	if (items->used > 1 && items->used + 2 + len > items->room) {
		if (items->part == 99)
			return;
		kp_close(items);
		items->part++;
		kp_open_part(items);
	}
	if (items->used + len > items->room)
		return;		/* our traces have no such long names */
	items->used += (size_t)sprintf(items->value + items->used, "%s\"%s\": %s",
				       items->used > 1 ? ", " : "", name, value);
}

static void kp_string_entry(struct kp_items *items, const char *name, const char *text)
{
	char *quoted = kp_short_quote(text, kp_value_room(strlen(items->key)) / 2);

	items->failed |= !quoted;
	if (quoted)
		kp_entry(items, name, quoted);
	free(quoted);
}

static void kp_open_list(struct kp_items *items)
{
	strcpy(items->list, "[");
	items->list_used = 1;
}

static void kp_close_list(struct kp_items *items, const char *name)
{
	strcpy(items->list + items->list_used, "]");
	kp_entry(items, name, items->list);
}

static void kp_list_string(struct kp_items *items, const char *name, const char *text)
{
	/* room of an empty line for the elements of a list, without its brackets and a comma */
	size_t room = kp_value_room(strlen(items->key) + 2) - strlen(name) - 10;
	char *quoted = kp_short_quote(text, room / 2);

	items->failed |= !quoted;
	if (!quoted)
		return;
	if (items->list_used > 1 && items->list_used + 2 + strlen(quoted) > room) {
		kp_close_list(items, name);
		kp_open_list(items);
	}
	items->list_used += (size_t)sprintf(items->list + items->list_used, "%s%s",
					    items->list_used > 1 ? ", " : "", quoted);
	free(quoted);
}

static void kp_put_caveats(struct kp_items *items, const struct kp_reconstruct *rec)
{
	kp_open_list(items);
	for (size_t i = 0; i < rec->meta_count; i++) {
		const char *value = kp_meta_value(rec->meta_items[i], "caveat");

		if (value)
			kp_list_string(items, "caveats", value);
	}
	kp_close_list(items, "caveats");
}

static void kp_put_categories(struct kp_items *items, const char *value)
{
	static const char *const names[] = {
#define KU_CAT(id, bit, text) [bit] = #id,
#include "kutrace_events.def"
	};
	unsigned long mask = strtoul(value, NULL, 16);

	kp_open_list(items);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char lower[32] = "";

		if (!names[i] || !(mask >> i & 1))
			continue;
		for (size_t j = 0; names[i][j] && j < sizeof(lower) - 1; j++)
			lower[j] = (char)(names[i][j] | 0x20);
		kp_list_string(items, "categories", lower);
	}
	kp_close_list(items, "categories");
}

/* Returns the number before @end, after a dot or a blank; 0: there is none. */
static uint64_t kp_number_before(const char *text, const char *end)
{
	const char *p = end;

	while (p > text && p[-1] >= '0' && p[-1] <= '9')
		p--;
	return p > text && (p[-1] == '.' || p[-1] == ' ') ? kp_take_number(&p, end) : 0;
}

/* Returns the last place of @what in @text, or NULL. */
static const char *kp_last_of(const char *text, const char *what)
{
	const char *last = NULL, *at;

	for (at = strstr(text, what); at; at = strstr(at + 1, what))
		last = at;
	return last;
}

/*
 * Returns the pid of the task that fired the trigger; 0: unknown. It is in the fact fired_by, or in
 * the module's own fact if no library has written the trace: fired=1:849 1155303157ns pid 4715.
 */
static uint64_t kp_fired_pid(const struct kp_reconstruct *rec)
{
	const char *by = kp_meta(rec, "fired_by"), *place = NULL;
	uint64_t pid = 0;

	if (by)
		place = kp_last_of(by, " on CPU ") ? kp_last_of(by, " on CPU ") : kp_last_of(by, " waited ");
	if (place)
		return kp_number_before(by, place);
	for (size_t i = 0; i < rec->meta_count; i++) {
		const char *value = kp_meta_value(rec->meta_items[i], "fired");

		if (value && kp_last_of(value, " pid "))
			pid = kp_number_before(value, value + strlen(value));
	}
	return pid;
}

/* Writes the hooks of the recording, its categories, caveats and some facts. */
static void kp_coverage(struct kp_items *items, const struct kp_reconstruct *rec)
{
	static const char *const plain[] = { "clock", "clock_khz", "clock_shift", "tool",
					     "wrapped", "clock_step_us", "partial", "run", "fired",
					     "fired_by" };
	char pid[24];
	const char *value = kp_meta(rec, "backend");

	kp_open(items, "coverage");
	kp_string_entry(items, "backend", value ? value : "unknown");
	value = kp_meta(rec, "cats");
	if (value)
		kp_put_categories(items, value);
	kp_put_caveats(items, rec);
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		value = kp_meta(rec, plain[i]);
		if (!value)
			continue;
		if (kp_is_number(value + (*value == '-')))
			kp_entry(items, plain[i], value);
		else
			kp_string_entry(items, plain[i], value);
	}
	snprintf(pid, sizeof(pid), "%" PRIu64, kp_fired_pid(rec));
	if (kp_fired_pid(rec))
		kp_entry(items, "fired_pid", pid);
	kp_close(items);
}

static void kp_lost(struct kp_items *items, const struct kp_reconstruct *rec)
{
	uint64_t total = 0;
	char text[64];

	kp_open(items, "lost");
	for (size_t i = 0; i < rec->meta_count; i++) {
		const char *item = rec->meta_items[i], *value = strchr(item, '=') + 1;
		char key[64], escaped[6 * sizeof(key) + 1];
		uint64_t replaced = 0;
		size_t len;

		if (strncmp(item, "lost_", 5) || !kp_is_number(value) ||
		    value - item > (ptrdiff_t)sizeof(key))
			continue;
		snprintf(key, sizeof(key), "%.*s", (int)(value - 1 - item - 5), item + 5);
		total += strtoull(value, NULL, 10);
		len = kp_json_escape(key, strlen(key), escaped, &replaced);
		escaped[len] = '\0';
		kp_entry(items, escaped, value);
	}
	snprintf(text, sizeof(text), "%" PRIu64, total);
	kp_entry(items, "total", text);
	kp_close(items);
}

static void kp_overhead(struct kp_items *items, const struct kp_reconstruct *rec)
{
	const char *value = kp_meta(rec, "emit_ps");

	kp_open(items, "overhead");
	if (value && kp_is_number(value))
		kp_entry(items, "emit_ps", value);
	kp_close(items);
}

/* Writes the start time (UTC), the trace's id, and the machine with its boot id. */
static void kp_identity(struct kp_items *items, const struct kp_reconstruct *rec)
{
	static const char *const machine[] = { "arch", "boot_id", "utc_offset_s" };
	char text[64];
	size_t i;

	if (rec->start_s > 0 && rec->start_s < KP_START_S_MAX) {
		kp_open(items, "start");
		/* a string: many JSON readers cannot represent such a large number */
		snprintf(text, sizeof(text), "%" PRId64 "000000000", rec->start_s);
		kp_string_entry(items, "utc_ns", text);
		if (rec->trace_id[0])
			kp_string_entry(items, "trace_id", rec->trace_id);
		kp_close(items);
	}
	for (i = 0; i < sizeof(machine) / sizeof(machine[0]); i++)
		if (kp_meta(rec, machine[i]))
			break;
	if (i == sizeof(machine) / sizeof(machine[0]))
		return;
	kp_open(items, "machine");
	for (i = 0; i < sizeof(machine) / sizeof(machine[0]); i++) {
		const char *value = kp_meta(rec, machine[i]);

		if (value && i == 2 && kp_is_number(value + (*value == '-')))
			kp_entry(items, machine[i], value);
		else if (value && i < 2)
			kp_string_entry(items, machine[i], value);
	}
	kp_close(items);
}

static void kp_dropped(struct kp_items *items, const struct kp_reconstruct *rec)
{
	char text[96];

	snprintf(text, sizeof(text), "{\"first_block\": %" PRIu64 ", \"words\": %" PRIu64 "}",
		 rec->dropped_first_block, rec->dropped_words);
	kp_item(items, "dropped", text);
}

static void kp_named(struct kp_items *items, const struct kp_reconstruct *rec,
		     const char *key, uint32_t base)
{
	const struct kp_name *name = kp_names_get(&rec->names, base, 0);

	kp_string_item(items, key, name ? name->text : "");
}

/* Returns a number that differs between traces, but is always the same for the same trace. */
static uint32_t kp_random_id(const struct kp_reconstruct *rec)
{
	const struct kp_name *host = kp_names_get(&rec->names, KUTRACE_NAME_HOSTNAME, 0);
	char text[400];
	uint64_t hash = 0xCBF29CE484222325ull;
	const char *p = text;

	snprintf(text, sizeof(text), "%s %" PRId64 " %" PRId64 " %s", rec->base,
		 rec->announced_first, rec->announced_last, host ? host->text : "");
	while (*p)
		hash = (hash ^ (unsigned char)*p++) * 0x100000001B3ull;
	return (uint32_t)(hash ^ hash >> 32) & 0x7FFFFFFF;
}

void kp_rec_header(struct kp_reconstruct *rec)
{
	const char *backend = kp_meta(rec, "backend");
	struct kp_items items = { .failed = false };
	int err;

	rec->begun = true;
	rec->tracepoints = backend && !strcmp(backend, "tracepoint");
	rec->preempt_rt = kp_meta(rec, "preempt_rt");
	rec->exit_latency = !rec->meta_count;
	kp_exit_latencies(rec);
	kp_string_item(&items, "Comment", "V2 with IPC field");
	kp_string_item(&items, "axisLabelX", "Time (sec)");
	kp_string_item(&items, "axisLabelY", "CPU Number");
	kp_named(&items, rec, "cpuModelName", KUTRACE_NAME_CPUMODEL);
	kp_number_item(&items, "flags", rec->flags);
	kp_named(&items, rec, "hostName", KUTRACE_NAME_HOSTNAME);
	kp_named(&items, rec, "kernelVersion", KUTRACE_NAME_KERNELVER);
	kp_number_item(&items, "mbit_sec", rec->mbit);
	kp_number_item(&items, "randomid", kp_random_id(rec));
	kp_number_item(&items, "shortMulX", 1);
	kp_string_item(&items, "shortUnitsX", "s");
	kp_number_item(&items, "thousandsX", 1000);
	kp_string_item(&items, "title", rec->title);
	kp_string_item(&items, "tracebase", rec->base);
	kp_number_item(&items, "version", rec->version);
	kp_identity(&items, rec);
	if (rec->meta_count) {
		kp_coverage(&items, rec);
		kp_lost(&items, rec);
		kp_overhead(&items, rec);
	}
	kp_dropped(&items, rec);
	if (items.failed) {
		kp_rec_no_memory(rec);
	} else {
		err = rec->sink.header(rec->sink.self, items.header.items, items.header.count);
		if (!rec->err)
			rec->err = err;
	}
	kp_header_free(&items.header);
}

void kp_rec_header_free(struct kp_reconstruct *rec)
{
	for (size_t i = 0; i < rec->meta_count; i++)
		free(rec->meta_items[i]);
	free(rec->meta_items);
	free(rec->title);
}
