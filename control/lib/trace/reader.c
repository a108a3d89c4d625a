// SPDX-License-Identifier: BSD-3-Clause
/* The names of events that are read from the buffer. Must be sorted before a search. */
#include "lib/trace/reader.h"

#include <stdlib.h>

static int compare_name(const void *key, const void *element)
{
	const struct ku_name *a = key, *b = element;

	if (a->base != b->base)
		return a->base < b->base ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

const struct ku_name *ku_reader_name(const struct kutrace_reader *reader, uint16_t base,
				     uint32_t number)
{
	const struct ku_name key = {.base = base, .number = number};

	return reader->names.count ? bsearch(&key, reader->names.list, reader->names.count,
					     sizeof(key), compare_name) : NULL;
}

void ku_reader_sort(struct kutrace_reader *reader)
{
	if (reader->names.count)
		qsort(reader->names.list, reader->names.count, sizeof(reader->names.list[0]),
		      compare_name);
}
