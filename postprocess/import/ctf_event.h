/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a class of CTF events means: of LTTng's kernel tracer, or of rawtoctf, which uses its names
 * where it has such events. Used by import/ctf_import.c.
 */
#ifndef KP_IMPORT_CTF_EVENT_H
#define KP_IMPORT_CTF_EVENT_H

#include "import/ctf_source.h"
#include "import/linux.h"

/* Finds out what each class of the trace's events is; once, before the first of them. 0, or -1: no memory. */
int kp_ctf_linux_classes(struct kp_ctf_meta *meta, struct kp_linux *linux_, struct kp_feed *feed);
/* Tells linux_ what event was. */
int kp_ctf_linux_event(struct kp_linux *linux_, struct kp_feed *feed, const struct kp_ctf_event *event);

/* The same of a trace that rawtoctf wrote: its events come back as they were. */
struct kp_ctf_ours;
bool kp_ctf_is_ours(const struct kp_ctf_meta *meta);
struct kp_ctf_ours *kp_ctf_ours_new(struct kp_ctf_meta *meta, struct kp_feed *feed);
int kp_ctf_ours_event(struct kp_ctf_ours *ours, const struct kp_ctf_event *event);
void kp_ctf_ours_free(struct kp_ctf_ours *ours);

#endif
