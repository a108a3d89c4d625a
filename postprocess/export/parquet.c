// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes Parquet files (export/exporters.h). parquet.thrift of the format defines the field ids.
 *
 *	PAR1 | row group: column, column, ... | row group ... | metadata | its length | PAR1
 *	column: dictionary page (if it saves room), data page; each compressed by zstd
 *
 * Texts, and numbers with few different values, are encoded with a dictionary. Times and other
 * numbers are encoded as differences. The output depends only on the rows.
 */
#include "export/exporters.h"

#include <zstd.h>

#include "base/tool.h"
#include "export/bytes.h"

#define LEVEL		3		/* compression level of zstd */
#define DICTIONARY_MAX	4096u		/* maximum number of different numbers in a dictionary */
#define CHECK_ROWS	4096u		/* rows between two checks for an interrupt */

/* Numbers of types and encodings in parquet.thrift. */
enum { TYPE_INT64 = 2, TYPE_BYTE_ARRAY = 6 };
enum { REQUIRED = 0, OPTIONAL = 1 };
enum { CONVERTED_UTF8 = 0 };
enum { PLAIN = 0, RLE = 3, DELTA_BINARY_PACKED = 5, RLE_DICTIONARY = 8 };
enum { CODEC_ZSTD = 6 };
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };

struct text {
	const char *bytes;
	size_t len;
};

/* A column of the row group that is being filled. */
struct column {
	/* values of all rows that are not NULL; for a text, its index in texts */
	int64_t *values;
	uint32_t *present;	/* 0 or 1 for each row; NULL if the column has no NULLs */
	size_t count;
	struct kp_map places;	/* text -> index in texts */
	KP_VECTOR(struct text) texts;
	/* text of the previous row, and its index: often, the next row has the same text */
	const char *last;
	size_t last_len;
	uint32_t last_place;
};

struct file {
	int fd;
	uint64_t at;		/* number of bytes written */
	size_t rows, room;	/* rows of the unfinished row group, and room for rows */
	uint64_t total;
	struct column columns[KT_COLUMNS_MAX];
	struct kp_grow groups;	/* encoded RowGroup structs, which the end of the file contains */
	size_t group_count;
};

struct kp_parquet {
	struct kp_folder *folder;
	struct file files[KT_TABLES];
	struct kp_strings strings;	/* stores texts of equal bytes once */
	struct kp_grow values, packed, head;
	uint32_t *indices;		/* dictionary index of each value of one column */
	int64_t *distinct;
	ZSTD_CCtx *zstd;
	uint64_t rows;
	char message[512];
};

static int fail(struct kp_parquet *pq, const char *why)
{
	if (!pq->message[0])
		snprintf(pq->message, sizeof(pq->message), "%s", why);
	return -1;
}

static int put(struct kp_parquet *pq, struct file *file, const void *data, size_t bytes)
{
	if (kp_folder_write(pq->folder, file->fd, data, bytes))
		return fail(pq, pq->folder->message);
	file->at += bytes;
	return 0;
}

struct kp_parquet *kp_parquet_new(struct kp_folder *folder)
{
	struct kp_parquet *pq = calloc(1, sizeof(*pq));
	char name[KP_FOLDER_NAME_MAX];

	if (!pq)
		return NULL;
	pq->folder = folder;
	pq->zstd = ZSTD_createCCtx();
	pq->indices = malloc(KP_PARQUET_ROWS * sizeof(*pq->indices));
	pq->distinct = malloc(DICTIONARY_MAX * sizeof(*pq->distinct));
	if (!pq->zstd || !pq->indices || !pq->distinct) {
		fail(pq, "no memory");
		return pq;
	}
	ZSTD_CCtx_setParameter(pq->zstd, ZSTD_c_compressionLevel, LEVEL);
	for (int table = 0; table < KT_TABLES; table++) {
		snprintf(name, sizeof(name), "%s.parquet", kt_tables[table].name);
		pq->files[table].fd = kp_folder_add(folder, name);
		if (pq->files[table].fd < 0 || put(pq, &pq->files[table], "PAR1", 4)) {
			fail(pq, folder->message);
			break;
		}
	}
	return pq;
}

/* Writes a PageHeader and the content of pq->values. */
static int put_page(struct kp_parquet *pq, struct file *file, int type, size_t count, int encoding,
		    uint64_t *plain_bytes)
{
	struct kp_thrift t = { .out = &pq->head };
	const size_t bound = ZSTD_compressBound(pq->values.used);
	uint8_t *to;
	size_t bytes;

	pq->packed.used = pq->head.used = 0;
	to = kp_grow_room(&pq->packed, bound);
	if (!to || pq->values.failed)
		return fail(pq, "no memory");
	bytes = ZSTD_compress2(pq->zstd, to, bound, pq->values.bytes, pq->values.used);
	if (ZSTD_isError(bytes))
		return fail(pq, ZSTD_getErrorName(bytes));
	kp_th_i32(&t, 1, type);
	kp_th_i32(&t, 2, (int32_t)pq->values.used);
	kp_th_i32(&t, 3, (int32_t)bytes);
	kp_th_struct(&t, type == PAGE_DATA ? 5 : 7);
	kp_th_i32(&t, 1, (int32_t)count);
	kp_th_i32(&t, 2, encoding);
	if (type == PAGE_DATA) {
		kp_th_i32(&t, 3, RLE);
		kp_th_i32(&t, 4, RLE);
	}
	kp_th_close(&t);
	kp_grow_byte(&pq->head, 0);
	if (pq->head.failed)
		return fail(pq, "no memory");
	*plain_bytes += pq->head.used + pq->values.used;
	if (put(pq, file, pq->head.bytes, pq->head.used))
		return -1;
	return put(pq, file, to, bytes);
}

/* Adds the definition levels, which show which rows have a value, before the values of a page. */
static void add_levels(struct kp_parquet *pq, const struct column *column, size_t rows)
{
	uint32_t bytes;

	pq->values.used = 0;
	if (!column->present)
		return;
	kp_grow_add(&pq->values, "....", 4);
	kp_pq_hybrid(&pq->values, column->present, rows, 1);
	if (pq->values.failed)
		return;
	bytes = htole32((uint32_t)pq->values.used - 4);
	memcpy(pq->values.bytes, &bytes, 4);
}

static void add_le(struct kp_grow *out, uint64_t value, size_t bytes)
{
	value = htole64(value);
	kp_grow_add(out, &value, bytes);
}

static void add_indices(struct kp_parquet *pq, size_t count, size_t different)
{
	unsigned int bits = kp_pq_bits(different ? different - 1 : 0);

	bits += !bits;
	kp_grow_byte(&pq->values, bits);
	kp_pq_hybrid(&pq->values, pq->indices, count, bits);
}

/*
 * Fills distinct[] and indices[]. Returns the number of different values, or 0 if a dictionary
 * would not save room.
 */
static size_t find_distinct(struct kp_parquet *pq, const struct column *column)
{
	struct kp_map places = {0};
	size_t different = 0, i;
	uint32_t place = 0;

	for (i = 0; i < column->count; i++) {
		if ((!i || column->values[i] != column->values[i - 1]) &&
		    !kp_map_get(&places, (uint64_t)column->values[i], &place)) {
			if (different == DICTIONARY_MAX || different > 64 + i / 4 ||
			    kp_map_set(&places, (uint64_t)column->values[i], (uint32_t)different)) {
				different = 0;
				break;
			}
			place = (uint32_t)different;
			pq->distinct[different++] = column->values[i];
		}
		pq->indices[i] = place;
	}
	kp_map_free(&places);
	return different;
}

/* Position and encoding of a column chunk. */
struct chunk {
	uint64_t dictionary_at, data_at, plain_bytes, bytes;
	int encoding;
	bool dictionary;
};

/* Writes the dictionary in pq->values, then fills pq->values with the indexes of a data page. */
static int put_dictionary(struct kp_parquet *pq, struct file *file, struct column *column,
			  size_t different, struct chunk *chunk)
{
	chunk->dictionary = true;
	chunk->dictionary_at = file->at;
	chunk->encoding = RLE_DICTIONARY;
	if (put_page(pq, file, PAGE_DICTIONARY, different, PLAIN, &chunk->plain_bytes))
		return -1;
	add_levels(pq, column, file->rows);
	add_indices(pq, column->count, different);
	return 0;
}

static int put_texts(struct kp_parquet *pq, struct file *file, struct column *column, struct chunk *chunk)
{
	pq->values.used = 0;
	for (size_t i = 0; i < column->texts.count; i++) {
		add_le(&pq->values, column->texts.items[i].len, 4);
		kp_grow_add(&pq->values, column->texts.items[i].bytes, column->texts.items[i].len);
	}
	for (size_t i = 0; i < column->count; i++)
		pq->indices[i] = (uint32_t)column->values[i];
	return put_dictionary(pq, file, column, column->texts.count, chunk);
}

static int put_numbers(struct kp_parquet *pq, struct file *file, struct column *column, bool time,
		       struct chunk *chunk)
{
	const size_t different = time ? 0 : find_distinct(pq, column);

	if (!different) {
		add_levels(pq, column, file->rows);
		kp_pq_delta(&pq->values, column->values, column->count);
		chunk->encoding = DELTA_BINARY_PACKED;
		return 0;
	}
	pq->values.used = 0;
	for (size_t i = 0; i < different; i++)
		add_le(&pq->values, (uint64_t)pq->distinct[i], 8);
	return put_dictionary(pq, file, column, different, chunk);
}

static bool less(const struct text *a, const struct text *b)
{
	const int order = memcmp(a->bytes, b->bytes, a->len < b->len ? a->len : b->len);

	return order ? order < 0 : a->len < b->len;
}

/* Adds the least and the greatest value, with which readers can skip row groups and files. */
static void add_statistics(struct kp_thrift *t, const struct column *column, bool texts, size_t rows)
{
	int64_t least = INT64_MAX, most = INT64_MIN;
	const struct text *first = column->texts.items, *last = first;
	uint64_t low, high;

	kp_th_struct(t, 12);
	kp_th_i64(t, 3, (int64_t)(rows - column->count));
	for (size_t i = 0; texts && i < column->texts.count; i++) {
		first = less(&column->texts.items[i], first) ? &column->texts.items[i] : first;
		last = less(last, &column->texts.items[i]) ? &column->texts.items[i] : last;
	}
	for (size_t i = 0; !texts && i < column->count; i++) {
		least = column->values[i] < least ? column->values[i] : least;
		most = column->values[i] > most ? column->values[i] : most;
	}
	low = htole64((uint64_t)least);
	high = htole64((uint64_t)most);
	if (texts && column->texts.count) {
		kp_th_binary(t, 5, last->bytes, last->len);
		kp_th_binary(t, 6, first->bytes, first->len);
	} else if (column->count) {
		kp_th_binary(t, 5, &high, 8);
		kp_th_binary(t, 6, &low, 8);
	}
	kp_th_close(t);
}

/* Adds a ColumnChunk with its ColumnMetaData as an element of a list. */
static void add_chunk(struct kp_thrift *t, const struct kt_column *info, const struct column *column,
		      const struct chunk *chunk, size_t rows)
{
	const bool text = info->type == KT_TEXT;

	kp_th_open(t);
	kp_th_i64(t, 2, (int64_t)(chunk->dictionary ? chunk->dictionary_at : chunk->data_at));
	kp_th_struct(t, 3);
	kp_th_i32(t, 1, text ? TYPE_BYTE_ARRAY : TYPE_INT64);
	kp_th_list(t, 2, KP_TH_I32, chunk->dictionary ? 3 : 2);
	kp_grow_varint(t->out, kp_zigzag(RLE));
	kp_grow_varint(t->out, kp_zigzag(chunk->encoding));
	if (chunk->dictionary)
		kp_grow_varint(t->out, kp_zigzag(PLAIN));
	kp_th_list(t, 3, KP_TH_BINARY, 1);
	kp_th_text(t, info->name, strlen(info->name));
	kp_th_i32(t, 4, CODEC_ZSTD);
	kp_th_i64(t, 5, (int64_t)rows);
	kp_th_i64(t, 6, (int64_t)chunk->plain_bytes);
	kp_th_i64(t, 7, (int64_t)chunk->bytes);
	kp_th_i64(t, 9, (int64_t)chunk->data_at);
	if (chunk->dictionary)
		kp_th_i64(t, 11, (int64_t)chunk->dictionary_at);
	add_statistics(t, column, text, rows);
	kp_th_close(t);
	kp_th_close(t);
}

static void empty(struct column *column)
{
	column->count = 0;
	column->texts.count = 0;
	column->last = NULL;
	kp_map_free(&column->places);
}

/* Writes the collected rows as a row group. */
static int put_group(struct kp_parquet *pq, enum kt_table table)
{
	const struct kt_table_info *info = &kt_tables[table];
	struct file *file = &pq->files[table];
	struct kp_thrift t = { .out = &file->groups };
	const uint64_t begin = file->at;
	uint64_t plain = 0;

	if (!file->rows)
		return 0;
	kp_th_open(&t);
	kp_th_list(&t, 1, KP_TH_STRUCT, info->count);
	for (size_t i = 0; i < info->count; i++) {
		const struct kt_column *type = &info->columns[i];
		struct column *column = &file->columns[i];
		struct chunk chunk = {0};
		const uint64_t at = file->at;

		if (type->type == KT_TEXT ? put_texts(pq, file, column, &chunk) :
					    put_numbers(pq, file, column, type->type == KT_TIME, &chunk))
			return -1;
		chunk.data_at = file->at;
		if (put_page(pq, file, PAGE_DATA, file->rows, chunk.encoding, &chunk.plain_bytes))
			return -1;
		chunk.bytes = file->at - at;
		plain += chunk.plain_bytes;
		add_chunk(&t, type, column, &chunk, file->rows);
		empty(column);
	}
	kp_th_i64(&t, 2, (int64_t)plain);
	kp_th_i64(&t, 3, (int64_t)file->rows);
	kp_th_i64(&t, 5, (int64_t)begin);
	kp_th_i64(&t, 6, (int64_t)(file->at - begin));
	kp_th_close(&t);
	file->group_count++;
	file->total += file->rows;
	file->rows = 0;
	return file->groups.failed ? fail(pq, "no memory") : 0;
}

/* Doubles the number of rows that fit into the table's columns. */
static int make_room(struct kp_parquet *pq, enum kt_table table)
{
	struct file *file = &pq->files[table];
	const size_t room = file->room ? 2 * file->room : 256;

	for (size_t i = 0; i < kt_tables[table].count; i++) {
		struct column *column = &file->columns[i];
		int64_t *values = realloc(column->values, room * sizeof(*values));
		uint32_t *present;

		if (!values)
			return fail(pq, "no memory");
		column->values = values;
		if (!kt_tables[table].columns[i].null)
			continue;
		present = realloc(column->present, room * sizeof(*present));
		if (!present)
			return fail(pq, "no memory");
		column->present = present;
	}
	file->room = room;
	return 0;
}

/* Returns the index of the text in the column, and adds a new text; -1 without memory. */
static int64_t place_of(struct kp_parquet *pq, struct column *column, const struct kt_cell *cell)
{
	/* addresses have 48 bits */
	const uint64_t key = (uint64_t)(uintptr_t)cell->text << 16 ^ cell->len;
	const struct kp_str *text;
	struct text *added;
	uint32_t place;

	if (column->last == cell->text && column->last_len == cell->len)
		return column->last_place;
	column->last = NULL;
	if (kp_map_get(&column->places, key, &place)) {
		column->last = cell->text;
		column->last_len = cell->len;
		column->last_place = place;
		return place;
	}
	text = kp_strings_add(&pq->strings, cell->text, cell->len);
	if (!text)
		return -1;
	/* a text with the same bytes may have another address */
	if (!kp_map_get(&column->places, (uint64_t)(uintptr_t)text->text << 16 ^ text->len, &place)) {
		place = (uint32_t)column->texts.count;
		added = KP_PUSH(&column->texts);
		if (!added || kp_map_set(&column->places, (uint64_t)(uintptr_t)text->text << 16 ^ text->len, place))
			return -1;
		*added = (struct text){ text->text, text->len };
	}
	return kp_map_set(&column->places, key, place) ? -1 : (int64_t)place;
}

static int take_row(void *self, enum kt_table table, const struct kt_cell *cells)
{
	struct kp_parquet *pq = self;
	struct file *file = &pq->files[table];

	if (++pq->rows % CHECK_ROWS == 0 && kp_interrupted())
		return -1;
	if (file->rows == KP_PARQUET_ROWS && put_group(pq, table))
		return -1;
	if (file->rows == file->room && make_room(pq, table))
		return -1;
	for (size_t i = 0; i < kt_tables[table].count; i++) {
		struct column *column = &file->columns[i];
		const struct kt_cell *cell = &cells[i];

		if (column->present) {
			column->present[file->rows] = cell->kind != KT_NO_VALUE;
			if (cell->kind == KT_NO_VALUE)
				continue;
		}
		column->values[column->count] = cell->kind == KT_STRING ? place_of(pq, column, cell) : cell->number;
		if (cell->kind == KT_STRING && column->values[column->count] < 0)
			return fail(pq, "no memory");
		column->count++;
	}
	file->rows++;
	return 0;
}

struct kt_sink kp_parquet_sink(struct kp_parquet *pq)
{
	return (struct kt_sink){ .row = take_row, .self = pq, .message = pq->message };
}

static void add_schema(struct kp_thrift *t, const struct kt_table_info *info)
{
	kp_th_list(t, 2, KP_TH_STRUCT, info->count + 1);
	kp_th_open(t);
	kp_th_binary(t, 4, info->name, strlen(info->name));
	kp_th_i32(t, 5, (int32_t)info->count);
	kp_th_close(t);
	for (size_t i = 0; i < info->count; i++) {
		const bool text = info->columns[i].type == KT_TEXT;

		kp_th_open(t);
		kp_th_i32(t, 1, text ? TYPE_BYTE_ARRAY : TYPE_INT64);
		kp_th_i32(t, 3, info->columns[i].null ? OPTIONAL : REQUIRED);
		kp_th_binary(t, 4, info->columns[i].name, strlen(info->columns[i].name));
		if (text) {
			kp_th_i32(t, 6, CONVERTED_UTF8);
			kp_th_struct(t, 10);	/* LogicalType: STRING */
			kp_th_struct(t, 1);
			kp_th_close(t);
			kp_th_close(t);
		}
		kp_th_close(t);
	}
}

/* Writes FileMetaData, its length and the magic number. */
static int put_end(struct kp_parquet *pq, enum kt_table table)
{
	static const char maker[] = "KUtrace rawtoparquet version " KUTRACE_VERSION;
	const struct kt_table_info *info = &kt_tables[table];
	struct file *file = &pq->files[table];
	struct kp_thrift t = { .out = &pq->head };

	pq->head.used = 0;
	kp_th_i32(&t, 1, 2);
	add_schema(&t, info);
	kp_th_i64(&t, 3, (int64_t)file->total);
	kp_th_list(&t, 4, KP_TH_STRUCT, file->group_count);
	kp_grow_add(t.out, file->groups.bytes, file->groups.used);
	kp_th_binary(&t, 6, maker, sizeof(maker) - 1);
	kp_th_list(&t, 7, KP_TH_STRUCT, info->count);	/* each column: TypeDefinedOrder */
	for (size_t i = 0; i < info->count; i++) {
		kp_th_open(&t);
		kp_th_struct(&t, 1);
		kp_th_close(&t);
		kp_th_close(&t);
	}
	kp_grow_byte(&pq->head, 0);
	add_le(&pq->head, pq->head.used, 4);
	kp_grow_add(&pq->head, "PAR1", 4);
	if (pq->head.failed)
		return fail(pq, "no memory");
	return put(pq, file, pq->head.bytes, pq->head.used);
}

int kp_parquet_finish(struct kp_parquet *pq)
{
	for (int table = 0; table < KT_TABLES; table++)
		if (kp_interrupted() || put_group(pq, table) || put_end(pq, table))
			return -1;
	return 0;
}

void kp_parquet_free(struct kp_parquet *pq)
{
	if (!pq)
		return;
	for (int table = 0; table < KT_TABLES; table++) {
		for (size_t i = 0; i < KT_COLUMNS_MAX; i++) {
			struct column *column = &pq->files[table].columns[i];

			free(column->values);
			free(column->present);
			free(column->texts.items);
			kp_map_free(&column->places);
		}
		free(pq->files[table].groups.bytes);
	}
	free(pq->values.bytes);
	free(pq->packed.bytes);
	free(pq->head.bytes);
	free(pq->indices);
	free(pq->distinct);
	kp_strings_free(&pq->strings);
	ZSTD_freeCCtx(pq->zstd);
	free(pq);
}
