#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Boots a stock kernel in Debian's Bochs and runs a script there. Bochs emulates indirect branch
# tracking (IBT) of Intel processors, and QEMU without KVM does not. With IBT, a kernel built for it
# stops with an error when a jump or call through a pointer ends at an instruction other than ENDBR.
# Bochs is slow: a boot takes a minute.
#
#	tests/guest/bochs.sh --kernel DIR --script FILE --out DIR [--file SRC[:DST]]...
#		[--append WORDS] [--timeout SECONDS (600)]
#
# The options have the same meaning as those of boot.sh. There is one CPU and no disk. The script's
# output goes to the console, OUT/console. The kernel's log does not: the script must print the log
# lines that the test needs. Programs come from the cache (programs.sh). The time limit is for an
# idle machine, so Bochs may take three times as long.
#
# Exit status: 0 when the script ended with 0; 1 with a message; 77 with a message if Bochs is not
# available or does not emulate a processor with IBT.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
kernel='' script='' out='' limit=600 append='' files=()
while [ $# -gt 0 ]; do
	[ $# -ge 2 ] || { echo "bochs: $1 needs a value" >&2; exit 1; }
	case $1 in
	--kernel) kernel=$2 ;;
	--script) script=$2 ;;
	--out) out=$2 ;;
	--append) append=$2 ;;
	--timeout) limit=$2 ;;
	--file) files+=("$2") ;;
	*) echo "bochs: unknown option $1" >&2; exit 1 ;;
	esac
	shift 2
done
[ -n "$kernel" ] && [ -n "$script" ] && [ -n "$out" ] || { echo "bochs: --kernel, --script and --out are needed" >&2; exit 1; }
[ "$(dpkg --print-architecture 2>/dev/null)" = amd64 ] && command -v script >/dev/null ||
	{ echo "bochs: needs Debian for amd64 and its bsdutils" >&2; exit 77; }
found=$("$here/programs.sh" bochs "bochs bochs-term bochsbios vgabios isolinux syslinux-common xorriso" usr/bin/bochs-bin usr/bin/xorriso)
top=$(sed -n 's#/usr/bin/bochs-bin:.*##p' <<<"$found")
lib=$top/usr/lib/x86_64-linux-gnu
share=$top/usr/share/bochs
bochs=$top/usr/bin/bochs-bin
export LD_LIBRARY_PATH=$lib LTDL_LIBRARY_PATH=$lib/bochs/plugins BXSHARE=$share TERM=vt100 GUEST=guest
case $("$bochs" --help cpu 2>&1) in
*tigerlake*) ;;
*) echo "bochs: this Bochs has no processor with indirect branch tracking" >&2; exit 77 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out" "$work"/iso/isolinux "$work"/root/{bin,proc,sys,dev,tmp,etc,lib}

# --- the disc ---
root=$work/root
cp "$(command -v busybox)" "$root/bin/busybox"
busybox --list | while IFS= read -r name; do
	[ "$name" = busybox ] || ln -s busybox "$root/bin/$name"
done
cp "$here/unload" "$root/bin/unload"
ln -s bin "$root/sbin"
printf 'root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/tmp:/bin/sh\n' >"$root/etc/passwd"
printf 'root:x:0:\n' >"$root/etc/group"
for file in ${files[@]+"${files[@]}"}; do
	dst=${file#*:}
	[ "$dst" != "$file" ] || dst=/bin/${file##*/}
	cp "${file%%:*}" "$root$dst"
	case $dst in
	*.ko) strip --strip-debug "$root$dst" ;;
	esac
done
sed "1r $here/must.sh" "$script" >"$root/script"
cat >"$root/init" <<'END'
#!/bin/sh
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
dmesg -n 1
exec >/dev/ttyS0 2>&1
cd /tmp
echo "guest: script starts"
sh /script
echo "guest: script ended with status $?"
# Let the last output leave the serial line before the kernel announces the power-off.
sleep 1
poweroff -f
END
chmod 755 "$root/init"
(cd "$root" && find . -print0 | LC_ALL=C sort -z | cpio --quiet -0 -o -H newc -R 0:0 | gzip -6) >"$work/iso/rd.gz"
cp "$(find "$kernel/boot" -name 'vmlinuz-*' | head -n 1)" "$work/iso/vmlinuz"
cp "$top/usr/lib/ISOLINUX/isolinux.bin" "$top/usr/lib/syslinux/modules/bios/ldlinux.c32" "$work/iso/isolinux/"
cat >"$work/iso/isolinux/isolinux.cfg" <<END
DEFAULT guest
PROMPT 0
LABEL guest
 KERNEL /vmlinuz
 APPEND initrd=/rd.gz console=ttyS0 loglevel=4 panic=-1 cryptomgr.notests tsc=reliable no_timer_check random.trust_cpu=on $append
END
"$top/usr/bin/xorriso" -as mkisofs -quiet -o "$work/boot.iso" -b isolinux/isolinux.bin -c isolinux/boot.cat \
	-no-emul-boot -boot-load-size 4 -boot-info-table "$work/iso" >"$out/xorriso.log" 2>&1 ||
	{ echo "bochs: no disc: $(tail -n 1 "$out/xorriso.log")" >&2; exit 1; }

# --- the machine ---
cat >"$work/bochsrc" <<END
config_interface: textconfig
display_library: term
romimage: file=$share/BIOS-bochs-latest
vgaromimage: file=$share/VGABIOS-lgpl-latest
cpu: model=tigerlake, count=1, ips=50000000, reset_on_triple_fault=0
megs: 512
clock: sync=none, time0=local
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path=$work/boot.iso, status=inserted
boot: cdrom
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
com1: enabled=1, mode=file, dev=$out/console
log: $out/bochs.log
panic: action=fatal
error: action=ignore
info: action=ignore
END
rm -f "$out/console"
# Debian's Bochs has a debugger, which waits for a command before it starts the machine.
debugger=
case $("$bochs" --help 2>&1) in
*' -rc '*) echo c >"$work/rc"; debugger="-rc $work/rc" ;;
esac
# The display of Bochs needs a terminal.
timeout -k 10 $((3 * limit)) script -qfc "'$bochs' -q $debugger -f '$work/bochsrc'" "$out/tty" </dev/null >/dev/null 2>&1 || true
sed -i 's/\r$//' "$out/console" 2>/dev/null || true
if grep -q '^guest: script ended with status 0' "$out/console" 2>/dev/null; then
	exit 0
fi
echo "bochs: the script did not end, or failed; last lines ($out/console, bochs.log, tty):" >&2
tail -n 5 "$out/console" >&2 2>/dev/null || tail -n 3 "$out/bochs.log" >&2
exit 1
