/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of events that are read from the buffer. */
#ifndef KU_LIB_TRACE_EVENT_RECORD_H
#define KU_LIB_TRACE_EVENT_RECORD_H

#include "lib/base/name_list.h"

struct kutrace_reader {
	/* the newest name of each number, sorted by base and number */
	struct ku_name_list names;
};

/* Sorts by base and number, after names were added. */
void ku_reader_sort(struct kutrace_reader *reader);

#endif
