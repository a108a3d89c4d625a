#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 90
# ci
#
# With Secure Boot and only Microsoft's keys, as machines are sold, the kernel loads only the module
# whose key MokManager enrolled, and records. The test follows docs/guide/install.md, with Debian's
# signed shim, GRUB and kernel. mokutil imports the key, and MokManager asks for the password at the
# next boot. In test_secure_boot.sh, the key is one of the firmware's keys instead.
. tests/guest/lib.sh
guest_begin mok
code=/usr/share/OVMF/OVMF_CODE_4M.secboot.fd
for wanted in "$code" "${code%/*}/OVMF_VARS_4M.ms.fd" "$(command -v mokutil)"; do
	[ -r "$wanted" ] || { skip "MokManager" "firmware or tools are missing: packages ovmf, mokutil"; tap_end; }
done
top=$OUT
efivarfs=$(find "$MODULES" -name efivarfs.ko)
ok "the kernel has efivarfs as a module" test -n "$efivarfs"

# --- Debian's boot loaders, unpacked and not installed ---
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace
die()
{
	skip "MokManager" "$*"
	tap_end
}
. kernel-patches/apt.sh
apt_options=()
mkdir -p "$TAP_TMP/root" "$top/esp/EFI/BOOT"
apt_unpack "$TAP_TMP/debs" "$TAP_TMP/root" shim-signed shim-helpers-amd64-signed grub-efi-amd64-signed >"$TAP_TMP/log" 2>&1 ||
	die "boot loaders cannot be fetched: $(tail -n 1 "$TAP_TMP/log")"
cp "$TAP_TMP/root/usr/lib/shim/shimx64.efi.signed" "$top/esp/EFI/BOOT/BOOTX64.EFI" &&
	cp "$TAP_TMP/root/usr/lib/shim/mmx64.efi.signed" "$top/esp/EFI/BOOT/mmx64.efi" &&
	cp "$TAP_TMP/root/usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed" "$top/esp/EFI/BOOT/grubx64.efi" ||
	{ fail "shim, MokManager and GRUB are in Debian's packages"; tap_end; }
cp "${code%/*}/OVMF_VARS_4M.ms.fd" "$top/vars.fd"

# --- the key and the module, as in docs/guide/install.md ---
(
	cd "$top" && openssl req -new -x509 -newkey rsa:2048 -nodes -days 3650 -subj "/CN=$(hostname) modules/" \
		-addext extendedKeyUsage=codeSigning -outform DER -keyout key.priv -out key.der
) >"$TAP_TMP/log" 2>&1 && pass "a key" || fail "a key" "$(tail -n 5 "$TAP_TMP/log")"
cp "$KO" "$top/unsigned.ko"
strip --strip-debug "$top/unsigned.ko"
cp "$top/unsigned.ko" "$top/signed.ko"
ok "a module is signed with the key" "$KDIR/scripts/sign-file" sha256 "$top/key.priv" "$top/key.der" "$top/signed.ko"

# Bring mokutil with its libraries, because the guest has no C library.
mokutil=(--file "$(command -v mokutil):/bin/mokutil.bin")
loader=
while read -r one; do
	mokutil+=(--file "$one:/lib/host/${one##*/}")
	case $one in */ld-linux*) loader=/lib/host/${one##*/} ;; esac
done < <(ldd "$(command -v mokutil)" | grep -o '/[^ ]*')
printf '#!/bin/sh\nLD_LIBRARY_PATH=/lib/host exec %s /bin/mokutil.bin "$@"\n' "$loader" >"$TAP_TMP/mokutil"
chmod 755 "$TAP_TMP/mokutil"

# boots NAME SCRIPT [OPTION...]: boots by firmware, shim and GRUB. Files have names without .ko,
# because boot.sh would strip the signature from a .ko.
boots()
{
	OUT=$top/$1
	mkdir -p "$OUT"
	guest_run "$2" --firmware "$code:$top/vars.fd" --esp "$top/esp" --allow 'Lockdown:' \
		--file "$efivarfs:/lib/efivarfs" --file "$TAP_TMP/mokutil" "${mokutil[@]}" \
		--file "$top/unsigned.ko:/lib/unsigned" --file "$top/signed.ko:/lib/signed" --file "$top/key.der:/lib/key.der"
}

# --- mokutil imports the key ---
cat >"$TAP_TMP/import" <<'SCRIPT'
#!/bin/sh
must insmod /lib/efivarfs
must mount -t efivarfs none /sys/firmware/efi/efivars
mokutil --sb-state >/out/state
must_fail insmod /lib/signed 2>/out/early
printf 'of the moment\nof the moment\n' | mokutil --import /lib/key.der || die "cannot import the key"
mokutil --list-new >/out/new
SCRIPT
if boots import "$TAP_TMP/import"; then
	is "Secure Boot is on" "$(cat "$OUT/state")" "SecureBoot enabled"
	like "a module is refused before its key is enrolled" "$(cat "$OUT/early")" 'Key was rejected|not permitted'
	like "the key waits until MokManager enrols it" "$(cat "$OUT/new")" 'Subject: CN=.* modules'
fi

# --- MokManager enrols the key ---
found=$(tests/guest/qemu.sh) && eval "$found"
socket=$TAP_TMP/serial
timeout 900 "$QEMU" -nodefaults -no-user-config -display none -nic none -no-reboot -cpu max -m 512 -accel tcg \
	-machine q35,smm=on -global ICH9-LPC.disable_s3=1 -global driver=cfi.pflash01,property=secure,value=on \
	-drive "if=pflash,format=raw,unit=0,readonly=on,file=$code" -drive "if=pflash,format=raw,unit=1,file=$top/vars.fd" \
	-drive "file=fat:rw:$top/esp,format=raw,if=virtio" -serial "unix:$socket,server=on,wait=off" \
	>"$top/qemu.log" 2>&1 </dev/null &
qemu=$!
ok "mokmanager.pl answers MokManager" sh -c 'tests/guest/mokmanager.pl "$1" "of the moment" >"$2"' - "$socket" "$top/answered"
ok "the machine restarts by itself" wait $qemu

# --- the kernel trusts the key ---
cat >"$TAP_TMP/use" <<'SCRIPT'
#!/bin/sh
must insmod /lib/efivarfs
must mount -t efivarfs none /sys/firmware/efi/efivars
mount -t securityfs none /sys/kernel/security 2>/dev/null
cat /sys/kernel/security/lockdown >/out/lockdown
mokutil --list-enrolled >/out/enrolled
must_fail insmod /lib/unsigned 2>/out/unsigned
must insmod /lib/signed
must kutrace_control run -o /out/run.trace -- true
must kutrace_control doctor >/out/doctor
must rmmod kutrace
SCRIPT
if boots use "$TAP_TMP/use"; then
	like "the key is enrolled" "$(cat "$OUT/enrolled")" 'Subject: CN=.* modules'
	like "the kernel is locked down by itself" "$(cat "$OUT/lockdown")" '\[integrity\]'
	like "the module without a signature is refused" "$(cat "$OUT/unsigned")" 'Key was rejected|not permitted'
	like "doctor reports that the signed module was accepted" "$(cat "$OUT/doctor")" '^good +signature +.* accepts only signed modules, and has accepted this one'
	trace_ok "the recording of the signed module" "$OUT/run.trace"
fi

tap_end
