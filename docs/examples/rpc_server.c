// SPDX-License-Identifier: BSD-3-Clause
/*
 * An RPC server that records which request it works on. The RPC rows of the page
 * show each request from its arrival to its answer, through queue and worker thread.
 * One thread receives requests and puts them onto a queue, another takes them off,
 * works and answers. The client is the parent process, over a socketpair.
 *
 *	cc rpc_server.c -o rpc_server -lpthread $(pkg-config --cflags --libs libkutrace)
 *	kutrace_control run -o rpc.trace -- ./rpc_server
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <libkutrace.h>

enum method { SQUARE, SLEEP, METHODS };
static const char *const method_names[METHODS] = {"square", "sleep"};

struct message {
	uint32_t id;		/* of the RPC; in request and answer */
	uint32_t method;
	int64_t value;
};

/* --- server -------------------------------------------------------------------- */

#define WORK_QUEUE	1	/* its number in the recording */
#define QUEUE_ROOM	16

static struct message queue[QUEUE_ROOM];
static unsigned int queue_in, queue_out;
static pthread_mutex_t queue_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_changed = PTHREAD_COND_INITIALIZER;
static int server_socket;

static void put(const struct message *message)
{
	pthread_mutex_lock(&queue_mutex);
	while (queue_in - queue_out == QUEUE_ROOM)
		pthread_cond_wait(&queue_changed, &queue_mutex);
	queue[queue_in++ % QUEUE_ROOM] = *message;
	kutrace_enqueue(WORK_QUEUE);
	pthread_cond_broadcast(&queue_changed);
	pthread_mutex_unlock(&queue_mutex);
}

static struct message take(void)
{
	struct message message;

	pthread_mutex_lock(&queue_mutex);
	while (queue_in == queue_out)
		pthread_cond_wait(&queue_changed, &queue_mutex);
	message = queue[queue_out++ % QUEUE_ROOM];
	/* from here on this thread works on it; then off the queue, as that RPC */
	if (message.id)
		kutrace_rpc_middle(message.id, NULL);
	kutrace_dequeue(WORK_QUEUE);
	pthread_cond_broadcast(&queue_changed);
	pthread_mutex_unlock(&queue_mutex);
	return message;
}

static void *worker(void *unused)
{
	struct timespec pause = {0, 2000000};
	struct message message;

	(void)unused;
	while ((message = take()).id) {
		if (message.method == SLEEP)
			nanosleep(&pause, NULL);
		else
			message.value *= message.value;
		kutrace_rpc_response(message.id, method_names[message.method]);
		if (write(server_socket, &message, sizeof(message)) != sizeof(message))
			break;
		kutrace_rpc_end();
	}
	return NULL;
}

static int serve(void)
{
	struct message message;
	pthread_t thread;

	kutrace_name_queue(WORK_QUEUE, "work");
	if (pthread_create(&thread, NULL, worker, NULL))
		return 1;
	while (read(server_socket, &message, sizeof(message)) == sizeof(message)) {
		kutrace_rpc_request(message.id, method_names[message.method % METHODS]);
		message.method %= METHODS;
		put(&message);
		kutrace_rpc_end();
	}
	message.id = 0;
	put(&message);
	pthread_join(thread, NULL);
	return 0;
}

/* --- client -------------------------------------------------------------------- */

#define REQUESTS 13

int main(void)
{
	struct message message;
	int pair[2], status, failed = 0;
	int64_t sum = 0;
	uint32_t i;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return 1;
	switch (fork()) {
	case -1:
		return 1;
	case 0:
		close(pair[0]);
		server_socket = pair[1];
		_exit(serve());
	}
	close(pair[1]);
	for (i = 1; i <= REQUESTS; i++) {
		message = (struct message){.id = i, .method = i % METHODS, .value = i};
		if (write(pair[0], &message, sizeof(message)) != sizeof(message))
			failed = 1;
	}
	for (i = 1; i <= REQUESTS && !failed; i++) {
		if (read(pair[0], &message, sizeof(message)) != sizeof(message))
			failed = 1;
		sum += message.value;
	}
	close(pair[0]);
	wait(&status);
	printf("%lld\n", (long long)sum);
	return failed || status;
}
