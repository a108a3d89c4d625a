// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control show: prints the events in the buffer, one per line, also while recording goes
 * on.
 *
 *	23:10:04.123456789  0  1234 bash             getpid(0) = 1234, 130 ns
 *
 * The columns are local time, CPU, task and event. Must not stop the recording, and must report
 * blocks that were overwritten before they could be printed.
 */
#include <time.h>
#include <unistd.h>

#include "cli/base/base.h"
#include "cli/command/commands.h"

#define FOLLOW_MS	200
#define LAST_MAX	1000000

struct showing {
	bool follow;
	/* number of the newest present events to print; 0: all */
	uint32_t last;
	struct kutrace_seen *ring;	/* the last events, until they are printed */
	uint64_t count;			/* number of events that were put into ring */
	time_t second;			/* the second for which text is valid */
	char text[16];
};

static void print(struct showing *s, const struct kutrace_seen *record)
{
	time_t second = (time_t)(record->real_ns / 1000000000);
	char process[64], event[600];
	struct tm tm;

	if (second != s->second || !s->text[0]) {
		s->second = second;
		if (!localtime_r(&second, &tm) ||
		    !strftime(s->text, sizeof(s->text), "%H:%M:%S", &tm))
			strcpy(s->text, "??:??:??");
	}
	printf("%s.%09llu %2u %6u %-16s %s\n", s->text,
	       (unsigned long long)(record->real_ns % 1000000000), record->cpu, record->pid,
	       kutrace_seen_process(record, process, sizeof(process)),
	       kutrace_seen_text(record, event, sizeof(event)));
}

static int on_event(void *arg, const struct kutrace_seen *record)
{
	struct showing *s = arg;

	if (cmd_interrupted() || ferror(stdout))
		return -ECANCELED;
	if (s->ring)
		s->ring[s->count++ % s->last] = *record;
	else
		print(s, record);
	return 0;
}

/*
 * Prints the retained events when all present events have been read. Returns the milliseconds to
 * wait for more, or 0 to end.
 */
static int on_end(void *arg, int recording)
{
	struct showing *s = arg;

	if (s->ring) {
		for (uint64_t i = s->count > s->last ? s->count - s->last : 0; i < s->count; i++)
			print(s, &s->ring[i % s->last]);
		free(s->ring);
		s->ring = NULL;
	}
	if (fflush(stdout))
		return -ECANCELED;
	if (cmd_interrupted())
		return -ECANCELED;
	return s->follow && recording ? FOLLOW_MS : 0;
}

static int show(struct showing *s)
{
	struct kutrace_read_options options = {.event = on_event, .more = on_end, .arg = s};
	struct kutrace_read_result r = {0};
	int ret;

	if (s->last) {
		s->ring = malloc(s->last * sizeof(*s->ring));
		if (!s->ring)
			return cmd_error("show", -ENOMEM);
	}
	cmd_catch_signals();
	ret = kutrace_read(&options, &r);
	cmd_release_signals();
	free(s->ring);
	if (r.lost_blocks)
		fprintf(stderr, CMD_TOOL ": show: %llu blocks were overwritten before they could "
			"be shown\n", (unsigned long long)r.lost_blocks);
	if (r.bad_words)
		fprintf(stderr, CMD_TOOL ": show: %llu words are not events\n",
			(unsigned long long)r.bad_words);
	if (ret == -ECANCELED)	/* a signal, or a write error, which main() reports */
		return cmd_signal_status(CMD_OK);
	return ret ? cmd_error("show", ret) : CMD_OK;
}

int cmd_show(int argc, char **argv)
{
	struct showing s = {0};
	const struct cmd_option list[] = {
		{.name = "follow", .id = 'f', .flag = &s.follow},
		{.id = 'n', .wants = "a number", .number = &s.last, .min = 1, .max = LAST_MAX}, {0},
	};
	struct cmd_options o = {.what = "show", .list = list, .takes = "-f and -n N"};

	if (cmd_next_option(&o, argc, argv) == CMD_OPTION_STOP)
		return o.status;
	if (optind < argc)
		return cmd_usage_error("show: %s: takes -f and -n N", argv[optind]);
	return show(&s);
}
