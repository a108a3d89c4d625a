/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dictionary of a page: stores each pair of event and name once and gives it a number.
 */
#ifndef KP_PAGE_DICTIONARY_H
#define KP_PAGE_DICTIONARY_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "page/column.h"

#define KP_DICTIONARY_LAST 4096

struct kp_dictionary_entry {
	int64_t event;
	size_t offset;		/* of the name in the dictionary's text */
	uint32_t len;
};

struct kp_dictionary {
	uint32_t last[KP_DICTIONARY_LAST];	/* recent entries' numbers + 1, by a hash */
	struct kp_map by_hash;			/* hash of event and name -> number */
	KP_VECTOR(struct kp_dictionary_entry) entries;
	uint8_t *text;			/* all names, without separators */
	size_t text_len, text_cap;
	struct kp_bytes pending;	/* encoded entries, not yet written */
	uint32_t pending_count;
};

int kp_dictionary_open(struct kp_dictionary *dictionary);
void kp_dictionary_close(struct kp_dictionary *dictionary);

/*
 * Marks an entry as the own code of a kernel thread: is added to its event. No event of a row is
 * greater (VALUE_LIMIT in page.c). templates/js/data/columns.js subtracts it again.
 */
#define KP_DICTIONARY_IN_KERNEL ((int64_t)1 << 51)

/*
 * Sets *@number to the number of the entry (@event, @name), and adds the entry if it is new.
 * Returns 0, -ENOMEM, or -ERANGE (2^31 - 1 entries, or a name of 4 GB).
 */
int kp_dictionary_find(struct kp_dictionary *dictionary, int64_t event, const char *name,
		       size_t len, uint32_t *number);

#endif
