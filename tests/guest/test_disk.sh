#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 400
# takes: 60
# also: disk_6_12 KERNEL=stock-6.12
# also: disk_7_2 KERNEL=stock-7.2
#
# Records a program that uses a virtio disk. The witnesses are the kernel's counters of the disk (stat in
# /sys/block), and the clock of the program: the trace has the same requests and sectors, the same time in
# the queue and in service, and for each read and write of the program the request that it waited for. One
# CPU, an exact clock, each I/O scheduler of the disk.
. tests/guest/lib.sh
guest_begin disk

cat >"$TAP_TMP/record" <<'SCRIPT'
#!/bin/sh
disk=/sys/block/vdb
must insmod /lib/kutrace.ko mb=32
record()	# NAME SCHEDULER STEP...
{
	name=$1
	echo "$2" >$disk/queue/scheduler 2>/dev/null || { echo yes >/out/$name.none; return; }
	shift 2
	must kutrace_control go
	cat $disk/stat >/out/$name.before
	must disk /dev/vdb main "$@" >/out/$name.said
	cat $disk/stat >/out/$name.after
	must kutrace_control stop /out/$name.trace
}
[ -e /dev/vdb ] || must mknod /dev/vdb b 254 16
for scheduler in none mq-deadline; do
	record $scheduler.alone $scheduler read write
	record $scheduler.all $scheduler read write same batch sync
done
must kutrace_control start --mask -disk
must disk /dev/vdb main read >/dev/null
must kutrace_control stop /out/masked.trace
must rmmod kutrace
SCRIPT

# Prints requests, sectors and ms of "$2" (read, write, flush, discard) by the kernel's counters.
counted()	# NAME OPERATION
{
	awk -v what="$2" 'BEGIN { at["read"] = 1; at["write"] = 5; at["discard"] = 12; at["flush"] = 16; a = at[what] }
		NR == 1 { n = $a; s = $(a + 2); ms = $(a + (a == 16 ? 1 : 3)) }
		NR == 2 { print $a - n, a == 16 ? 0 : $(a + 2) - s, $(a + (a == 16 ? 1 : 3)) - ms }' "$OUT/$1.before" "$OUT/$1.after"
}

# Prints the same by the rows of the trace.
traced()	# NAME OPERATION
{
	event_awk -F'[][, "]+' -v what="$2" '
		($7 == EV_DISK_QUEUE || $7 == EV_DISK_SERVED) && $11 == "vdb" && $12 == what { ms += $3 * 1000
			if ($7 == EV_DISK_SERVED) { n++; s += $13 / 512 } }
		END { printf "%d %d %d\n", n, s, ms }' "$OUT/$1.trace.json"
}

# Compares a trace with the counters, and with what the program printed.
compare()	# NAME
{
	trace_ok "$1" "$OUT/$1.trace"
	trace_text "$OUT/$1.trace"
	for what in read write flush discard; do
		read -r n sectors ms <<-EOF
		$(counted "$1" $what)
		EOF
		read -r rows row_sectors row_ms <<-EOF
		$(traced "$1" $what)
		EOF
		# The kernel also counts a write without data for each flush.
		[ $what != write ] || n=$((n - $(counted "$1" flush | cut -d ' ' -f 1)))
		is "$1: each $what and its sectors, by the trace" "$rows $row_sectors" "$n $sectors"
		[ $what = flush ] || between "$1: ms in queue and service of each $what, of $ms" "$row_ms" $((ms * 9 / 10 - 2)) $((ms * 11 / 10 + 2))
	done
	like "$1: each request has both ends" "$("$BUILD/bin/checktrace" "$OUT/$1.trace")" \
		'^requests of disks: [0-9]+$'
	pid=$(witness "$OUT/$1.said" main disk)
	# The waits of the program, with the request that ended each.
	event_awk -F'[][, "]+' -v pid="$pid" -v wait=$((EV_WAITA + 3)) '
		$7 == EV_DISK_SERVED { request[$8] = $12 " " substr($14, 2) " " $13 }
		$7 == wait && $5 == pid && $8 > 0 { n++; number[n] = $8; us[n] = $3 * 1000000 }
		END { for (i = 1; i <= n; i++) print request[number[i]], us[i] }' "$OUT/$1.trace.json" >"$OUT/$1.waits"
	awk '$1 == "request" { print $2, $3, $4 }' "$OUT/$1.said" >"$OUT/$1.wanted"
	# The disk serves the first requests at once (--iops): a request that ends before the program sleeps has no wait.
	n=$(grep -c . "$OUT/$1.wanted")
	awk 'NR == FNR { wanted[NR] = $1 " " $2 " " $3; last = NR; next }
		at < last { while (at < last && wanted[++at] != $1 " " $2 " " $3) ;
			if (wanted[at] != $1 " " $2 " " $3) { print "not the request of the next wait:", $0; exit } n++ }
		END { print n + 0 >"/dev/stderr" }' "$OUT/$1.wanted" "$OUT/$1.waits" >"$OUT/$1.others" 2>"$OUT/$1.waited"
	is "$1: each wait of a read or write is for its own request" "$(cat "$OUT/$1.others")" ""
	between "$1: reads and writes that waited, of $n" "$(cat "$OUT/$1.waited")" $((n * 3 / 4)) "$n"
}

if guest_run "$TAP_TMP/record" --icount --disk 64 --iops 50 --file "$GUEST_BIN/disk"; then
	for scheduler in none mq-deadline; do
		if [ -f "$OUT/$scheduler.all.none" ]; then
			skip "$scheduler" "this kernel has no such I/O scheduler"
			continue
		fi
		compare $scheduler.alone
		compare $scheduler.all
	done
	trace_text "$OUT/masked.trace"
	is "masked: no request" "$(event_awk '$3 >= EV_DISK_QUEUED && $3 <= EV_DISK_MERGED' "$OUT/masked.trace.events" | wc -l)" 0
fi
tap_end
