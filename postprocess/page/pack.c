// SPDX-License-Identifier: BSD-3-Clause
/*
 * Compresses columns and encodes them as base64, with a few threads. Each column is a job. The
 * caller's thread also does jobs, instead of waiting.
 *
 * Jobs are written in the order in which they were added, so the output does not depend on the
 * number of processors. Must not hold more than JOBS_BYTES of columns, except one larger column.
 */
#include "page/pack.h"

#include <errno.h>
#ifdef KP_HAVE_DEFLATE
#include <libdeflate.h>
#else
#include <zlib.h>
#endif
#include <pthread.h>
#include <signal.h>

#include "base/thread.h"

/*
 * Compression level of libdeflate. Compressed columns are slightly larger than with zlib at level
 * 6, but compression takes a third of the time.
 */
#define PACK_LEVEL 4

#ifndef KP_HAVE_DEFLATE
/* zlib compresses if libdeflate is missing. */
static struct libdeflate_compressor {
	int level;
} by_zlib = { 6 };

#define libdeflate_alloc_compressor(level)	((level) ? &by_zlib : NULL)
#define libdeflate_free_compressor(compressor)	((void)(compressor))
#define libdeflate_zlib_compress_bound(compressor, len)	compressBound(len)

static size_t libdeflate_zlib_compress(const struct libdeflate_compressor *compressor, const void *in, size_t len,
				       void *out, size_t room)
{
	return compress2(out, &room, in, len, compressor->level) == Z_OK ? room : 0;
}
#endif

#define JOBS 16u
#define JOBS_BYTES (8u << 20)	/* maximum size of all jobs before compression */
#define THREADS_MAX 7u		/* maximum number of threads besides the caller's */
#define HEAD_BYTES 256u

struct job {
	char head[HEAD_BYTES];
	const char *tail;
	struct kp_bytes raw;	/* content of the column until it is compressed */
	size_t raw_len;
	char *text;		/* base64 text of the column */
	size_t text_len;
	int err;		/* negative errno */
	bool done;
};

struct kp_packer {
	FILE *out;
	int err;		/* first error of writing or compressing */
	struct libdeflate_compressor *own;	/* compressor of the caller's thread */
	pthread_t threads[THREADS_MAX];
	unsigned int thread_count;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* numbers of jobs so far, protected by the lock; job n is jobs[n % JOBS] */
	unsigned int added, taken, written;
	size_t bytes;		/* size of the jobs that are not written, before compression */
	bool closing;
	struct job jobs[JOBS];
};

static char *put_base64(char *text, const uint8_t *in, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (; len >= 3; len -= 3, in += 3) {
		uint32_t v = (uint32_t)in[0] << 16 | (uint32_t)in[1] << 8 | in[2];

		*text++ = digits[v >> 18];
		*text++ = digits[v >> 12 & 63];
		*text++ = digits[v >> 6 & 63];
		*text++ = digits[v & 63];
	}
	if (len) {
		uint32_t v = (uint32_t)in[0] << 16 | (len > 1 ? (uint32_t)in[1] << 8 : 0);

		*text++ = digits[v >> 18];
		*text++ = digits[v >> 12 & 63];
		*text++ = len > 1 ? digits[v >> 6 & 63] : '=';
		*text++ = '=';
	}
	return text;
}

static void pack(struct job *job, struct libdeflate_compressor *compressor)
{
	size_t room = libdeflate_zlib_compress_bound(compressor, job->raw.len);
	uint8_t *packed = malloc(room);
	size_t len;

	job->err = -ENOMEM;
	if (packed) {
		len = libdeflate_zlib_compress(compressor, job->raw.data, job->raw.len,
					       packed, room);
		job->text = malloc((len + 2) / 3 * 4 + 1);
		if (len && job->text) {
			job->text_len = (size_t)(put_base64(job->text, packed, len) - job->text);
			job->err = 0;
		}
	}
	free(packed);
	kp_bytes_free(&job->raw);
}

/*
 * Takes the next job and compresses its column. The caller holds the lock, which is released during
 * the compression.
 */
static void take_job(struct kp_packer *packer, struct libdeflate_compressor *compressor)
{
	struct job *job = &packer->jobs[packer->taken++ % JOBS];

	pthread_mutex_unlock(&packer->lock);
	pack(job, compressor);
	pthread_mutex_lock(&packer->lock);
	job->done = true;
	pthread_cond_broadcast(&packer->changed);
}

static void *run(void *self)
{
	struct kp_packer *packer = self;
	struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(PACK_LEVEL);

	if (!compressor)
		return NULL;	/* without memory: the other threads do the jobs */
	pthread_mutex_lock(&packer->lock);
	while (!packer->closing) {
		if (packer->taken == packer->added)
			pthread_cond_wait(&packer->changed, &packer->lock);
		else
			take_job(packer, compressor);
	}
	pthread_mutex_unlock(&packer->lock);
	libdeflate_free_compressor(compressor);
	return NULL;
}

static int write_job(const struct job *job, FILE *out)
{
	size_t head = strlen(job->head), tail = strlen(job->tail);

	errno = 0;
	if (fwrite(job->head, 1, head, out) != head ||
	    fwrite(job->text, 1, job->text_len, out) != job->text_len ||
	    fwrite(job->tail, 1, tail, out) != tail)
		return errno ? -errno : -EIO;
	return 0;
}

/*
 * Waits for the oldest job and writes its text. The caller holds the lock, which is released during
 * the wait and the write.
 */
static void write_oldest(struct kp_packer *packer)
{
	struct job *job = &packer->jobs[packer->written % JOBS];

	while (!job->done) {
		if (packer->taken != packer->added)
			take_job(packer, packer->own);
		else
			pthread_cond_wait(&packer->changed, &packer->lock);
	}
	pthread_mutex_unlock(&packer->lock);
	if (!packer->err)
		packer->err = job->err;
	if (!packer->err)
		packer->err = write_job(job, packer->out);
	free(job->text);
	pthread_mutex_lock(&packer->lock);
	packer->bytes -= job->raw_len;
	packer->written++;
}

int kp_packer_add(struct kp_packer *packer, const char *head, struct kp_bytes *bytes,
		  const char *tail)
{
	struct job *job;

	pthread_mutex_lock(&packer->lock);
	while (packer->written != packer->added &&
	       (packer->jobs[packer->written % JOBS].done ||
		packer->added - packer->written == JOBS ||
		packer->bytes + bytes->len > JOBS_BYTES))
		write_oldest(packer);
	job = &packer->jobs[packer->added % JOBS];
	memset(job, 0, sizeof(*job));
	snprintf(job->head, sizeof(job->head), "%s", head);
	job->tail = tail;
	job->raw = *bytes;
	job->raw_len = bytes->len;
	memset(bytes, 0, sizeof(*bytes));
	packer->bytes += job->raw_len;
	packer->added++;
	pthread_cond_broadcast(&packer->changed);
	pthread_mutex_unlock(&packer->lock);
	return packer->err;
}

int kp_packer_finish(struct kp_packer *packer)
{
	pthread_mutex_lock(&packer->lock);
	while (packer->written != packer->added)
		write_oldest(packer);
	pthread_mutex_unlock(&packer->lock);
	return packer->err;
}

/*
 * Starts up to THREADS_MAX threads, but fewer than there are cores. The packer also works without
 * threads. The threads block all signals, so that the caller's thread receives them.
 */
static void start_threads(struct kp_packer *packer)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (packer->thread_count < THREADS_MAX && packer->thread_count + 1 < kp_cores() &&
	       !pthread_create(&packer->threads[packer->thread_count], NULL, run, packer))
		packer->thread_count++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct kp_packer *kp_packer_open(FILE *out)
{
	struct kp_packer *packer = calloc(1, sizeof(*packer));

	if (!packer)
		return NULL;
	packer->out = out;
	packer->own = libdeflate_alloc_compressor(PACK_LEVEL);
	if (!packer->own) {
		free(packer);
		return NULL;
	}
	pthread_mutex_init(&packer->lock, NULL);
	pthread_cond_init(&packer->changed, NULL);
	start_threads(packer);
	return packer;
}

void kp_packer_close(struct kp_packer *packer)
{
	if (!packer)
		return;
	pthread_mutex_lock(&packer->lock);
	packer->closing = true;
	pthread_cond_broadcast(&packer->changed);
	pthread_mutex_unlock(&packer->lock);
	for (unsigned int i = 0; i < packer->thread_count; i++)
		pthread_join(packer->threads[i], NULL);
	for (; packer->written != packer->added; packer->written++) {
		struct job *job = &packer->jobs[packer->written % JOBS];

		kp_bytes_free(&job->raw);
		free(job->text);
	}
	libdeflate_free_compressor(packer->own);
	pthread_cond_destroy(&packer->changed);
	pthread_mutex_destroy(&packer->lock);
	free(packer);
}

/*
 * Number of bytes by which a buffer of twice this size or more grows. A larger growth would leave
 * much memory unused.
 */
#define STEP_BYTES (64u << 10)

int kp_bytes_reserve(struct kp_bytes *bytes, size_t more)
{
	size_t cap = bytes->cap;
	uint8_t *data;

	if (bytes->cap - bytes->len >= more)
		return 0;
	if (more > SIZE_MAX / 4 || bytes->len > SIZE_MAX / 4)
		return -ENOMEM;
	while (cap - bytes->len < more)
		cap += !cap ? 4096 : cap < 2 * STEP_BYTES ? cap / 2 : STEP_BYTES;
	data = realloc(bytes->data, cap);
	if (!data)
		return -ENOMEM;
	bytes->data = data;
	bytes->cap = cap;
	return 0;
}

void kp_bytes_free(struct kp_bytes *bytes)
{
	free(bytes->data);
	memset(bytes, 0, sizeof(*bytes));
}

/*
 * ---- the dictionary ----
 *
 * Numbers the pairs of event and name in the order of first use. Memory grows with the number of
 * different pairs, but not with the length of the trace.
 */

void kp_dictionary_close(struct kp_dictionary *dictionary)
{
	kp_map_free(&dictionary->by_hash);
	free(dictionary->entries.items);
	free(dictionary->text.items);
	kp_bytes_free(&dictionary->pending);
}

static inline bool is_entry(const struct kp_dictionary *dictionary, uint32_t number,
			    int64_t event, const char *name, size_t len)
{
	const struct kp_dictionary_entry *entry = &dictionary->entries.items[number];

	return entry->event == event && entry->len == len &&
	       (!len || !memcmp(dictionary->text.items + entry->offset, name, len));
}

static int add(struct kp_dictionary *dictionary, uint64_t key, int64_t event,
	       const char *name, size_t len)
{
	struct kp_dictionary_entry *entry;
	int rc;

	if (dictionary->entries.count >= INT32_MAX || len >= UINT32_MAX)
		return -ERANGE;
	while (dictionary->text.cap - dictionary->text.count < len)
		if (kp_vector_grow((void **)&dictionary->text.items, &dictionary->text.cap, 1))
			return -ENOMEM;
	rc = kp_bytes_reserve(&dictionary->pending, len + 2 * KP_VARINT_MAX);
	if (rc)
		return rc;
	entry = KP_PUSH(&dictionary->entries);
	if (!entry)
		return -ENOMEM;
	if (kp_map_set(&dictionary->by_hash, key, (uint32_t)(dictionary->entries.count - 1))) {
		dictionary->entries.count--;
		return -ENOMEM;
	}
	*entry = (struct kp_dictionary_entry){
		.event = event, .offset = dictionary->text.count, .len = (uint32_t)len,
	};
	if (len)
		memcpy(dictionary->text.items + dictionary->text.count, name, len);
	dictionary->text.count += len;
	kp_put_varint(&dictionary->pending, kp_zigzag(event));
	kp_put_varint(&dictionary->pending, len);
	if (len)
		memcpy(dictionary->pending.data + dictionary->pending.len, name, len);
	dictionary->pending.len += len;
	dictionary->pending_count++;
	return 0;
}

int kp_dictionary_find(struct kp_dictionary *dictionary, int64_t event, const char *name,
		       size_t len, uint32_t *number)
{
	uint32_t *last = &dictionary->last[((uintptr_t)name >> 3 ^ (uint64_t)event) %
					   KP_DICTIONARY_LAST];
	uint64_t key;
	int rc;

	/* the same name pointer and event often mean the same entry, but not always */
	if (*last && is_entry(dictionary, *last - 1, event, name, len)) {
		*number = *last - 1;
		return 0;
	}
	for (key = kp_mix((uint64_t)event ^ kp_hash(name, len)); kp_map_get(&dictionary->by_hash, key, number);
	     key++) {
		if (is_entry(dictionary, *number, event, name, len)) {
			*last = *number + 1;
			return 0;
		}
	}
	rc = add(dictionary, key, event, name, len);
	*number = (uint32_t)dictionary->entries.count - 1;
	return rc;
}
