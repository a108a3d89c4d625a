// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets of TCP and UDP with a payload: tracepoints of devices (rules of probes: tp.h), hooks of a
 * patched kernel (patched.h), and the choice of recorded packets.
 *
 * The tracepoints show each packet where a device passes it to the kernel, before the kernel merges
 * packets (GRO), and where the kernel passes it to a device. So the headers of a received packet
 * are not checked yet, and may be in any part of the packet. No packet may be changed here.
 */
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/kprobes.h>
#include <linux/moduleparam.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <trace/events/net.h>

#include "compat/tracepoints.h"
#include "compat/version.h"
#include "core/emit.h"
#include "probes/patched.h"
#include "probes/tp.h"

#define KU_PAYLOAD_BYTES	32
#define KU_FILTER_BYTES		24
/* Packets with more VLAN tags or IPv6 extension headers are not recorded. */
#define KU_VLAN_TAGS		2
#define KU_EXTENSIONS		8

static unsigned long long net_mask[KU_FILTER_BYTES / 8];
module_param_array(net_mask, ullong, NULL, 0444);
MODULE_PARM_DESC(net_mask, "bits of a packet's first 24 bytes of payload to compare, as three little-endian words (default 0,0,0: none)");

static unsigned long long net_match[KU_FILTER_BYTES / 8];
module_param_array(net_match, ullong, NULL, 0444);
MODULE_PARM_DESC(net_match, "values of the bits in net_mask for which a packet is recorded");

/* The first bytes of a payload. Packed, because a payload may begin at any address. */
struct ku_payload {
	u64 words[KU_PAYLOAD_BYTES / 8];
} __packed;

/* Returns the address of @len contiguous bytes at @offset, or NULL. */
static __always_inline const void *ku_contiguous(const struct sk_buff *skb, unsigned int offset,
						 unsigned int len)
{
	unsigned int head = skb_headlen(skb);
	const skb_frag_t *fragment = skb_shinfo(skb)->frags;
	struct page *page;

	if (offset + len <= head)
		return skb->data + offset;
	/* Payloads that programs send by TCP begin with a fragment. */
	if (offset < head || !skb_shinfo(skb)->nr_frags ||
	    offset - head + len > skb_frag_size(fragment))
		return NULL;
	/* NULL if the data is in the memory of a device. */
	page = skb_frag_page(fragment);
	return page ? page_address(page) + skb_frag_off(fragment) + (offset - head) : NULL;
}

/*
 * Returns the first bytes of a payload, or NULL. Uses @copy unless the bytes are contiguous and
 * reading them there is cheap. Missing bytes are zero.
 */
static __always_inline const struct ku_payload *
ku_payload(const struct sk_buff *skb, unsigned int offset, unsigned int len,
	   struct ku_payload *copy)
{
	const void *payload;

	if (IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS) && len >= sizeof(*copy)) {
		payload = ku_contiguous(skb, offset, sizeof(*copy));
		if (likely(payload))
			return payload;
	}
	*copy = (struct ku_payload){};
	if (skb_copy_bits(skb, (int)offset, copy, (int)min_t(size_t, len, sizeof(*copy))))
		return NULL;
	return copy;
}

/*
 * Records a packet that net_mask and net_match select. Its number is the XOR of the first 32 bytes
 * of payload, as eight words; missing bytes are zero. Packets without payload are not recorded.
 * @offset, @end: the payload, relative to skb->data.
 */
static __always_inline void ku_packet(u32 event, const struct sk_buff *skb, unsigned int offset,
				      unsigned int end)
{
	const struct ku_payload *payload;
	struct ku_payload copy;
	u64 hash = 0;
	int i;

	if (end <= offset)
		return;
	payload = ku_payload(skb, offset, end - offset, &copy);
	if (!payload)
		return;
	for (i = 0; i < ARRAY_SIZE(net_mask); i++)
		if ((payload->words[i] ^ net_match[i]) & net_mask[i])
			return;
	for (i = 0; i < ARRAY_SIZE(payload->words); i++)
		hash ^= payload->words[i];
	ku_emit_ordered(KU_EVENT(event) | (u32)(hash ^ hash >> 32));
}

/* ---- hooks of a patched kernel ---- */

#if KU_HAVE_HOOKS
void __kprobes ku_static_packet_rx(const struct sk_buff *skb, unsigned int offset)
{
	ku_packet(KUTRACE_RX_PKT, skb, offset, skb->len);
}

void __kprobes ku_static_packet_tx(const struct sk_buff *skb, unsigned int offset)
{
	ku_packet(KUTRACE_TX_PKT, skb, offset, skb->len);
}
#endif

/* ---- the headers of a packet ---- */

/* The rest of a packet after the headers that were read, relative to skb->data. */
struct ku_rest {
	unsigned int offset, end;
	u8 protocol;		/* IPPROTO_* of the next header */
};

/*
 * Reads a header of type @type at @offset into @copy if it is not contiguous. Returns NULL if the
 * packet is too short.
 */
#define KU_HEADER(skb, offset, copy) \
	((const typeof(copy) *)skb_header_pointer(skb, (int)(offset), sizeof(copy), &(copy)))

/*
 * Ends the packet after @bytes more bytes; a short frame of Ethernet is longer. A super-packet may
 * be too long for the header's field, which then is 0.
 */
static __always_inline void ku_rest_trim(const struct sk_buff *skb, struct ku_rest *rest,
					 unsigned int bytes)
{
	if (likely(bytes) || !skb_is_gso(skb))
		rest->end = min(rest->end, rest->offset + bytes);
}

/* Returns false if the header is invalid, or if this is not the first fragment. */
static __always_inline bool ku_rest_ipv4(const struct sk_buff *skb, struct ku_rest *rest)
{
	struct iphdr copy;
	const struct iphdr *ip = KU_HEADER(skb, rest->offset, copy);

	if (!ip || ip->version != 4 || ip->ihl < 5 || ip->frag_off & htons(IP_OFFSET))
		return false;
	ku_rest_trim(skb, rest, ntohs(ip->tot_len));
	rest->offset += ip->ihl * 4;
	rest->protocol = ip->protocol;
	return true;
}

static __always_inline bool ku_is_extension(u8 protocol)
{
	switch (protocol) {
	case NEXTHDR_HOP:
	case NEXTHDR_ROUTING:
	case NEXTHDR_FRAGMENT:
	case NEXTHDR_AUTH:
	case NEXTHDR_DEST:
		return true;
	}
	return false;
}

/* Skips an extension header. Returns false as ku_rest_ipv4(). */
static bool __kprobes ku_rest_extension(const struct sk_buff *skb, struct ku_rest *rest)
{
	/* No extension header is shorter than that of a fragment. */
	union {
		struct frag_hdr fragment;
		struct ipv6_opt_hdr option;
	} copy;
	const typeof(copy) *header = KU_HEADER(skb, rest->offset, copy);

	if (!header)
		return false;
	switch (rest->protocol) {
	case NEXTHDR_FRAGMENT:
		if (header->fragment.frag_off & htons(IP6_OFFSET))
			return false;
		rest->offset += sizeof(header->fragment);
		break;
	case NEXTHDR_AUTH:
		rest->offset += ipv6_authlen(&header->option);
		break;
	default:
		rest->offset += ipv6_optlen(&header->option);
	}
	rest->protocol = header->option.nexthdr;
	return true;
}

/* Returns false as ku_rest_ipv4(). */
static __always_inline bool ku_rest_ipv6(const struct sk_buff *skb, struct ku_rest *rest)
{
	struct ipv6hdr copy;
	const struct ipv6hdr *ip = KU_HEADER(skb, rest->offset, copy);
	int i;

	if (!ip || ip->version != 6)
		return false;
	rest->offset += sizeof(*ip);
	ku_rest_trim(skb, rest, ntohs(ip->payload_len));
	rest->protocol = ip->nexthdr;
	for (i = 0; unlikely(ku_is_extension(rest->protocol)); i++)
		if (i == KU_EXTENSIONS || !ku_rest_extension(skb, rest))
			return false;
	return true;
}

/* Skips the header of TCP or UDP. Returns false for other protocols and invalid headers. */
static __always_inline bool ku_rest_transport(const struct sk_buff *skb, struct ku_rest *rest)
{
	union {
		struct tcphdr tcp;
		struct udphdr udp;
	} copy;
	const struct tcphdr *tcp;
	const struct udphdr *udp;

	if (rest->protocol == IPPROTO_TCP) {
		tcp = KU_HEADER(skb, rest->offset, copy.tcp);
		if (!tcp || tcp->doff < 5)
			return false;
		rest->offset += tcp->doff * 4;
		return true;
	}
	if (rest->protocol != IPPROTO_UDP)
		return false;
	udp = KU_HEADER(skb, rest->offset, copy.udp);
	if (!udp || ntohs(udp->len) < sizeof(*udp))
		return false;
	/* The first fragment is shorter than the length in its header. */
	rest->end = min(rest->end, rest->offset + ntohs(udp->len));
	rest->offset += sizeof(*udp);
	return true;
}

/* Skips VLAN tags at *offset. Returns the protocol of the data after them. */
static __be16 __kprobes ku_untag(const struct sk_buff *skb, __be16 protocol, int *offset)
{
	int i;

	for (i = 0; i < KU_VLAN_TAGS && eth_type_vlan(protocol); i++) {
		struct vlan_hdr copy;
		const struct vlan_hdr *tag = KU_HEADER(skb, *offset, copy);

		if (!tag)
			return 0;
		protocol = tag->h_vlan_encapsulated_proto;
		*offset += sizeof(*tag);
	}
	return protocol;
}

/* @offset: of the network header, relative to skb->data. @protocol: ETH_P_* of this header. */
static void __kprobes ku_net_packet(u32 event, const struct sk_buff *skb, __be16 protocol,
				    int offset)
{
	struct ku_rest rest;
	bool found;

	if (unlikely(eth_type_vlan(protocol)))
		protocol = ku_untag(skb, protocol, &offset);
	rest.offset = (unsigned int)offset;
	rest.end = skb->len;
	if (protocol == htons(ETH_P_IP))
		found = ku_rest_ipv4(skb, &rest);
	else if (protocol == htons(ETH_P_IPV6))
		found = ku_rest_ipv6(skb, &rest);
	else
		return;
	if (found && ku_rest_transport(skb, &rest))
		ku_packet(event, skb, rest.offset, rest.end);
}

/* ---- tracepoints ---- */

/*
 * Returns whether the device passes its packets unchanged to or from other devices, where they are
 * recorded.
 */
static __always_inline bool ku_net_is_upper(const struct net_device *dev)
{
	return is_vlan_dev(dev) || netif_is_bridge_master(dev) || netif_is_ovs_master(dev) ||
	       netif_is_team_master(dev) || netif_is_bond_master(dev);
}

/*
 * Called before the driver of @dev gets the packet, with the data beginning anywhere before the
 * network header. A packet with skb_iif was received: it is forwarded, and not recorded again.
 */
static void __kprobes ku_net_sent(void *data, const struct sk_buff *skb,
				  const struct net_device *dev)
{
	ku_probe_guard();
	int offset = skb_network_offset(skb);
	__be16 protocol = skb->protocol;

	if (skb->skb_iif || offset < 0 || ku_net_is_upper(dev))
		return;
	/* With a VLAN tag in the frame, the two bytes before the network header have its type. */
	if (unlikely(eth_type_vlan(protocol))) {
		__be16 copy;
		const __be16 *type;

		type = offset < ETH_HLEN ? NULL : KU_HEADER(skb, offset - 2, copy);
		protocol = type ? *type : 0;
	}
	ku_net_packet(KUTRACE_TX_PKT, skb, protocol, offset);
}

/* Called before the kernel merges packets. The data begins with the network header. */
static void __kprobes ku_net_received(void *data, const struct sk_buff *skb)
{
	ku_probe_guard();

	if (!ku_net_is_upper(skb->dev))
		ku_net_packet(KUTRACE_RX_PKT, skb, skb->protocol, 0);
}

/* Each received packet passes one of the tracepoints of receiving. */
static struct ku_tp ku_net_tps[] = {
	KU_TP(net_dev_start_xmit, ku_net_sent, KUTRACE_MASK_NET),
	KU_TP(netif_rx_entry, ku_net_received, KUTRACE_MASK_NET),
	KU_TP(netif_receive_skb_entry, ku_net_received, KUTRACE_MASK_NET),
	KU_TP(netif_receive_skb_list_entry, ku_net_received, KUTRACE_MASK_NET),
	KU_TP(napi_gro_receive_entry, ku_net_received, KUTRACE_MASK_NET),
	KU_TP(napi_gro_frags_entry, ku_net_received, KUTRACE_MASK_NET),
};

const struct ku_tp_table ku_tps_net = KU_TP_TABLE(ku_net_tps);

static void __maybe_unused ku_net_check(void)
{
	KU_CHECK(net_dev_start_xmit, ku_net_sent);
	KU_CHECK(netif_rx_entry, ku_net_received);
	KU_CHECK(netif_receive_skb_entry, ku_net_received);
	KU_CHECK(netif_receive_skb_list_entry, ku_net_received);
	KU_CHECK(napi_gro_receive_entry, ku_net_received);
	KU_CHECK(napi_gro_frags_entry, ku_net_received);
}
