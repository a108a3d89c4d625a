// SPDX-License-Identifier: BSD-3-Clause
/* Decides when a stream begins another trace. Must not leave an empty trace. */
#include "cli/shared/rotation.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/clock.h"

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
