#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 500
# takes: 40
#
# Times in which the machine did not run are rows of their own. A guest with two CPUs computes on one of
# them. SIGSTOP stops its QEMU three times, so that its time counter continues, and the host's clock
# measures for how long. A busy host also delays QEMU, which is the same to the guest. So the trace may
# have more such rows, and a row may be longer, but not shorter, than the measured time. If the computing
# CPU is in the kernel when QEMU stops, there may be no row: one row of three must be there.
. tests/guest/lib.sh
guest_begin stopped
least=1200	# length of the first stop in ms; the others are 500 ms and 1000 ms longer

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
# hundredths of a second since the boot
uptime()
{
	read -r now _ </proc/uptime
	now=${now%.*}${now#*.}
	now=${now#0}
}

# Asks for stop $1, and waits until the clock has jumped by a second.
await_stop()
{
	uptime
	echo "stop now $1"
	for i in $(seq 1200); do
		before=$now
		uptime
		[ $((now - before)) -lt 100 ] || return 0
		usleep 50000
	done
	return 1
}

must insmod /lib/kutrace.ko mb=32
sh -c 'while :; do :; done' &
spinner=$!
must kutrace_control go
for number in 1 2 3; do
	usleep 200000
	must await_stop $number
done
usleep 200000
must kutrace_control stop /out/stopped.trace
kill $spinner
echo $spinner >/out/spinner
must rmmod kutrace
SCRIPT

# Stops QEMU when the guest's script asks for it. Prints the shortest and the longest possible length of each
# stop, in ms.
pidfile=$(mktemp -u /tmp/stopped.XXXXXX)
perl -MTime::HiRes=clock_gettime,usleep,CLOCK_MONOTONIC -e '
	my ($console, $pidfile, $least) = @ARGV;
	$| = 1;
	for my $i (1 .. 3) {
		for (;; usleep 20000) {
			open my $in, "<", $console or next;
			last if grep /^stop now $i\b/, <$in>;
		}
		open my $in, "<", $pidfile or die "no pid of QEMU: $!\n";
		my ($pid) = <$in> =~ /(\d+)/ or die "no pid\n";
		my $before = clock_gettime(CLOCK_MONOTONIC);
		kill STOP => $pid or die "cannot stop QEMU: $!\n";
		# The threads have stopped when the process is in state T.
		for (;; usleep 1000) {
			open my $stat, "<", "/proc/$pid/stat" or die "QEMU has ended\n";
			last if <$stat> =~ /\) T /;
		}
		my $stopped = clock_gettime(CLOCK_MONOTONIC);
		usleep(1000 * ($least + 500 * ($i - 1)));
		my $until = clock_gettime(CLOCK_MONOTONIC);
		kill CONT => $pid;
		printf "%d %d\n", 1000 * ($until - $stopped), 1000 * (clock_gettime(CLOCK_MONOTONIC) - $before);
	}' "$OUT/console.log" "$pidfile" $least >"$OUT/host" 2>"$OUT/host.err" &
stopper=$!

if guest_run "$TAP_TMP/script" --cpus 2 --timeout 250 --pid "$pidfile"; then
	wait $stopper
	is "QEMU was stopped three times" "$(grep -c . "$OUT/host") $(cat "$OUT/host.err")" "3 "
	trace_ok "the recording" "$OUT/stopped.trace"
	if ok "the filters read it" trace_text "$OUT/stopped.trace"; then
		# the rows of CPU 0: start, length in ms, name
		event_awk -F', *' '/^\[/ && $6 == EV_STOPPED && $3 == 0 { gsub(/\[ */, ""); print $1, $2 * 1000, $10 }' \
			"$OUT/stopped.trace.json" | sort -n >"$OUT/rows"
		sed 's/^/# row: /' "$OUT/rows" >&2
		sed 's/^/# host: /' "$OUT/host" >&2
		# A row begins up to a tick late: a tick has 10 ms at most. A busy host resumes QEMU late: half the
		# difference between two stops is enough to distinguish them.
		found=$(awk 'FNR == NR { row[FNR] = $2; rows = FNR; next }
			{ for (i = 1; i <= rows; i++) if (row[i] >= $1 - 25 && row[i] <= $2 + 450) { n++; break } }
			END { print n + 0 }' "$OUT/rows" "$OUT/host")
		between "stops with a row of the same length" "$found" 1 3
		is "each CPU has the same rows" "$(event_awk -F', *' -v least=$least '/^\[/ && $6 == EV_STOPPED && $2 * 1000 >= least { gsub(/\[ */, ""); n[$1 " " $2]++ }
			END { for (i in n) if (n[i] != 2) print i, n[i] }' "$OUT/stopped.trace.json")" ""
		pid=$(cat "$OUT/spinner")
		below "rows of execution as long as a stop" "$(event_awk -F', *' -v least=$least '
			/^\[/ && ($6 >= 65536 || $6 >= EV_TRAP && $6 < 4096) && $3 >= 0 && $4 == '"$pid"' && $2 * 1000 >= least { n++ }
			END { print n + 0 }' "$OUT/stopped.trace.json")" "$((3 - found))"
		like "checktrace reports them" "$("$BUILD/bin/checktrace" "$OUT/stopped.trace")" '^the machine did not run: [0-9]+ times'
	fi
fi
kill $stopper 2>/dev/null
rm -f "$pidfile"
tap_end
