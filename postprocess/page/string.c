// SPDX-License-Identifier: BSD-3-Clause
/*
 * Escapes JSON for the original's pages, as the inside of a JavaScript string in single quotes. No
 * byte of a name may end the string, its line or the script element. A newline becomes a space:
 *
 *   "a'b\n</script>",<newline>   ->   "a\'b\\n\x3c/script>",<space>
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "page/string.h"

static ssize_t write_escaped(void *cookie, const char *text, size_t len)
{
	FILE *out = cookie;
	char buf[4096];
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		switch (text[i]) {
		case '\n':
		case '\r':
			buf[n++] = ' ';
			break;
		case '\\':
		case '\'':
			buf[n++] = '\\';
			buf[n++] = text[i];
			break;
		case '<':
			memcpy(buf + n, "\\x3c", 4);
			n += 4;
			break;
		default:
			buf[n++] = text[i];
		}
		if (n > sizeof(buf) - 4 || i + 1 == len) {
			if (fwrite(buf, 1, n, out) != n)
				return 0;
			n = 0;
		}
	}
	return (ssize_t)len;
}

FILE *kp_string_stream(FILE *out)
{
	cookie_io_functions_t io = {.write = write_escaped};
	FILE *f = fopencookie(out, "w", io);

	if (f)
		setvbuf(f, NULL, _IOFBF, 1 << 16);
	return f;
}
