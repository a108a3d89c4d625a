#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# takes: 1
# fast
#
# Tests the kernel that `make demo` boots for given ARCH and KERNEL, and the values that it refuses
# before it does anything. Does not run the demo itself.
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
tap_end
