/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compresses columns and encodes them as base64, with several threads.
 */
#ifndef KP_PAGE_PACK_H
#define KP_PAGE_PACK_H

#include <stdio.h>

#include "page/column.h"

struct kp_packer;

/* @out stays the caller's. Returns NULL without memory. */
struct kp_packer *kp_packer_open(FILE *out);
void kp_packer_close(struct kp_packer *packer);

/*
 * Adds @head, then @bytes compressed (zlib format) as base64, then @tail, to @out, in the order of
 * the calls. @bytes is empty afterwards, also after an error. @head is copied, @tail is not. Only
 * this function and kp_packer_finish() write to @out, in the caller's thread. Returns 0 or a
 * negative errno, which may be an error of an earlier call.
 */
int kp_packer_add(struct kp_packer *packer, const char *head, struct kp_bytes *bytes,
		  const char *tail);

/* Writes all that was added. Afterwards the caller may write to @out. */
int kp_packer_finish(struct kp_packer *packer);

#endif
