/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The page's dictionary: each pair of event and name once, by number. Called by page.c.
 */
#ifndef KP_PAGE_DICTIONARY_H
#define KP_PAGE_DICTIONARY_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"
#include "page/column.h"

#define KP_DICTIONARY_LAST 4096

struct kp_dictionary_entry {
	int64_t event;
	size_t offset;		/* of the name, in text */
	uint32_t len;
};

struct kp_dictionary {
	uint32_t last[KP_DICTIONARY_LAST];	/* number + 1 found last, by where the name lay */
	struct kp_map by_hash;			/* to the number */
	KP_VECTOR(struct kp_dictionary_entry) entries;
	uint8_t *text;			/* all names, one behind the other */
	size_t text_len, text_cap;
	struct kp_bytes pending;	/* encoded entries not written yet */
	uint32_t pending_count;
};

int kp_dictionary_open(struct kp_dictionary *dictionary);
void kp_dictionary_close(struct kp_dictionary *dictionary);

/*
 * Added to the event of an entry that is the own code of a kernel thread: no row has such an event (VALUE_LIMIT of
 * page.c), and templates/js/data/columns.js subtracts it.
 */
#define KP_DICTIONARY_IN_KERNEL ((int64_t)1 << 51)

/*
 * The number of the entry (event, name), which is made when it is new.
 * 0 or -ENOMEM, -ERANGE (more than 2^31 entries, or 4 GB of names).
 */
int kp_dictionary_find(struct kp_dictionary *dictionary, int64_t event, const char *name,
		       size_t len, uint32_t *number);

#endif
