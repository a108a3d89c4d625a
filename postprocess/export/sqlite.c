// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes a SQLite database (export/exporters.h). It has no journal, because an incomplete database
 * is deleted. The column trace_id is a computed column, which takes no room.
 */
#include "export/exporters.h"

#include <errno.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/progress.h"
#include "base/temp.h"
#include "base/tool.h"

#define SQL_MAX		4096
#define CHECK_ROWS	4096	/* rows between two checks for an interrupt */
/* steps of SQLite's virtual machine between two checks for an interrupt */
#define CHECK_STEPS	16384
/* steps of SQLite per row of an index: six to read it, four to write it */
#define ROW_STEPS	10

struct kp_sqlite {
	sqlite3 *db;
	FILE *file;		/* stream of the database's file */
	sqlite3_stmt *insert[KT_TABLES];
	uint64_t rows;
	uint64_t rows_of[KT_TABLES];
	uint64_t steps;			/* steps of SQLite's virtual machine for indexes */
	uint64_t index_rows;		/* number of rows of all indexes */
	char message[512];
};

/*
 * Returns the errno of a failed write. Repeats a write to get it, because SQLite may have lost the
 * errno.
 */
static int write_error(const struct kp_sqlite *db)
{
	static const char page[4096];
	struct stat st;

	if (fstat(fileno(db->file), &st) ||
	    pwrite(fileno(db->file), page, sizeof(page), st.st_size) < 0)
		return errno;
	return ENOSPC;
}

static int fail(struct kp_sqlite *db, const char *what)
{
	int code = db->db ? sqlite3_extended_errcode(db->db) : SQLITE_NOMEM;
	int err = db->db ? sqlite3_system_errno(db->db) : 0;

	if (db->message[0])
		return -1;
	if ((code & 0xFF) == SQLITE_FULL || (code & 0xFF) == SQLITE_IOERR || (code & 0xFF) == SQLITE_CANTOPEN) {
		if (!err)
			err = write_error(db);
		snprintf(db->message, sizeof(db->message), "cannot write a temporary file: %s%s",
			 strerror(err), kp_temp_remedy(err));
	} else {
		snprintf(db->message, sizeof(db->message), "SQLite: %.100s: %s", what,
			 db->db ? sqlite3_errmsg(db->db) : "no memory");
	}
	return -1;
}

static int execute(struct kp_sqlite *db, const char *sql)
{
	return sqlite3_exec(db->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : fail(db, sql);
}

struct sql {
	char text[SQL_MAX];
	size_t used;
};

static void add(struct sql *sql, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Appends text to a statement. SQL_MAX is far longer than any statement made from schema.def. */
static void add(struct sql *sql, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(sql->text + sql->used, sizeof(sql->text) - sql->used, fmt, ap);
	va_end(ap);
	if (len > 0 && sql->used + (size_t)len < sizeof(sql->text))
		sql->used += (size_t)len;
}

static int make_table(struct kp_sqlite *db, enum kt_table table, const char *trace_id)
{
	const struct kt_table_info *info = &kt_tables[table];
	struct sql create = { .used = 0 }, insert = { .used = 0 };

	add(&create, "create table %s(trace_id text generated always as ('%s') virtual", info->name, trace_id);
	add(&insert, "insert into %s values(", info->name);
	for (size_t i = 1; i < info->count; i++) {
		add(&create, ", %s %s%s", info->columns[i].name,
		    info->columns[i].type == KT_TEXT ? "text" : "integer", info->columns[i].null ? "" : " not null");
		add(&insert, "%s?", i > 1 ? ", " : "");
	}
	add(&create, ")");
	add(&insert, ")");
	if (execute(db, create.text))
		return -1;
	if (sqlite3_prepare_v2(db->db, insert.text, -1, &db->insert[table], NULL) != SQLITE_OK)
		return fail(db, insert.text);
	return 0;
}

static int make_tables(struct kp_sqlite *db, const char *trace_id)
{
	if (execute(db, "pragma page_size = 16384") || execute(db, "pragma journal_mode = off") ||
	    execute(db, "pragma synchronous = off") || execute(db, "pragma locking_mode = exclusive") ||
	    execute(db, "pragma cache_size = -16384") || execute(db, "pragma temp_store = file") ||
	    execute(db, "pragma application_id = 0x4B555472") || execute(db, "pragma user_version = 1") ||
	    execute(db, "begin exclusive"))
		return -1;
	for (int table = 0; table < KT_TABLES; table++)
		if (make_table(db, table, trace_id))
			return -1;
	return 0;
}

struct kp_sqlite *kp_sqlite_new(const char *trace_id)
{
	struct kp_sqlite *db = calloc(1, sizeof(*db));
	char path[PATH_MAX];
	int code;

	if (!db)
		return NULL;
	/* Only one thread at a time calls SQLite, so SQLite needs no locks. */
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	db->file = kp_temp_named(path, sizeof(path));
	if (!db->file) {
		snprintf(db->message, sizeof(db->message),
			 "cannot create a temporary file: %s%s", strerror(errno), kp_temp_remedy(errno));
		return db;
	}
	code = sqlite3_open_v2(path, &db->db, SQLITE_OPEN_READWRITE, NULL);
	unlink(path);
	if (code != SQLITE_OK)
		fail(db, "open");
	else
		make_tables(db, trace_id);
	return db;
}

static int bind(sqlite3_stmt *insert, int at, const struct kt_cell *cell)
{
	switch (cell->kind) {
	case KT_NUMBER:
		return sqlite3_bind_int64(insert, at, cell->number);
	case KT_STRING:
		return sqlite3_bind_text(insert, at, cell->text, (int)cell->len, SQLITE_STATIC);
	default:
		return sqlite3_bind_null(insert, at);
	}
}

static int take_row(void *self, enum kt_table table, const struct kt_cell *cells)
{
	struct kp_sqlite *db = self;
	sqlite3_stmt *insert = db->insert[table];

	if (++db->rows % CHECK_ROWS == 0 && kp_interrupted())
		return -1;
	for (size_t i = 1; i < kt_tables[table].count; i++)
		if (bind(insert, (int)i, &cells[i]) != SQLITE_OK)
			return fail(db, "bind");
	if (sqlite3_step(insert) != SQLITE_DONE)
		return fail(db, "insert");
	sqlite3_reset(insert);
	db->rows_of[table]++;
	return 0;
}

struct kt_sink kp_sqlite_sink(struct kp_sqlite *db)
{
	return (struct kt_sink){ .row = take_row, .self = db, .message = db->message };
}

/* Returns the number of rows of the table in @columns, such as "call(tid, start_ns)". */
static uint64_t rows_of(const struct kp_sqlite *db, const char *columns)
{
	const size_t len = strcspn(columns, "(");

	for (int table = 0; table < KT_TABLES; table++)
		if (strlen(kt_tables[table].name) == len && !strncmp(kt_tables[table].name, columns, len))
			return db->rows_of[table];
	return 0;
}

/*
 * Counts steps for the progress display; SQLite calls this function while it builds an index. A
 * nonzero return value stops SQLite.
 */
static int count_steps(void *self)
{
	struct kp_sqlite *db = self;
	uint64_t rows;

	db->steps += CHECK_STEPS;
	rows = db->steps / ROW_STEPS;
	kp_progress(rows < db->index_rows ? rows : db->index_rows, db->index_rows);
	return kp_interrupted();
}

static int make_indexes(struct kp_sqlite *db)
{
	static const char *const indexes[] = {
#define KT_INDEX(name, columns) columns,
#include "export/schema.def"
	};
	static const char *const statements[] = {
#define KT_INDEX(name, columns) "create index " name " on " columns,
#define KT_VIEW(name, query, text) "create view " name " as " query,
#include "export/schema.def"
	};
	const size_t count = sizeof(statements) / sizeof(statements[0]);

	for (size_t i = 0; i < sizeof(indexes) / sizeof(indexes[0]); i++)
		db->index_rows += rows_of(db, indexes[i]);
	kp_progress_phase("making indexes", "rows");
	sqlite3_progress_handler(db->db, CHECK_STEPS, count_steps, db);
	for (size_t i = 0; i < count; i++)
		if (kp_interrupted() || execute(db, statements[i]))
			return -1;
	sqlite3_progress_handler(db->db, 0, NULL, NULL);
	return execute(db, "commit");
}

static int close_database(struct kp_sqlite *db)
{
	for (int table = 0; table < KT_TABLES; table++) {
		sqlite3_finalize(db->insert[table]);
		db->insert[table] = NULL;
	}
	if (db->db && sqlite3_close(db->db) != SQLITE_OK)
		return fail(db, "close");
	db->db = NULL;
	return 0;
}

static int copy(struct kp_sqlite *db, FILE *out)
{
	static char buffer[1 << 16];
	off_t at = 0, end = lseek(fileno(db->file), 0, SEEK_END);
	ssize_t got;

	kp_progress_phase("copying", NULL);
	while ((got = pread(fileno(db->file), buffer, sizeof(buffer), at)) > 0) {
		if (kp_interrupted() || fwrite(buffer, 1, (size_t)got, out) != (size_t)got)
			return -1;
		at += got;
		kp_progress((uint64_t)at, end > 0 ? (uint64_t)end : 0);
	}
	if (!got)
		return 0;
	snprintf(db->message, sizeof(db->message), "cannot read a temporary file: %s", strerror(errno));
	return -1;
}

int kp_sqlite_finish(struct kp_sqlite *db, FILE *out)
{
	if (make_indexes(db) || close_database(db))
		return -1;
	return copy(db, out);
}

void kp_sqlite_free(struct kp_sqlite *db)
{
	if (!db)
		return;
	close_database(db);
	if (db->file)
		fclose(db->file);
	free(db);
}
