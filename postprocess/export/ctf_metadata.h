/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the metadata of a CTF trace, as text in TSDL: the form of packets and events, the machine
 * and the time of the recording, and its losses. Called after all events are written.
 */
#ifndef KP_EXPORT_CTF_METADATA_H
#define KP_EXPORT_CTF_METADATA_H

#include <stdio.h>

#include "export/ctf_class.h"
#include "rawtrace/about.h"
#include "rawtrace/raw.h"

#define KP_CTF_MAGIC	0xC1FC1FC1u

/* A class that has events. Its index in the list is its id. */
struct kp_ctf_class {
	char name[KP_CTF_NAME_MAX];
	enum kp_ctf_layout layout;
};

/*
 * Returns the name of the byte of counter bits in the context of each event; NULL: there is none.
 */
const char *kp_ctf_counter(const struct kp_raw *raw);

#define KP_CTF_CALLS	4096	/* event numbers are below this */

/*
 * Writes the metadata to @out; the caller checks @out for errors. @names: call names by event
 * number, NULL: not seen.
 */
void kp_ctf_metadata(FILE *out, const struct kp_raw *raw, const struct kp_raw_about *about,
		     const char *const *names, const struct kp_ctf_class *classes, size_t count);

#endif
