/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A list of names, and how a name looks as an entry, see names.c.
 */
#ifndef KU_LIB_BASE_NAMES_H
#define KU_LIB_BASE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"

struct ku_name {
	uint64_t counts;	/* since when; 0 = always */
	uint32_t order;		/* among equal counts, the later one is newer */
	uint32_t number;
	uint16_t base;		/* KUTRACE_NAME_* */
	uint16_t length;	/* of text, 0..56 bytes */
	uint8_t kind;		/* of a task: enum kutrace_task_kind */
	char text[KUTRACE_NAME_MAX_BYTES];
};

struct ku_name_list {
	struct ku_name *list;
	size_t count;
	size_t room;
};

/* text is cut at 56 bytes. */
int ku_names_add(struct ku_name_list *names, uint16_t base, uint32_t number,
		 const char *text, size_t length);
/* Adds the name in @text, which has @room bytes and is NUL-padded. Of a task, also adds the kind. */
int ku_names_add_entry(struct ku_name_list *names, uint16_t base, uint32_t number,
		       const char *text, size_t room);
void ku_names_free(struct ku_name_list *names);
/* By kind and number, of each number the newest only (of META all). */
void ku_names_newest(struct ku_name_list *names);
/* What is the same in all, time included, only once; the order stays. */
void ku_names_once(struct ku_name_list *names);
/* By time. */
void ku_names_by_time(struct ku_name_list *names);
/* Words that a name entry takes: 1..8. */
unsigned int ku_name_words(const struct ku_name *name);
/* Writes it with time stamp ts (low 20 bits are used); returns words written. */
unsigned int ku_name_put(uint64_t *words, const struct ku_name *name, uint64_t ts);

#endif
