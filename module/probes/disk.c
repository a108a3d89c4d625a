// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracepoints of requests to disks. Rules of probes: tp.h.
 *
 * A request is recorded where it is allocated, by its first bio and in the context of the task that
 * needs it; where the driver gets it; and where it completes. Disks without a queue of requests,
 * such as those of the device mapper, have none: the disks below them have.
 */
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/kprobes.h>
#include <trace/events/block.h>

#include "compat/tracepoints.h"
#include "compat/version.h"
#include "core/emit.h"
#include "probes/tp.h"
#include "uapi/kutrace_disk.h"

static __always_inline u32 ku_disk_op(enum req_op op)
{
	if (blk_op_is_passthrough(op) || op_is_zone_mgmt(op))
		return KUTRACE_DISK_OTHER;
	if (op == REQ_OP_FLUSH)
		return KUTRACE_DISK_FLUSH;
	if (op_is_discard(op))
		return KUTRACE_DISK_DISCARD;
	return op_is_write(op) ? KUTRACE_DISK_WRITE : KUTRACE_DISK_READ;
}

/*
 * @number: see kutrace_disk.h. @disk: NULL while a disk is searched for. @sector: the kernel has -1
 * for a command to the disk itself.
 */
static __always_inline void ku_disk_emit(u32 event, const struct gendisk *disk, u32 number,
					 u32 bytes, u32 error, u32 op, sector_t sector)
{
	const u64 words[KUTRACE_DISK_WORDS] = {
		KU_EVENT(event) | (disk ? (u32)disk->major << KUTRACE_DISK_MAJOR_SHIFT |
					  (u32)disk->first_minor : 0),
		(u64)number << KUTRACE_DISK_NUMBER_SHIFT | bytes,
		(u64)error << KUTRACE_DISK_ERROR_SHIFT | (u64)op << KUTRACE_DISK_OP_SHIFT |
			(op == KUTRACE_DISK_FLUSH || sector == (sector_t)-1 ?
			 0 : sector & KUTRACE_DISK_SECTOR_MASK),
	};

	ku_clock_order();
	/* A NOP follows: otherwise the next return could take the last word for its call. */
	ku_emit_words(words, KUTRACE_DISK_WORDS, KUTRACE_DISK_WORDS + 1, 0);
}

static __always_inline void ku_disk_bio(u32 event, const struct bio *bio)
{
	ku_disk_emit(event, bio->bi_bdev->bd_disk, 0, bio->bi_iter.bi_size, 0,
		     ku_disk_op(bio_op(bio)), bio->bi_iter.bi_sector);
}

static __always_inline void ku_disk_request(u32 event, const struct request *rq, u32 number,
					    u32 bytes, u32 error)
{
	ku_disk_emit(event, READ_ONCE(rq->q->disk), number, bytes, error, ku_disk_op(req_op(rq)),
		     blk_rq_pos(rq));
}

/*
 * Returns the number of a request, by its tag in its queue. With an I/O scheduler, the internal tag
 * stays the same when the request returns to the queue. Without one, the request has only the other
 * tag.
 */
static __always_inline u32 ku_disk_number(const struct request *rq)
{
	u32 tag = (u32)(rq->internal_tag >= 0 ? rq->internal_tag : rq->tag);

	return rq->mq_hctx->queue_num << BLK_MQ_UNIQUE_TAG_BITS | (tag & BLK_MQ_UNIQUE_TAG_MASK);
}

/* A bio without data is a flush, for which the kernel makes another request. */
static void __kprobes ku_disk_queued(void *data, struct bio *bio)
{
	ku_probe_guard();

	if (bio->bi_iter.bi_size)
		ku_disk_bio(KUTRACE_DISK_QUEUED, bio);
}

/* A bio is added before the first sector of a request. */
static void __kprobes ku_disk_front(void *data, struct bio *bio)
{
	ku_probe_guard();

	ku_disk_bio(KUTRACE_DISK_MERGED, bio);
}

/* The request becomes a part of the one before it. */
static void __kprobes ku_disk_merged(void *data, struct request *rq)
{
	ku_probe_guard();

	ku_disk_request(KUTRACE_DISK_MERGED, rq, 1, blk_rq_bytes(rq), 0);
}

static void __kprobes ku_disk_issued(void *data, struct request *rq)
{
	ku_probe_guard();

	ku_disk_request(KUTRACE_DISK_ISSUED, rq, ku_disk_number(rq), blk_rq_bytes(rq), 0);
}

static void __kprobes ku_disk_requeued(void *data, struct request *rq)
{
	ku_probe_guard();

	ku_disk_request(KUTRACE_DISK_REQUEUED, rq, ku_disk_number(rq), blk_rq_bytes(rq), 0);
}

static void __kprobes ku_disk_done(void *data, struct request *rq, blk_status_t error,
				   unsigned int bytes)
{
	ku_probe_guard();

	/* A write without data is the request for a flush, which is a request of its own. */
	if (!bytes && req_op(rq) == REQ_OP_WRITE)
		return;
	ku_disk_request(KUTRACE_DISK_DONE, rq, ku_disk_number(rq), bytes,
			error ? (u8)-blk_status_to_errno(error) : 0);
}

/* The beginning of a request is attached last, so that it is recorded only with its end. */
static struct ku_tp ku_disk_tps[] = {
	KU_TP(block_rq_complete, ku_disk_done, KUTRACE_MASK_DISK),
	KU_TP(block_rq_requeue, ku_disk_requeued, KUTRACE_MASK_DISK),
	KU_TP(block_rq_issue, ku_disk_issued, KUTRACE_MASK_DISK),
	KU_TP(block_rq_merge, ku_disk_merged, KUTRACE_MASK_DISK),
	KU_TP(block_bio_frontmerge, ku_disk_front, KUTRACE_MASK_DISK),
	KU_TP(block_getrq, ku_disk_queued, KUTRACE_MASK_DISK),
};

const struct ku_tp_table ku_tps_disk = KU_TP_TABLE(ku_disk_tps);

static void __maybe_unused ku_disk_check(void)
{
	KU_CHECK(block_rq_complete, ku_disk_done);
	KU_CHECK(block_rq_requeue, ku_disk_requeued);
	KU_CHECK(block_rq_issue, ku_disk_issued);
	KU_CHECK(block_rq_merge, ku_disk_merged);
	KU_CHECK(block_bio_frontmerge, ku_disk_front);
	KU_CHECK(block_getrq, ku_disk_queued);
}
