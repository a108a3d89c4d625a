/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of tables as Parquet files, one a table, in a folder or archive (export/folder.h). Called
 * by rawtoparquet. Built only where zstd's header is (libzstd-dev).
 */
#ifndef KP_EXPORT_PARQUET_H
#define KP_EXPORT_PARQUET_H

#include "export/folder.h"
#include "export/schema.h"

struct kp_parquet;

/*
 * The folder must stay until the end. Memory is KP_PARQUET_ROWS rows of each table. NULL without
 * memory.
 */
#define KP_PARQUET_ROWS	(1u << 17)	/* of a row group */

struct kp_parquet *kp_parquet_new(struct kp_folder *folder);

/*
 * Texts of cells must stay valid until the end, and where they are: what is at the same address and
 * as long is the same text. Row: 0; -1 with message, or after an interrupt.
 */
struct kt_sink kp_parquet_sink(struct kp_parquet *parquet);

/* No more rows. 0, or -1 with message, or after an interrupt. */
int kp_parquet_finish(struct kp_parquet *parquet);

/* One line after a failure of its own, else "". */
const char *kp_parquet_message(const struct kp_parquet *parquet);

void kp_parquet_free(struct kp_parquet *parquet);

#endif
