/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside libkutrace: what reading events out of the buffer (lib_read.c) and putting
 * them into words (lib_seen.c) share.
 */
#ifndef KU_READ_H
#define KU_READ_H

#include "ku_lib.h"

struct kutrace_reader {
	struct ku_names names;	/* sorted by base and number, of each the newest */
};

/* NULL: it has none. */
const struct ku_name *ku_reader_name(const struct kutrace_reader *reader, uint16_t base,
				     uint32_t number);

#endif
