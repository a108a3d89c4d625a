// SPDX-License-Identifier: BSD-3-Clause
/*
 * The traces of a stream that are sent to a receiver, one after the other when they rotate, and
 * their blocks that have not arrived. Must not report a block as sent before the receiver has
 * acknowledged it.
 */
#include "cli/shared/carried.h"

#include <errno.h>
#include <string.h>

#include "cli/base/clock.h"
#include "cli/base/message.h"
#include "cli/base/signals.h"

#define WAIT_MS	20

static void forget_kept(struct cmd_carried *c)
{
	size_t from, to = 0;

	for (from = 0; from < c->nunkept; from++)
		if (c->unkept[from].end > cmd_carry_kept(c->unkept[from].in))
			c->unkept[to++] = c->unkept[from];
	c->nunkept = to;
}

/* The previous trace has ended, with or without success: frees it. */
static void put_away_before(struct cmd_carried *c)
{
	forget_kept(c);
	cmd_carry_free(c->before);
	c->before = NULL;
}

int cmd_carried_output(struct cmd_carried *c, uint64_t bytes, int *fd)
{
	if (cmd_interrupted())
		return -ECANCELED;
	if (c->before && cmd_carry_state(c->before) == CMD_ARRIVED)
		put_away_before(c);
	if ((c->before && cmd_carry_state(c->before) == CMD_GIVEN_UP) ||
	    (c->now && cmd_carry_state(c->now) == CMD_GIVEN_UP))
		return -EPIPE;
	/* the present trace grows until the previous one has arrived */
	if (c->now && (c->before || !cmd_rotation_due(&c->rotation, bytes, c->now_begun_ms)))
		return 0;
	if (c->now)
		cmd_carry_end(c->now, c->now_bytes);
	c->before = c->now;
	c->now_bytes = 0;
	c->now_begun_ms = cmd_now_ms();
	c->now = cmd_carry_begin(&c->route, fd);
	return c->now ? 1 : -ENOMEM;
}

void cmd_carried_sent(struct cmd_carried *c, uint64_t number, uint64_t bytes)
{
	c->now_bytes = bytes;
	if (c->nunkept == CMD_CARRIED_BLOCKS)
		forget_kept(c);
	if (c->nunkept < CMD_CARRIED_BLOCKS)
		c->unkept[c->nunkept++] = (struct cmd_unkept){c->now, number, bytes};
	else
		c->not_noted++;
}

static bool is_over(const struct cmd_carrier *c)
{
	return !c || cmd_carry_state(c) != CMD_ON_ITS_WAY;
}

static void wait_for(struct cmd_carried *c)
{
	int64_t until_ms = 0, now_ms;

	while (!is_over(c->now) || !is_over(c->before)) {
		now_ms = cmd_now_ms();
		if (cmd_interrupted() && !until_ms)
			until_ms = now_ms + c->route.patience_s * 1000LL;
		if (until_ms && now_ms > until_ms)
			break;
		kutrace_msleep(WAIT_MS);
	}
}

int cmd_carried_end(struct cmd_carried *c, struct kutrace_stream_state *state)
{
	uint64_t dropped = c->not_noted, missing;
	bool arrived;
	size_t i;

	if (c->now)
		cmd_carry_end(c->now, c->now_bytes);
	wait_for(c);
	arrived = (!c->now || cmd_carry_state(c->now) == CMD_ARRIVED) &&
		  (!c->before || cmd_carry_state(c->before) == CMD_ARRIVED);
	forget_kept(c);
	missing = c->nunkept + c->not_noted;
	for (i = 0; i < c->nunkept; i++)
		if (state->waiting < sizeof(state->number) / sizeof(state->number[0]))
			state->number[state->waiting++] = c->unkept[i].number;
		else
			dropped++;
	if (c->before)
		cmd_carry_free(c->before);
	if (c->now)
		cmd_carry_free(c->now);
	c->now = c->before = NULL;
	if (arrived)
		return CMD_OK;
	return cmd_fail("stream: the receiver has not acknowledged everything: it may lack "
			"%llu blocks%s", (unsigned long long)missing,
			dropped ? ", more than --state can list" : "");
}
