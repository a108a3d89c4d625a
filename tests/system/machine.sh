#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs the machine of image.sh in QEMU (TCG, no KVM, no root) until it has powered itself off, over
# any number of reboots. Writes to its disk are discarded afterwards. A machine that hangs must not
# count as one that has powered itself off. Used by system.sh.
#
#	tests/system/machine.sh --image DIR --payload DIR --out DIR [options]
#
#	--image DIR	disk.img, vmlinuz, initrd.img
#	--payload DIR	files that guest-test unpacks after every boot; it then runs run.sh among them
#	--out DIR	gets console.log (the kernel's and systemd's), said.log (the tests'), and what the
#			machine has written as a tar archive to its third disk
#	--cpus N (2)  --mem MIB (3072)  --timeout SECONDS (5400)  --append STRING
#
# Prints the output of the tests as it comes. Exit status: 0 it powered itself off; 124 out of time;
# 125 QEMU failed; 2 usage.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
image='' payload='' out='' cpus=2 mem=3072 limit=5400 append=''
while [ $# -gt 1 ]; do
	case $1 in
	--image) image=$2 ;;
	--payload) payload=$2 ;;
	--out) out=$2 ;;
	--cpus) cpus=$2 ;;
	--mem) mem=$2 ;;
	--timeout) limit=$2 ;;
	--append) append=$2 ;;
	*) break ;;
	esac
	shift 2
done
[ $# = 0 ] && [ -n "$image" ] && [ -n "$payload" ] && [ -n "$out" ] || {
	sed -n '/^#	tests/,/^#	--cpus/s/^#\t\{0,1\}//p' "$0" >&2
	exit 2
}

found=$("$here/../guest/qemu.sh") || exit 125
eval "$found"
work=$(mktemp -d "${TMPDIR:-/var/tmp}/kutrace-machine.XXXXXX")
qemu=''
trap 'kill $qemu 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir -p "$out"
: >"$out/said.log"
: >"$out/console.log"
tar -C "$payload" -cf "$work/in.img" .
# A disk has whole sectors.
truncate -s %1M "$work/in.img"
truncate -s 1G "$work/out.img"

# Reserve memory for the crash kernel. On a busy host a CPU of the guest may stop for long: this
# must not count as a stall of RCU. Skip the self-tests of ciphers, which take long here.
append="console=ttyS0 root=/dev/vda rw tsc=reliable no_timer_check crashkernel=256M panic=0 rcupdate.rcu_cpu_stall_timeout=300 cryptomgr.notests $append"
drives=(-drive "file=$image/disk.img,format=raw,if=virtio,cache=unsafe,snapshot=on")
for drive in "$work/in.img" "$work/out.img"; do
	drives+=(-drive "file=$drive,format=raw,if=virtio,cache=unsafe")
done
TMPDIR=$work "$QEMU" -nodefaults -no-user-config -display none -monitor none -nic none -machine pc -cpu max \
	-m "$mem" -accel "tcg,thread=$QEMU_THREADS" -smp "$cpus" \
	-kernel "$image/vmlinuz" -initrd "$image/initrd.img" -append "$append" "${drives[@]}" \
	-serial "file:$out/console.log" -serial "file:$out/said.log" </dev/null >"$work/qemu.log" 2>&1 &
qemu=$!
tail -n +1 -s 0.5 -f --pid=$qemu "$out/said.log" 2>/dev/null | sed -u 's/\r$//' &
since=$SECONDS
while kill -0 "$qemu" 2>/dev/null; do
	if [ $((SECONDS - since)) -ge "$limit" ]; then
		echo "machine: it did not end within $limit s; the last lines of $out/console.log:" >&2
		tail -n 15 "$out/console.log" | sed 's/^/  | /' >&2
		exit 124
	fi
	sleep 0.5
done
status=0
wait "$qemu" || status=$?
qemu=''
wait
if [ "$status" != 0 ]; then
	cat "$work/qemu.log" >&2
	echo "machine: QEMU failed with status $status" >&2
	exit 125
fi
sed -i 's/\r$//' "$out/said.log" "$out/console.log"
tar -xf "$work/out.img" -C "$out" --no-same-owner 2>/dev/null || true
