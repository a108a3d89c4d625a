/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the header of the span JSON from comments and names of the trace.
 */
#ifndef KP_RECONSTRUCT_HEADER_H
#define KP_RECONSTRUCT_HEADER_H

#include "reconstruct/state.h"

void kp_rec_comment(struct kp_reconstruct *rec, const char *text, size_t len);
void kp_rec_meta(struct kp_reconstruct *rec, const char *text, size_t len);
void kp_rec_header(struct kp_reconstruct *rec);
void kp_rec_header_free(struct kp_reconstruct *rec);

#endif
