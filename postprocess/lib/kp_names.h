/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of numbered things (pids, system calls, interrupts, locks ...), as a
 * trace defines them. What a name is valid for in time is the caller's matter:
 * a later definition replaces an earlier one.
 */
#ifndef KP_NAMES_H
#define KP_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* Base code of a name entry: the event without its length digit. */
#define KP_NAME_BASE(event)	((event) & 0xF0Fu)

/* An event number that is a name entry: 0x010..0x1FF with a digit of 1..8. */
static inline int kp_is_name_event(uint32_t event)
{
	uint32_t words = (event >> 4) & 15;

	return event >= 0x010 && event <= 0x1FF && words >= 1 && words <= 8;
}

struct kp_name {
	uint32_t base;
	uint32_t number;
	uint32_t len;		/* bytes */
	uint32_t room;		/* bytes at text; 0 = free slot */
	char *text;		/* NUL-terminated besides */
};

struct kp_names {
	struct kp_name *slots;
	size_t mask;
	size_t used;
};

/* Names thing number of kind base; replaces what it was. 0, or -1 without memory. */
int kp_names_set(struct kp_names *names, uint32_t base, uint32_t number,
		 const char *text, size_t len);

/* NULL when it has no name. Valid until the next kp_names_set(). */
const struct kp_name *kp_names_get(const struct kp_names *names, uint32_t base,
				   uint32_t number);

void kp_names_free(struct kp_names *names);

/* From the event table: what traces call it when they do not say; NULL if unknown. */
const char *kp_default_trap(uint32_t number);
const char *kp_default_vector(uint32_t number);
const char *kp_default_softirq(uint32_t number);
const char *kp_default_point(uint32_t event);

#endif
