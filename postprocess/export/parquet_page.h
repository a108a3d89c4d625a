/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parquet's encodings for the values of one column in one row group.
 */
#ifndef KP_EXPORT_PARQUET_PAGE_H
#define KP_EXPORT_PARQUET_PAGE_H

#include "export/thrift.h"

/* Encodes 64-bit numbers as DELTA_BINARY_PACKED. */
void kp_pq_delta(struct kp_grow *out, const int64_t *values, size_t count);

/*
 * Encodes numbers of @bits bits as RLE and bit-packed runs, for RLE_DICTIONARY and definition
 * levels.
 */
void kp_pq_hybrid(struct kp_grow *out, const uint32_t *values, size_t count, unsigned int bits);

/* Returns the number of bits for numbers up to @most. */
unsigned int kp_pq_bits(uint64_t most);

#endif
