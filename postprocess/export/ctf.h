/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the events of a raw trace as a CTF 1.8 trace, for babeltrace2 and Trace Compass: a
 * kp_event_sink that writes one stream for each CPU into a folder. A call with its return merged
 * into it becomes two events.
 */
#ifndef KP_EXPORT_CTF_H
#define KP_EXPORT_CTF_H

#include "export/folder.h"
#include "model/event.h"
#include "rawtrace/raw.h"

struct kp_ctf;

/* @raw is open, and none of its events has been read. Returns NULL without memory. */
struct kp_ctf *kp_ctf_new(const struct kp_raw *raw, struct kp_folder *folder);

/* Returns the sink. Its functions return 0, or -1 and set kp_ctf_message(). */
struct kp_event_sink kp_ctf_sink(struct kp_ctf *ctf);

/*
 * Writes the remaining events, the loss and the metadata. Returns 0, or -1 and sets
 * kp_ctf_message().
 */
int kp_ctf_end(struct kp_ctf *ctf);

/* Returns one line after a failure of this module, otherwise "". */
const char *kp_ctf_message(const struct kp_ctf *ctf);

/* Returns the number of written events; a merged return counts as one. */
uint64_t kp_ctf_events(const struct kp_ctf *ctf);

void kp_ctf_free(struct kp_ctf *ctf);

#endif
