/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text form of columns: deflated, base64, several at a time. Called by page.c and
 * overview.c.
 */
#ifndef KP_PAGE_PACK_H
#define KP_PAGE_PACK_H

#include <stdio.h>

#include "page/column.h"

struct kp_packer;

/* NULL: no memory. out stays the caller's. */
struct kp_packer *kp_packer_open(FILE *out);
void kp_packer_close(struct kp_packer *packer);

/*
 * For out: head, then bytes deflated (zlib form) as base64, then tail, behind all that
 * was added before. Takes bytes' memory, which are empty afterwards, also after a
 * failure; head is copied, tail is not. Out is written by this and kp_packer_finish()
 * only, in the caller's thread. 0 or a negative errno, also of an earlier one.
 */
int kp_packer_add(struct kp_packer *packer, const char *head, struct kp_bytes *bytes,
		  const char *tail);

/* Writes what was added and is not written. Out is the caller's again. */
int kp_packer_finish(struct kp_packer *packer);

#endif
