/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses sessions by the library, much faster than a shell can, for the guest tests. Most commands
 * print a line "count WHAT NUMBER". Exit status 1 with a message when a call fails.
 *
 *	sessions gostop COUNT DIR	starts and stops the main session, every 100th time
 *					with a dump to DIR/N.trace
 *	sessions churn COUNT		creates sessions with different masks, records in
 *					them and destroys them, four at a time
 *	sessions snapshots COUNT DIR [SESSION]	writes snapshots to DIR/sN.trace
 *	sessions switches		switches every kind off and on while the main session
 *					records. Makes mark_d(1000 + kind) when the kind is
 *					off, 2000 + kind before it is on, 3000 + kind later
 *	sessions clean			waits, at most CLEAN_MS, until there is only the main
 *					session and a recording can begin; prints the time
 *	sessions kinds			prints event numbers with their kinds: "EVENT KIND NAME"
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"
#include "libkutrace.h"

#define PHASE_MS 25
/*
 * A session ends with its last descriptor. If kutrace_control run is killed directly after its
 * fork, its child has a descriptor until it executes the program. On a busy machine this takes a
 * while.
 */
#define CLEAN_MS 20000
#define CLEAN_STEP_MS 10

static int check(const char *what, long i, int ret)
{
	char text[200];

	if (ret >= 0)
		return ret;
	fprintf(stderr, "sessions: %s %ld: %s\n", what, i,
		kutrace_explain(ret, text, sizeof(text)));
	exit(1);
}

static void gostop(long count, const char *dir)
{
	char name[200];
	long i;

	for (i = 1; i <= count; i++) {
		check("go", i, i % 2 ? kutrace_go("gostop") : kutrace_gowrap("gostop"));
		if (i % 100) {
			check("off", i, kutrace_do_off());
			check("flush", i, kutrace_do_flush());
		} else {
			snprintf(name, sizeof(name), "%s/%ld.trace", dir, i);
			check("stop", i, kutrace_stop(name));
		}
	}
	printf("count gostop %ld\n", count);
}

struct held {
	struct kutrace_handle *handle;
	bool keep;
};

/*
 * Ends a session by its name or by its handle. If the session outlives its handle, ends it by its
 * name then.
 */
static void end_session(struct held *held, bool by_name, long i)
{
	char name[32];

	if (!held->handle)
		return;
	strcpy(name, kutrace_session_name(held->handle));
	if (by_name)
		check("destroy", i, kutrace_session_destroy(name));
	kutrace_session_close(held->handle);
	if (!by_name && held->keep)
		check("destroy kept", i, kutrace_session_destroy(name));
	held->handle = NULL;
}

/* Uses four sessions at a time: a new session replaces the oldest. */
static void churn(long count)
{
	struct held held[4] = {{0}};
	struct kutrace_info info;
	long i, used = 0;
	char name[32];

	for (i = 0; i < count; i++) {
		struct held *h = &held[i % 4];
		struct kutrace_session_options options = {
			.mb = 1, .keep = i % 3 == 0,
			.kinds = i % 5 ? KUTRACE_KINDS_ALL >> i % 7 : 0,
		};

		if (h->handle) {
			kutrace_session_use(h->handle);
			check("info", i, kutrace_get_info(&info));
			used += info.used_blocks > 0;
			if (i % 2)
				check("off", i, kutrace_do_off());
			end_session(h, i % 5 == 0, i);
		}
		snprintf(name, sizeof(name), "churn-%ld", i);
		h->keep = options.keep;
		check("create", i, kutrace_session_create(name, &options, &h->handle));
		kutrace_session_use(h->handle);
		check("go", i, i % 2 ? kutrace_go("churn") : kutrace_gowrap("churn"));
	}
	for (i = 0; i < 4; i++)
		end_session(&held[i], false, i);
	printf("count churn %ld\ncount used %ld\n", count, used);
}

static void snapshots(long count, const char *dir, const char *session)
{
	struct kutrace_handle *handle;
	struct kutrace_dump_result result;
	uint64_t overwritten = 0;
	char name[200];
	long i;

	check("open", 0, kutrace_session_open(session, &handle));
	kutrace_session_use(handle);
	for (i = 1; i <= count; i++) {
		snprintf(name, sizeof(name), "%s/s%ld.trace", dir, i);
		check("snapshot", i, kutrace_snapshot(name, NULL, &result));
		overwritten += result.overwritten_blocks;
	}
	kutrace_session_close(handle);
	printf("count snapshots %ld\ncount overwritten %llu\n", count,
	       (unsigned long long)overwritten);
}

static void switches(void)
{
	unsigned int kind;

	for (kind = 0; kind < KUTRACE_KINDS; kind++) {
		uint64_t bit = 1ULL << kind, kinds;

		if (bit & KUTRACE_KINDS_FIXED || kind == KUTRACE_KIND_MARKD)
			continue;
		check("off", kind, kutrace_mask(0, bit, &kinds));
		if (kinds & bit)
			check("off", kind, -22);
		kutrace_mark_d(1000 + kind);
		kutrace_msleep(PHASE_MS);
		kutrace_mark_d(2000 + kind);
		check("on", kind, kutrace_mask(bit, bit, &kinds));
		if (!(kinds & bit))
			check("on", kind, -22);
		kutrace_msleep(PHASE_MS);
		kutrace_mark_d(3000 + kind);
	}
	printf("count switches %u\n", kind);
}

/* Returns the number of sessions except the main session. Prints their names if @say is set. */
static int others(bool say)
{
	struct kutrace_session session;
	uint32_t id = 0;
	int count = 0;

	while (!kutrace_session_next(id, &session)) {
		id = session.id + 1;
		if (!strcmp(session.name, KUTRACE_SESSION_MAIN))
			continue;
		if (say)
			printf("left %s\n", session.name);
		count++;
	}
	return count;
}

static void clean(void)
{
	int ms, ret;

	for (ms = 0; others(false) && ms < CLEAN_MS; ms += CLEAN_STEP_MS)
		kutrace_msleep(CLEAN_STEP_MS);
	while ((ret = kutrace_go("clean")) == -EBUSY && ms < CLEAN_MS) {
		kutrace_msleep(CLEAN_STEP_MS);
		ms += CLEAN_STEP_MS;
	}
	check("go", 0, ret);
	check("off", 0, kutrace_do_off());
	printf("count waited_ms %d\n", ms);
	if (others(true))
		exit(2);
}

int main(int argc, char **argv)
{
	unsigned int event;

	if (argc == 4 && !strcmp(argv[1], "gostop"))
		gostop(atol(argv[2]), argv[3]);
	else if (argc == 3 && !strcmp(argv[1], "churn"))
		churn(atol(argv[2]));
	else if ((argc == 4 || argc == 5) && !strcmp(argv[1], "snapshots"))
		snapshots(atol(argv[2]), argv[3], argc == 5 ? argv[4] : NULL);
	else if (argc == 2 && !strcmp(argv[1], "switches"))
		switches();
	else if (argc == 2 && !strcmp(argv[1], "clean"))
		clean();
	else if (argc == 2 && !strcmp(argv[1], "kinds"))
		for (event = 0; event < 4096; event++) {
			int kind = kutrace_event_kind(event);

			if (kind >= 0)
				printf("%u %d %s\n", event, kind,
				       kutrace_kind_name((unsigned int)kind));
		}
	else
		return 2;
	return 0;
}
