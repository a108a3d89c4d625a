# SPDX-License-Identifier: BSD-3-Clause
#
# The kernel crashes while the recorder service records, by the hand of a program whose name nothing else
# has; kdump's kernel writes the memory, as Debian sets it up, and boots the machine anew. What came of it: 71.
. ./recorder.sh

ok "the recorder records" recorder_records
like "kdump is ready, as docs/crash.md has it asked" "$(kdump-config test 2>&1; kdump-config status)" 'ready to kdump'
is "no dump is there yet" "$(ls /var/crash | grep -E '^[0-9]')" ""
cp "$(command -v dd)" /usr/local/bin/lastly
echo 1 >/proc/sys/kernel/sysrq
crash='echo c | lastly of=/proc/sysrq-trigger status=none'
