#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs the machine of image.sh in QEMU (TCG, no KVM, no root) until it has powered itself off,
# over as many reboots as that takes. It must never pass off a machine that hung as one that ended.
#
#	tests/system/machine.sh --disk IMG --payload DIR --out DIR [options]
#
#	--disk IMG	its disk, which it changes
#	--payload DIR	what guest-test unpacks and runs after every boot: run.sh
#	--out DIR	gets console.log (the kernel's and systemd's), said.log (the tests'), and what the
#			machine has written as a tar archive to its third disk
#	--image DIR	boots the kernel of there directly (vmlinuz, initrd.img)
#	--firmware CODE VARS	boots by that UEFI firmware instead; --esp IMG: from that disk
#	--cpus N (2)  --mem MIB (2048)  --timeout SECONDS (3600)  --append STRING
#	--serial SOCKET	the console is there, for somebody who types; console.log is theirs to write
#
# What the tests say is printed as it comes. Exit status: 0 it powered itself off; 124 out of time;
# 125 QEMU failed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
disk='' payload='' out='' image='' code='' vars='' esp='' cpus=2 mem=2048 limit=3600 append='' serial=''
while [ $# -gt 1 ]; do
	case $1 in
	--disk) disk=$2 ;;
	--payload) payload=$2 ;;
	--out) out=$2 ;;
	--image) image=$2 ;;
	--firmware) code=$2 vars=$3; shift ;;
	--esp) esp=$2 ;;
	--cpus) cpus=$2 ;;
	--mem) mem=$2 ;;
	--timeout) limit=$2 ;;
	--append) append=$2 ;;
	--serial) serial=$2 ;;
	*) break ;;
	esac
	shift 2
done
[ $# = 0 ] && [ -n "$disk" ] && [ -n "$payload" ] && [ -n "$out" ] || {
	sed -n '/^#	tests/,/^#	--serial/s/^#\t\{0,1\}//p' "$0" >&2
	exit 2
}

found=$("$here/../guest/qemu.sh") || exit 125
eval "$found"
work=$(mktemp -d "${TMPDIR:-/var/tmp}/kutrace-machine.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
: >"$out/said.log"
: >"$out/console.log"
tar -C "$payload" -cf "$work/in.img" .
# A disk is whole sectors.
truncate -s %1M "$work/in.img"
truncate -s 1G "$work/out.img"

# On a busy host a CPU of the guest stands still for long, which is no stall of RCU.
append="console=ttyS0 root=/dev/vda rw tsc=reliable no_timer_check panic=0 rcupdate.rcu_cpu_stall_timeout=300 $append"
machine=(-machine pc)
if [ -n "$code" ]; then
	# Variables of Secure Boot may be written in system management mode only.
	machine=(-machine q35,smm=on -global driver=cfi.pflash01,property=secure,value=on
		-drive "if=pflash,format=raw,unit=0,readonly=on,file=$code"
		-drive "if=pflash,format=raw,unit=1,file=$vars")
else
	machine+=(-kernel "$image/vmlinuz" -initrd "$image/initrd.img" -append "$append")
fi
drives=()
for drive in "$disk" "$work/in.img" "$work/out.img" ${esp:+"$esp"}; do
	drives+=(-drive "file=$drive,format=raw,if=virtio,cache=unsafe")
done
if [ -n "$serial" ]; then
	machine+=(-chardev "socket,id=console,path=$serial,server=on,wait=on" -serial chardev:console)
else
	machine+=(-serial "file:$out/console.log")
fi
status=0
"$QEMU" -nodefaults -no-user-config -display none -monitor none -nic none -cpu max -m "$mem" \
	-accel "tcg,thread=$QEMU_THREADS" -smp "$cpus" "${machine[@]}" "${drives[@]}" \
	-serial "file:$out/said.log" </dev/null >"$work/qemu.log" 2>&1 &
qemu=$!
trap 'kill $qemu 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
tail -n +1 -s 0.5 -f --pid=$qemu "$out/said.log" 2>/dev/null | tr -d '\r' &
since=$SECONDS
while kill -0 "$qemu" 2>/dev/null; do
	if [ $((SECONDS - since)) -ge "$limit" ]; then
		echo "machine: it did not end within $limit s; the last lines of $out/console.log:" >&2
		tail -n 15 "$out/console.log" | sed 's/^/  | /' >&2
		kill "$qemu"
		wait "$qemu" || true
		exit 124
	fi
	sleep 0.5
done
wait "$qemu" || status=$?
wait
if [ "$status" != 0 ]; then
	cat "$work/qemu.log" >&2
	echo "machine: QEMU failed with status $status" >&2
	exit 125
fi
sed -i 's/\r$//' "$out/said.log" "$out/console.log"
tar -xf "$work/out.img" -C "$out" --no-same-owner 2>/dev/null || true
