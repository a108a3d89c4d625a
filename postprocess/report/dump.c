// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints the words of raw blocks (report/dump.h):
 *
 *      12  4c8a782733332679  +12.07652030  call 827 getpid arg0 9849, returns 51 after 51 counts
 */
#include "report/dump.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/progress.h"
#include "base/text.h"
#include "base/tool.h"
#include "common/entry.h"
#include "common/report.h"
#include "rawtrace/name.h"
#include "rawtrace/raw.h"

struct state {
	struct kp_dump *dump;
	FILE *out;
	bool show;
	uint64_t number;	/* number of the block */
	uint64_t read, total;	/* bytes that were read; size, 0: unknown */
	uint8_t bytes[KUTRACE_BLOCK_BYTES + KUTRACE_IPC_BYTES];
	uint64_t words[KUTRACE_BLOCK_WORDS];
	size_t word_count;	/* number of words in the block */
	bool has_ipc;
	uint64_t count;		/* time counter at the previous entry */
	/* clock pairs of the first block; 0: unknown */
	uint64_t start_count, start_usec, stop_count, stop_usec;
	struct kp_event_names names;
};

/* Prints the seconds since the start clock pair, if the pairs are valid. */
static void put_time(const struct state *st, uint64_t count)
{
	int64_t counts = (int64_t)(st->stop_count - st->start_count);
	int64_t usec = (int64_t)(st->stop_usec - st->start_usec);
	__int128 units;

	if (counts <= 0 || usec <= 0)
		return;
	units = (__int128)(int64_t)(count - st->start_count) * usec * 100 / counts;
	if (units > INT64_MAX / 2 || units < INT64_MIN / 2)
		return;
	fputs(units < 0 ? " " : " +", st->out);
	ku_print_seconds(st->out, (int64_t)units);
}

static void put_ipc(const struct state *st, size_t i)
{
	static const char *const ipc[16] = {
		"0", "1/8", "1/4", "3/8", "1/2", "5/8", "3/4", "7/8",
		"1", "5/4", "3/2", "7/4", "2", "5/2", "3", "7/2+",
	};
	/* minimum number of cache misses of each step */
	static const char *const llc[16] = {
		"0", "1+", "8+", "16+", "32+", "64+", "128+", "256+",
		"512+", "1K+", "2K+", "4K+", "8K+", "16K+", "32K+", "64K+",
	};
	uint8_t flags = st->bytes[15] & (KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC);
	uint8_t byte = st->bytes[KUTRACE_BLOCK_BYTES + i];

	if (!st->has_ipc)
		return;
	if (flags == KUTRACE_FLAG_IPC)
		fprintf(st->out, " [ipc %02x: %s, %s]", byte, ipc[byte & 15], ipc[byte >> 4]);
	else if (flags == KUTRACE_FLAG_LLC)
		fprintf(st->out, " [llc %02x: %s, %s]", byte, llc[byte & 15], llc[byte >> 4]);
	/*
	 * each half of the byte: two bits of IPC, then two bits of misses; each value of these two
	 * bits covers four of the steps above
	 */
	else
		fprintf(st->out, " [ipc and llc %02x: %x, %x]", byte, byte & 15, byte >> 4);
}

static void begin_line(const struct state *st, size_t i)
{
	fprintf(st->out, "%6zu  %016" PRIx64 " ", i, st->words[i]);
}

static void put_usec(const struct state *st, uint64_t usec)
{
	char date[32];

	if (usec >> 56 || usec / 1000000 > 253402300799u) {
		fprintf(st->out, "%" PRIu64 " us, beyond the year 9999", usec);
		return;
	}
	kp_raw_date(usec, date);
	fprintf(st->out, "%" PRIu64 " us: %s", usec, date);
}

static void put_flags(const struct state *st, uint8_t flags)
{
	fprintf(st->out, " flags %02x", flags);
	if (!st->number)
		fprintf(st->out, ", version %d%s", flags & KUTRACE_FLAG_VERSION,
			(flags & KUTRACE_FLAG_VERSION) == KUTRACE_FILE_VERSION ? "" :
			" (not 3)");
	fputs(flags & KUTRACE_FLAG_IPC ? " IPC" : "", st->out);
	fputs(flags & KUTRACE_FLAG_WRAP ? " wrapped" : "", st->out);
	fputs(flags & KUTRACE_FLAG_LLC ? " LLC" : "", st->out);
	fputs(flags & 0x10 ? " unknown 10" : "", st->out);
	fputs(", taken at ", st->out);
}

/* Prints up to four words of a header from @i on: pid and frequency, reserved, name. */
static void put_process(const struct state *st, size_t i)
{
	static const char *const what[] = {
		NULL, " reserved", " process name", " process name, second half",
	};

	for (size_t k = 0; k < 4 && i + k < st->word_count; k++) {
		uint64_t word = st->words[i + k];

		begin_line(st, i + k);
		if (!k)
			fprintf(st->out, " pid %" PRIu32 ", %" PRIu32 " MHz", (uint32_t)word,
				(uint32_t)(word >> 32));
		else
			fputs(what[k], st->out);
		if (k == 1 && word)
			fputs(" (not 0)", st->out);
		if (k >= 2) {
			fputs(" \"", st->out);
			kp_print_plain(st->out, (const char *)&st->words[i + k],
				       strnlen((const char *)&st->words[i + k], 8));
			putc('"', st->out);
		}
		putc('\n', st->out);
	}
}

static void put_pairs(const struct state *st)
{
	static const char *const what[] = {
		" start: count ", " start: ", " stop: count ", " stop: ",
		" reserved", " reserved",
	};

	for (size_t k = 0; k < 6 && 2 + k < st->word_count; k++) {
		uint64_t word = st->words[2 + k];

		begin_line(st, 2 + k);
		fputs(what[k], st->out);
		if (k == 1 || k == 3)
			put_usec(st, word);
		else if (k < 4)
			fprintf(st->out, "%" PRIu64, word);
		else if (word)
			fputs(" (not 0)", st->out);
		putc('\n', st->out);
	}
}

static size_t put_head(const struct state *st)
{
	uint64_t word = st->words[0];

	if (st->word_count < 2)
		return st->word_count;
	fprintf(st->out, "block %" PRIu64 ", CPU %u\n", st->number, (unsigned int)(word >> 56));
	begin_line(st, 0);
	fprintf(st->out, " CPU %u, count %" PRIu64, (unsigned int)(word >> 56),
		(uint64_t)(word & 0xFFFFFFFFFFFFFFull));
	put_time(st, word & 0xFFFFFFFFFFFFFFull);
	putc('\n', st->out);
	word = st->words[1];
	begin_line(st, 1);
	put_flags(st, (uint8_t)(word >> 56));
	put_usec(st, word & 0xFFFFFFFFFFFFFFull);
	putc('\n', st->out);
	if (st->number) {
		put_process(st, 2);
		return KUTRACE_FIRST_WORD;
	}
	put_pairs(st);
	if (st->word_count > 8)
		put_process(st, 8);
	return KUTRACE_FIRST_WORD0;
}

/* Sets st->count to the entry's full count. Returns " late" if it decreases, otherwise "". */
static const char *expand(struct state *st, uint64_t word)
{
	uint64_t before = st->count;

	if (ku_entry_event(word) == KUTRACE_TSDELTA) {
		st->count = ku_tsdelta_count(before, word);
		return "";
	}
	st->count = ku_entry_count(before, word);
	return st->count < before ? " late" : "";
}

static void put_event(struct state *st, size_t i)
{
	const uint64_t word = st->words[i];
	struct kp_event event = { .event = ku_entry_event(word), .arg0 = (uint32_t)word };
	uint32_t delta = ku_entry_delta(word);

	if (event.event >= KUTRACE_CALL_TRAP) {
		event.arg0 &= KUTRACE_ARG0_MASK;
		fprintf(st->out, " %s %03" PRIx32,
			event.event & KUTRACE_RETURN_BIT ? "return" : "call", event.event);
	} else {
		fprintf(st->out, " event %03" PRIx32, event.event);
	}
	if (ku_event_is_disk(event.event))
		kp_event_names_disk(&st->names, &event, &st->words[i + 1]);
	else if (ku_event_is_timer(event.event))
		kp_event_names_timer(&st->names, &event, &st->words[i + 1]);
	kp_event_names_fill(&st->names, &event);
	putc(' ', st->out);
	kp_print_plain(st->out, event.name, event.name_len);
	if (event.event == KUTRACE_TSDELTA)
		fprintf(st->out, " %+" PRId64 " counts", ku_tsdelta_step(ku_entry_arg(word)));
	else if (event.event < KUTRACE_CALL_TRAP)
		fprintf(st->out, " arg %" PRIu32 " (%08" PRIx32 ")", (uint32_t)word,
			(uint32_t)word);
	else if (event.event & KUTRACE_RETURN_BIT)
		fprintf(st->out, " value %" PRId16, (int16_t)event.arg0);
	else
		fprintf(st->out, " arg0 %" PRIu32, event.arg0);
	if (event.event >= KUTRACE_CALL_TRAP && delta)
		fprintf(st->out, ", returns %" PRId8 " after %" PRIu32 " counts",
			(int8_t)ku_entry_retval(word), delta);
}

static void put_point(struct state *st, size_t i, size_t count)
{
	struct kp_event event = { .event = KUTRACE_NAME_TPOINT,
				  .arg0 = (uint16_t)st->words[i] };

	kp_event_names_point(&st->names, &event, &st->words[i + 1], count);
	fprintf(st->out, " point %" PRIu32 " ", event.arg0);
	kp_print_plain(st->out, event.name, event.name_len);
}

/* Prints the entry at @i. All of its @words words must be in the block. */
static void put_entry(struct state *st, size_t i, size_t words)
{
	uint64_t word = st->words[i];
	uint32_t event = ku_entry_event(word);
	const char *text = (const char *)&st->words[i + 1];
	const char *late = expand(st, word);

	if (ku_event_is_name(event) && !ku_event_is_tpoint(event))
		kp_event_names_set(&st->names, event, (uint32_t)word, text,
				   strnlen(text, 8 * (words - 1)));
	if (!st->show)
		return;
	begin_line(st, i);
	put_time(st, st->count);
	fputs(late, st->out);
	if (ku_event_is_tpoint(event)) {
		put_point(st, i, words - 1);
	} else if (ku_event_is_name(event)) {
		fprintf(st->out, " name %03" PRIx32 " of %" PRIu32 ": \"", KU_NAME_BASE(event),
			(uint32_t)word);
		kp_print_plain(st->out, text, strnlen(text, 8 * (words - 1)));
		putc('"', st->out);
	} else if (ku_event_is_pc(event)) {
		fprintf(st->out, " event %03" PRIx32 " PC sample, %" PRIu32 " MHz, address %016" PRIx64,
			event, (uint32_t)word, st->words[i + 1]);
	} else {
		put_event(st, i);
	}
	put_ipc(st, i);
	putc('\n', st->out);
	for (size_t k = 1; k < words; k++) {
		begin_line(st, i + k);
		fputs(ku_event_is_pc(event) ? " its address\n" :
		      ku_event_is_tpoint(event) ? " its payload\n" :
		      ku_event_is_disk(event) ? " its request\n" :
		      ku_event_is_timer(event) ? " its times\n" : " its text\n", st->out);
	}
}

static void put_entries(struct state *st, size_t i)
{
	size_t zeros = 0;

	while (i < st->word_count) {
		uint64_t word = st->words[i];
		size_t words;

		if (!word) {
			for (zeros = 1; i + zeros < st->word_count && !st->words[i + zeros]; )
				zeros++;
			if (st->show)
				fprintf(st->out, "%6zu  %016d  nothing, %zu word%s\n", i, 0, zeros,
					zeros > 1 ? "s" : "");
			i += zeros;
			continue;
		}
		if (word == UINT64_MAX) {
			if (st->show) {
				begin_line(st, i);
				fprintf(st->out, " end of the block; %zu words after it\n",
					st->word_count - i - 1);
			}
			return;
		}
		words = ku_event_words(ku_entry_event(word));
		if (words && words <= st->word_count - i) {
			put_entry(st, i, words);
			i += words;
			continue;
		}
		if (st->show) {
			begin_line(st, i);
			fprintf(st->out, " event %03" PRIx32 ", arg %08" PRIx32 ": %s\n",
				ku_entry_event(word), (uint32_t)word,
				words ? "runs over the end of the block" : "no such entry");
		}
		i++;
	}
}

static void dump_block(struct state *st)
{
	size_t i;

	memcpy(st->words, st->bytes, 8 * st->word_count);
	st->count = st->word_count ? st->words[0] & 0xFFFFFFFFFFFFFFull : 0;
	if (!st->number && st->word_count > 5) {
		st->start_count = st->words[2];
		st->start_usec = st->words[3];
		st->stop_count = st->words[4];
		st->stop_usec = st->words[5];
	}
	i = st->show ? put_head(st) : st->number ? KUTRACE_FIRST_WORD : KUTRACE_FIRST_WORD0;
	put_entries(st, i);
	st->dump->shown_any |= st->show;
}

/* Reads one block, and its counter bits if its flags announce them. Returns the number of bytes. */
static size_t read_block(struct state *st, FILE *in)
{
	size_t n = fread(st->bytes, 1, KUTRACE_BLOCK_BYTES, in);

	st->has_ipc = false;
	if (n < KUTRACE_BLOCK_BYTES)
		return n;
	/* byte 7 of word 1: the flags */
	if (st->bytes[15] & (KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC)) {
		size_t more = fread(st->bytes + n, 1, KUTRACE_IPC_BYTES, in);

		st->has_ipc = more == KUTRACE_IPC_BYTES;
		n += more;
	}
	st->read += n;
	kp_progress(st->read, st->total);
	return n;
}

static size_t whole(const struct state *st)
{
	return KUTRACE_BLOCK_BYTES + (st->bytes[15] & (KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC) ?
				      KUTRACE_IPC_BYTES : 0);
}

static int dump_all(struct state *st, FILE *in)
{
	for (st->number = 0; st->number <= st->dump->last; st->number++) {
		size_t n = read_block(st, in);

		if (ferror(in) || kp_interrupted()) {
			snprintf(st->dump->message, sizeof(st->dump->message), "%s",
				 kp_interrupted() ? "interrupted" : strerror(errno));
			return -1;
		}
		if (!n)
			break;
		st->show = st->number >= st->dump->first;
		st->word_count = (n < KUTRACE_BLOCK_BYTES ? n : KUTRACE_BLOCK_BYTES) / 8;
		dump_block(st);
		if (n < KUTRACE_BLOCK_BYTES || n < whole(st)) {
			st->dump->rest_bytes = n;
			break;
		}
		st->dump->blocks++;
		if (ferror(st->out))
			break;
	}
	return 0;
}

int kp_dump(struct kp_dump *dump, FILE *in, FILE *out)
{
	struct state *st = calloc(1, sizeof(*st));
	struct stat info;
	int status;

	if (!st) {
		snprintf(dump->message, sizeof(dump->message), "no memory");
		return -1;
	}
	st->dump = dump;
	st->out = out;
	if (!fstat(fileno(in), &info) && S_ISREG(info.st_mode))
		st->total = (uint64_t)info.st_size;
	status = dump_all(st, in);
	kp_event_names_free(&st->names);
	free(st);
	return status;
}
