/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of events that are read from the buffer. */
#ifndef KU_LIB_TRACE_EVENT_RECORD_H
#define KU_LIB_TRACE_EVENT_RECORD_H

#include "lib/base/name_list.h"

struct kutrace_reader {
	/* the newest name of each number, sorted by base and number */
	struct ku_name_list names;
};

/* Returns the name, or NULL. */
const struct ku_name *ku_reader_name(const struct kutrace_reader *reader, uint16_t base,
				     uint32_t number);

/* Sorts by base and number, after names were added. */
void ku_reader_sort(struct kutrace_reader *reader);

#endif
