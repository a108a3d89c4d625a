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
# Who crashed, and on which CPU, is what the kernel said as it did, which kdump keeps beside the dump.
read -r cpu pid comm <<WHO
$(sed -n 's/.*CPU: \([0-9]*\) .*PID: \([0-9]*\) .*Comm: \([^ ]*\) .*/\1 \2 \3/p' /var/crash/*/dmesg.* | tail -n 1)
WHO
is "the program that crashed the machine, by the kernel's last words" "$comm" lastly
# The call of which it never came back: the last one of its CPU, and of nobody else there.
last=$(awk -v cpu="$cpu" '$3 >= 2048 && $4 == cpu' /run/crash.event | tail -n 1)
like "the last call that was recorded on its CPU is a write without an end" "$last" '^[0-9]+ 0 .* write \('
is "of that program" "$(echo "$last" | awk '{ print $5 }')" "$pid"
diag "CPU $cpu, pid $pid; the last events of each CPU:"
diag "$(awk '$3 >= 512 { line[$4, n[$4]++ % 12] = $0 }
	END { for (c in n) for (i = 0; i < 12; i++) print line[c, (n[c] + i) % 12] }' /run/crash.event)"
ok "the recorder records again" until_ 120 recorder_records
