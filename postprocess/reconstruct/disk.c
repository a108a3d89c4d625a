// SPDX-License-Identifier: BSD-3-Clause
/*
 * Requests of disks: a request is queued, issued to the driver, and done. Each becomes two rows with
 * the same number. The wait of a thread that the end of a request wakes gets this number.
 *
 *	queued		device and first sector; the running task needs the request
 *	merged		a queued request begins with an earlier sector, or becomes a part of another one
 *	issued		device and number; the queued request with this first sector gets the number
 *	requeued	the issued request waits again, with the same number
 *	done		device and number
 */
#include "common/disk_text.h"
#include "reconstruct/state.h"

#define KP_DISKS_MAX	4096	/* events of more devices are not matched */
/* number of first sectors that are stored, if no request waits */
#define KP_DISK_LISTS_MAX	65536

/* Returns the index of a device, which is added if needed; UINT32_MAX: too many, or no memory. */
static uint32_t kp_disk_device(struct kp_reconstruct *rec, uint32_t device)
{
	struct kp_disks *disks = &rec->disks;
	uint32_t index;

	if (kp_map_get(&disks->device_map, device, &index))
		return index;
	index = (uint32_t)disks->in_service.count;
	if (index >= KP_DISKS_MAX)
		return UINT32_MAX;
	if (KP_APPEND(&disks->in_service, 0) || kp_map_set(&disks->device_map, device, index)) {
		kp_rec_no_memory(rec);
		return UINT32_MAX;
	}
	return index;
}

/* Returns the key of a device and a first sector in the map of lists. */
static uint64_t kp_disk_key(uint32_t device, uint64_t sector)
{
	return (uint64_t)device << KUTRACE_DISK_OP_SHIFT | (sector & KUTRACE_DISK_SECTOR_MASK);
}

/* Adds a request that waits. @sector: its first sector. */
static void kp_disk_put(struct kp_reconstruct *rec, uint32_t device, uint64_t sector,
			const struct kp_queued *request)
{
	const uint64_t key = kp_disk_key(device, sector);
	struct kp_disks *disks = &rec->disks;
	struct kp_queued item = *request;

	if (!disks->waiting && disks->lists >= KP_DISK_LISTS_MAX) {
		kp_queues_free(&disks->queues);
		kp_map_free(&disks->sectors);
		disks->lists = 0;
	}
	if (!kp_map_get(&disks->sectors, key, &item.queue)) {
		item.queue = disks->lists++;
		if (kp_map_set(&disks->sectors, key, item.queue))
			kp_rec_no_memory(rec);
	}
	if (kp_queues_put(&disks->queues, &item))
		kp_rec_no_memory(rec);
	disks->waiting++;
}

/*
 * Removes a request with this first sector: the oldest one of @pid, or the oldest one. Sets *others
 * to whether others still wait. Returns false if none waits.
 */
static bool kp_disk_take(struct kp_reconstruct *rec, uint32_t device, uint64_t sector, uint32_t pid,
			 struct kp_queued *item, bool *others)
{
	const uint64_t key = kp_disk_key(device, sector);
	struct kp_disks *disks = &rec->disks;
	uint32_t list, index;

	if (!kp_map_get(&disks->sectors, key, &list) || !kp_queues_take(&disks->queues, list, pid, item))
		return false;
	*others = kp_map_get(&disks->queues.by_queue, list, &index) && disks->queues.lists.items[index].first;
	disks->waiting--;
	return true;
}

/* Returns the request of a device with the number; it is added if needed. NULL: no memory. */
static struct kp_disk_request *kp_disk_request(struct kp_reconstruct *rec, uint32_t device, uint32_t number)
{
	const uint64_t key = (uint64_t)device << 32 | number;
	struct kp_disks *disks = &rec->disks;
	uint32_t index;

	if (kp_map_get(&disks->numbers, key, &index))
		return &disks->requests.items[index];
	if (KP_APPEND(&disks->requests, (struct kp_disk_request){ .state = KP_DISK_NONE }) ||
	    kp_map_set(&disks->numbers, key, (uint32_t)(disks->requests.count - 1))) {
		kp_rec_no_memory(rec);
		return NULL;
	}
	return &disks->requests.items[disks->requests.count - 1];
}

/* ---- events ---- */

/*
 * Changes or removes the request that is merged. If several requests with this first sector wait, the one
 * of the running task is merged, because a task merges its own requests first. If it has none, it is
 * unknown which one is merged: no owner is stored for the new first sector.
 */
static void kp_disk_merged(struct kp_reconstruct *rec, uint32_t device, const struct ku_disk *disk, uint32_t pid)
{
	const uint64_t old = disk->number ? disk->sector : disk->sector + disk->bytes / KUTRACE_DISK_SECTOR_BYTES;
	struct kp_queued item;
	bool others;

	if (kp_disk_take(rec, device, old, pid, &item, &others) && !disk->number && (item.pid == pid || !others))
		kp_disk_put(rec, device, disk->sector, &item);
}

/*
 * Sets the request's owner and the time at which it was queued. If several requests with this first
 * sector wait, the one of the running task is issued, or it is unknown which one.
 */
static void kp_disk_owner(struct kp_reconstruct *rec, struct kp_disk_request *request, uint32_t device,
			  const struct ku_disk *disk, const struct kp_event *event)
{
	struct kp_queued item;
	bool others;

	*request = (struct kp_disk_request){ .pid = event->pid, .cpu = event->cpu, .queued = -1 };
	if (disk->op == KUTRACE_DISK_FLUSH || !kp_disk_take(rec, device, disk->sector, event->pid, &item, &others))
		return;
	request->pid = item.pid;
	request->cpu = item.cpu;
	request->queued = item.ts;
	request->owned = item.pid == event->pid || !others;
}

static void kp_disk_issued(struct kp_reconstruct *rec, uint32_t device, const struct ku_disk *disk,
			   const struct kp_event *event)
{
	struct kp_disk_request *request = kp_disk_request(rec, device, disk->number);
	bool again;

	if (!request)
		return;
	again = request->state == KP_DISK_REQUEUED && request->disk.sector == disk->sector;
	rec->stats.disk_open += request->state != KP_DISK_NONE && !again;
	rec->disks.in_service.items[device] += request->state != KP_DISK_ISSUED;
	if (!again)
		kp_disk_owner(rec, request, device, disk, event);
	request->state = KP_DISK_ISSUED;
	request->issued = event->ts;
	request->disk = *disk;
	request->left = disk->bytes;
	request->depth = rec->disks.in_service.items[device];
	request->row = ++rec->disks.rows;
}

/* Writes the two rows of a request that is done at @ts. */
static void kp_disk_rows(struct kp_reconstruct *rec, const struct kp_disk_request *request, int64_t ts)
{
	char text[KU_DISK_TEXT_MAX + 1];
	struct kp_span row = {
		.start = request->queued, .dur = request->issued - request->queued, .cpu = request->cpu,
		.pid = request->pid, .event = KUTRACE_MADE_DISK_QUEUE, .arg0 = request->row,
		.retval = (int64_t)request->depth, .name = text,
	};

	rec->stats.disk_requests++;
	row.name_len = ku_disk_put(&request->disk, text);
	if (!request->owned)
		text[row.name_len++] = '?';
	if (request->queued >= 0 && row.dur > 0)
		kp_rec_row_once(rec, &row);
	row.start = request->issued;
	row.dur = ts > request->issued ? ts - request->issued : 1;
	row.event = KUTRACE_MADE_DISK_SERVED;
	kp_rec_row_once(rec, &row);
}

/* Returns false if the end matches no beginning. */
static bool kp_disk_done(struct kp_reconstruct *rec, struct kp_cpu *cpu, uint32_t device,
			 const struct ku_disk *disk, const struct kp_event *event)
{
	struct kp_disk_request *request = kp_disk_request(rec, device, disk->number);

	if (!request || request->state != KP_DISK_ISSUED) {
		rec->stats.disk_unmatched++;
		if (request)
			request->state = KP_DISK_NONE;
		cpu->served.row = 0;
		return false;
	}
	cpu->served = (struct kp_served){
		.row = request->row, .pid = request->pid, .owned = request->owned, .depth = cpu->depth,
	};
	if (disk->error)
		request->disk.error = disk->error;
	if (disk->bytes < request->left) {
		request->left -= disk->bytes;
		return true;
	}
	kp_disk_rows(rec, request, event->ts);
	request->state = KP_DISK_NONE;
	rec->disks.in_service.items[device]--;
	return true;
}

static void kp_disk_requeued(struct kp_reconstruct *rec, uint32_t device, const struct ku_disk *disk)
{
	struct kp_disk_request *request = kp_disk_request(rec, device, disk->number);

	if (!request || request->state != KP_DISK_ISSUED)
		return;
	request->state = KP_DISK_REQUEUED;
	rec->disks.in_service.items[device]--;
}

bool kp_rec_disk(struct kp_reconstruct *rec, struct kp_cpu *cpu, const struct kp_event *event)
{
	const char *text = memchr(event->name, '=', event->name_len);
	const struct kp_queued item = { .ts = event->ts, .rpc = event->pid, .pid = event->pid, .cpu = event->cpu };
	struct ku_disk disk;
	uint32_t device;

	if (!text || !ku_disk_parse(&disk, text + 1, event->name_len - (size_t)(text + 1 - event->name)))
		return false;
	device = kp_disk_device(rec, event->arg0);
	if (device == UINT32_MAX)
		return false;
	switch (event->event) {
	case KUTRACE_DISK_QUEUED:
		kp_disk_put(rec, device, disk.sector, &item);
		return true;
	case KUTRACE_DISK_MERGED:
		kp_disk_merged(rec, device, &disk, event->pid);
		return true;
	case KUTRACE_DISK_ISSUED:
		kp_disk_issued(rec, device, &disk, event);
		return true;
	case KUTRACE_DISK_REQUEUED:
		kp_disk_requeued(rec, device, &disk);
		return false;
	default:
		return kp_disk_done(rec, cpu, device, &disk, event);
	}
}

void kp_rec_dirty(struct kp_reconstruct *rec, struct kp_cpu *cpu)
{
	if (cpu->task != &rec->idle && !kp_rec_context_unknown(rec, cpu))
		cpu->task->dirty = true;
}

bool kp_rec_reclaim(struct kp_reconstruct *rec, struct kp_cpu *cpu, const struct kp_event *event)
{
	struct kp_task *task = cpu->task;
	struct kp_span row = {
		.cpu = cpu->id, .pid = task->pid, .event = KUTRACE_MADE_RECLAIMED,
	};

	if (task == &rec->idle || kp_rec_context_unknown(rec, cpu) || (!event->arg0 && task->reclaim < 0))
		return false;
	if (event->arg0) {
		task->reclaim = event->ts;
		return true;
	}
	row.start = task->reclaim;
	row.dur = event->ts > row.start ? event->ts - row.start : 1;
	task->reclaim = -1;
	rec->stats.others++;
	kp_rec_row(rec, &row, kp_rec_str(rec, "direct_reclaim", 14));
	return true;
}

char kp_rec_disk_reason(const struct kp_cpu *cpu, struct kp_task *task, char reason)
{
	const bool dirty = task->dirty && reason == 't';

	task->dirty = false;
	task->away.request = cpu->depth == cpu->served.depth ? cpu->served.row : 0;
	task->away.request_sure = cpu->served.owned && cpu->served.pid == task->pid;
	if (task->away.request)
		return 'd';
	if (dirty)
		return KP_DIRTY;
	return task->reclaim >= 0 ? KP_RECLAIM : reason;
}

void kp_rec_disk_forget(struct kp_reconstruct *rec)
{
	struct kp_disks *disks = &rec->disks;

	for (size_t i = 0; i < disks->requests.count; i++)
		rec->stats.disk_open += disks->requests.items[i].state != KP_DISK_NONE;
	disks->requests.count = 0;
	for (size_t i = 0; i < disks->in_service.count; i++)
		disks->in_service.items[i] = 0;
	kp_map_free(&disks->numbers);
	kp_map_free(&disks->sectors);
	kp_queues_free(&disks->queues);
	disks->lists = 0;
	disks->waiting = 0;
	for (int cpu = 0; cpu < KUTRACE_CPUS; cpu++)
		if (rec->cpus[cpu])
			rec->cpus[cpu]->served.row = 0;
}

void kp_rec_disk_free(struct kp_reconstruct *rec)
{
	kp_map_free(&rec->disks.device_map);
	kp_map_free(&rec->disks.numbers);
	kp_map_free(&rec->disks.sectors);
	kp_queues_free(&rec->disks.queues);
	free(rec->disks.requests.items);
	free(rec->disks.in_service.items);
}
