// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sends the traces of a stream to a receiver that acknowledges the bytes on its disk, one trace
 * after the other when they rotate. Bytes stay in a window until they are acknowledged, so a new
 * connection can continue at the receiver's offset (sending.h). If the window is full, the writer
 * waits, and new events stay in the recording's buffer.
 *
 * Must not treat a byte as acknowledged that the receiver did not acknowledge, and must not report
 * a block as sent before all its bytes are acknowledged.
 */
#include "cli/shared/sending.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/base.h"
#include "common/utf8.h"

#define WINDOW_BYTES	(8u << 20)	/* size of the window: bytes not yet acknowledged */
#define POLL_MS		100
#define FIRST_WAIT_MS	100	/* pause after a lost connection; doubles with each attempt */
#define LONGEST_WAIT_MS	5000
#define WAIT_MS		20

enum arrival { SENDING, ARRIVED, GIVEN_UP };

struct cmd_sender {
	struct cmd_receiver receiver;
	pthread_t thread;
	int in, in_write;	/* read end and write end of the pipe with the trace */
	bool in_ended;
	uint64_t total;		/* size of the trace; valid if in_ended is set */
	uint64_t announced_total;	/* size passed to sender_end() */
	/* byte n of the trace is window[n % WINDOW_BYTES], from acked to have */
	char *window;
	uint64_t acked, sent, have;
	struct cmd_connection connection;
	bool greeted;		/* the receiver has answered on this connection */
	bool end_sent;		/* the end has been sent on this connection */
	/* cmd_now_ms() of the last answer and of the next attempt; pause before an attempt */
	int64_t answered_ms, retry_ms, wait_ms;
	char out[CMD_PROTOCOL_FRAME + CMD_PROTOCOL_LINE];
	size_t out_from, out_to;
	char line[CMD_PROTOCOL_LINE];
	size_t line_bytes;
	char last_message[CMD_PROTOCOL_LINE];	/* last printed message; empty: no problem */
	enum arrival state;
	bool stop;
	char name[CMD_PROTOCOL_NAME];
};

static const char *receiver_name(const struct cmd_sender *c)
{
	return c->receiver.through ? c->receiver.through : c->receiver.connect;
}

static void retry_later(struct cmd_sender *c)
{
	cmd_connection_close(&c->connection, false);
	c->wait_ms = c->wait_ms ? c->wait_ms * 2 : FIRST_WAIT_MS;
	if (c->wait_ms > LONGEST_WAIT_MS)
		c->wait_ms = LONGEST_WAIT_MS;
	c->retry_ms = cmd_now_ms() + c->wait_ms;
}

static void give_up(struct cmd_sender *c)
{
	cmd_connection_close(&c->connection, false);
	__atomic_store_n(&c->state, GIVEN_UP, __ATOMIC_RELEASE);
}

/* Prints the message of a failed attempt, if it differs from the last one. Always calls @next. */
static void __attribute__((format(printf, 3, 4)))
on_failure(struct cmd_sender *c, void (*next)(struct cmd_sender *), const char *fmt, ...)
{
	char text[CMD_PROTOCOL_LINE];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (strcmp(text, c->last_message)) {
		memcpy(c->last_message, text, sizeof(text));
		fprintf(stderr, CMD_TOOL ": stream: %s: %s\n", receiver_name(c), text);
	}
	next(c);
}

static void open_connection(struct cmd_sender *c)
{
	char text[200];
	int ret = cmd_connection_open(&c->connection, &c->receiver);

	if (ret) {
		on_failure(c, retry_later, "%s: trying again", ret == -ENXIO ? "no such host" :
			   kutrace_explain(ret, text, sizeof(text)));
		return;
	}
	c->greeted = c->end_sent = false;
	c->answered_ms = cmd_now_ms();
	c->line_bytes = 0;
	c->out_from = 0;
	c->out_to = (size_t)snprintf(c->out, sizeof(c->out), CMD_PROTOCOL_HELLO "%s %llu\n", c->name,
				     (unsigned long long)c->acked);
}

/* --- lines of the receiver --------------------------------------------------------- */

static void on_acknowledged(struct cmd_sender *c, uint64_t acked)
{
	if (acked < c->acked || acked > c->have || (!c->greeted && acked != c->acked)) {
		on_failure(c, retry_later, "the receiver acknowledged %llu bytes, which is "
			   "impossible: trying again", (unsigned long long)acked);
		return;
	}
	if (!c->greeted)
		c->sent = acked;
	c->greeted = true;
	if (acked > c->acked) {
		if (c->last_message[0])
			fprintf(stderr, CMD_TOOL ": stream: %s: connected again\n", receiver_name(c));
		c->last_message[0] = '\0';
		c->wait_ms = 0;
	}
	__atomic_store_n(&c->acked, acked, __ATOMIC_RELEASE);
}

static void on_complete(struct cmd_sender *c, uint64_t total)
{
	if (!c->in_ended || total != c->total) {
		on_failure(c, give_up, "the receiver has another trace with this name");
		return;
	}
	__atomic_store_n(&c->acked, total, __ATOMIC_RELEASE);
	cmd_connection_close(&c->connection, true);
	__atomic_store_n(&c->state, ARRIVED, __ATOMIC_RELEASE);
}

static void handle_line(struct cmd_sender *c)
{
	unsigned long long n;
	char more;

	c->answered_ms = cmd_now_ms();
	if (sscanf(c->line, "kept %llu%c", &n, &more) == 1) {
		on_acknowledged(c, n);
	} else if (sscanf(c->line, "whole %llu%c", &n, &more) == 1) {
		on_complete(c, n);
	} else if (sscanf(c->line, "gone %llu%c", &n, &more) == 1) {
		on_failure(c, give_up, "the receiver has only %llu of %llu acknowledged bytes", n,
			   (unsigned long long)c->acked);
	} else {
		ku_utf8_clean(c->line);		/* the message may go to a terminal */
		on_failure(c, retry_later, "the receiver: %s: trying again", c->line);
	}
}

static void receive_lines(struct cmd_sender *c)
{
	char bytes[CMD_PROTOCOL_LINE];
	ssize_t n = recv(c->connection.fd, bytes, sizeof(bytes), MSG_DONTWAIT), i;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		on_failure(c, retry_later, "the connection is broken: trying again");
		return;
	}
	for (i = 0; i < n && c->connection.fd >= 0; i++) {
		if (bytes[i] != '\n' && c->line_bytes < sizeof(c->line) - 1) {
			c->line[c->line_bytes++] = bytes[i];
			continue;
		}
		c->line[c->line_bytes] = '\0';
		c->line_bytes = 0;
		handle_line(c);
	}
}

/* --- lines to the receiver --------------------------------------------------------- */

static uint64_t end_of(const struct cmd_sender *c)
{
	return c->in_ended && c->total < c->have ? c->total : c->have;
}

/* Fills the send queue with the next line or bytes. Returns false if there is nothing to send. */
static bool fill_out(struct cmd_sender *c)
{
	uint64_t left = end_of(c) - c->sent, at = c->sent % WINDOW_BYTES;
	int head;

	if (c->out_from < c->out_to)
		return true;
	if (!c->greeted)
		return false;
	c->out_from = c->out_to = 0;
	if (c->sent < end_of(c)) {
		left = left < CMD_PROTOCOL_FRAME ? left : CMD_PROTOCOL_FRAME;
		left = left < WINDOW_BYTES - at ? left : WINDOW_BYTES - at;
		head = snprintf(c->out, CMD_PROTOCOL_LINE, "%llu\n", (unsigned long long)left);
		memcpy(c->out + head, c->window + at, left);
		c->out_to = (size_t)head + left;
		c->sent += left;
	} else if (c->in_ended && !c->end_sent) {
		c->out_to = (size_t)snprintf(c->out, CMD_PROTOCOL_LINE, "end %llu\n",
					     (unsigned long long)c->total);
		c->end_sent = true;
	}
	return c->out_to > 0;
}

static void send_bytes(struct cmd_sender *c)
{
	ssize_t n = send(c->connection.fd, c->out + c->out_from, c->out_to - c->out_from,
			 MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n > 0) {
		c->out_from += (size_t)n;
	} else if (errno != EAGAIN && errno != EINTR) {
		/* the receiver may have sent the cause */
		receive_lines(c);
		if (c->connection.fd >= 0) {
			on_failure(c, retry_later, "the connection is broken: trying again");
		}
	}
}

/* --- the trace ----------------------------------------------------------------------- */

static void read_trace(struct cmd_sender *c)
{
	uint64_t at = c->have % WINDOW_BYTES, room = WINDOW_BYTES - (c->have - c->acked);
	ssize_t n;

	room = room < WINDOW_BYTES - at ? room : WINDOW_BYTES - at;
	n = read(c->in, c->window + at, room);
	if (n > 0) {
		c->have += (uint64_t)n;
	} else if (n == 0) {
		/* pairs with the store in sender_end() */
		c->total = __atomic_load_n(&c->announced_total, __ATOMIC_ACQUIRE);
		c->in_ended = true;
	}
}

static void *send_thread(void *arg)
{
	struct cmd_sender *c = arg;

	while (c->state == SENDING && !__atomic_load_n(&c->stop, __ATOMIC_ACQUIRE)) {
		bool room = !c->in_ended && c->have - c->acked < WINDOW_BYTES;
		struct pollfd fds[2] = {{.fd = room ? c->in : -1, .events = POLLIN}};

		/* connect only when there is something to send */
		if (c->connection.fd < 0 && (c->have || c->in_ended) && cmd_now_ms() >= c->retry_ms)
			open_connection(c);
		fds[1].fd = c->connection.fd;
		fds[1].events = c->connection.fd >= 0 && fill_out(c) ? POLLIN | POLLOUT : POLLIN;
		if (poll(fds, 2, POLL_MS) < 0)
			continue;
		if (fds[0].revents)
			read_trace(c);
		if (c->connection.fd >= 0 && fds[1].revents & (POLLIN | POLLERR | POLLHUP))
			receive_lines(c);
		if (c->connection.fd >= 0 && fds[1].revents & POLLOUT)
			send_bytes(c);
		if (c->connection.fd >= 0 && c->greeted && c->acked == c->sent && !c->end_sent)
			c->answered_ms = cmd_now_ms();
		if (c->connection.fd >= 0 &&
		    cmd_now_ms() - c->answered_ms > c->receiver.patience_s * 1000LL) {
			on_failure(c, retry_later, "no answer for %u s: trying again",
				   c->receiver.patience_s);
		}
	}
	cmd_connection_close(&c->connection, false);
	return NULL;
}

/* Makes the name HOST-20261123T161048Z- and 64 random bits, so that it is unique. */
static void make_name(char *name, size_t size)
{
	char host[65] = "", when[32] = "";
	unsigned long long random;
	time_t now = time(NULL);
	struct tm utc;

	gethostname(host, sizeof(host) - 1);
	for (size_t i = 0; host[i]; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_",
			    host[i]) && (!i || host[i] != '.'))
			host[i] = '_';
	if (gmtime_r(&now, &utc))
		strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", &utc);
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		random = (unsigned long long)(cmd_now_ms() * 1000003 + getpid());
	snprintf(name, size, "%s-%s-%016llx", host[0] ? host : "host", when, random);
}

/* Begins the next trace. *@fd: descriptor for its bytes. Returns NULL without memory or thread. */
static struct cmd_sender *sender_begin(const struct cmd_receiver *receiver, int *fd)
{
	struct cmd_sender *c = calloc(1, sizeof(*c));
	int ends[2] = {-1, -1};

	if (!c)
		return NULL;
	c->receiver = *receiver;
	c->connection.fd = -1;
	c->window = malloc(WINDOW_BYTES);
	make_name(c->name, sizeof(c->name));
	if (c->window && !pipe2(ends, O_CLOEXEC)) {
		fcntl(ends[1], F_SETFL, O_NONBLOCK);
		c->in = ends[0];
		c->in_write = *fd = ends[1];
		if (!pthread_create(&c->thread, NULL, send_thread, c))
			return c;
		close(ends[0]);
		close(ends[1]);
	}
	free(c->window);
	free(c);
	return NULL;
}

/* Ends the trace, which has @total bytes, and closes its descriptor. */
static void sender_end(struct cmd_sender *c, uint64_t total)
{
	/* Store the total before the pipe is closed: the thread reads it at the end of the pipe. */
	__atomic_store_n(&c->announced_total, total, __ATOMIC_RELEASE);
	close(c->in_write);
	c->in_write = -1;
}

static enum arrival sender_state(const struct cmd_sender *c)
{
	return __atomic_load_n(&c->state, __ATOMIC_ACQUIRE);
}

/* Stops sending in any state, and frees @c. */
static void sender_free(struct cmd_sender *c)
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

static void drop_acked(struct cmd_send_queue *c)
{
	size_t from, to = 0;

	for (from = 0; from < c->nunacked; from++)
		if (c->unacked[from].end > __atomic_load_n(&c->unacked[from].in->acked, __ATOMIC_ACQUIRE))
			c->unacked[to++] = c->unacked[from];
	c->nunacked = to;
}

int cmd_queue_output(struct cmd_send_queue *c, uint64_t bytes, int *fd)
{
	if (cmd_interrupted())
		return -ECANCELED;
	if (c->previous && sender_state(c->previous) == ARRIVED) {
		drop_acked(c);
		sender_free(c->previous);
		c->previous = NULL;
	}
	if ((c->previous && sender_state(c->previous) == GIVEN_UP) ||
	    (c->current && sender_state(c->current) == GIVEN_UP))
		return -EPIPE;
	/* the present trace grows until the previous one has arrived */
	if (c->current && (c->previous || !cmd_rotation_due(&c->rotation, bytes, c->current_begun_ms)))
		return 0;
	if (c->current)
		sender_end(c->current, c->current_bytes);
	c->previous = c->current;
	c->current_bytes = 0;
	c->current_begun_ms = cmd_now_ms();
	c->current = sender_begin(&c->receiver, fd);
	return c->current ? 1 : -ENOMEM;
}

void cmd_queue_sent(struct cmd_send_queue *c, uint64_t number, uint64_t bytes)
{
	c->current_bytes = bytes;
	if (c->nunacked == CMD_QUEUE_BLOCKS)
		drop_acked(c);
	if (c->nunacked < CMD_QUEUE_BLOCKS)
		c->unacked[c->nunacked++] = (struct cmd_unacked){c->current, number, bytes};
	else
		c->unlisted++;
}

static bool has_ended(const struct cmd_sender *c)
{
	return !c || sender_state(c) != SENDING;
}

static void wait_for_end(struct cmd_send_queue *c)
{
	int64_t until_ms = 0, now_ms;

	while (!has_ended(c->current) || !has_ended(c->previous)) {
		now_ms = cmd_now_ms();
		if (cmd_interrupted() && !until_ms)
			until_ms = now_ms + c->receiver.patience_s * 1000LL;
		if (until_ms && now_ms > until_ms)
			break;
		kutrace_msleep(WAIT_MS);
	}
}

int cmd_queue_end(struct cmd_send_queue *c, struct kutrace_stream_state *state)
{
	uint64_t dropped = c->unlisted, missing;
	bool arrived;

	if (c->current)
		sender_end(c->current, c->current_bytes);
	wait_for_end(c);
	arrived = (!c->current || sender_state(c->current) == ARRIVED) &&
		  (!c->previous || sender_state(c->previous) == ARRIVED);
	drop_acked(c);
	missing = c->nunacked + c->unlisted;
	for (size_t i = 0; i < c->nunacked; i++)
		if (state->waiting < sizeof(state->number) / sizeof(state->number[0]))
			state->number[state->waiting++] = c->unacked[i].number;
		else
			dropped++;
	if (c->previous)
		sender_free(c->previous);
	if (c->current)
		sender_free(c->current);
	c->current = c->previous = NULL;
	if (arrived)
		return CMD_OK;
	return cmd_fail("stream: the receiver has not acknowledged everything: it may lack "
			"%llu blocks%s", (unsigned long long)missing,
			dropped ? ", more than --state can list" : "");
}
