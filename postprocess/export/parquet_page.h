/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The values of one column of one row group, as Parquet's encodings. Called by export/parquet.c.
 */
#ifndef KP_EXPORT_PARQUET_PAGE_H
#define KP_EXPORT_PARQUET_PAGE_H

#include "export/thrift.h"

/* 64-bit numbers as DELTA_BINARY_PACKED. */
void kp_pq_delta(struct kp_grow *out, const int64_t *values, size_t count);

/* Numbers of bits bits each as RLE and bit-packed runs (RLE_DICTIONARY's and definition levels'). */
void kp_pq_hybrid(struct kp_grow *out, const uint32_t *values, size_t count, unsigned int bits);

/* Bits that numbers up to most need. */
unsigned int kp_pq_bits(uint64_t most);

#endif
