# SPDX-License-Identifier: BSD-3-Clause
#
# A program with a unique name crashes the kernel while the recorder service records. The kdump
# kernel of Debian's package writes the memory to disk and reboots the machine. Step 71 checks the
# dump.
. ./recorder.sh

ok "the recorder records" recorder_records
like "kdump is ready, by the commands of docs/guide/crash.md" "$(kdump-config test 2>&1; kdump-config status)" 'ready to kdump'
is "no dump is there yet" "$(ls /var/crash | grep -E '^[0-9]')" ""
cp "$(command -v dd)" /usr/local/bin/lastly
echo 1 >/proc/sys/kernel/sysrq
crash='echo c | lastly of=/proc/sysrq-trigger status=none'
