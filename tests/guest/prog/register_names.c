/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registers names of a lock, a queue, a resource, an RPC and a typed tracepoint, records an event
 * of each, prints a line, and waits until it is killed. For tests/guest/test_killed_names.sh.
 *
 *	register_names NUMBER	each name ends with NUMBER, which distinguishes two programs
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "libkutrace.h"
#include "kutrace_point.h"

KUTRACE_POINT(register_names, "said %u", (uint32_t, number));

int main(int argc, char **argv)
{
	static struct kutrace_lock lock = KUTRACE_LOCK_HERE;
	uint32_t number = argc == 2 ? (uint32_t)atoi(argv[1]) : 0;
	char queue[40], resource[40], method[40];
	int i;

	if (!number)
		return 2;
	snprintf(queue, sizeof(queue), "last_queue_%u", number);
	snprintf(resource, sizeof(resource), "last_resource_%u", number);
	snprintf(method, sizeof(method), "last_method_%u", number);
	kutrace_name_queue(number, queue);
	kutrace_name_resource(number, resource);
	/* The library checks only from time to time whether a recording is on. */
	for (i = 0; i < 20; i++) {
		kutrace_rpc_request(number, method);
		kutrace_enqueue(number);
		kutrace_dequeue(number);
		kutrace_resource(number);
		kutrace_lock_try(&lock);
		kutrace_lock_acquired(&lock);
		kutrace_lock_released(&lock, 1);
		kutrace_rpc_response(number, method);
		kutrace_rpc_end();
		kutrace_point_register_names(number);
		usleep(20000);
	}
	printf("register_names: said %u\n", number);
	fflush(stdout);
	pause();
	return 1;
}
