#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 3000
# takes: 30
# needs: patched
# ci
#
# Kprobes on the module are safe, and refused where a recorded event could reach them. A kprobe's
# breakpoint is an exception. Where exceptions are recorded, a probe on the recording code would hit
# itself until the stack overflows. So the kernel must refuse probes on all functions that record
# events. All other functions of the module are probed while a workload is recorded, on the stock
# kernel and on the patched kernel. The patched kernel also frees an interrupt while its name is
# recorded.
. tests/guest/lib.sh
guest_begin kprobes
top=$OUT

# Prints the functions of object file $1 that $2... reach by visible calls, without $2...
# themselves.
reached_from()
{
	local ko=$1
	shift
	{
		objdump -t "$ko" | awk '$3 == "F" { print "F", $4, $1, $NF }'
		objdump -dr --no-show-raw-insn "$ko"
	} | awk -v from="$*" '
	function number(hex,    n) {
		for (n = 0; hex != ""; hex = substr(hex, 2))
			n = 16 * n + index("0123456789abcdef", substr(hex, 1, 1)) - 1
		return n
	}
	$1 == "F" { where[$2, number($3)] = $4; next }
	/^Disassembly of section/ { section = $4; sub(":", "", section); next }
	/^[0-9a-f]+ <.*>:$/ { name = $2; gsub(/[<>:]/, "", name); target = ""; next }
	/\t(call|jmp|j[a-z]+) / {
		target = $NF; gsub(/[<>]/, "", target); sub(/\+0x.*/, "", target)
		if (target != name) calls[name] = calls[name] " " target
		next
	}
	/R_X86_64_(PLT32|PC32|32S?|64)/ {
		target = $NF
		if (target ~ /^\./) {
			# A section and an offset. The offset of a call counts from the end of its
			# four bytes.
			plus = target; sub(/.*\+0x/, "", plus); sub(/\+0x.*/, "", target)
			target = where[target, number(plus) + ($2 ~ /32$/ ? 4 : 0)]
		} else {
			sub(/[-+]0x.*/, "", target)
		}
		if (target != "") calls[name] = calls[name] " " target
	}
	END {
		n = split(from, todo, " ")
		for (i = 1; i <= n; i++) seen[todo[i]] = 1
		for (i = 1; i <= n; i++) {
			m = split(calls[todo[i]], to, " ")
			for (j = 1; j <= m; j++)
				if (!(to[j] in seen)) {
					seen[to[j]] = 1
					todo[++n] = to[j]
					print to[j]
				}
		}
	}' | LC_ALL=C sort -u
}

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
# Keep breakpoints: the kernel must not replace them by jumps.
[ ! -e /proc/sys/debug/kprobes-optimization ] || echo 0 >/proc/sys/debug/kprobes-optimization
must insmod /lib/kutrace.ko mb=64
must insmod /lib/probe.ko
# Probe all functions except the last one in memory. To register a probe, the kernel decodes a
# function up to the beginning of the next one. After the last function, it decodes to the end of the
# page and beyond (seen on 6.12: a fault in insn_get_modrm(), without a function of the module on the
# stack). The last function has two names, ku_exit and cleanup_module.
awk '$2 ~ /[tT]/ && $4 == "[kutrace]" { print $1, $3 }' /proc/kallsyms | sort |
	awk '{ for (; $1 != last && n; n--) print name[n]; last = $1; name[++n] = $2 }' | sort -u >/out/functions
must kutrace_control go
while read -r function; do
	if echo "kutrace:$function" >/proc/kutrace_test_probe 2>/tmp/why; then
		echo "$function" >>/out/probed
	else
		echo "$function $(cat /tmp/why)" >>/out/refused
	fi
done </out/functions
must workload --quiet
must kutrace_control stop /out/a.trace
cat /proc/kutrace_test_probe >/out/hits.a
# First record two sessions in both slots. Then record a session with a filter and triggers, beside
# the main session and at last alone.
must kutrace_control go
must kutrace_control --session beside start --size 16
must workload --quiet
must kutrace_control --session beside stop /out/e.trace
must kutrace_control stop /out/f.trace
cat /proc/kutrace_test_probe >/out/hits.e
workload --quiet --repeat 1000000 &
load=$!
must kutrace_control go
must kutrace_control --session probed start --size 32 --pid $load --trigger 'syscall>9s' \
	--trigger 'softirq>9s' --trigger 'irq>9s' --trigger 'runq>9s'
must workload --quiet
must kutrace_control stop /out/b.trace
must workload --quiet
must kutrace_control --session probed stop /out/c.trace
kill $load
wait $load
cat /proc/kutrace_test_probe >/out/hits.b
if [ -f /lib/kutrace_test.ko ]; then
	must insmod /lib/kutrace_test.ko
	must kutrace_control go
	echo "free_irq 7 1" >/proc/kutrace_test 2>/out/free_irq && echo "not used any more" >/out/free_irq
	must kutrace_control stop /out/d.trace
	must rmmod kutrace_test
fi
rmmod probe 2>/dev/null || rmmod kutrace_test_probe || die "cannot unload the probe"
must rmmod kutrace
SCRIPT

# run_on NAME REFUSED: runs a guest with the kernel that is set. $probe is the module that registers
# probes.
slow_path="ku_emit_slow ku_emit_call_slow ku_emit_words_fast ku_emit2_slow ku_emit_inspected ku_emit_inspected_one ku_emit_words_other
	ku_timed_call ku_timed_return ku_emit_dual ku_return_dual ku_emit_counted ku_return_counted
	ku_counters_bits ku_on_switch_any ku_dispatch_any ku_dispatch_header"
run_on()
{
	local function
	OUT=$top/$1
	mkdir -p "$OUT"
	# The slow path calls ku_dispatch_any() through a static call. Its trampoline is
	# not executed.
	# shellcheck disable=SC2086
	reached_from "$KO" $slow_path |
		grep -v '^__SCT__' >"$OUT/reached"
	if ! guest_run "$TAP_TMP/script" --cpus 2 --append "$append" --timeout 900 --file "$probe:/lib/probe.ko" \
		${TEST_KO:+--file} ${TEST_KO:+"$TEST_KO:/lib/kutrace_test.ko"}; then
		return
	fi
	cut -d ' ' -f 1 "$OUT/refused" >"$OUT/refused.names"
	for function in $slow_path $2; do
		like "$1: a probe on $function is refused" "$(grep "^$function " "$OUT/refused")" \
			"Invalid argument"
	done
	is "$1: a probe on each function that they reach is refused" "$(LC_ALL=C comm -12 "$OUT/reached" \
		<(LC_ALL=C sort "$OUT/probed") | tr '\n' ' ')" ""
	between "$1: number of these functions" "$(LC_ALL=C comm -12 "$OUT/reached" \
		<(LC_ALL=C sort "$OUT/refused.names") | wc -l)" 15 200
	is "$1: nothing is refused for another reason" \
		"$(grep -v 'Invalid argument' "$OUT/refused")" ""
	between "$1: all other functions are probed" "$(wc -l <"$OUT/probed")" 100 2000
	between "$1: probes are hit" "$(cut -d ' ' -f 2 "$OUT/hits.a")" 10 1000000000
	between "$1: probes are hit with two recordings" "$(($(cut -d ' ' -f 2 "$OUT/hits.e") -
		$(cut -d ' ' -f 2 "$OUT/hits.a")))" 10 1000000000
	between "$1: probes are hit with filter and triggers" "$(($(cut -d ' ' -f 2 "$OUT/hits.b") -
		$(cut -d ' ' -f 2 "$OUT/hits.e")))" 10 1000000000
	for trace in a b c e f; do
		ok "$1: $trace.trace: checktrace finds nothing wrong" "$BUILD/bin/checktrace" \
			"$OUT/$trace.trace"
		# The breakpoint of a probe counts as an NMI, which cannot take a block. If the
		# block is full, or the CPU is taking another block, the event is lost and counted.
		is "$1: $trace.trace: only nested events are lost" \
			"$("$BUILD/bin/checktrace" "$OUT/$trace.trace" 2>&1 | sed -n 's/;.*//; s/^lost: [0-9]* events, //p' |
				tr ',' '\n' | grep -vE 'nested=|=0$')" ""
		like "$1: $trace.trace: the loss is reported" "$("$BUILD/bin/checktrace" "$OUT/$trace.trace" 2>&1)" \
			'^lost: [0-9]+ events, .*nested='
	done
}

mkdir -p "$OUT/module"
cp kernel-patches/files/kernel/kutrace/kutrace_test_probe.c "$OUT/module"
echo 'obj-m := kutrace_test_probe.o' >"$OUT/module/Kbuild"
ok "the module that probes is built" make -C "$KDIR" M="$(realpath "$OUT/module")" W=1 modules
probe=$top/module/kutrace_test_probe.ko
TEST_KO=
append=
run_on stock "ku_sys_enter ku_sys_exit ku_irq_event ku_filter_pass ku_trigger_watch"

if patched_kernel; then
	probe=$(find "$KERNEL_DIR/lib/modules" -name kutrace_test_probe.ko)
	# With this, delay loops end immediately, as in a guest whose CPU got no time while it calibrated
	# its delays at boot.
	append=lpj=4
	run_on patched "ku_static_trap_enter ku_static_trap_exit ku_irq_event_of ku_filter_pass ku_trigger_watch"
	is "an interrupt's action is not used after it was freed" "$(cat "$OUT/free_irq")" \
		"not used any more"
else
	fail "the patched kernel is built" "see above"
fi
tap_end
