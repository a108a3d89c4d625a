/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A raw trace's events as a CTF 1.8 trace, which babeltrace2 and Trace Compass read: a kp_event_sink
 * that writes one stream a CPU into a folder. A call whose return was merged into it becomes two
 * events. Called by rawtoctf.
 */
#ifndef KP_EXPORT_CTF_H
#define KP_EXPORT_CTF_H

#include "export/folder.h"
#include "model/event.h"
#include "rawtrace/raw.h"

struct kp_ctf;

/* raw is open, and nothing of it is handed out yet. NULL without memory. */
struct kp_ctf *kp_ctf_new(const struct kp_raw *raw, struct kp_folder *folder);

/* Its functions return 0, or -1 with kp_ctf_message(). */
struct kp_event_sink kp_ctf_sink(struct kp_ctf *ctf);

/* No more comes: what is left, what was lost, the metadata. As above. */
int kp_ctf_end(struct kp_ctf *ctf);

/* One line after a failure of its own, else "". */
const char *kp_ctf_message(const struct kp_ctf *ctf);

/* Events written, those that were made of merged returns included. */
uint64_t kp_ctf_events(const struct kp_ctf *ctf);

void kp_ctf_free(struct kp_ctf *ctf);

#endif
