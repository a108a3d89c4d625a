# SPDX-License-Identifier: BSD-3-Clause
#
# kutrace_crash takes the trace out of Debian's dump after the crash of step 70, and the trace ends
# with the crash.
. ./recorder.sh

dump=$(ls /var/crash/*/dump.* 2>/dev/null | grep -v incomplete)
ok "there is a complete dump" test -f "$dump"
diag "$(ls -l /var/crash/*/ 2>&1)"
as carol "sudo kutrace_crash --list $dump"
like "the dump has the recorder's session" "$said" '^recorder +recording '
as carol "sudo kutrace_crash --session recorder $dump >crash.trace"
is "kutrace_crash, by sudo" "$status" 0
diag "$said"
as carol 'checktrace crash.trace'
is "the trace is sound" "$status" 0
as carol 'rawtohtml crash.trace -o crash.html'
is "a page is made of the trace" "$status" 0
rawtoevent /home/carol/crash.trace 2>/dev/null | grep -v '^#' | sort -n >/run/crash.event
# The kernel's message has the program that crashed and its CPU. kdump stores the message beside the dump.
read -r cpu pid comm <<WHO
$(sed -n 's/.*CPU: \([0-9]*\) .*PID: \([0-9]*\) .*Comm: \([^ ]*\) .*/\1 \2 \3/p' /var/crash/*/dmesg.* | tail -n 1)
WHO
is "the program that crashed the machine, by the kernel's last message" "$comm" lastly
# The call that never returned is the last call on its CPU. No other program made a call there after it.
last=$(awk -v cpu="$cpu" '$3 >= 2048 && $4 == cpu' /run/crash.event | tail -n 1)
like "the last recorded call on its CPU is a write without an end" "$last" '^[0-9]+ 0 .* write \('
is "the program that crashed the machine made the last call" "$(echo "$last" | awk '{ print $5 }')" "$pid"
diag "CPU $cpu, pid $pid; the last events of each CPU:"
diag "$(awk '$3 >= 512 { line[$4, n[$4]++ % 12] = $0 }
	END { for (c in n) for (i = 0; i < 12; i++) print line[c, (n[c] + i) % 12] }' /run/crash.event)"
ok "the recorder records again" until_ 120 recorder_records
