#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
# takes: 40
# also: packets_612 KERNEL=stock-6.12 timeout: 600 takes: 60 full
# also: packets_72 KERNEL=stock-7.2 timeout: 600 takes: 60 full
# also: packets_arm64 KERNEL=stock-6.12-arm64 timeout: 900 takes: 90 full
# also: packets_riscv64 KERNEL=stock-6.12-riscv64 timeout: 900 takes: 90 full
# also: packets_patched KERNEL=patched timeout: 4200 takes: 25 needs: patched
# also: debug_packets KERNEL=debug-6.1 timeout: 3600 takes: 120 needs: debugstock ci
#
# On a stock kernel, each packet of TCP and UDP with a payload is recorded once where it is sent and
# once where it is received, with the number that the test computes from the payload: small
# messages, streams in super-packets, fragments, and frames with damaged headers. The witnesses are
# a packet socket and the kernel's counters. net_mask and net_match select packets. A device of the
# module tun delivers frames by each of the other ways in which a kernel receives packets. The patched
# kernel records the same messages with the same numbers.
. tests/guest/lib.sh
guest_begin packets
frames=$(effort 2000 8000 30000)
if [ "${KERNEL-}" = patched ]; then
	patched_kernel || { fail "the patched kernel is built"; tap_end; }
	# Its hooks see only the frames that TCP and UDP get.
	frames=0
fi

# The module tun, if this kernel has it.
tun=
found=$(find "$KERNEL_DIR/lib/modules" -name 'tun.ko*' | head -n 1)
case $found in
'') grep -q '^CONFIG_TUN=y' "$KERNEL_DIR"/boot/config-* 2>/dev/null || tun=none ;;
*.xz) xz -dc "$found" >"$OUT/tun.ko" ;;
*) cp "$found" "$OUT/tun.ko" ;;
esac
[ "$frames" != 0 ] || tun=none

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
frames=$1 tun=$2
must insmod /lib/kutrace.ko mb=64
one()	# NAME ARG...: records a run of the program
{
	name=$1
	shift
	must kutrace_control run -o /out/$name.trace -- sh -c 'packets "$@" >/out/$0.said' "$name" "$@"
}
one small small
[ $frames = 0 ] || one invalid invalid 1 $frames
[ "$tun" = none ] || {
	[ ! -f /lib/tun.ko ] || must insmod /lib/tun.ko
	mkdir -p /dev/net
	[ -e /dev/net/tun ] || must mknod /dev/net/tun c 10 200
	one tap tap ku0 - 2 $frames
	one napi tap ku1 n 3 $frames
	one frags tap ku2 nf 4 $frames
}
must ifconfig lo mtu 1500
one large large
kutrace_control status --json >/out/status.json
must rmmod kutrace

# A payload is recorded if the lowest two bits of its first byte are 01.
must insmod /lib/kutrace.ko mb=64 net_mask=3,0,0 net_match=1,0,0
one selected small
must rmmod kutrace
must insmod /lib/kutrace.ko mb=64
kutrace_control start --mask -net && packets small >/dev/null && kutrace_control stop /out/masked.trace ||
	die "cannot record without packets"
must rmmod kutrace
SCRIPT

# Prints the packets of a trace as lines "tx HASH" and "rx HASH", in the order of the trace.
traced()	# NAME
{
	event_awk '!/^#/ && $3 == EV_TX_PKT { print "tx", $7 } !/^#/ && $3 == EV_RX_PKT { print "rx", $7 }' "$OUT/$1.trace.events"
}

counted()	# NAME COUNTER
{
	awk -v what="$2" '$1 == "counter" && $2 == what { print $3 }' "$OUT/$1.said"
}

# Compares the packets of a trace with those that the program printed and the awk condition selects.
compare()	# NAME [SORT [CONDITION]]
{
	trace_ok "$1" "$OUT/$1.trace"
	ok "$1: the filters read it" trace_text "$OUT/$1.trace" || return 0
	for way in tx rx; do
		traced "$1" | grep "^$way" | ${2:-cat} >"$OUT/$1.$way.trace"
		awk "\$1 == \"$way\" && (${3:-1})"' { print $1, $2 }' "$OUT/$1.said" | ${2:-cat} >"$OUT/$1.$way.said"
		is "$1: $way: the expected packets, and no others" \
			"$(diff "$OUT/$1.$way.said" "$OUT/$1.$way.trace" | head -n 5)" ""
	done
}

# Prints how many messages were sent, and how many of them the trace does not have once as sent, and
# once as received after that.
messages()	# NAME
{
	traced "$1" | awk 'NR == FNR { if ($1 == "sent") { want[$3]++; n++ } next }
		{ if ($1 == "rx" && !got["tx", $2]) early[$2] = 1; got[$1, $2]++ }
		END {
			for (hash in want)
				wrong += want[hash] != 1 || got["tx", hash] != 1 || got["rx", hash] != 1 || hash in early
			print n + 0, wrong + 0
		}' "$OUT/$1.said" -
}

# shellcheck disable=SC2046 # two words or none
if guest_run "$TAP_TMP/script" --cpus 2 --timeout 500 --file "$GUEST_BIN/packets" \
	$([ ! -f "$OUT/tun.ko" ] || echo --file "$OUT/tun.ko:/lib/tun.ko") -- "$frames" "${tun:--}"; then
	compare small
	# Two datagrams are empty. The kernel counts the ends of two connections, twice each, as data.
	is_count "small: as many packets as the kernel counted messages" \
		"$(traced small | grep -c '^tx')" $(($(counted small udp.out) - 2 + $(counted small tcp.data) - 4))
	is_count "small: as many are received" "$(traced small | grep -c '^rx')" "$(traced small | grep -c '^tx')"
	is "small: each message is sent once, then received once" "$(messages small)" "$(traced small | grep -c '^tx') 0"

	compare large sort
	is "large: each datagram is sent once, then received once" "$(messages large)" "36 0"
	between "large: packets of the streams" "$(traced large | grep -c '^tx')" 50 2000
	for name in small large; do
		between "$name: the packet socket saw what the loopback interface counted" \
			"$(counted $name captured)" "$(counted $name lo.before)" "$(counted $name lo.after)"
	done

	if [ "$frames" = 0 ]; then
		skip "invalid" "the hooks of a patched kernel see only valid packets"
	else
		compare invalid
		is_count "invalid: frames" "$(counted invalid injected)" "$frames"
		between "invalid: frames that have a payload" "$(traced invalid | grep -c '^tx')" $((frames / 4)) $((frames * 9 / 10))
	fi

	# shellcheck disable=SC2016 # a field of awk
	compare selected cat '$3 % 4 == 1'
	between "selected: packets" "$(traced selected | grep -c '^tx')" 50 300
	if ok "masked: the filters read it" trace_text "$OUT/masked.trace"; then
		is "masked: no packets" "$(traced masked | wc -l)" 0
	fi

	if [ "$tun" = none ]; then
		skip "tap, napi, frags" "this kernel has no module tun, or it is patched"
	else
		for name in tap napi frags; do
			compare $name sort
			between "$name: frames that the device delivered" "$(counted $name delivered)" $((frames / 2)) "$frames"
		done
	fi
	like "the module reports the category" "$(cat "$OUT/status.json")" '"categories": \[[^]]*"net"'
fi
tap_end
