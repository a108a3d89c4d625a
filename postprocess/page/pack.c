// SPDX-License-Identifier: BSD-3-Clause
/*
 * Compresses columns and encodes them as base64, with a few threads. Each column is a job. The
 * caller's thread also takes jobs whenever it would have to wait.
 *
 * Jobs are written in the order in which they were added, so the page does not depend on the number
 * of processors. Must not hold more than JOBS_BYTES of columns, except for a single larger one.
 */
#include <errno.h>
#include <libdeflate.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "page/pack.h"

/* The columns get slightly larger than at zlib's level 6, in a third of its time. */
#define PACK_LEVEL 4

#define JOBS 16u
#define JOBS_BYTES (8u << 20)	/* before compression */
#define THREADS_MAX 7u		/* besides the caller's thread */
#define HEAD_BYTES 256u

struct job {
	char head[HEAD_BYTES];
	const char *tail;
	struct kp_bytes raw;	/* until it is compressed */
	size_t raw_len;
	char *text;		/* base64 */
	size_t text_len;
	int err;		/* negative errno */
	bool done;
};

struct kp_packer {
	FILE *out;
	int err;		/* first error of writing or compressing */
	struct libdeflate_compressor *own;	/* of the caller's thread */
	pthread_t threads[THREADS_MAX];
	unsigned int thread_count;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* under the lock; number of jobs so far; job n is jobs[n % JOBS] */
	unsigned int added, taken, written;
	size_t bytes;		/* of the jobs that are not written */
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
			job->text_len = (size_t)(put_base64(job->text, packed, len) -
						 job->text);
			job->err = 0;
		}
	}
	free(packed);
	kp_bytes_free(&job->raw);
}

/*
 * Takes the next job and compresses it. Enters and returns with the lock, which it releases
 * meanwhile.
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
		return NULL;	/* the caller's thread does all jobs */
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
 * Waits for the oldest job and writes it. Enters and returns with the lock, which it releases
 * meanwhile.
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
 * Starts threads, as many as possible; none is also enough. The caller's thread receives all
 * signals.
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
	unsigned int i;

	if (!packer)
		return;
	pthread_mutex_lock(&packer->lock);
	packer->closing = true;
	pthread_cond_broadcast(&packer->changed);
	pthread_mutex_unlock(&packer->lock);
	for (i = 0; i < packer->thread_count; i++)
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
