/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gives each class of CTF events its meaning, by its name. There are two readers: one for the names of
 * LTTng and of the kernel (perf, trace-cmd), and one for the traces that rawtoctf wrote.
 */
#ifndef KP_INTEROP_CTF_EVENT_H
#define KP_INTEROP_CTF_EVENT_H

#include "interop/ctf_source.h"
#include "import/linux.h"

/* Sets the meaning of each event class. Call once, before the first event. Returns 0, or -1 without memory. */
int kp_ctf_linux_classes(struct kp_ctf_meta *meta, struct kp_linux *linux_, struct kp_feed *feed);
/* Passes @event to @linux_. Returns what kp_feed_event() does. */
int kp_ctf_linux_event(struct kp_linux *linux_, struct kp_feed *feed, const struct kp_ctf_event *event);

/*
 * The reader of rawtoctf's traces restores the events of the raw trace. kp_ctf_ours_new() sets the meanings
 * and returns NULL without memory; kp_ctf_ours_event() returns what kp_feed_event() does.
 */
struct kp_ctf_ours;
bool kp_ctf_is_ours(const struct kp_ctf_meta *meta);
struct kp_ctf_ours *kp_ctf_ours_new(struct kp_ctf_meta *meta, struct kp_feed *feed);
int kp_ctf_ours_event(struct kp_ctf_ours *ours, const struct kp_ctf_event *event);
void kp_ctf_ours_free(struct kp_ctf_ours *ours);

#endif
