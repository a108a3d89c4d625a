/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints a line for each device that the kernel adds or removes ("add@/devices/..."), until it gets
 * SIGTERM. Prints "ready" first.
 */
#include <linux/netlink.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int s = socket(AF_NETLINK, SOCK_DGRAM, NETLINK_KOBJECT_UEVENT);
	char text[8192];
	ssize_t n;

	if (s < 0 || bind(s, (struct sockaddr *)&address, sizeof(address))) {
		perror("uevents");
		return 1;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("ready");
	while ((n = recv(s, text, sizeof(text) - 1, 0)) > 0) {
		text[n] = 0;
		puts(text);
	}
	return 1;
}
