/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sends packets over the loopback interface and prints which of them a trace must have, for
 * test_packets.sh. The witnesses are the kernel's counters and a packet socket, which sees the
 * packets where they are sent and received. It must never use the tracer's data.
 *
 *	packets small		messages of TCP and UDP, each received before the next one is sent
 *	packets large		streams, fragments and super-packets; needs an MTU below 9000
 *	packets invalid SEED COUNT
 *				frames with damaged headers, lies about lengths, chains of IPv6
 *				extension headers, VLAN tags
 *	packets tap NAME FLAGS SEED COUNT
 *				writes such frames to a new device NAME of the kernel's module tun;
 *				FLAGS: letters, n for NAPI, f for fragments
 *	packets inject NAME SEED COUNT
 *				valid frames to all machines, sent by the device NAME
 *	packets echo ADDRESS PORT SEED COUNT
 *				messages by TCP to a server that sends each of them back
 *
 * Prints lines
 *
 *	sent WHAT HASH		payload that the program sent
 *	tx HASH FIRST		packet with payload, in the order of the packet socket, sent
 *	rx HASH FIRST		... received. FIRST: the first byte of the payload
 *	counter NAME GROWTH	counter of the kernel
 *
 * HASH is the XOR of the payload's first 32 bytes as eight words, in decimal.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define MESSAGES	97
#define STREAM_BYTES	300007
#define VLAN_TAGS	2
#define EXTENSIONS	8

static void fail(const char *what)
{
	fprintf(stderr, "packets: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- numbers ---- */

static uint64_t state;

static uint32_t any(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

static uint32_t below(uint32_t limit)
{
	return any() % limit;
}

static void fill(void *to, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		((uint8_t *)to)[i] = (uint8_t)any();
}

/* ---- what a trace must have of a packet ---- */

static uint32_t hash(const uint8_t *payload, size_t bytes)
{
	uint32_t words[8] = { 0 }, sum = 0;

	memcpy(words, payload, bytes < sizeof(words) ? bytes : sizeof(words));
	for (int i = 0; i < 8; i++)
		sum ^= words[i];
	return sum;
}

static unsigned word16(const uint8_t *at)
{
	return (unsigned)at[0] << 8 | at[1];
}

/*
 * Finds the payload of a packet whose network header is at @at, with the type @type. Returns its
 * length, or 0 if the packet has none, is invalid, or is not the first fragment.
 */
static size_t payload(const uint8_t *at, size_t bytes, unsigned type, const uint8_t **found)
{
	const uint8_t *end = at + bytes, *stop;
	unsigned protocol, length;

	for (int i = 0; i < VLAN_TAGS && (type == ETH_P_8021Q || type == ETH_P_8021AD); i++) {
		if (end - at < 4)
			return 0;
		type = word16(at + 2);
		at += 4;
	}
	stop = end;
	if (type == ETH_P_IP) {
		if (end - at < 20 || at[0] >> 4 != 4 || (at[0] & 15) < 5 || word16(at + 6) & 0x1FFF)
			return 0;
		length = word16(at + 2);
		if (length < (size_t)(end - at))
			stop = at + length;
		protocol = at[9];
		at += (at[0] & 15) * 4;
	} else if (type == ETH_P_IPV6) {
		if (end - at < 40 || at[0] >> 4 != 6)
			return 0;
		length = word16(at + 4);
		protocol = at[6];
		at += 40;
		if (length < (size_t)(end - at))
			stop = at + length;
		for (int i = 0;; i++) {
			unsigned next;

			if (protocol != 0 && protocol != 43 && protocol != 44 && protocol != 51 && protocol != 60)
				break;
			if (i == EXTENSIONS || end - at < 8)
				return 0;
			next = at[0];
			if (protocol == 44) {
				if (word16(at + 2) & 0xFFF8)
					return 0;
				at += 8;
			} else if (protocol == 51) {
				at += (at[1] + 2) * 4;
			} else {
				at += (at[1] + 1) * 8;
			}
			protocol = next;
		}
	} else {
		return 0;
	}
	if (protocol == 6) {
		if (end - at < 20 || at[12] >> 4 < 5)
			return 0;
		at += (at[12] >> 4) * 4;
	} else if (protocol == 17) {
		if (end - at < 8 || word16(at + 4) < 8)
			return 0;
		if (word16(at + 4) < stop - at)
			stop = at + word16(at + 4);
		at += 8;
	} else {
		return 0;
	}
	*found = at;
	return at < stop ? (size_t)(stop - at) : 0;
}

static void expect(const char *what, const uint8_t *at, size_t bytes, unsigned type)
{
	const uint8_t *start;
	size_t length = payload(at, bytes, type, &start);

	if (length)
		printf("%s %u %u\n", what, hash(start, length), start[0]);
}

static void sent(const char *what, const void *data, size_t bytes)
{
	printf("sent %s %u\n", what, hash(data, bytes));
}

/* ---- the packet socket ---- */

static int tap = -1;

static void tap_begin(void)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)if_nametoindex("lo"),
	};
	int bytes = 256 << 20;

	tap = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
	if (tap < 0 || setsockopt(tap, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) ||
	    bind(tap, (struct sockaddr *)&address, sizeof(address)))
		fail("packet socket");
}

/* Waits until each sent packet has been received, and prints the packets. */
static void tap_end(void)
{
	static uint8_t frame[1 << 17];
	struct tpacket_stats stats;
	socklen_t length = sizeof(stats);
	long out = 0, in = 0;

	for (int tries = 0; tries < 500; tries++) {
		struct sockaddr_ll from;
		socklen_t bytes = sizeof(from);
		ssize_t n = recvfrom(tap, frame, sizeof(frame), MSG_DONTWAIT, (struct sockaddr *)&from, &bytes);

		if (n < 0 && errno == EAGAIN && out == in)
			break;
		if (n < 0 && errno == EAGAIN) {
			usleep(10000);
			continue;
		}
		if (n < ETH_HLEN || (size_t)n >= sizeof(frame))
			fail("captured packet");
		tries = 0;
		if (from.sll_pkttype == PACKET_OUTGOING)
			out++;
		else
			in++;
		expect(from.sll_pkttype == PACKET_OUTGOING ? "tx" : "rx", frame + ETH_HLEN,
		       (size_t)n - ETH_HLEN, word16(frame + ETH_HLEN - 2));
	}
	if (getsockopt(tap, SOL_PACKET, PACKET_STATISTICS, &stats, &length))
		fail("statistics");
	if (stats.tp_drops || out != in) {
		fprintf(stderr, "packets: %u packets not captured, %ld sent, %ld received\n", stats.tp_drops, out, in);
		exit(1);
	}
	printf("counter captured %ld\n", out);
	close(tap);
}

/* ---- the kernel's counters ---- */

/* Returns the value @name of a file that has lines "PREFIX: NAME..." and "PREFIX: VALUE...". */
static long counter_of(const char *path, const char *prefix, const char *name)
{
	static char names[8192], values[8192];
	FILE *f = fopen(path, "r");
	char *n, *v, *ns, *vs;

	if (!f)
		fail(path);
	while (fgets(names, sizeof(names), f)) {
		if (strncmp(names, prefix, strlen(prefix)) || !fgets(values, sizeof(values), f))
			continue;
		n = strtok_r(names, " \n", &ns);
		v = strtok_r(values, " \n", &vs);
		for (; n && v; n = strtok_r(NULL, " \n", &ns), v = strtok_r(NULL, " \n", &vs))
			if (!strcmp(n, name)) {
				fclose(f);
				return atol(v);
			}
	}
	fclose(f);
	errno = ENOENT;
	fail(name);
	return 0;
}

/* Returns word @column after the line's first word @name. */
static long word_of(const char *path, const char *name, int column)
{
	FILE *f = fopen(path, "r");
	char line[512], word[64];

	if (!f)
		fail(path);
	while (fgets(line, sizeof(line), f)) {
		char *save, *at;

		if (sscanf(line, " %63[^: \t]", word) != 1 || strcmp(word, name))
			continue;
		fclose(f);
		at = strtok_r(line, ": \t\n", &save);
		while (at && column--)
			at = strtok_r(NULL, ": \t\n", &save);
		return at ? atol(at) : 0;
	}
	fclose(f);
	return 0;
}

struct counters {
	long udp, udp6, tcp_data, lo;
};

static struct counters counters(void)
{
	return (struct counters){
		.udp = counter_of("/proc/net/snmp", "Udp:", "OutDatagrams"),
		.udp6 = word_of("/proc/net/snmp6", "Udp6OutDatagrams", 1),
		.tcp_data = counter_of("/proc/net/netstat", "TcpExt:", "TCPOrigDataSent"),
		.lo = word_of("/proc/net/dev", "lo", 10),
	};
}

/* Ends the capture. The loopback interface counts a packet after the packet socket has it. */
static void finish(struct counters before)
{
	struct counters now = counters();

	printf("counter udp.out %ld\ncounter tcp.data %ld\n", now.udp + now.udp6 - before.udp - before.udp6,
	       now.tcp_data - before.tcp_data);
	printf("counter lo.before %ld\n", now.lo - before.lo);
	tap_end();
	printf("counter lo.after %ld\n", counters().lo - before.lo);
}

/* ---- connections ---- */

struct pair {
	int near, far;
};

static struct pair pair(int family, int type)
{
	struct sockaddr_in6 address = { .sin6_family = AF_INET6, .sin6_addr = in6addr_loopback };
	struct sockaddr_in *in = (struct sockaddr_in *)&address;
	socklen_t bytes = family == AF_INET6 ? sizeof(address) : sizeof(*in);
	const struct timeval patience = { .tv_sec = 20 };
	int fd = socket(family, type, 0), one = 1, room = 4 << 20;
	struct pair p = { .near = socket(family, type, 0), .far = fd };

	if (family == AF_INET) {
		in->sin_family = AF_INET;
		in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (fd < 0 || p.near < 0 || bind(fd, (struct sockaddr *)&address, bytes) ||
	    getsockname(fd, (struct sockaddr *)&address, &bytes) || (type == SOCK_STREAM && listen(fd, 1)) ||
	    connect(p.near, (struct sockaddr *)&address, bytes))
		fail("connect");
	if (type == SOCK_STREAM) {
		p.far = accept(fd, NULL, NULL);
		close(fd);
		setsockopt(p.far, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		if (p.far < 0 || setsockopt(p.near, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
			fail("accept");
	}
	return p;
}

static void part(struct pair p)
{
	close(p.near);
	close(p.far);
}

static void take(int fd, size_t bytes)
{
	static uint8_t data[1 << 16];

	while (bytes) {
		ssize_t n = recv(fd, data, bytes < sizeof(data) ? bytes : sizeof(data), 0);

		if (n <= 0)
			fail("recv");
		bytes -= (size_t)n;
	}
}

static void message(const char *what, struct pair p, const uint8_t *data, size_t bytes)
{
	sent(what, data, bytes);
	if (send(p.near, data, bytes, 0) != (ssize_t)bytes)
		fail(what);
	take(p.far, bytes);
}

/* Sends a payload that is in three places of memory. The kernel may make one packet of three parts. */
static void in_parts(const char *what, struct pair p, bool tcp)
{
	static uint8_t data[33];
	int file = memfd_create("parts", 0), one = 1, zero = 0;
	off_t at;

	fill(data, sizeof(data));
	sent(what, data, sizeof(data));
	if (!tcp) {
		struct iovec parts[] = { { data, 5 }, { data + 5, 11 }, { data + 16, 17 } };

		if (send(p.near, data, 5, MSG_MORE) != 5 || send(p.near, data + 5, 11, MSG_MORE) != 11 ||
		    writev(p.near, parts + 2, 1) != 17)
			fail(what);
		take(p.far, sizeof(data));
		close(file);
		return;
	}
	/* Each part is in its own page. */
	if (file < 0 || pwrite(file, data, 5, 100) != 5 || pwrite(file, data + 5, 11, 5000) != 11 ||
	    pwrite(file, data + 16, 17, 9000) != 17 ||
	    setsockopt(p.near, IPPROTO_TCP, TCP_CORK, &one, sizeof(one)))
		fail(what);
	at = 100;
	if (sendfile(p.near, file, &at, 5) != 5)
		fail(what);
	at = 5000;
	if (sendfile(p.near, file, &at, 11) != 11)
		fail(what);
	at = 9000;
	if (sendfile(p.near, file, &at, 17) != 17)
		fail(what);
	if (setsockopt(p.near, IPPROTO_TCP, TCP_CORK, &zero, sizeof(zero)))
		fail(what);
	take(p.far, sizeof(data));
	close(file);
}

static const struct {
	const char *name;
	int family, type;
} kinds[] = {
	{ "udp4", AF_INET, SOCK_DGRAM }, { "udp6", AF_INET6, SOCK_DGRAM },
	{ "tcp4", AF_INET, SOCK_STREAM }, { "tcp6", AF_INET6, SOCK_STREAM },
};

static void small(void)
{
	static const size_t sizes[] = { 1, 2, 3, 4, 5, 7, 8, 20, 23, 24, 25, 31, 32, 33, 64, 100, 1000, 1400 };
	static uint8_t data[1400];
	struct counters before;

	tap_begin();
	before = counters();
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		struct pair p = pair(kinds[k].family, kinds[k].type);
		static uint8_t nops[12] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
		static uint8_t padding[8] = { 0, 0, 1, 4 };

		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			fill(data, sizes[i]);
			/* unique, although short: the size and the kind are in the first byte */
			data[0] = (uint8_t)(i * 4 + k + 1);
			message(kinds[k].name, p, data, sizes[i]);
		}
		for (int i = 0; i < MESSAGES; i++) {
			fill(data, 64);
			message(kinds[k].name, p, data, 64);
		}
		in_parts(kinds[k].name, p, kinds[k].type == SOCK_STREAM);
		if (kinds[k].type == SOCK_DGRAM && (send(p.near, data, 0, 0) || recv(p.far, data, sizeof(data), 0)))
			fail("an empty datagram");
		/* Options and extension headers before the header of UDP. */
		if (kinds[k].family == AF_INET && kinds[k].type == SOCK_DGRAM) {
			if (setsockopt(p.near, IPPROTO_IP, IP_OPTIONS, nops, sizeof(nops)))
				fail("options");
			fill(data, 50);
			message("options", p, data, 50);
		}
		if (kinds[k].family == AF_INET6 && kinds[k].type == SOCK_DGRAM) {
			if (setsockopt(p.near, IPPROTO_IPV6, IPV6_HOPOPTS, padding, sizeof(padding)) ||
			    setsockopt(p.near, IPPROTO_IPV6, IPV6_DSTOPTS, padding, sizeof(padding)))
				fail("extension headers");
			fill(data, 50);
			message("options", p, data, 50);
		}
		part(p);
	}
	finish(before);
}

/* ---- streams, fragments, super-packets ---- */

static void stream(struct pair p)
{
	static uint8_t data[STREAM_BYTES];
	pid_t child;
	int status;

	fill(data, sizeof(data));
	child = fork();
	if (child < 0)
		fail("fork");
	if (!child) {
		take(p.far, sizeof(data));
		_exit(0);
	}
	for (size_t at = 0; at < sizeof(data);) {
		ssize_t n = send(p.near, data + at, sizeof(data) - at, 0);

		if (n <= 0)
			fail("stream");
		at += (size_t)n;
	}
	if (waitpid(child, &status, 0) != child || status)
		fail("reader");
}

static void large(void)
{
	static uint8_t data[8000];
	struct counters before;

	tap_begin();
	before = counters();
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		struct pair p = pair(kinds[k].family, kinds[k].type);
		int segment = 1200;

		if (kinds[k].type == SOCK_STREAM) {
			stream(p);
		} else {
			for (int i = 0; i < 11; i++) {
				fill(data, sizeof(data));
				message("fragments", p, data, sizeof(data));
			}
			if (setsockopt(p.near, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof(segment)))
				fail("segments");
			for (int i = 0; i < 7; i++) {
				fill(data, sizeof(data));
				message("segments", p, data, sizeof(data));
			}
		}
		part(p);
	}
	finish(before);
}

/* ---- damaged frames ---- */

static uint8_t *put16(uint8_t *at, unsigned value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
	return at + 2;
}

/* Makes the headers of a packet, and returns its length. Lengths are right. */
static size_t valid_frame(uint8_t *frame, size_t room)
{
	uint8_t *at = frame, *ip, *transport, *next;
	bool six = below(2), tcp = below(2);
	unsigned tags = below(6) ? 0 : 1 + below(3), bytes = below(3) ? below(80) : below(600);

	memset(frame, 0, room);
	at += 12;
	for (unsigned i = 0; i < tags; i++) {
		at = put16(at, below(2) ? ETH_P_8021Q : ETH_P_8021AD);
		at = put16(at, below(4096));
	}
	at = put16(at, six ? ETH_P_IPV6 : ETH_P_IP);
	ip = at;
	if (six) {
		unsigned extensions = below(3) ? 0 : 1 + below(11);
		static const uint8_t types[] = { 0, 43, 44, 51, 60 };

		*at = 6 << 4;
		next = at + 6;
		at[7] = 64;
		at[23] = 1;
		at[39] = 1;
		at += 40;
		for (unsigned i = 0; i < extensions; i++) {
			*next = types[below(sizeof(types))];
			next = at;
			/* lengths in units of 8 bytes, of AUTH in units of 4 bytes */
			at[1] = (uint8_t)(below(2) ? 0 : below(3));
			at += next == ip + 6 ? 8 : 8 * (at[1] + 1);
		}
		*next = tcp ? IPPROTO_TCP : IPPROTO_UDP;
	} else {
		unsigned words = 5 + (below(3) ? 0 : below(11));

		at[0] = (uint8_t)(4 << 4 | words);
		at[8] = 64;
		at[9] = tcp ? IPPROTO_TCP : IPPROTO_UDP;
		at[12] = at[16] = 127;
		at[15] = at[19] = 1;
		at += words * 4;
	}
	transport = at;
	put16(put16(at, 9), 9);
	if (tcp) {
		unsigned words = 5 + (below(2) ? 0 : below(11));

		at[12] = (uint8_t)(words << 4);
		at += words * 4;
	} else {
		put16(at + 4, 8 + bytes);
		at += 8;
	}
	(void)transport;
	fill(at, bytes);
	at += bytes;
	if (six)
		put16(ip + 4, (unsigned)(at - ip) - 40);
	else
		put16(ip + 2, (unsigned)(at - ip));
	/* trailing bytes, as in a short frame of Ethernet */
	if (!below(4)) {
		unsigned more = below(46);

		fill(at, more);
		at += more;
	}
	return (size_t)(at - frame);
}

/* Damages up to three bytes of the headers, and cuts the frame or leaves it. */
static size_t damage(uint8_t *frame, size_t bytes)
{
	for (unsigned n = below(4); n; n--)
		frame[12 + below(90)] = (uint8_t)(below(2) ? any() : below(8));
	if (!below(3))
		bytes = ETH_HLEN + below((uint32_t)bytes - ETH_HLEN + 1);
	return bytes;
}

static void invalid(uint64_t seed, long count)
{
	static struct {
		struct virtio_net_hdr head;
		uint8_t frame[9000];
	} __attribute__((packed)) out;
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex("lo"), .sll_halen = 6 };
	int fd = socket(AF_PACKET, SOCK_RAW, 0), one = 1;
	long n;

	state = seed;
	if (fd < 0 || setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof(one)))
		fail("packet socket");
	for (n = 0; n < count; n++) {
		size_t bytes = valid_frame(out.frame, sizeof(out.frame));

		if (below(8))
			bytes = damage(out.frame, bytes);
		memset(&out.head, 0, sizeof(out.head));
		/* A frame of more than a page, of which only hdr_len bytes are contiguous. */
		if (!below(3) && bytes > ETH_HLEN) {
			out.head.hdr_len = (uint16_t)(ETH_HLEN + below(100));
			fill(out.frame + bytes, 5000);
			bytes += 5000;
		}
		to.sll_protocol = htons((uint16_t)word16(out.frame + 12));
		if (sendto(fd, &out, sizeof(out.head) + bytes, 0, (struct sockaddr *)&to, sizeof(to)) < 0)
			fail("inject");
		expect("tx", out.frame + ETH_HLEN, bytes - ETH_HLEN, word16(out.frame + 12));
		expect("rx", out.frame + ETH_HLEN, bytes - ETH_HLEN, word16(out.frame + 12));
	}
	printf("counter injected %ld\n", n);
	close(fd);
}

/* ---- frames that a device of the module tun receives ---- */

static void up(const char *name)
{
	struct ifreq request = { .ifr_flags = 0 };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	strncpy(request.ifr_name, name, sizeof(request.ifr_name) - 1);
	if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &request))
		fail(name);
	request.ifr_flags |= IFF_UP | IFF_PROMISC;
	if (ioctl(fd, SIOCSIFFLAGS, &request))
		fail(name);
	close(fd);
}

static void receive(const char *name, const char *flags, uint64_t seed, long count)
{
	static uint8_t frame[9000];
	struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	int fd = open("/dev/net/tun", O_RDWR);
	long delivered = 0;

	state = seed;
	strncpy(request.ifr_name, name, sizeof(request.ifr_name) - 1);
	if (strchr(flags, 'n'))
		request.ifr_flags |= IFF_NAPI;
	if (strchr(flags, 'f'))
		request.ifr_flags |= IFF_NAPI_FRAGS;
	if (fd < 0 || ioctl(fd, TUNSETIFF, &request))
		fail(name);
	up(name);
	for (long n = 0; n < count; n++) {
		size_t bytes = valid_frame(frame, sizeof(frame));
		struct iovec parts[3] = { { frame, 0 } };
		int used = 1;

		if (below(8))
			bytes = damage(frame, bytes);
		parts[0].iov_len = bytes;
		/* With fragments, the first part is contiguous, and each other part is a fragment. */
		if (strchr(flags, 'f') && bytes > 40) {
			parts[0].iov_len = ETH_HLEN + below(20);
			parts[1].iov_base = frame + parts[0].iov_len;
			parts[1].iov_len = 1 + below((uint32_t)(bytes - parts[0].iov_len - 1));
			parts[2].iov_base = (uint8_t *)parts[1].iov_base + parts[1].iov_len;
			parts[2].iov_len = bytes - parts[0].iov_len - parts[1].iov_len;
			used = 3;
		}
		if (writev(fd, parts, used) != (ssize_t)bytes)
			continue;	/* the device refuses frames that no card delivers */
		delivered++;
		expect("rx", frame + ETH_HLEN, bytes - ETH_HLEN, word16(frame + 12));
	}
	printf("counter delivered %ld\n", delivered);
	close(fd);
}

/* ---- frames and messages that pass other devices ---- */

static void inject(const char *name, uint64_t seed, long count)
{
	static uint8_t frame[9000];
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(name), .sll_halen = 6 };
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	if (fd < 0 || !to.sll_ifindex)
		fail(name);
	state = seed;
	for (long n = 0; n < count;) {
		size_t bytes = valid_frame(frame, sizeof(frame));
		unsigned type = word16(frame + 12);
		const uint8_t *start;
		size_t length = payload(frame + ETH_HLEN, bytes - ETH_HLEN, type, &start);

		/* Without tags, and with a payload that no other frame has. */
		if ((type != ETH_P_IP && type != ETH_P_IPV6) || length < 32)
			continue;
		memset(frame, 0xFF, 6);
		frame[6] = 2;	/* a local address; a bridge drops frames from address 0 */
		to.sll_protocol = htons((uint16_t)type);
		if (sendto(fd, frame, bytes, 0, (struct sockaddr *)&to, sizeof(to)) < 0)
			fail("inject");
		sent(name, start, length);
		n++;
	}
	close(fd);
}

static void echo(const char *address, int port, uint64_t seed, long count)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	const struct timeval patience = { .tv_sec = 60 };
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	uint8_t data[64];

	state = seed;
	if (fd < 0 || inet_pton(AF_INET, address, &to.sin_addr) != 1 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) ||
	    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) ||
	    connect(fd, (struct sockaddr *)&to, sizeof(to)))
		fail(address);
	for (long n = 0; n < count; n++) {
		fill(data, sizeof(data));
		sent("echo", data, sizeof(data));
		if (send(fd, data, sizeof(data), 0) != sizeof(data))
			fail("send");
		take(fd, sizeof(data));
	}
	close(fd);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	state = 42;
	if (argc == 2 && !strcmp(argv[1], "small"))
		small();
	else if (argc == 2 && !strcmp(argv[1], "large"))
		large();
	else if (argc == 4 && !strcmp(argv[1], "invalid"))
		invalid(strtoull(argv[2], NULL, 0), atol(argv[3]));
	else if (argc == 6 && !strcmp(argv[1], "tap"))
		receive(argv[2], argv[3], strtoull(argv[4], NULL, 0), atol(argv[5]));
	else if (argc == 5 && !strcmp(argv[1], "inject"))
		inject(argv[2], strtoull(argv[3], NULL, 0), atol(argv[4]));
	else if (argc == 6 && !strcmp(argv[1], "echo"))
		echo(argv[2], atoi(argv[3]), strtoull(argv[4], NULL, 0), atol(argv[5]));
	else {
		fprintf(stderr, "usage: packets small | large | invalid SEED COUNT | tap NAME FLAGS SEED COUNT | "
			"inject NAME SEED COUNT | echo ADDRESS PORT SEED COUNT\n");
		return 2;
	}
	return 0;
}
