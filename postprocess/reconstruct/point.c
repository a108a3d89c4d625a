// SPDX-License-Identifier: BSD-3-Clause
/*
 * Handles events that are not execution: writes each as a point, or two events as a span. These
 * events do not change the task or the calls of a CPU.
 */
#include "reconstruct/state.h"

static const struct kp_str *kp_event_str(struct kp_reconstruct *rec,
					 const struct kp_event *event)
{
	const struct kp_str *name = rec->name_cache[event->event];

	if (name && name->len == event->name_len &&
	    !memcmp(name->text, event->name, event->name_len))
		return name;
	name = kp_rec_str(rec, event->name, event->name_len);
	rec->name_cache[event->event] = name;
	return name;
}

/* Returns the name of object @number of kind @base, or "label.number". */
static const struct kp_str *kp_thing(struct kp_reconstruct *rec, uint32_t base,
				     uint32_t number, const char *label)
{
	const struct kp_name *name = kp_names_get(&rec->names, base, number);
	int len;

	if (name && name->len)
		return kp_rec_str(rec, name->text, name->len);
	len = snprintf(rec->scratch, sizeof(rec->scratch), "%s.%u", label, number);
	return kp_rec_str(rec, rec->scratch, (size_t)len);
}

static struct kp_span kp_point(struct kp_reconstruct *rec, const struct kp_event *event)
{
	rec->stats.points++;
	return (struct kp_span){
		.start = event->ts, .dur = 1, .cpu = event->cpu, .pid = event->pid,
		.rpc = event->rpc, .event = event->event, .arg0 = event->arg0,
		.retval = event->retval, .ipc = (int32_t)(event->ipc & 15),
	};
}

/* Returns true if only filters make rows with this number: no module records such an event. */
static bool kp_is_made(uint32_t event)
{
	switch (event) {
#define KU_MADE(id, code, label, text) case (code):
#include "kutrace_events.def"
		return true;
	default:
		return event > KUTRACE_MADE_WAITA && event < KUTRACE_MADE_WAITZ;
	}
}

static void kp_point_row(struct kp_reconstruct *rec, const struct kp_event *event)
{
	struct kp_span row;

	/* Programs that read the spans would treat the row as a pause, a held lock or a wait. */
	if (kp_is_made(event->event)) {
		rec->stats.made_events++;
		return;
	}
	row = kp_point(rec, event);
	kp_rec_row(rec, &row, kp_event_str(rec, event));
}

/* Writes the row of a typed tracepoint, or of an event of a disk or a timer. */
static void kp_typed_row(struct kp_reconstruct *rec, const struct kp_event *event)
{
	struct kp_span row = kp_point(rec, event);

	row.name = event->name;
	row.name_len = event->name_len;
	kp_rec_row_once(rec, &row);
}

/* ---- samples and frequencies ---- */

/* Writes a sample as a span since the previous sample on its CPU. */
static void kp_sample(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		      const struct kp_event *event)
{
	struct kp_span row = {
		.start = cpu->sampled, .dur = event->ts - cpu->sampled, .cpu = cpu->id,
		.pid = event->pid, .rpc = event->rpc, .event = event->event,
		.arg0 = event->arg0,
	};

	cpu->sampled = event->ts;
	cpu->sampled_user = event->event == KUTRACE_PC_U;
	if (row.dur <= 0)
		return;
	rec->stats.others++;
	kp_rec_row(rec, &row, kp_event_str(rec, event));
}

static void kp_frequency_until(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts)
{
	struct kp_span row = {
		.start = cpu->freq_since, .dur = ts - cpu->freq_since, .cpu = cpu->id,
		.event = KUTRACE_PSTATE, .arg0 = cpu->freq_mhz,
	};

	if (cpu->freq_since < 0 || row.dur <= 0)
		return;
	rec->stats.others++;
	kp_rec_row(rec, &row, kp_rec_str(rec, "-freq-", 6));
}

/* Writes the row of the previous frequency, which ends now, and records the new one. */
static void kp_frequency(struct kp_reconstruct *rec, struct kp_cpu *cpu,
			 const struct kp_event *event)
{
	kp_frequency_until(rec, cpu, event->ts);
	cpu->freq_since = event->ts;
	cpu->freq_mhz = event->arg0;
}

/* ---- interrupts sent from CPU to CPU ---- */

static struct kp_cpu *kp_target(struct kp_reconstruct *rec, const struct kp_event *event)
{
	return event->arg0 < KUTRACE_CPUS ? kp_rec_cpu(rec, (int)event->arg0) : NULL;
}

static void kp_ipi_sent(struct kp_reconstruct *rec, const struct kp_cpu *cpu, struct kp_ipis *ipis,
			const struct kp_event *event)
{
	if (ipis->count == KP_IPIS_MAX) {
		rec->stats.arcs_dropped++;
		ipis->count--;
		memmove(ipis->list, ipis->list + 1, ipis->count * sizeof(*ipis->list));
	}
	ipis->list[ipis->count++] = (struct kp_ipi){
		event->ts, event->cpu, kp_rec_reason(rec, cpu) == 't',
	};
}

static void kp_from_timer(struct kp_cpu *cpu, const struct kp_ipis *ipis)
{
	for (uint32_t i = 0; i < ipis->count; i++)
		cpu->by_timer |= ipis->list[i].by_timer;
}

/* Writes an arc to @cpu at @ts from each IPI or store in @ipis. */
static void kp_ipi_arcs(struct kp_reconstruct *rec, const struct kp_cpu *cpu,
			struct kp_ipis *ipis, int64_t ts)
{
	for (uint32_t i = 0; i < ipis->count; i++) {
		struct kp_span row = {
			.start = ipis->list[i].ts, .dur = ts - ipis->list[i].ts,
			.cpu = ipis->list[i].cpu, .pid = -1, .rpc = -1,
			.event = KP_EVENT_IPI, .arg0 = cpu->id,
		};

		rec->stats.arcs++;
		kp_rec_row(rec, &row, rec->ipi_name);
	}
	ipis->count = 0;
}

/*
 * Records a store to the memory that a sleeping CPU monitors, which wakes that CPU. Its idle task
 * then makes the waiting task runnable, so the wait reason comes from the CPU that stores.
 */
static void kp_store(struct kp_reconstruct *rec, const struct kp_cpu *cpu,
		     const struct kp_event *event)
{
	struct kp_cpu *target = kp_target(rec, event);

	if (!target || target == cpu)
		return;
	kp_ipi_sent(rec, cpu, &target->stores, event);
	target->store_reason = kp_rec_reason(rec, cpu);
}

void kp_rec_stores_seen(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts)
{
	kp_from_timer(cpu, &cpu->stores);
	kp_ipi_arcs(rec, cpu, &cpu->stores, ts);
}

static bool kp_is_ipi(const struct kp_frame *frame)
{
	switch (frame->event - KUTRACE_CALL_IRQ) {
	case KUTRACE_VECTOR_IRQ_WORK:
	case KUTRACE_VECTOR_PLATFORM_IPI:
	case KUTRACE_VECTOR_REBOOT:
	case KUTRACE_VECTOR_CALL_SINGLE:
	case KUTRACE_VECTOR_CALL_FUNCTION:
	case KUTRACE_VECTOR_RESCHEDULE:
		return true;
	default:
		return strcasestr(frame->name->text, "ipi");
	}
}

void kp_rec_ipi_taken(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts)
{
	if (!kp_is_ipi(&cpu->frames[cpu->depth - 1]))
		return;
	/* Linux 6.1 does not show the senders: a timer of any CPU may have sent the IPI. */
	cpu->by_timer |= !rec->any_ipi;
	kp_from_timer(cpu, &cpu->ipis);
	if (cpu->ipis.count)
		kp_ipi_arcs(rec, cpu, &cpu->ipis, ts);
}

/* ---- RPCs ---- */

void kp_rec_rpc_end(struct kp_reconstruct *rec, struct kp_task *task, int64_t ts)
{
	struct kp_span row = {
		.start = task->rpc_start, .dur = ts - task->rpc_start,
		.cpu = task->rpc_cpu, .pid = task->pid, .rpc = task->rpc,
		.event = KUTRACE_RPCIDMID, .arg0 = task->rpc,
	};

	if (task->rpc && row.dur > 0) {
		rec->stats.others++;
		kp_rec_row(rec, &row, task->rpc_name);
	}
	task->rpc = 0;
}

/* Ends the RPC of a thread that exits, and writes the message or packet that the thread holds. */
static void kp_exit(struct kp_reconstruct *rec, const struct kp_event *event)
{
	struct kp_task *task = kp_rec_task(rec, event->arg0);

	if (!task || task == &rec->idle)
		return;
	task->exiting = true;
	/*
	 * Do not end the current span: a second row of the last call would look like a second call.
	 */
	kp_rec_rpc_end(rec, task, event->ts);
	kp_rec_packet_task_end(rec, task);
}

/* Begins RPC @arg0 of the running task; 0: the task works on no RPC. */
static void kp_rpc(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		   const struct kp_event *event)
{
	struct kp_task *task = cpu->task;

	if (event->event != KUTRACE_RPCIDMID)
		kp_point_row(rec, event);
	kp_rec_close(rec, cpu, event->ts, 0, event->ipc & 15, false);
	kp_rec_rpc_end(rec, task, event->ts);
	task->rpc = event->arg0;
	task->rpc_start = event->ts;
	task->rpc_cpu = cpu->id;
	task->rpc_name = kp_event_str(rec, event);
}

/*
 * Writes the row of a message. ARG0: bits 0-15 RPC id, bits 16-23 ten times the binary logarithm of
 * the bytes. The estimated transmission time ends at the receipt or begins at the sending.
 */
static void kp_message(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		       const struct kp_event *event)
{
	uint32_t lg10 = event->arg0 >> 16 & 0xFF;
	struct kp_span row = {
		.start = event->ts, .dur = 1, .cpu = event->cpu, .pid = event->pid,
		.rpc = event->arg0 & 0xFFFF, .event = event->event, .arg0 = event->arg0,
	};
	/* 2^(k/10) * 1024 */
	static const uint16_t root[10] = {
		1024, 1097, 1176, 1261, 1351, 1448, 1552, 1664, 1783, 1911,
	};

	if (lg10 && lg10 / 10 < 40 && rec->mbit) {
		uint64_t bytes = (1ull << lg10 / 10) * root[lg10 % 10] / 1024;
		/* bits / (Mbit/s) = us = 100 units of 10 ns */
		row.dur = (int64_t)(bytes * 8 * 100 / rec->mbit);
		row.dur += !row.dur;
	}
	rec->stats.others++;
	kp_rec_packet_message(rec, cpu, &row, kp_event_str(rec, event));
}

/* ---- locks ---- */

/* Returns the state of a lock for a thread. Earlier threads of the same pid have other states. */
static struct kp_lock_wait *kp_lock(struct kp_reconstruct *rec, uint32_t lock, uint32_t pid)
{
	uint64_t key = (uint64_t)lock << 32 | pid;
	const struct kp_task *task = kp_rec_task(rec, pid);
	const struct kp_lock_wait none = {
		.tried = -1, .acquired = -1, .pid = pid, .life = task ? task->life : 0,
	};
	uint32_t index;

	if (kp_map_get(&rec->lock_map, key, &index)) {
		if (rec->locks[index].life != none.life)
			rec->locks[index] = none;
		return &rec->locks[index];
	}
	if (KP_ROOM(rec->locks, rec->lock_count, rec->lock_room)) {
		kp_rec_no_memory(rec);
		return NULL;
	}
	if (kp_map_set(&rec->lock_map, key, (uint32_t)rec->lock_count)) {
		kp_rec_no_memory(rec);
		return NULL;
	}
	rec->locks[rec->lock_count] = none;
	return &rec->locks[rec->lock_count++];
}

static void kp_lock_row(struct kp_reconstruct *rec, const struct kp_event *event,
			uint32_t as, int64_t from)
{
	struct kp_span row = {
		.start = from, .dur = event->ts - from, .cpu = event->cpu,
		.pid = event->pid, .rpc = event->rpc, .event = as, .arg0 = event->arg0,
	};

	if (from < 0 || row.dur <= 0)
		return;
	rec->stats.others++;
	kp_rec_row(rec, &row, kp_thing(rec, KUTRACE_NAME_LOCKNAME, event->arg0, "lock"));
}

/*
 * A lock is tried from the first failed attempt until it is acquired, then held until the same
 * thread releases it. A release is recorded only if a thread waits for the lock.
 */
static void kp_lock_event(struct kp_reconstruct *rec, const struct kp_event *event)
{
	struct kp_lock_wait *lock = kp_lock(rec, event->arg0, event->pid);

	if (!lock)
		return;
	switch (event->event) {
	case KUTRACE_LOCKNOACQ:
		if (lock->tried < 0)
			lock->tried = event->ts;
		break;
	case KUTRACE_LOCKACQ:
		kp_lock_row(rec, event, KUTRACE_MADE_LOCKTRY, lock->tried);
		lock->tried = -1;
		lock->acquired = event->ts;
		break;
	default:
		kp_lock_row(rec, event, KUTRACE_MADE_LOCKHELD, lock->acquired);
		lock->acquired = -1;
		break;
	}
}

/* ---- queues ---- */

static void kp_enqueue(struct kp_reconstruct *rec, const struct kp_event *event)
{
	const struct kp_queued item = {
		.ts = event->ts, .queue = event->arg0, .rpc = event->rpc,
		.pid = event->pid, .cpu = event->cpu,
		.name = kp_thing(rec, KUTRACE_NAME_QUEUENAME, event->arg0, "queue"),
	};

	if (kp_queues_put(&rec->queues, &item))
		kp_rec_no_memory(rec);
}

static void kp_dequeue(struct kp_reconstruct *rec, const struct kp_event *event)
{
	struct kp_queued item;
	struct kp_span row;

	if (!kp_queues_take(&rec->queues, event->arg0, event->rpc, &item))
		return;
	row = (struct kp_span){
		.start = item.ts, .dur = event->ts - item.ts, .cpu = item.cpu,
		.pid = item.pid, .rpc = item.rpc ? item.rpc : event->rpc,
		.event = KUTRACE_ENQUEUE, .arg0 = item.queue,
	};
	rec->stats.others++;
	kp_rec_row(rec, &row, item.name);
}

void kp_rec_point(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		  const struct kp_event *event)
{
	struct kp_cpu *target;
	struct kp_span row;

	switch (event->event) {
	case KUTRACE_NAME_TPOINT:
		kp_typed_row(rec, event);
		return;
	case KUTRACE_PC_U:
	case KUTRACE_PC_K:
	case KUTRACE_PC_OLD:
		kp_sample(rec, cpu, event);
		return;
	case KUTRACE_PSTATE:
	case KUTRACE_PSTATE2:
		kp_frequency(rec, cpu, event);
		return;
	case KUTRACE_RUNNABLE:
		kp_rec_runnable(rec, cpu, event);
		break;
	case KUTRACE_THROTTLE:
	case KUTRACE_UNTHROTTLE:
	case KUTRACE_THROTTLE_TASK:
		kp_rec_quota(rec, cpu, event);
		break;
	case KUTRACE_TIMER:
		if (!kp_rec_timer(cpu, event))
			kp_typed_row(rec, event);
		return;
	case KUTRACE_DISK_QUEUED:
	case KUTRACE_DISK_ISSUED:
	case KUTRACE_DISK_DONE:
	case KUTRACE_DISK_REQUEUED:
	case KUTRACE_DISK_MERGED:
		if (!kp_rec_disk(rec, cpu, event))
			kp_typed_row(rec, event);
		return;
	case KUTRACE_DIRTY_WAIT:
		kp_rec_dirty(rec, cpu);
		break;
	case KUTRACE_RECLAIM:
		if (kp_rec_reclaim(rec, cpu, event))
			return;
		break;
	case KUTRACE_PRIORITY_PI:
		kp_rec_priority_event(rec, event);
		break;
	case KUTRACE_IPI:
		target = kp_target(rec, event);
		rec->any_ipi = true;
		if (target)
			kp_ipi_sent(rec, cpu, &target->ipis, event);
		break;
	case KUTRACE_MONITORST:
		kp_store(rec, cpu, event);
		break;
	case KUTRACE_MWAIT:
	case KUTRACE_MONITOREX:
		kp_rec_idle_state(rec, cpu, event);
		break;
	case KUTRACE_TASKEXIT:
		kp_exit(rec, event);
		break;
	case KUTRACE_RPCIDREQ:
	case KUTRACE_RPCIDRESP:
	case KUTRACE_RPCIDMID:
		kp_rpc(rec, cpu, event);
		return;
	case KUTRACE_RPCIDRXMSG:
	case KUTRACE_RPCIDTXMSG:
		kp_message(rec, cpu, event);
		return;
	case KUTRACE_RX_PKT:
	case KUTRACE_TX_PKT:
	case KUTRACE_RX_USER:
	case KUTRACE_TX_USER:
		row = kp_point(rec, event);
		kp_rec_packet(rec, cpu, &row, kp_event_str(rec, event));
		return;
	case KUTRACE_LOCKNOACQ:
	case KUTRACE_LOCKACQ:
	case KUTRACE_LOCKWAKEUP:
		kp_lock_event(rec, event);
		break;
	case KUTRACE_ENQUEUE:
		kp_enqueue(rec, event);
		return;
	case KUTRACE_DEQUEUE:
		kp_dequeue(rec, event);
		break;
	case KUTRACE_MBIT_SEC:
		rec->mbit = event->arg0;
		break;
	default:
		break;
	}
	kp_point_row(rec, event);
}

void kp_rec_point_alone(struct kp_reconstruct *rec, const struct kp_event *event)
{
	if (event->event == KUTRACE_NAME_TPOINT || ku_event_is_disk(event->event) || ku_event_is_timer(event->event))
		kp_typed_row(rec, event);
	else
		kp_point_row(rec, event);
}

void kp_rec_point_forget(struct kp_reconstruct *rec)
{
	if (rec->lock_count)
		kp_map_free(&rec->lock_map);
	rec->lock_count = 0;
	kp_queues_free(&rec->queues);
}

void kp_rec_point_end(struct kp_reconstruct *rec, struct kp_cpu *cpu)
{
	kp_frequency_until(rec, cpu, cpu->last);
}

void kp_rec_point_free(struct kp_reconstruct *rec)
{
	kp_map_free(&rec->lock_map);
	free(rec->locks);
	kp_queues_free(&rec->queues);
}

/*
 * ---- network packets ----
 *
 * Pairs network packets in the kernel with packets and messages in user code, by their hash. The
 * kernel's row then gets the pid and the RPC of the user code. The message gets the time of the
 * packet: its transmission ends when the kernel receives it, or begins when the kernel sends it.
 *
 *	received:	kernel 214 HASH		user 216 HASH, 204 message
 *	sent:		user 205 message, 217 HASH	kernel 215 HASH
 *
 * Rows that wait for a counterpart are in a table of fixed size. If two hashes have the same slot,
 * the older row is written unpaired.
 */

static struct kp_packet *kp_slot(struct kp_reconstruct *rec, uint32_t hash, bool sent)
{
	uint32_t mixed = (hash ^ (sent ? 0x5A5A5A5Au : 0)) * 0x9E3779B1u;

	return &rec->packets[mixed >> 20];
}

static void kp_packet_out(struct kp_reconstruct *rec, struct kp_packet *packet)
{
	if (packet->name)
		kp_rec_row(rec, &packet->row, packet->name);
	packet->name = NULL;
}

/*
 * Puts a row into the table, and sets packets_held, so that kp_rec_packet_end() searches the table.
 */
static void kp_hold_packet(struct kp_reconstruct *rec, struct kp_packet *slot,
			   const struct kp_packet *packet)
{
	*slot = *packet;
	rec->packets_held = true;
}

void kp_rec_packet(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		   const struct kp_span *row, const struct kp_str *name)
{
	uint32_t hash = (uint32_t)row->arg0;
	bool sent = row->event == KUTRACE_TX_PKT || row->event == KUTRACE_TX_USER;
	struct kp_packet *slot = kp_slot(rec, hash, sent);
	struct kp_packet *held = &cpu->task->message;
	struct kp_span out = *row;

	switch (row->event) {
	case KUTRACE_RX_PKT:
		kp_packet_out(rec, slot);
		kp_hold_packet(rec, slot, &(struct kp_packet){
			.hash = hash, .row = out, .name = name,
		});
		return;
	case KUTRACE_RX_USER:
		kp_packet_out(rec, held);
		if (!slot->name || slot->hash != hash)
			break;
		*held = *slot;
		held->row.pid = row->pid;
		held->row.rpc = row->rpc;
		slot->name = NULL;
		break;
	case KUTRACE_TX_USER:
		if (!held->name || held->row.event != KUTRACE_RPCIDTXMSG)
			break;
		kp_packet_out(rec, slot);
		kp_hold_packet(rec, slot, held);
		slot->hash = hash;
		held->name = NULL;
		break;
	default:	/* TX_PKT */
		if (!slot->name || slot->hash != hash)
			break;
		out.pid = slot->row.pid;
		out.rpc = slot->row.rpc;
		slot->row.start = row->start;
		kp_packet_out(rec, slot);
		break;
	}
	kp_rec_row(rec, &out, name);
}

void kp_rec_packet_message(struct kp_reconstruct *rec, struct kp_cpu *cpu,
			   struct kp_span *row, const struct kp_str *name)
{
	struct kp_packet *held = &cpu->task->message;

	if (row->event == KUTRACE_RPCIDTXMSG) {
		kp_packet_out(rec, held);
		*held = (struct kp_packet){ .row = *row, .name = name };
		return;
	}
	if (held->name && held->row.event == KUTRACE_RX_PKT) {
		held->row.rpc = row->rpc;
		row->start = held->row.start;
	}
	kp_packet_out(rec, held);
	row->start -= row->dur;
	if (row->start < 0)
		row->start = 0;
	kp_rec_row(rec, row, name);
}

void kp_rec_packet_end(struct kp_reconstruct *rec)
{
	for (size_t i = 0; rec->packets_held && i < KP_PACKETS; i++)
		kp_packet_out(rec, &rec->packets[i]);
	rec->packets_held = false;
}

void kp_rec_packet_task_end(struct kp_reconstruct *rec, struct kp_task *task)
{
	kp_packet_out(rec, &task->message);
}
