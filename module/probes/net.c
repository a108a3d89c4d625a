// SPDX-License-Identifier: GPL-2.0-only
/* Hooks of packets in a patched kernel, and the choice of recorded packets: see patched.h. */
#include <linux/kprobes.h>
#include <linux/moduleparam.h>
#include <linux/skbuff.h>

#include "core/emit.h"
#include "probes/patched.h"

#define KU_PAYLOAD_BYTES	32
#define KU_FILTER_BYTES		24

static unsigned long long net_mask[KU_FILTER_BYTES / 8];
module_param_array(net_mask, ullong, NULL, 0444);
MODULE_PARM_DESC(net_mask, "bits of a packet's first 24 bytes of payload to compare, as three little-endian words (default 0,0,0: none)");

static unsigned long long net_match[KU_FILTER_BYTES / 8];
module_param_array(net_match, ullong, NULL, 0444);
MODULE_PARM_DESC(net_match, "values of the bits in net_mask for which a packet is recorded");

/*
 * Records a packet that net_mask and net_match select. Its number is the XOR of the first 32 bytes
 * of payload, as eight words; missing bytes are zero. Packets without payload are not recorded.
 */
static void __kprobes ku_static_packet(u32 event, const struct sk_buff *skb, unsigned int offset)
{
	union {
		u64 filter[KU_FILTER_BYTES / 8];
		u32 words[KU_PAYLOAD_BYTES / 4];
	} payload = {};
	unsigned int len = min(skb->len - offset, (unsigned int)KU_PAYLOAD_BYTES);
	u32 hash = 0;
	int i;

	if (skb->len <= offset ||
	    skb_copy_bits(skb, (int)offset, &payload, (int)len))
		return;
	for (i = 0; i < ARRAY_SIZE(payload.filter); i++)
		if ((payload.filter[i] ^ net_match[i]) & net_mask[i])
			return;
	for (i = 0; i < ARRAY_SIZE(payload.words); i++)
		hash ^= payload.words[i];
	ku_emit_ordered(KU_EVENT(event) | hash);
}

void __kprobes ku_static_packet_rx(const struct sk_buff *skb, unsigned int offset)
{
	ku_static_packet(KUTRACE_RX_PKT, skb, offset);
}

void __kprobes ku_static_packet_tx(const struct sk_buff *skb, unsigned int offset)
{
	ku_static_packet(KUTRACE_TX_PKT, skb, offset);
}
