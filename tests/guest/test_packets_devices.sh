#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
# takes: 20
# also: packets_devices_612 KERNEL=stock-6.12 timeout: 600 takes: 30 full
# also: packets_devices_72 KERNEL=stock-7.2 timeout: 600 takes: 30 full
#
# On a stock kernel, a packet that passes several devices is recorded once for each cable: over a
# VLAN, a VLAN in a VLAN, and a bridge. A forwarded packet is received at both ends, and sent once. A
# network card (virtio-net), which receives by NAPI and GRO, records each message to a server on the
# host, and its answer.
. tests/guest/lib.sh
guest_begin packets_devices

files=
for name in llc stp garp mrp 8021q bridge veth failover net_failover virtio_net; do
	found=$(find "$KERNEL_DIR/lib/modules" -name "$name.ko*" | head -n 1)
	case $found in
	'') continue ;;
	*.xz) xz -dc "$found" >"$OUT/$name.ko" ;;
	*) cp "$found" "$OUT/$name.ko" ;;
	esac
	files="$files --file $OUT/$name.ko:/lib/net/$name.ko"
done

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
for name in llc stp garp mrp 8021q bridge veth failover net_failover virtio_net; do
	[ ! -f /lib/net/$name.ko ] || insmod /lib/net/$name.ko 2>/dev/null || [ -d /sys/module/$name ] ||
		die "cannot load $name"
done
one()	# NAME ARG...: records a run of the program
{
	name=$1
	shift
	must kutrace_control run -o /out/$name.trace -- sh -c 'packets "$@" >/out/$0.said' "$name" "$@"
}
# Makes a cable between the devices $1 and $2.
cable()
{
	must ip link add $1 type veth
	other=$(cat /sys/class/net/$1/iflink)
	for device in /sys/class/net/*; do
		[ "$(cat $device/ifindex)" != "$other" ] || must ip link set ${device##*/} name $2
	done
	must ip link set $1 up
	must ip link set $2 up
}
cable a0 a1
must ip link add link a0 name a0.5 type vlan id 5
must ip link add link a0.5 name a0.5.6 type vlan id 6
must ip link set a0.5 up
must ip link set a0.5.6 up
cable b0 b1
cable c0 c1
must brctl addbr br0
must brctl addif br0 b0
must brctl addif br0 c0
must ip link set br0 up
# The ports of a bridge learn for a moment before they forward.
for port in b0 c0; do
	until [ "$(cat /sys/class/net/$port/brport/state)" = 3 ]; do usleep 100000; done
done
must ifconfig eth0 10.0.2.15 netmask 255.255.255.0 up

must insmod /lib/kutrace.ko
one cable inject a0 1 101
one vlan inject a0.5 2 101
one vlans inject a0.5.6 3 101
one forward inject b1 4 101
one flood inject br0 5 101
one card echo 10.0.2.2 $1 6 101
must rmmod kutrace
SCRIPT

# Checks that each payload is recorded TX times as sent and RX times as received.
hops()	# NAME TX RX
{
	trace_ok "$1" "$OUT/$1.trace"
	ok "$1: the filters read it" trace_text "$OUT/$1.trace" || return 0
	is "$1: packets, those that are not recorded $2 times as sent and $3 times as received, others" \
		"$(event_awk -v tx="$2" -v rx="$3" 'NR == FNR { if ($1 == "sent") { want[$3]; n++ } next }
			!/^#/ && ($3 == EV_TX_PKT || $3 == EV_RX_PKT) { if ($7 in want) got[$3, $7]++; else others++ }
			END {
				for (hash in want)
					wrong += got[EV_TX_PKT, hash] != tx || got[EV_RX_PKT, hash] != rx
				print n, wrong + 0, others + 0
			}' "$OUT/$1.said" "$OUT/$1.trace.events")" "101 0 0"
}

# A server for one connection.
perl -MIO::Socket::INET -e '
	$| = 1;
	my $listener = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1") or die "$!";
	print $listener->sockport, "\n";
	my $peer = $listener->accept or die "$!";
	setsockopt($peer, 6, 1, 1);
	while (sysread($peer, my $data, 65536)) { syswrite($peer, $data) }' >"$OUT/port" &
server=$!
until [ -s "$OUT/port" ] || ! kill -0 $server; do sleep 0.1; done
# shellcheck disable=SC2086 # options
if guest_run "$TAP_TMP/script" --cpus 2 --timeout 200 --net --file "$GUEST_BIN/packets" $files -- "$(cat "$OUT/port")"; then
	hops cable 1 1
	hops vlan 1 1
	hops vlans 1 1
	hops forward 1 2
	hops flood 2 2
	hops card 1 1
fi
kill $server 2>/dev/null
tap_end
