// SPDX-License-Identifier: BSD-3-Clause
/* Opens a raw trace. Must not print or exit: errors go to raw->message. */
#include "rawtrace/raw.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/progress.h"
#include "base/temp.h"
#include "base/text.h"
#include "base/tool.h"
#include "common/entry.h"

#define KP_COUNT_MASK	((1ull << 56) - 1)
/* microseconds by which entries may be outside start..stop */
#define KP_SLACK_USEC	10000000ull
#define KP_USEC_MAX	4102444800000000ull	/* year 2100 */

int kp_raw_fail(struct kp_raw *raw, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(raw->message, sizeof(raw->message), fmt, ap);
	va_end(ap);
	return -1;
}

/* Reads @bytes bytes at @offset. Returns the number of bytes read, or -1 with a message. */
static ssize_t kp_raw_pread(struct kp_raw *raw, void *data, size_t bytes,
			    uint64_t offset)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t got = pread(fileno(raw->file), (char *)data + done,
				    bytes - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR && (raw->followed || !kp_interrupted()))
			continue;
		if (got < 0)
			return kp_raw_fail(raw, "cannot read %s: byte %" PRIu64 ": %s",
					   raw->shown, offset + done, strerror(errno));
		if (!got)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

/* Sets the size. Copies a pipe to a temporary file, because the trace is read twice. */
static int kp_raw_size(struct kp_raw *raw)
{
	char why[512];
	struct stat st;
	FILE *copy;

	if (!fstat(fileno(raw->file), &st) && S_ISREG(st.st_mode) && lseek(fileno(raw->file), 0, SEEK_CUR) == 0) {
		raw->bytes = (uint64_t)st.st_size;
		return 0;
	}
	copy = kp_copy_pipe(raw->file, raw->shown, &raw->bytes, why, sizeof(why));
	if (!copy)
		return kp_raw_fail(raw, "%s", why);
	fclose(raw->file);
	raw->file = copy;
	raw->spooled = true;
	return 0;
}

/* Computes (count - base) * slope with integers, rounded down. */
int64_t kp_raw_time(const struct kp_raw *raw, uint64_t count)
{
	int64_t diff = (int64_t)(count - raw->base_count);
	uint64_t size = diff < 0 ? 0 - (uint64_t)diff : (uint64_t)diff;
	unsigned __int128 frac = (unsigned __int128)size * raw->slope_frac;
	uint64_t units = size * raw->slope_int + (uint64_t)(frac >> 64);

	if (diff >= 0)
		return (int64_t)units;
	return -(int64_t)units - ((uint64_t)frac != 0);
}

/* Checks a pause, and sets *pause to {0, 0} if its counts are outside the trace. */
static void kp_raw_check_pause(const struct kp_raw *raw, struct kp_pause *pause)
{
	if ((uint64_t)pause->off < raw->range.low || (uint64_t)pause->on > raw->range.high)
		*pause = (struct kp_pause){ 0, 0 };
}

void kp_raw_fact_times(const struct kp_raw *raw, char text[KP_PAUSE_CHARS])
{
	struct kp_pause counts, times;
	const char *key = KUTRACE_META_PAUSE;

	if (!kp_pause_parse(key, text, strlen(text), &counts)) {
		key = KUTRACE_META_PARTIAL;
		if (!kp_pause_parse(key, text, strlen(text), &counts))
			return;
	}
	kp_raw_check_pause(raw, &counts);
	times.off = kp_raw_time(raw, (uint64_t)counts.off);
	times.on = kp_raw_time(raw, (uint64_t)counts.on);
	if (!counts.on || times.off < 0)
		times = (struct kp_pause){ 0, 0 };
	kp_pause_text(key, &times, text);
}

void kp_raw_date(uint64_t usec, char *out)
{
	time_t seconds = (time_t)(usec / 1000000);
	struct tm tm;

	if (!localtime_r(&seconds, &tm))
		memset(&tm, 0, sizeof(tm));
	snprintf(out, 32, "%04u-%02u-%02u_%02u:%02u:%02u.%06u",
		 (unsigned)(tm.tm_year + 1900) % 10000, (unsigned)(tm.tm_mon + 1) % 100,
		 (unsigned)tm.tm_mday % 100, (unsigned)tm.tm_hour % 100,
		 (unsigned)tm.tm_min % 100, (unsigned)tm.tm_sec % 100,
		 (unsigned)(usec % 1000000));
}

/* Computes the clock from the two clock pairs in the first block. */
static int kp_raw_clock(struct kp_raw *raw, const uint64_t *words)
{
	uint64_t counts, usecs, slack;
	unsigned __int128 units;

	raw->start_count = words[2] & KP_COUNT_MASK;
	raw->start_usec = words[3] & KP_COUNT_MASK;
	raw->stop_count = words[4] & KP_COUNT_MASK;
	raw->stop_usec = words[5] & KP_COUNT_MASK;
	if (!words[4] && !words[5])
		return kp_raw_fail(raw, "%s: block 0, words 4 and 5: no stop time: was the recording stopped?",
				   raw->shown);
	if (words[2] >> 56 || words[3] >> 56 || words[4] >> 56 || words[5] >> 56 ||
	    raw->stop_count <= raw->start_count || raw->stop_usec <= raw->start_usec ||
	    raw->stop_usec > KP_USEC_MAX)
		return kp_raw_fail(raw, "%s: block 0, words 2 to 5: start and stop time make no sense: not a trace, or damaged",
				   raw->shown);
	counts = raw->stop_count - raw->start_count;
	usecs = raw->stop_usec - raw->start_usec;
	if (counts / 10000 > usecs || usecs / 1000 > counts)
		return kp_raw_fail(raw, "%s: block 0, words 2 to 5: %" PRIu64 " counts in %" PRIu64 " us is no clock: not a trace, or damaged",
				   raw->shown, counts, usecs);

	units = (unsigned __int128)usecs * 100;
	raw->slope_int = (uint64_t)(units / counts);
	raw->slope_frac = (uint64_t)(((units % counts) << 64) / counts);
	raw->minute_usec = raw->start_usec / 60000000 * 60000000;
	raw->base_count = raw->start_count -
		(uint64_t)((unsigned __int128)(raw->start_usec - raw->minute_usec) *
			   counts / usecs);

	slack = (uint64_t)((unsigned __int128)KP_SLACK_USEC * counts / usecs) + KUTRACE_TS_MASK;
	raw->range.low = raw->start_count > slack ? raw->start_count - slack : 0;
	raw->range.high = raw->stop_count + slack;
	return 0;
}

static int kp_raw_first_block(struct kp_raw *raw, const uint64_t *words)
{
	raw->flags = (uint8_t)(words[1] >> 56);
	if ((raw->flags & KUTRACE_FLAG_VERSION) != KUTRACE_FILE_VERSION)
		return kp_raw_fail(raw, "%s: block 0, word 1: version %u, but only version %u can be read: not a trace, or damaged",
				   raw->shown, raw->flags & KUTRACE_FLAG_VERSION,
				   KUTRACE_FILE_VERSION);
	raw->wrapped = raw->flags & KUTRACE_FLAG_WRAP;
	return kp_raw_clock(raw, words);
}

/* Decodes the header of a block. The caller has set block->number: the header of block 0 is longer. */
static void kp_raw_decode_header(struct kp_raw_block *block, const uint64_t *words)
{
	const uint64_t *task = block->number ? words + 2 : words + 8;

	block->cpu = (uint8_t)(words[0] >> 56);
	block->count = words[0] & KP_COUNT_MASK;
	block->flags = (uint8_t)(words[1] >> 56);
	block->usec = words[1] & KP_COUNT_MASK;
	block->pid = (uint32_t)task[0];
	block->mhz = (uint32_t)(task[0] >> 32);
	/* The name may contain any bytes, and ends at the first NUL. */
	memcpy(block->name, task + 2, 16);
	block->name[16] = 0;
}

static int kp_raw_check_header(struct kp_raw *raw, const struct kp_raw_block *block)
{
	if (block->count >= raw->range.low && block->count <= raw->range.high)
		return 0;
	return kp_raw_fail(raw, "%s: block %" PRIu64 ", word 0, CPU %u: taken at count %" PRIu64 ", the trace is from %" PRIu64 " to %" PRIu64 ": damaged",
			   raw->shown, block->number, block->cpu, block->count,
			   raw->start_count, raw->stop_count);
}

static int kp_raw_shorter(struct kp_raw *raw, const struct kp_raw_block *block)
{
	return kp_raw_fail(raw, "%s: block %" PRIu64 ": the file became shorter while it was read",
			   raw->shown, block->number);
}

/*
 * Packs block->timer_in into 32 bits. Returns 0 if there is no interrupt, or if it is too old (2^31
 * counts) to get a sample.
 */
static uint32_t kp_raw_pack_timer(const struct kp_raw_block *block)
{
	uint64_t ago = block->count - block->timer_in.call + KUTRACE_LATE_MAX;

	if (!block->timer_in.call || ago >= KP_RAW_TIMER_ENDED || !ago)
		return 0;
	return (uint32_t)ago | (block->timer_in.end ? KP_RAW_TIMER_ENDED : 0);
}

static struct kp_raw_timer kp_raw_unpack_timer(const struct kp_raw_block *block, uint32_t timer)
{
	uint64_t ago = timer & ~KP_RAW_TIMER_ENDED;

	if (!ago)
		return (struct kp_raw_timer){ 0, 0 };
	return (struct kp_raw_timer){
		.call = block->count + KUTRACE_LATE_MAX - ago, .end = timer != ago,
	};
}

int kp_raw_read_header(struct kp_raw *raw, const struct kp_raw_location *location,
		       struct kp_raw_block *block)
{
	uint64_t words[KUTRACE_FIRST_WORD0];
	ssize_t got = kp_raw_pread(raw, words, sizeof(words), location->offset);

	memset(block, 0, sizeof(*block));
	block->number = location->number;
	block->offset = location->offset;
	block->names_only = location->names_only;
	if (got != (ssize_t)sizeof(words))
		return got < 0 ? -1 : kp_raw_shorter(raw, block);
	kp_raw_decode_header(block, words);
	block->timer_in = kp_raw_unpack_timer(block, location->timer);
	return 0;
}

int kp_raw_read(struct kp_raw *raw, const struct kp_raw_block *block,
		struct kp_raw_words *words)
{
	bool ipc = block->flags & (KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC);
	size_t want = KUTRACE_BLOCK_BYTES + (ipc ? KUTRACE_IPC_BYTES : 0);
	ssize_t got = kp_raw_pread(raw, words, want, block->offset);

	if (got != (ssize_t)want)
		return got < 0 ? -1 : kp_raw_shorter(raw, block);
	if (!ipc)
		memset(words->ipc, 0, sizeof(words->ipc));
	return 0;
}

/*
 * Adds a loss. @name is the last name in raw->names. A stream repeats the name of a loss whose
 * value has grown. If the earlier name has not been output yet, it gets the new value, and @name is
 * removed.
 */
static void kp_raw_keep_loss(struct kp_raw *raw, struct kp_raw_name *name)
{
	const char *value = strchr(name->text, '=');
	uint64_t lost = value ? strtoull(value + 1, NULL, 10) : 0;
	size_t key = value ? (size_t)(value - name->text) + 1 : 0, i;

	for (i = 0; value && i < raw->loss_count; i++) {
		struct kp_raw_loss *loss = &raw->losses[i];

		if (strncmp(loss->text, name->text, key))
			continue;
		if (loss->at == KP_LOSS_OUT && lost > loss->events) {
			loss->at = raw->name_count - 1;
		} else {
			if (lost > loss->events)
				raw->names[loss->at] = *name;
			raw->name_count--;
		}
		if (lost > loss->events) {
			raw->lost += lost - loss->events;
			loss->events = lost;
		}
		return;
	}
	raw->lost += lost;
	if (value && raw->loss_count < KP_LOSSES) {
		raw->losses[raw->loss_count].at = raw->name_count - 1;
		raw->losses[raw->loss_count].events = lost;
		memcpy(raw->losses[raw->loss_count++].text, name->text, sizeof(name->text));
	}
}

static int kp_raw_keep_name(struct kp_raw *raw, const uint64_t *words,
			    const struct kp_raw_entry *entry)
{
	uint32_t event = ku_entry_event(words[entry->index]);
	size_t room = (((event >> 4) & 15) - 1) * 8;
	struct kp_raw_name *name;
	struct kp_pause pause;
	bool meta = KU_NAME_BASE(event) == KUTRACE_NAME_META;

	if (KP_ROOM(raw->names, raw->name_count, raw->name_room))
		return kp_raw_fail(raw, "no memory for the names");
	name = &raw->names[raw->name_count++];
	name->count = entry->count;
	name->event = event;
	name->number = (uint32_t)words[entry->index];
	memcpy(name->text, &words[entry->index + 1], room);
	name->text[room] = 0;
	if (meta && kp_pause_parse(KUTRACE_META_PAUSE, name->text, strlen(name->text), &pause)) {
		kp_raw_check_pause(raw, &pause);
		if (kp_pauses_add(&raw->pauses, &pause))
			return kp_raw_fail(raw, "no memory for the pauses");
	}
	if (meta)
		kp_raw_fact_times(raw, name->text);
	name->len = (uint8_t)strlen(name->text);
	name->kind = KU_NAME_BASE(event) == KUTRACE_NAME_PID ? ku_entry_task_kind(name->text, room) : 0;
	raw->has_meta |= meta;
	if (meta && !strncmp(name->text, "lost_", 5))
		kp_raw_keep_loss(raw, name);
	return 0;
}

static int kp_raw_keep_exit(struct kp_raw *raw, const uint64_t *words,
			    const struct kp_raw_entry *entry)
{
	if (KP_ROOM(raw->exits, raw->exit_count, raw->exit_room))
		return kp_raw_fail(raw, "no memory for the exits of threads");
	raw->exits[raw->exit_count++] = (struct kp_raw_exit){
		.count = entry->count, .pid = (uint32_t)words[entry->index],
	};
	return 0;
}

static void kp_raw_note_time(struct kp_raw *raw, unsigned cpu, uint64_t count)
{
	int64_t time = kp_raw_time(raw, count);

	if (!raw->events || time < raw->first_time)
		raw->first_time = time;
	if (!raw->events || time > raw->last_time)
		raw->last_time = time;
	raw->cpu_events[cpu]++;
	raw->events++;
}

static void kp_raw_note_cpu(struct kp_raw *raw, unsigned int cpu, uint64_t word)
{
	uint32_t arg = (uint32_t)word;

	if (ku_entry_event(word) == KUTRACE_IPI && arg < 256 && arg > cpu)
		cpu = arg;
	if (cpu > raw->cpu_most)
		raw->cpu_most = cpu;
}

/* Scans a block once for entries, names and times. Sets *first to the count of its first entry. */
static int kp_raw_scan(struct kp_raw *raw, struct kp_raw_block *block,
		       const struct kp_raw_words *words, struct kp_raw_indexer *indexer,
		       uint64_t *first)
{
	struct kp_raw_timer *timer = &indexer->timers[block->cpu];
	uint64_t late = 0;
	size_t count, i;

	block->timer_in = *timer;
	block->names_only = true;
	count = kp_raw_decode(&raw->range, block, words, indexer->entries, &raw->faults, timer, &late);
	raw->late_entries += late;
	raw->cpu_late[block->cpu] += late;
	*first = block->last = block->count;
	if (count) {	/* entries are sorted by count */
		*first = indexer->entries[0].count;
		block->last = indexer->entries[count - 1].count;
	}
	for (i = 0; i < count; i++) {
		const struct kp_raw_entry *entry = &indexer->entries[i];

		if (entry->kind == KP_RAW_HEADER)
			continue;
		if (entry->kind == KP_RAW_NAME) {
			if (kp_raw_keep_name(raw, words->word, entry))
				return -1;
			continue;
		}
		block->names_only = false;
		if (raw->wrapped && !block->number) {
			raw->dropped_first_block++;
			continue;
		}
		kp_raw_note_time(raw, block->cpu, entry->count);
		if (raw->followed)
			kp_raw_note_cpu(raw, block->cpu, words->word[entry->index]);
		else if (ku_entry_event(words->word[entry->index]) == KUTRACE_TASKEXIT &&
			 kp_raw_keep_exit(raw, words->word, entry))
			return -1;
	}
	if (raw->wrapped && !block->number)
		block->names_only = true;
	return 0;
}

size_t kp_raw_block_bytes(const struct kp_raw_words *words)
{
	bool ipc = words->word[1] >> 56 & (KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC);

	return KUTRACE_BLOCK_BYTES + (ipc ? KUTRACE_IPC_BYTES : 0);
}

int kp_raw_index_add(struct kp_raw *raw, struct kp_raw_indexer *indexer, uint64_t number,
		     uint64_t offset, const struct kp_raw_words *words,
		     struct kp_raw_block *block, struct kp_raw_location *location)
{
	uint64_t first;

	if (!number && kp_raw_first_block(raw, words->word))
		return -1;
	if (number > UINT32_MAX)
		return kp_raw_fail(raw, "%s: more blocks than can be numbered", raw->shown);
	memset(block, 0, sizeof(*block));
	block->number = number;
	block->offset = offset;
	kp_raw_decode_header(block, words->word);
	if (kp_raw_check_header(raw, block) || kp_raw_scan(raw, block, words, indexer, &first))
		return -1;
	*location = (struct kp_raw_location){
		.first = first, .offset = offset & KP_RAW_OFFSET_MASK, .names_only = block->names_only,
		.number = (uint32_t)number, .timer = kp_raw_pack_timer(block),
	};
	return 0;
}

/* Reads and indexes the block at *offset, and moves *offset to the next block. */
static int kp_raw_index_next(struct kp_raw *raw, struct kp_raw_indexer *indexer,
			     struct kp_raw_words *words, uint64_t *offset)
{
	uint64_t left = raw->bytes - *offset;
	size_t n = raw->block_count, need = KUTRACE_BLOCK_BYTES;
	struct kp_raw_block block;
	struct kp_raw_location location;

	if (left < need)
		return kp_raw_fail(raw, "%s: block %zu: %" PRIu64 " of %zu bytes: cut off, or not a trace",
				   raw->shown, n, left, need);
	if (kp_raw_pread(raw, words->word, need, *offset) < 0)
		return -1;
	if (kp_raw_index_add(raw, indexer, n, *offset, words, &block, &location))
		return -1;
	if (KP_ROOM(raw->locations, raw->block_count, raw->location_room))
		return kp_raw_fail(raw, "no memory for the index");
	raw->locations[raw->block_count++] = location;
	need = kp_raw_block_bytes(words);
	if (left < need)
		return kp_raw_fail(raw, "%s: block %zu, CPU %u: %" PRIu64 " of %zu bytes: cut off in the IPC bytes, or not a trace",
				   raw->shown, n, block.cpu, left, need);
	*offset += need;
	return 0;
}

static int kp_raw_index(struct kp_raw *raw, uint64_t blocks)
{
	struct {
		struct kp_raw_words words;
		struct kp_raw_indexer indexer;
	} *now = calloc(1, sizeof(*now));
	uint64_t offset = 0;
	int result = now ? 0 : kp_raw_fail(raw, "no memory");

	kp_progress_phase("looking through", NULL);
	while (!result && offset < raw->bytes && blocks--) {
		result = kp_raw_index_next(raw, &now->indexer, &now->words, &offset);
		kp_progress(offset, raw->bytes);
		if (!result && kp_interrupted())
			result = kp_raw_fail(raw, "interrupted");
	}
	free(now);
	return result;
}

/* If the file has another known format, sets raw->message to this fact. Returns -1. */
static int kp_raw_other(struct kp_raw *raw)
{
	char first[512];
	const ssize_t len = pread(fileno(raw->file), first, sizeof(first), 0);
	const char *what = kp_other_format(first, len > 0 ? (size_t)len : 0, KP_FORMAT_RAW_TRACE);

	return what ? kp_raw_fail(raw, "%s: no raw trace, but %s", raw->shown, what) : -1;
}

int kp_raw_open(struct kp_raw *raw, FILE *file, const char *shown)
{
	return kp_raw_open_first(raw, file, shown, UINT64_MAX);
}

int kp_raw_open_first(struct kp_raw *raw, FILE *file, const char *shown, uint64_t blocks)
{
	memset(raw, 0, sizeof(*raw));
	raw->file = file;
	raw->shown = shown;
	if (kp_raw_size(raw))
		return -1;
	if (!raw->bytes)
		return kp_raw_fail(raw, "%s: empty, not a trace", shown);
	if (!kp_raw_index(raw, blocks))
		return 0;
	return raw->block_count || kp_interrupted() ? -1 : kp_raw_other(raw);
}

void kp_raw_close(struct kp_raw *raw)
{
	if (raw->file)
		fclose(raw->file);
	raw->file = NULL;
	free(raw->locations);
	raw->locations = NULL;
	free(raw->names);
	raw->names = NULL;
	free(raw->exits);
	raw->exits = NULL;
	kp_pauses_free(&raw->pauses);
}

int kp_raw_exit_status(const struct kp_raw *raw)
{
	uint64_t count = raw->faults.bad_words + raw->faults.cut_entries + raw->faults.bad_times;

	if (!count)
		return KP_OK;
	kp_error("%s: %s; left out: %" PRIu64 " damaged entries; see checktrace", raw->shown,
		 raw->faults.first, count);
	return KP_BAD;
}
