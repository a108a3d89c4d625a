#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# takes: 8
# fast
#
# Tests the kernel that `make demo` boots for given ARCH and KERNEL, and the values that it refuses
# before it does anything; its words about waits; and the lines that show how far a step is. Does not
# run the demo itself.
. tests/tap.sh
tap_begin

# demo_of ARCH KERNEL: prints the name of the kernel, or the exit status and the reason.
demo_of()
{
	_said=$(ARCH=$1 KERNEL=$2 BUILD=$TAP_TMP/build tests/demo/demo.sh --name 2>&1) && echo "$_said" ||
		echo "$?: $_said"
}

while read -r arch kernel expected; do
	[ "$arch" != - ] || arch=
	[ "$kernel" != - ] || kernel=
	is "ARCH=$arch KERNEL=$kernel" "$(demo_of "$arch" "$kernel")" "$expected"
done <<'TABLE'
- - stock
amd64 - stock
x86_64 stock-7.2 stock-7.2
- patched-6.12 patched-6.12
amd64 patched-6.12 patched-6.12
- stock-6.12-riscv64 stock-6.12-riscv64
arm64 - stock-6.12-arm64
arm64 stock stock-6.12-arm64
arm64 stock-7.2 stock-7.2-arm64
arm64 stock-7.2-16k stock-7.2-16k-arm64
arm64 stock-7.2-arm64 stock-7.2-arm64
arm64 stock-6.12@trixie stock-6.12-arm64@trixie
arm64 stock-6.12-arm64@trixie stock-6.12-arm64@trixie
riscv64 - stock-6.12-riscv64
riscv64 stock-7.2 stock-7.2-riscv64
mips - 2: demo: no machine mips: amd64, arm64 or riscv64
arm64 patched-6.1 2: demo: no demo on patched-6.1-arm64: patched ones are for amd64 here, KERNEL=stock-SERIES for arm64
- patched-6.12-arm64 2: demo: no demo on patched-6.12-arm64: patched ones are for amd64 here, KERNEL=stock-SERIES for arm64
amd64 patched-6.12-arm64 2: demo: patched-6.12-arm64 is not for amd64
amd64 stock-6.12-arm64 2: demo: stock-6.12-arm64 is not for amd64
riscv64 stock-6.12-arm64 2: demo: stock-6.12-arm64 is not for riscv64
arm64 debug-6.1 2: demo: debug-6.1 is not for arm64
- 6.12 2: demo: no kernel 6.12: stock, stock-SERIES[-FLAVOUR] as stock-7.2, or patched-SERIES
TABLE
is "nothing was left" "$(ls "$TAP_TMP")" ""

# --- waits.sh: the longest wait of each of three system calls ---
# spantowhy writes one gap per line. The first one is before the thread first runs.
cat >"$TAP_TMP/why.json" <<'JSON'
{"from": 1.00000000, "to": 9.00000000, "threads": [
  {"pid": 7, "name": "work.7", "runs": 9, "gaps": 6, "run": 1.0, "runnable": 1.0, "unknown": 0.0, "waited": {"disk": 2.0}}],
 "gaps": [
  {"start": 1.00000000, "end": 8.00000000, "in": null, "waited": 0.00000000, "for": null, "waker": {"pid": 6, "name": "start.6", "cpu": 1, "at": 1.0, "in": "clone"}, "runnable": 7.00000000, "cpu": 0, "held_by": []},
  {"start": 2.00000000, "end": 2.01000000, "in": "pread64", "waited": 0.00900000, "for": "disk", "waker": {"pid": 0, "name": "-idle-", "cpu": 3, "at": 2.009, "in": "virtio1"}, "runnable": 0.00100000, "cpu": 2, "held_by": [{"pid": 0, "name": "-idle-", "time": 0.001}]},
  {"start": 3.00000000, "end": 3.00500000, "in": "pread64", "waited": 0.00400000, "for": "disk", "waker": null, "runnable": 0.00100000, "cpu": 0, "held_by": []},
  {"start": 4.00000000, "end": 4.10000000, "in": "wait4", "waited": 0.09000000, "for": "unk", "waker": {"pid": 8, "name": "child.8", "cpu": 1, "at": 4.09, "in": null}, "runnable": 0.01000000, "cpu": 1, "held_by": []},
  {"start": 5.00000000, "end": 5.00200000, "in": "user", "waited": 0.00000000, "for": null, "waker": null, "runnable": 0.00200000, "cpu": 0, "held_by": [{"pid": 9, "name": "other.9", "time": 0.002}]},
  {"start": 6.00000000, "end": 6.00100000, "in": "futex", "waited": 0.00050000, "for": "lock", "waker": null, "runnable": 0.00050000, "cpu": 0, "held_by": []}],
 "path": {"thread": 7}}
JSON
tests/demo/waits.sh <"$TAP_TMP/why.json" >"$TAP_TMP/waits"
is "three waits, the longest first, one of each call" "$(cat "$TAP_TMP/waits")" \
"  100.000 ms in wait4      at 4.000000 s: waited 90.000 ms, until child woke it; then 10.000 ms until CPU 1 ran it
   10.000 ms in pread64    at 2.000000 s: waited 9.000 ms for the disk, until an interrupt woke it in virtio1; then 1.000 ms until CPU 2 ran it
    2.000 ms in user code  at 5.000000 s: was preempted or moved; then 2.000 ms until CPU 0 ran it"
echo '{"threads": [], "gaps": []}' | tests/demo/waits.sh >"$TAP_TMP/waits" 2>&1
is "no wait: exit status and message" "$? $(cat "$TAP_TMP/waits")" "1 waits: the thread has no wait"

# --- progress.inc ---
is "megabytes" "$(. tests/progress.inc; megabytes 12345678)" "12.3 MB"
mkdir "$TAP_TMP/deb"
head -c 3000000 /dev/zero >"$TAP_TMP/deb/a"
is "how far a download is" "$(. tests/progress.inc; progress_fetch "$TAP_TMP/deb" 12000000)" "downloaded 3 of 12 MB"
cat >"$TAP_TMP/script" <<'SCRIPT'
. tests/progress.inc
n=0
state() { cat "$1"; }
echo one >"$2"
progress_begin state "$2"
sleep "$1"
echo two >"$2"
sleep 0.5
progress_end
SCRIPT
sh "$TAP_TMP/script" 0 "$TAP_TMP/line" 2>"$TAP_TMP/err"
is "a short step prints no line" "$(cat "$TAP_TMP/err")" ""
sh "$TAP_TMP/script" 4 "$TAP_TMP/line" 2>"$TAP_TMP/err"
is "a step of four seconds prints one line" "$(cat "$TAP_TMP/err")" "  one"
KU_PROGRESS=$TAP_TMP/to sh -c '. "$0"; cat "$2" "$KU_PROGRESS"' "$TAP_TMP/script" 0 "$TAP_TMP/line" >"$TAP_TMP/out" 2>&1
is "with KU_PROGRESS nothing is printed, and the file is removed" "$(sed 's/^cat: .*/gone/' "$TAP_TMP/out" | tr '\n' ' ')" "two gone "
if command -v script >/dev/null; then
	script -qec "sh $TAP_TMP/script 1 $TAP_TMP/line" /dev/null </dev/null | tr '\r' '\n' | sed "s/$(printf '\033')\[K//" | uniq >"$TAP_TMP/tty"
	is "a terminal: one line is redrawn, and removed" "$(tr '\n' '|' <"$TAP_TMP/tty")" "|  one|  two|"
else
	skip "a terminal: one line is redrawn" "no script(1)"
fi
tap_end
