/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes rows of tables as a SQLite database, which is made in a nameless temporary file until it
 * is complete. Built only if the header of SQLite is installed (libsqlite3-dev).
 */
#ifndef KP_EXPORT_SQLITE_H
#define KP_EXPORT_SQLITE_H

#include <stdio.h>

#include "export/tab.h"

struct kp_sqlite;

/*
 * Opens the database. @trace_id: the value of that column in all rows. Returns NULL without memory;
 * otherwise check kp_sqlite_message().
 */
struct kp_sqlite *kp_sqlite_new(const char *trace_id);

struct kt_sink kp_sqlite_sink(struct kp_sqlite *db);

/*
 * Makes indexes and views after the last row, and writes the database to @out. Returns 0, or -1:
 * with a message, or without one if @out has an error or there was an interrupt.
 */
int kp_sqlite_finish(struct kp_sqlite *db, FILE *out);

/* Returns one line after a failure of this module, otherwise "". */
const char *kp_sqlite_message(const struct kp_sqlite *db);

void kp_sqlite_free(struct kp_sqlite *db);

#endif
