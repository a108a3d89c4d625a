/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The metadata of a CTF trace, text in TSDL: what packets and events look like, where and when
 * it was recorded, what is missing. Called by export/ctf.c when all events are written.
 */
#ifndef KP_EXPORT_CTF_METADATA_H
#define KP_EXPORT_CTF_METADATA_H

#include <stdio.h>

#include "export/ctf_class.h"
#include "rawtrace/about.h"
#include "rawtrace/raw.h"

#define KP_CTF_MAGIC	0xC1FC1FC1u

/* A class that has events; its place in the list is its id. */
struct kp_ctf_class {
	char name[KP_CTF_NAME_MAX];
	enum kp_ctf_layout layout;
};

/* The context of each event holds tid, and with counters a byte of this name; NULL: none. */
const char *kp_ctf_counter(const struct kp_raw *raw);

#define KP_CTF_CALLS	4096	/* event numbers */

/* To out, whose errors the caller looks for. names: of calls by their event numbers, NULL: none. */
void kp_ctf_metadata(FILE *out, const struct kp_raw *raw, const struct kp_raw_about *about,
		     const char *const *names, const struct kp_ctf_class *classes, size_t count);

#endif
