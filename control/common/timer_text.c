// SPDX-License-Identifier: BSD-3-Clause
/* Texts of timers that wake threads: see timer_text.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/timer_text.h"

/* Longest time in a text: 31 years. The sum of all times of a text still fits in 64 bits. */
#define KU_TIMER_NS_MAX	1000000000000000000ULL

static const char *const kinds[] = KUTRACE_TIMER_KIND_LABELS;

const char *ku_timer_kind_label(uint32_t kind)
{
	return kinds[kind < KUTRACE_TIMER_KINDS ? kind : KUTRACE_TIMER_HRTIMER];
}

int64_t ku_timer_late_ns(const struct ku_timer_parts *parts)
{
	const int64_t interrupt = parts->interrupt_ns > 0 ? parts->interrupt_ns : 0;

	return (int64_t)(parts->slack_ns + parts->before_ns + parts->wakeup_ns) + interrupt;
}

static uint64_t limited(uint64_t ns)
{
	return ns < KU_TIMER_NS_MAX ? ns : KU_TIMER_NS_MAX;
}

struct ku_timer ku_timer_decode(const uint64_t words[3])
{
	return (struct ku_timer){
		.late_ns = limited(words[0]),
		.slack_ns = limited(words[1]),
		.callback_ns = (uint32_t)words[2],
		.kind = (uint32_t)(words[2] >> KUTRACE_TIMER_KIND_SHIFT),
	};
}

size_t ku_timer_put(const struct ku_timer *timer, char text[KU_TIMER_TEXT_MAX])
{
	return (size_t)snprintf(text, KU_TIMER_TEXT_MAX, "%s late %" PRIu64 " slack %" PRIu64 " callback %" PRIu64,
				ku_timer_kind_label(timer->kind), timer->late_ns, timer->slack_ns,
				timer->callback_ns);
}

size_t ku_timer_put_parts(const struct ku_timer_parts *parts, char text[KU_TIMER_TEXT_MAX])
{
	int len = snprintf(text, KU_TIMER_TEXT_MAX, "%s slack %" PRIu64, ku_timer_kind_label(parts->kind),
			   parts->slack_ns);

	if (parts->interrupt_ns >= 0)
		len += snprintf(text + len, KU_TIMER_TEXT_MAX - (size_t)len, " interrupt %" PRId64,
				parts->interrupt_ns);
	len += snprintf(text + len, KU_TIMER_TEXT_MAX - (size_t)len, " before %" PRIu64 " wakeup %" PRIu64,
			parts->before_ns, parts->wakeup_ns);
	return (size_t)len;
}

/* Copies the text after its first word, which must be a kind, to @rest. */
static bool kind_of(uint32_t *kind, const char *text, size_t len, char rest[KU_TIMER_TEXT_MAX])
{
	const char *space = memchr(text, ' ', len);

	if (!space || len >= KU_TIMER_TEXT_MAX)
		return false;
	for (*kind = 0; *kind < KUTRACE_TIMER_KINDS; ++*kind)
		if (strlen(kinds[*kind]) == (size_t)(space - text) && !memcmp(text, kinds[*kind], (size_t)(space - text)))
			break;
	len -= (size_t)(space - text);
	memcpy(rest, space, len);
	rest[len] = '\0';
	return *kind < KUTRACE_TIMER_KINDS;
}

/* Reads " WORD NUMBER" at *@at, and moves *@at after it. */
static bool take(const char **at, const char *word, uint64_t *ns)
{
	const size_t len = strlen(word);
	const char *p = *at;

	if (*p != ' ' || strncmp(p + 1, word, len) || p[1 + len] != ' ')
		return false;
	p += len + 2;
	if (*p < '0' || *p > '9')
		return false;
	for (*ns = 0; *p >= '0' && *p <= '9'; p++) {
		*ns = *ns * 10 + (uint64_t)(*p - '0');
		if (*ns > KU_TIMER_NS_MAX)
			return false;
	}
	*at = p;
	return true;
}

bool ku_timer_parse(struct ku_timer *timer, const char *text, size_t len)
{
	char rest[KU_TIMER_TEXT_MAX];
	const char *at = rest;

	return kind_of(&timer->kind, text, len, rest) && take(&at, "late", &timer->late_ns) &&
	       take(&at, "slack", &timer->slack_ns) && take(&at, "callback", &timer->callback_ns) && !*at;
}

bool ku_timer_parse_parts(struct ku_timer_parts *parts, const char *text, size_t len)
{
	char rest[KU_TIMER_TEXT_MAX];
	const char *at = rest;
	uint64_t ns;

	if (!kind_of(&parts->kind, text, len, rest) || !take(&at, "slack", &parts->slack_ns))
		return false;
	parts->interrupt_ns = take(&at, "interrupt", &ns) ? (int64_t)ns : -1;
	return take(&at, "before", &parts->before_ns) && take(&at, "wakeup", &parts->wakeup_ns) && !*at;
}
