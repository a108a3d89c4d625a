// SPDX-License-Identifier: BSD-3-Clause
/*
 * Pairs network packets in the kernel with packets and messages in user code, by their hash. The
 * kernel's row then gets the pid and the RPC of the user code. The message gets the time of the
 * packet: its transmission ends when the kernel receives it, or begins when the kernel sends it.
 *
 *	received:	kernel 214 HASH		user 216 HASH, 204 message
 *	sent:		user 205 message, 217 HASH	kernel 215 HASH
 *
 * Rows that wait for a counterpart are in a table of fixed size. If two hashes have the same entry,
 * the older row is written unpaired.
 */
#include "reconstruct/packet.h"

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

/* Puts a row into the table; kp_rec_packet_end() must then search it. */
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
	size_t i;

	for (i = 0; rec->packets_held && i < KP_PACKETS; i++)
		kp_packet_out(rec, &rec->packets[i]);
	rec->packets_held = false;
}

void kp_rec_packet_task_end(struct kp_reconstruct *rec, struct kp_task *task)
{
	kp_packet_out(rec, &task->message);
}
