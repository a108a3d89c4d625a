/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of tables as a SQLite database, in a temporary file without a name until it is whole. Called by
 * rawtosqlite. Built only where SQLite's header is (libsqlite3-dev).
 */
#ifndef KP_EXPORT_SQLITE_H
#define KP_EXPORT_SQLITE_H

#include <stdio.h>

#include "export/schema.h"

struct kp_sqlite;

/* trace_id: what that column says in each row. NULL without memory; else look at kp_sqlite_message(). */
struct kp_sqlite *kp_sqlite_new(const char *trace_id);

struct kt_sink kp_sqlite_sink(struct kp_sqlite *db);

/*
 * No more rows: makes indexes and views, and writes the database to out. 0; -1 with message; or -1
 * without: out has an error, or there was an interrupt.
 */
int kp_sqlite_finish(struct kp_sqlite *db, FILE *out);

/* One line after a failure of its own, else "". */
const char *kp_sqlite_message(const struct kp_sqlite *db);

void kp_sqlite_free(struct kp_sqlite *db);

#endif
