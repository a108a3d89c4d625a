/* SPDX-License-Identifier: BSD-3-Clause */
/* A list of names, and the encoding of a name as an entry. */
#ifndef KU_LIB_BASE_NAME_LIST_H
#define KU_LIB_BASE_NAME_LIST_H

/* Most callers need <errno.h>, <stdlib.h> and <string.h>, and do not include them again. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"

struct ku_name {
	uint64_t counts;	/* time from which the name is valid; 0: always */
	/* position in the order of adding; with equal counts, the later name is newer */
	uint32_t order;
	uint32_t number;
	uint16_t base;		/* KUTRACE_NAME_* */
	uint16_t length;	/* length of text, 0..56 bytes */
	uint8_t kind;		/* kind of the task: enum kutrace_task_kind */
	char text[KUTRACE_NAME_MAX_BYTES];
};

struct ku_name_list {
	struct ku_name *list;
	size_t count;
	size_t room;
};

/* Adds a name. @text is cut at 56 bytes. */
int ku_names_add(struct ku_name_list *names, uint16_t base, uint32_t number,
		 const char *text, size_t length);
/* Adds the name in the @room bytes at @text (NUL-padded). For a task, adds its kind too. */
int ku_names_add_entry(struct ku_name_list *names, uint16_t base, uint32_t number,
		       const char *text, size_t room);
void ku_names_free(struct ku_name_list *names);
/* Sorts by kind and number. Keeps the newest name of each number, and all names of kind META. */
void ku_names_newest(struct ku_name_list *names);
/* Removes names that equal another name in all members, including the time. Keeps the order. */
void ku_names_once(struct ku_name_list *names);
void ku_names_by_time(struct ku_name_list *names);
/* Returns the number of words of the name's entry: 1..8. */
unsigned int ku_name_words(const struct ku_name *name);
/* Writes the entry with timestamp @ts (only the low 20 bits). Returns the number of words. */
unsigned int ku_name_put(uint64_t *words, const struct ku_name *name, uint64_t ts);

#endif
