/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes rows of tables as Parquet files, one for each table, into a folder or archive
 * (export/folder.h). Built only if the header of zstd is installed (libzstd-dev).
 */
#ifndef KP_EXPORT_PARQUET_H
#define KP_EXPORT_PARQUET_H

#include "export/folder.h"
#include "export/tab.h"

struct kp_parquet;

/*
 * Opens the files. The folder must stay valid until the end. Memory is KP_PARQUET_ROWS rows of each
 * table. Returns NULL without memory; otherwise check kp_parquet_message().
 */
#define KP_PARQUET_ROWS	(1u << 17)	/* rows in a row group */

struct kp_parquet *kp_parquet_new(struct kp_folder *folder);

/*
 * Returns the sink. Texts of cells must stay valid and unchanged until the end: the same address
 * and length mean the same text. The sink returns 0, or -1 with a message or after an interrupt.
 */
struct kt_sink kp_parquet_sink(struct kp_parquet *parquet);

/* Writes the end of all files. Returns 0, or -1 with a message or after an interrupt. */
int kp_parquet_finish(struct kp_parquet *parquet);

/* Returns one line after a failure of this module, otherwise "". */
const char *kp_parquet_message(const struct kp_parquet *parquet);

void kp_parquet_free(struct kp_parquet *parquet);

#endif
