// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sends the traces of a stream to a receiver that acknowledges the bytes on its disk, one trace
 * after the other when they rotate. Bytes stay in a window until they are acknowledged, so a new
 * connection can continue where the receiver is (protocol.h). If the window is full, the writer
 * waits, and new events stay in the recording's buffer.
 *
 * Must not treat a byte as acknowledged that the receiver did not acknowledge, and must not report
 * a block as sent before.
 */
#include "cli/shared/send.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/signals.h"
#include "cli/shared/protocol.h"
#include "common/utf8.h"

#define WINDOW_BYTES	(8u << 20)	/* size of the window: bytes not yet acknowledged */
#define POLL_MS		100
#define FIRST_WAIT_MS	100	/* after a lost connection; doubles with each attempt */
#define LONGEST_WAIT_MS	5000
#define WAIT_MS		20

enum arrival { ON_ITS_WAY, ARRIVED, GIVEN_UP };

struct cmd_carrier {
	struct cmd_route route;
	pthread_t thread;
	int in, in_write;	/* the pipe with the trace */
	bool in_ended;
	uint64_t total;		/* size of the trace; set with in_ended */
	uint64_t total_said;	/* size passed to cmd_carry_end() */
	/* byte n of the trace is window[n % WINDOW_BYTES], from kept to have */
	char *window;
	uint64_t kept, sent, have;
	struct cmd_link link;
	bool greeted;		/* the receiver has answered on this connection */
	bool said_end;		/* the end has been sent on this connection */
	int64_t heard_ms, retry_ms, wait_ms;	/* the first two by cmd_now_ms() */
	char out[CMD_WIRE_FRAME + CMD_WIRE_LINE];
	size_t out_from, out_to;
	char line[CMD_WIRE_LINE];
	size_t line_bytes;
	char trouble[CMD_WIRE_LINE];	/* last message; empty: no problem */
	enum arrival state;
	bool stop;
	char name[CMD_WIRE_NAME];
};

static const char *where(const struct cmd_carrier *c)
{
	return c->route.through ? c->route.through : c->route.connect;
}

/* Prints a message once, however often the attempt fails. */
static void __attribute__((format(printf, 2, 3)))
say_trouble(struct cmd_carrier *c, const char *fmt, ...)
{
	char text[CMD_WIRE_LINE];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (!strcmp(text, c->trouble))
		return;
	memcpy(c->trouble, text, sizeof(text));
	fprintf(stderr, CMD_TOOL ": stream: %s: %s\n", where(c), text);
}

static void break_link(struct cmd_carrier *c)
{
	cmd_link_close(&c->link, false);
	c->wait_ms = c->wait_ms ? c->wait_ms * 2 : FIRST_WAIT_MS;
	if (c->wait_ms > LONGEST_WAIT_MS)
		c->wait_ms = LONGEST_WAIT_MS;
	c->retry_ms = cmd_now_ms() + c->wait_ms;
}

static void give_up(struct cmd_carrier *c)
{
	cmd_link_close(&c->link, false);
	__atomic_store_n(&c->state, GIVEN_UP, __ATOMIC_RELEASE);
}

static void open_link(struct cmd_carrier *c)
{
	char text[200];
	int ret = cmd_link_open(&c->link, &c->route);

	if (ret) {
		say_trouble(c, "%s: trying again", ret == -ENXIO ? "no such host" :
			    kutrace_explain(ret, text, sizeof(text)));
		break_link(c);
		return;
	}
	c->greeted = c->said_end = false;
	c->heard_ms = cmd_now_ms();
	c->line_bytes = 0;
	c->out_from = 0;
	c->out_to = (size_t)snprintf(c->out, sizeof(c->out), CMD_WIRE_HELLO "%s %llu\n", c->name,
				     (unsigned long long)c->kept);
}

/* --- lines of the receiver --------------------------------------------------------- */

static void has_kept(struct cmd_carrier *c, uint64_t kept)
{
	if (kept < c->kept || kept > c->have || (!c->greeted && kept != c->kept)) {
		say_trouble(c, "the receiver acknowledged %llu bytes, which is impossible: "
			    "trying again", (unsigned long long)kept);
		break_link(c);
		return;
	}
	if (!c->greeted)
		c->sent = kept;
	c->greeted = true;
	if (kept > c->kept) {
		if (c->trouble[0])
			fprintf(stderr, CMD_TOOL ": stream: %s: goes on\n", where(c));
		c->trouble[0] = '\0';
		c->wait_ms = 0;
	}
	__atomic_store_n(&c->kept, kept, __ATOMIC_RELEASE);
}

static void is_whole(struct cmd_carrier *c, uint64_t total)
{
	if (!c->in_ended || total != c->total) {
		say_trouble(c, "the receiver has another trace with this name");
		give_up(c);
		return;
	}
	__atomic_store_n(&c->kept, total, __ATOMIC_RELEASE);
	cmd_link_close(&c->link, true);
	__atomic_store_n(&c->state, ARRIVED, __ATOMIC_RELEASE);
}

static void take_line(struct cmd_carrier *c)
{
	unsigned long long n;
	char more;

	c->heard_ms = cmd_now_ms();
	if (sscanf(c->line, "kept %llu%c", &n, &more) == 1) {
		has_kept(c, n);
	} else if (sscanf(c->line, "whole %llu%c", &n, &more) == 1) {
		is_whole(c, n);
	} else if (sscanf(c->line, "gone %llu%c", &n, &more) == 1) {
		say_trouble(c, "the receiver has only %llu of %llu acknowledged bytes", n,
			    (unsigned long long)c->kept);
		give_up(c);
	} else {
		ku_utf8_clean(c->line);		/* the message may go to a terminal */
		say_trouble(c, "the receiver: %s: trying again", c->line);
		break_link(c);
	}
}

static void hear(struct cmd_carrier *c)
{
	char bytes[CMD_WIRE_LINE];
	ssize_t n = recv(c->link.fd, bytes, sizeof(bytes), MSG_DONTWAIT), i;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		say_trouble(c, "the connection is broken: trying again");
		break_link(c);
		return;
	}
	for (i = 0; i < n && c->link.fd >= 0; i++) {
		if (bytes[i] != '\n' && c->line_bytes < sizeof(c->line) - 1) {
			c->line[c->line_bytes++] = bytes[i];
			continue;
		}
		c->line[c->line_bytes] = '\0';
		c->line_bytes = 0;
		take_line(c);
	}
}

/* --- lines to the receiver --------------------------------------------------------- */

static uint64_t end_of(const struct cmd_carrier *c)
{
	return c->in_ended && c->total < c->have ? c->total : c->have;
}

/* Fills the send queue with the next line or bytes. Returns false if there is nothing to send. */
static bool fill_out(struct cmd_carrier *c)
{
	uint64_t left = end_of(c) - c->sent, at = c->sent % WINDOW_BYTES;
	int head;

	if (c->out_from < c->out_to)
		return true;
	if (!c->greeted)
		return false;
	c->out_from = c->out_to = 0;
	if (c->sent < end_of(c)) {
		left = left < CMD_WIRE_FRAME ? left : CMD_WIRE_FRAME;
		left = left < WINDOW_BYTES - at ? left : WINDOW_BYTES - at;
		head = snprintf(c->out, CMD_WIRE_LINE, "%llu\n", (unsigned long long)left);
		memcpy(c->out + head, c->window + at, left);
		c->out_to = (size_t)head + left;
		c->sent += left;
	} else if (c->in_ended && !c->said_end) {
		c->out_to = (size_t)snprintf(c->out, CMD_WIRE_LINE, "end %llu\n",
					     (unsigned long long)c->total);
		c->said_end = true;
	}
	return c->out_to > 0;
}

static void say(struct cmd_carrier *c)
{
	ssize_t n = send(c->link.fd, c->out + c->out_from, c->out_to - c->out_from,
			 MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n > 0) {
		c->out_from += (size_t)n;
	} else if (errno != EAGAIN && errno != EINTR) {
		/* the receiver may have sent the cause */
		hear(c);
		if (c->link.fd >= 0) {
			say_trouble(c, "the connection is broken: trying again");
			break_link(c);
		}
	}
}

/* --- the trace ----------------------------------------------------------------------- */

static void take_in(struct cmd_carrier *c)
{
	uint64_t at = c->have % WINDOW_BYTES, room = WINDOW_BYTES - (c->have - c->kept);
	ssize_t n;

	room = room < WINDOW_BYTES - at ? room : WINDOW_BYTES - at;
	n = read(c->in, c->window + at, room);
	if (n > 0) {
		c->have += (uint64_t)n;
	} else if (n == 0) {
		/* pairs with the store before the pipe is closed */
		c->total = __atomic_load_n(&c->total_said, __ATOMIC_ACQUIRE);
		c->in_ended = true;
	}
}

static void *carry(void *arg)
{
	struct cmd_carrier *c = arg;

	while (c->state == ON_ITS_WAY && !__atomic_load_n(&c->stop, __ATOMIC_ACQUIRE)) {
		bool room = !c->in_ended && c->have - c->kept < WINDOW_BYTES;
		struct pollfd fds[2] = {{.fd = room ? c->in : -1, .events = POLLIN}};

		/* connect only when there is something to send */
		if (c->link.fd < 0 && (c->have || c->in_ended) && cmd_now_ms() >= c->retry_ms)
			open_link(c);
		fds[1].fd = c->link.fd;
		fds[1].events = c->link.fd >= 0 && fill_out(c) ? POLLIN | POLLOUT : POLLIN;
		if (poll(fds, 2, POLL_MS) < 0)
			continue;
		if (fds[0].revents)
			take_in(c);
		if (c->link.fd >= 0 && fds[1].revents & (POLLIN | POLLERR | POLLHUP))
			hear(c);
		if (c->link.fd >= 0 && fds[1].revents & POLLOUT)
			say(c);
		if (c->link.fd >= 0 && c->greeted && c->kept == c->sent && !c->said_end)
			c->heard_ms = cmd_now_ms();
		if (c->link.fd >= 0 && cmd_now_ms() - c->heard_ms > c->route.patience_s * 1000LL) {
			say_trouble(c, "no answer for %u s: trying again", c->route.patience_s);
			break_link(c);
		}
	}
	cmd_link_close(&c->link, false);
	return NULL;
}

/* Makes the name HOST-20261123T161048Z- and 64 random bits, so that it is unique. */
static void make_name(char *name, size_t size)
{
	char host[65] = "", when[32] = "";
	unsigned char random[8] = {0};
	time_t now = time(NULL);
	struct tm utc;
	size_t i;

	gethostname(host, sizeof(host) - 1);
	for (i = 0; host[i]; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_",
			    host[i]) && (!i || host[i] != '.'))
			host[i] = '_';
	if (gmtime_r(&now, &utc))
		strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", &utc);
	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		memcpy(random, &(int64_t){cmd_now_ms() * 1000003 + getpid()}, sizeof(random));
	snprintf(name, size, "%s-%s-%02x%02x%02x%02x%02x%02x%02x%02x", host[0] ? host : "host",
		 when, random[0], random[1], random[2], random[3], random[4], random[5], random[6],
		 random[7]);
}

/*
 * Begins the next trace. *@fd is the descriptor for its bytes. Returns NULL if there is no memory
 * or no thread.
 */
static struct cmd_carrier *cmd_carry_begin(const struct cmd_route *route, int *fd)
{
	struct cmd_carrier *c = calloc(1, sizeof(*c));
	int ends[2] = {-1, -1};

	if (!c)
		return NULL;
	c->route = *route;
	c->link.fd = -1;
	c->window = malloc(WINDOW_BYTES);
	make_name(c->name, sizeof(c->name));
	if (c->window && !pipe2(ends, O_CLOEXEC)) {
		fcntl(ends[1], F_SETFL, O_NONBLOCK);
		c->in = ends[0];
		c->in_write = *fd = ends[1];
		if (!pthread_create(&c->thread, NULL, carry, c))
			return c;
		close(ends[0]);
		close(ends[1]);
	}
	free(c->window);
	free(c);
	return NULL;
}

/* Ends the trace, which has @total bytes, and closes its descriptor. */
static void cmd_carry_end(struct cmd_carrier *c, uint64_t total)
{
	/* before the pipe is closed: its end makes the thread read this */
	__atomic_store_n(&c->total_said, total, __ATOMIC_RELEASE);
	close(c->in_write);
	c->in_write = -1;
}

static enum arrival cmd_carry_state(const struct cmd_carrier *c)
{
	return __atomic_load_n(&c->state, __ATOMIC_ACQUIRE);
}

/* Returns the number of acknowledged bytes. */
static uint64_t cmd_carry_kept(const struct cmd_carrier *c)
{
	return __atomic_load_n(&c->kept, __ATOMIC_ACQUIRE);
}

/* Stops sending in any state, and frees @c. */
static void cmd_carry_free(struct cmd_carrier *c)
{
	__atomic_store_n(&c->stop, true, __ATOMIC_RELEASE);
	pthread_join(c->thread, NULL);
	if (c->in_write >= 0)
		close(c->in_write);
	close(c->in);
	free(c->window);
	free(c);
}

/* --- rotation ---------------------------------------------------------------------- */

bool cmd_parse_rotation(struct cmd_rotation *r, const char *text)
{
	static const char units[] = "smh";
	static const uint32_t seconds[] = {1, 60, 3600};
	const char *unit;
	char *rest;
	uint64_t n = strtoull(text, &rest, 10);

	*r = (struct cmd_rotation){0};
	if (rest == text || *text == '-' || !n || n > 1000000)
		return false;
	if (!*rest) {
		r->bytes = n << 20;
		return true;
	}
	unit = strchr(units, *rest);
	if (!unit || rest[1])
		return false;
	r->seconds = (uint32_t)n * seconds[unit - units];
	return n <= 86400;
}

bool cmd_rotates(const struct cmd_rotation *r)
{
	return r->bytes || r->seconds;
}

bool cmd_rotation_due(const struct cmd_rotation *r, uint64_t bytes, int64_t begun_ms)
{
	return bytes && ((r->bytes && bytes >= r->bytes) ||
			 (r->seconds && cmd_now_ms() - begun_ms >= r->seconds * 1000LL));
}

/* --- the queue --------------------------------------------------------------------- */

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
	if (c->before && cmd_carry_state(c->before) == ARRIVED)
		put_away_before(c);
	if ((c->before && cmd_carry_state(c->before) == GIVEN_UP) ||
	    (c->now && cmd_carry_state(c->now) == GIVEN_UP))
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
	return !c || cmd_carry_state(c) != ON_ITS_WAY;
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
	arrived = (!c->now || cmd_carry_state(c->now) == ARRIVED) &&
		  (!c->before || cmd_carry_state(c->before) == ARRIVED);
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
