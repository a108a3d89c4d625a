#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
# takes: 15
#
# If the time counter becomes unstable while the module is loaded, a running recording gets the
# caveat "clock", and the next recording is refused, with a remedy. If the counter runs slower than
# the kernel's clock, the recording gets the same caveat until the next reset.
. tests/guest/lib.sh
guest_begin unstable
ok "a module that makes the TSC bad is built" tests/guest/module_build.sh "$KDIR" "$KVER" "$BUILD" "$KSUITE" \
	tests/guest/module/unstable

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
recorded()	# NAME [COMMAND...]: makes a recording during which the command runs
{
	name=$1
	shift
	kutrace_control go || return 1
	"$@" || return 1
	usleep 300000
	kutrace_control status --json >/out/$name.json || return 1
	kutrace_control stop /out/$name.trace
}
must insmod /lib/kutrace.ko mb=8
must recorded sound true
# Make the counter bad for a while, during which no program reads the status.
must kutrace_control go
must insmod /lib/unstable.ko rate=1
i=0
until dmesg | grep -q 'session main: the time counter is unstable' || [ $i -eq 400 ]; do
	usleep 100000
	i=$((i + 1))
done
must rmmod kutrace_unstable
must kutrace_control stop /out/unasked.trace
must recorded rate insmod /lib/unstable.ko rate=1
must rmmod kutrace_unstable
must recorded next true
must recorded unstable insmod /lib/unstable.ko
must_fail kutrace_control go 2>/out/refused
must rmmod kutrace
must_fail insmod /lib/kutrace.ko 2>/dev/null
dmesg | grep 'kutrace: no time counter' >/out/not_loaded
SCRIPT
if guest_run "$TAP_TMP/script" --cpus 2 --allow 'Marking (TSC )?unstable|no time counter' \
	--file "$BUILD/module/$KVER/unstable/kutrace_unstable.ko:/lib/unstable.ko"; then
	trace_text "$OUT/unasked.trace" || fail "unasked: the filters read it"
	like "the trace has the caveat although no program read the status" \
		"$(grep 'caveat=' "$OUT/unasked.trace.events")" 'caveat=clock$'
	for name in sound rate next unstable; do
		case $name in
		sound | next) how=unlike ;;
		*) how=like ;;
		esac
		"$BUILD/bin/checktrace" "$OUT/$name.trace" >"$OUT/$name.report" 2>&1
		trace_text "$OUT/$name.trace" || fail "$name: the filters read it"
		$how "$name: the status has the caveat" "$(cat "$OUT/$name.json")" '"caveats": \[.*"clock"'
		$how "$name: the trace has the caveat" "$(grep 'caveat=' "$OUT/$name.trace.events")" 'caveat=clock$'
		$how "$name: checktrace reports it" "$(cat "$OUT/$name.report")" 'the time counter jumped'
		$how "$name: rawtoevent reports it" "$(cat "$OUT/$name.trace.rawtoevent")" 'the time counter jumped'
		$how "$name: the page's header has the caveat" "$(grep '"caveats"' "$OUT/$name.trace.json")" '"clock"[],]'
	done
	like "a recording is refused, with the remedy" "$(cat "$OUT/refused")" 'time counter unstable.*tsc=reliable'
	like "loading is refused, with the remedy" "$(cat "$OUT/not_loaded")" 'tsc=reliable'
fi
tap_end
