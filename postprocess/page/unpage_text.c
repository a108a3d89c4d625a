// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds a marker in a page, and unescapes the JavaScript string of the original's pages. The
 * counterpart of page/string.c:
 *
 *   "a\'b\\n\x3c/script>",<space>';   ->   "a'b\n</script>",<space>
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tool.h"
#include "common/utf8.h"
#include "page/unpage_text.h"

#define WINDOW_BYTES (256u << 10)
#define NEEDLE_MAX_BYTES 256u

off_t kp_unpage_find(int fd, off_t from, off_t end, const char *needle)
{
	size_t len = strlen(needle), kept = 0;
	char *window = malloc(WINDOW_BYTES + NEEDLE_MAX_BYTES);
	off_t found = -1;

	if (!window) {
		errno = ENOMEM;
		return -2;
	}
	while (from < end && found == -1) {
		size_t want = WINDOW_BYTES;
		const char *at;
		ssize_t n;

		if ((off_t)want > end - from)
			want = (size_t)(end - from);
		n = pread(fd, window + kept, want, from);
		if (kp_interrupted()) {
			errno = EINTR;
			n = -1;
		}
		if (n < 0)
			found = -2;
		if (n <= 0)
			break;
		at = memmem(window, kept + (size_t)n, needle, len);
		if (at) {
			found = from - (off_t)kept + (at - window);
			break;
		}
		from += n;
		n += (ssize_t)kept;
		kept = (size_t)n < len - 1 ? (size_t)n : len - 1;
		memmove(window, window + n - kept, kept);
	}
	free(window);
	return found;
}

struct unstring {
	int fd;
	off_t offset;
	bool ended;
	char in[4096];
	size_t used, len;
	char held[4];		/* of a character that did not fit into the caller's buffer */
	size_t held_used, held_len;
};

static int get(struct unstring *s)
{
	if (s->used == s->len) {
		ssize_t n = pread(s->fd, s->in, sizeof(s->in), s->offset);

		if (n <= 0)
			return n < 0 ? -2 : -1;
		s->offset += n;
		s->used = 0;
		s->len = (size_t)n;
	}
	return (unsigned char)s->in[s->used++];
}

static int hex_digits(struct unstring *s, int count)
{
	int value = 0;

	while (count--) {
		int c = get(s);

		if (c >= '0' && c <= '9')
			c -= '0';
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			c = (c | 32) - 'a' + 10;
		else
			return -1;
		value = value * 16 + c;
	}
	return value;
}

/*
 * Decodes the characters after a backslash into held, by JavaScript's rules. Returns false for a
 * broken escape.
 */
static bool unescape(struct unstring *s)
{
	static const char letters[] = "bfnrtv0", meanings[] = "\b\f\n\r\t\v";
	const char *letter;
	int c = get(s);

	s->held_used = 0;
	s->held_len = 1;
	if (c < 0)
		return false;
	if (c == 'x' || c == 'u') {
		c = hex_digits(s, c == 'x' ? 2 : 4);
		/* the JSON reader replaces an unpaired surrogate */
		if (c >= 0)
			s->held_len = ku_utf8_encode((uint32_t)c, s->held);
		return c >= 0;
	}
	letter = strchr(letters, c);
	s->held[0] = (char)(c && letter ? meanings[letter - letters] : c);
	if (c == '\n')		/* a continued line */
		s->held_len = 0;
	return true;
}

static ssize_t read_unescaped(void *cookie, char *to, size_t size)
{
	struct unstring *s = cookie;
	size_t n = 0;

	while (n < size) {
		int c;

		if (s->held_used < s->held_len) {
			to[n++] = s->held[s->held_used++];
			continue;
		}
		if (s->ended)
			break;
		c = get(s);
		if (c == -2)
			return -1;
		if (c < 0 || c == '\'' || (c == '\\' && !unescape(s))) {
			s->held_len = s->held_used = 0;
			s->ended = true;
		} else if (c != '\\') {
			to[n++] = (char)c;
		}
	}
	return (ssize_t)n;
}

static int close_unescaped(void *cookie)
{
	free(cookie);
	return 0;
}

FILE *kp_unstring_stream(int fd, off_t offset)
{
	cookie_io_functions_t io = {.read = read_unescaped, .close = close_unescaped};
	struct unstring *s = calloc(1, sizeof(*s));
	FILE *f;

	if (!s)
		return NULL;
	s->fd = fd;
	s->offset = offset;
	f = fopencookie(s, "r", io);
	if (f)
		setvbuf(f, NULL, _IOFBF, 1 << 16);
	else
		free(s);
	return f;
}
