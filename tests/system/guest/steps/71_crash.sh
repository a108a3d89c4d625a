# SPDX-License-Identifier: BSD-3-Clause
#
# After the crash of 70: Debian's dump of the memory, and the trace in it, which ends with the crash.
. ./recorder.sh

dump=$(ls /var/crash/*/dump.* 2>/dev/null | grep -v incomplete)
ok "there is a dump, whole" test -f "$dump"
diag "$(ls -l /var/crash/*/ 2>&1)"
as carol "sudo kutrace_crash --list $dump"
like "the recorder's session is in it" "$said" '^recorder +recording '
as carol "sudo kutrace_crash --session recorder $dump >crash.trace"
is "kutrace_crash, by sudo" "$status" 0
diag "$said"
as carol 'checktrace crash.trace'
is "the trace is sound" "$status" 0
as carol 'rawtohtml crash.trace -o crash.html'
is "the page of it" "$status" 0
rawtoevent /home/carol/crash.trace 2>/dev/null | grep -v '^#' | sort -n >/run/crash.event
# The call of which it never came back: the last one that it made, and nobody's after it on the CPU that it
# was switched to last.
awk '$3 == 512 && / lastly\./ { cpu = $4 } END { print cpu + 0 }' /run/crash.event >/run/crash.cpu
like "the last that was recorded of the program that crashed the machine is a write" \
	"$(awk -v cpu="$(cat /run/crash.cpu)" '$3 >= 2048 && $4 == cpu' /run/crash.event | tail -n 1)" '^[0-9]+ 0 .* write \('
diag "$(tail -n 3 /run/crash.event)"
ok "the recorder records again" until_ 120 recorder_records
