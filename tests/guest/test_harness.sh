#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
# takes: 240
# ci
#
# boot.sh reports the kind of each failure: a warning in the kernel log, a panic, a hang, a hang during
# the boot, or a failed script. The other guest tests rely on these reports. boot.sh returns files byte
# for byte.
. tests/guest/lib.sh
guest_begin harness

# boot NAME STATUS SCRIPT-TEXT [option...]: boots a guest, and checks the exit status of boot.sh
boot()
{
	_name=$1
	_want=$2
	printf '%s\n' "#!/bin/sh" "$3" >"$TAP_TMP/script"
	shift 3
	_got=0
	tests/guest/boot.sh --kernel "$KERNEL_DIR" --script "$TAP_TMP/script" \
		--out "$OUT/$_name" "$@" >"$OUT/$_name.log" 2>&1 || _got=$?
	is "$_name: exit status" "$_got" "$_want"
}

head -c 3000017 /dev/urandom >"$TAP_TMP/blob"
boot fine 7 'cp /blob /out/blob; echo "$1/$2/$(nproc)" >/out/args; exit 7' --cpus 3 \
	--file "$TAP_TMP/blob:/blob" -- "a b" "it's"
ok "fine: a file comes back byte for byte" cmp "$TAP_TMP/blob" "$OUT/fine/blob"
is "fine: arguments and CPUs arrive" "$(cat "$OUT/fine/args")" "a b/it's/3"
is "fine: boot.sh prints no message" "$(cat "$OUT/fine.log")" ""

boot step 1 'must true; must_fail false; must test -e "/no where"; must echo not here'
like "step: the failed step is printed" "$(cat "$OUT/step/console.log")" '^guest: failed with status 1: test -e /no where$'
unlike "step: no later step runs" "$(cat "$OUT/step/console.log")" '^not here'
boot refused 1 'must_fail true; echo not here'
like "refused: a step that succeeds is printed" "$(cat "$OUT/refused/console.log")" '^guest: succeeded, but must fail: true$'

boot warning 120 'echo "<4>WARNING: CPU: 0 PID: 1 at made/up.c:12" >/dev/kmsg'
like "warning: the line is quoted" "$(cat "$OUT/warning.log")" 'WARNING: CPU: 0 PID: 1 at made/up.c:12'

boot panic 120 'echo c >/proc/sysrq-trigger'
like "panic: the line is quoted" "$(cat "$OUT/panic.log")" 'Kernel panic'

boot hang 124 'echo about to hang; sleep 1000' --timeout 5
like "hang: reports that the time is up" "$(cat "$OUT/hang.log")" 'did not end within 5 s'
like "hang: the last lines are shown" "$(cat "$OUT/hang.log")" 'about to hang'
like "hang: what each process waits for is shown" "$(cat "$OUT/hang.log")" 'sleep \(pid [0-9]+, parent [0-9]+\) S: .*nanosleep'
like "hang: the CPU time of QEMU is shown" "$(cat "$OUT/hang.log")" 'QEMU has used [0-9]+ s of CPU'

boot gone 125 'poweroff -f; sleep 100'
like "gone: reports that there is no result" "$(cat "$OUT/gone.log")" 'without a result'

# QEMU is at fault if the kernel dies at a breakpoint instruction that its memory no longer has, and the
# CPUs run at the same time. Otherwise the guest is not run again.
died()
{
	echo "echo '<4>int3: 0000 [#1] PREEMPT SMP' >/dev/kmsg; echo '<4>Code: 48 89 $1 <0f> 1f 44' >/dev/kmsg"
}
boot stale 120 "$(died e9)" --threads multi
like "stale: the guest is run a second time, and no third time" "$(grep -c 'once more' "$OUT/stale.log")" '^1$'
like "stale: the output of the first run is kept" "$(cat "$OUT/stale/stale.console")" 'Code: 48 89 e9'
boot there 120 "$(died cc)" --threads multi
unlike "there: the guest is not run a second time" "$(cat "$OUT/there.log")" 'once more'
boot in-turn 120 "$(died e9)" --threads single
unlike "in turn: the guest is not run a second time" "$(cat "$OUT/in-turn.log")" 'once more'

# Imitates a guest that hangs during its boot: in its first starts, this QEMU does not run its
# machine.
eval "$(tests/guest/qemu.sh)"
cat >"$TAP_TMP/standing" <<STANDING
#!/bin/sh
if [ "\$1" = -nodefaults ]; then
	echo >>"$TAP_TMP/starts"
	[ "\$(wc -l <"$TAP_TMP/starts")" -gt "\$STANDS" ] || set -- "\$@" -S
fi
exec "$QEMU" "\$@"
STANDING
chmod 755 "$TAP_TMP/standing"
KUTRACE_QEMU=$TAP_TMP/standing
export KUTRACE_QEMU KUTRACE_BOOT_SECONDS STANDS
STANDS=1
KUTRACE_BOOT_SECONDS=100	# enough for the second start to boot
boot stands-once 3 'exit 3' --threads multi
like "stands once: reports it, and the addresses of its CPUs" "$(cat "$OUT/stands-once.log")" \
	'did not boot within 100 s, and is started again; the CPUs were at [ER]IP=[0-9a-f]+ [ER]IP='
: >"$TAP_TMP/starts"
STANDS=2
KUTRACE_BOOT_SECONDS=5
boot stands-twice 124 'exit 3' --threads multi
like "stands twice: is not started again" "$(cat "$OUT/stands-twice.log")" '^boot: the guest did not boot within 5 s; its last'
: >"$TAP_TMP/starts"
STANDS=1
boot stands-single 124 'exit 3' --threads single
unlike "single: not started again" "$(cat "$OUT/stands-single.log")" 'once more'

# Imitates a QEMU that executes old translations in its first start: the guest prints nothing more
# until QEMU translates again. A guest that hangs even after that is not run again.
cat >"$TAP_TMP/standing" <<STANDING
#!/usr/bin/perl
use IO::Socket::UNIX;
exec {"$QEMU"} "$QEMU", @ARGV if \$ARGV[0] ne "-nodefaults" || -e "$TAP_TMP/started";
open(my \$started, ">", "$TAP_TMP/started");
my (\$monitor) = "@ARGV" =~ /-monitor unix:([^,]*)/;
my (\$console) = "@ARGV" =~ /logfile=(\\S*)/;
sub console { open(my \$log, ">>", \$console); print \$log @_; close(\$log); }
my \$listening = IO::Socket::UNIX->new(Local => \$monitor, Listen => 5);
console("guest: script starts\\n");
while (my \$asked = \$listening->accept) {
	while (<\$asked>) {
		print \$asked "VM status: running\\n" if /info status/;
		console("it goes on\\n") if /one-insn-per-tb on/ && !\$ENV{STANDS};
	}
}
STANDING
rm -f "$TAP_TMP/started"
STANDS=
KUTRACE_BOOT_SECONDS=100
boot old-code 3 'exit 3' --threads multi --timeout 3
like "old code: the guest is run a second time" "$(cat "$OUT/old-code.log")" 'hung until QEMU translated its code again'
like "old code: the output of the first run is kept" "$(cat "$OUT/old-code/stale.console")" 'it goes on'
rm -f "$TAP_TMP/started"
STANDS=1
boot stuck 124 'exit 3' --threads multi --timeout 3
unlike "stuck: the guest is not run a second time" "$(cat "$OUT/stuck.log")" 'once more'
tap_end
