/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the metadata of a CTF 1.8 trace: text in TSDL, or packets of such text.
 */
#ifndef KP_IMPORT_TSDL_H
#define KP_IMPORT_TSDL_H

#include "import/ctf_type.h"

#define KP_TSDL_BYTES_MAX	(32u << 20)

/*
 * Parses the bytes of a file "metadata" into @meta, which is zeroed first. Returns 0, or -1 with
 * meta->message. The caller frees @meta in both cases.
 */
int kp_tsdl_read(struct kp_ctf_meta *meta, const uint8_t *bytes, size_t len);

#endif
