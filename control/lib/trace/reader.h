/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The names that go with events read from the buffer, see reader.c.
 */
#ifndef KU_LIB_TRACE_READER_H
#define KU_LIB_TRACE_READER_H

#include "lib/base/names.h"

struct kutrace_reader {
	struct ku_name_list names;	/* sorted by base and number, of each the newest */
};

/* NULL: it has none. */
const struct ku_name *ku_reader_name(const struct kutrace_reader *reader, uint16_t base,
				     uint32_t number);

/* By base and number, after names were added. */
void ku_reader_sort(struct kutrace_reader *reader);

#endif
