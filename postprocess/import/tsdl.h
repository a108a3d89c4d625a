/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the metadata of a CTF 1.8 trace: text in TSDL, or packets of it. Called by
 * import/ctf_source.c and the fuzzer.
 */
#ifndef KP_IMPORT_TSDL_H
#define KP_IMPORT_TSDL_H

#include "import/ctf_type.h"

#define KP_TSDL_BYTES_MAX	(32u << 20)

/*
 * What bytes of a file "metadata" say, to meta, which is zeroed first. 0; -1 with meta->message.
 * To be freed in either case.
 */
int kp_tsdl_read(struct kp_ctf_meta *meta, const uint8_t *bytes, size_t len);

#endif
