#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
# takes: 40
# ci
#
# Secure Boot, by UEFI firmware (package ovmf) with a key of one's own: the key is put into the firmware's
# variables; then the stock kernel boots locked down, takes the module that is signed with it and
# no other, and records. MokManager, which asks at the screen, is test_mok.sh's. Not tried: that the firmware refuses
# other kernels, as it lets pass those that QEMU hands it.
. tests/guest/lib.sh
guest_begin secure_boot
code=/usr/share/OVMF/OVMF_CODE_4M.secboot.fd
for wanted in "$code" "$(command -v cert-to-efi-sig-list)"; do
	[ -r "$wanted" ] || { skip "Secure Boot" "firmware or tools are missing: packages ovmf, efitools"; tap_end; }
done
top=$OUT
efivarfs=$(find "$MODULES" -name efivarfs.ko)
ok "the kernel has efivarfs as a module" test -n "$efivarfs"

# The key as docs/install.md makes it, and as the firmware wants it.
(
	cd "$top" &&
		openssl req -new -x509 -newkey rsa:2048 -nodes -days 3650 -subj "/CN=$(hostname) modules/" \
			-addext extendedKeyUsage=codeSigning -outform DER -keyout key.priv -out key.der &&
		openssl x509 -inform DER -in key.der -out key.pem || exit 1
	owner=$(cat /proc/sys/kernel/random/uuid)
	for name in PK KEK db; do
		cert-to-efi-sig-list -g "$owner" key.pem $name.esl &&
			sign-efi-sig-list -k key.priv -c key.pem $name $name.esl $name.auth || exit 1
	done
) >"$TAP_TMP/log" 2>&1 && pass "a key, and the variables that hold it" ||
	fail "a key, and the variables that hold it" "$(tail -n 5 "$TAP_TMP/log")"
# As docs/install.md says.
cp "$KO" "$top/unsigned.ko"
strip --strip-debug "$top/unsigned.ko"
cp "$top/unsigned.ko" "$top/signed.ko"
ok "a module is signed with it" "$KDIR/scripts/sign-file" sha256 "$top/key.priv" "$top/key.der" "$top/signed.ko"
cp "${code%/*}/OVMF_VARS_4M.fd" "$top/vars.fd"

# --- the firmware takes it ---
cat >"$TAP_TMP/enrol" <<'SCRIPT'
#!/bin/sh
insmod /lib/efivarfs.ko || exit 10
mount -t efivarfs none /sys/firmware/efi/efivars || exit 11
cd /sys/firmware/efi/efivars
# Behind four bytes, which say that the firmware keeps it and that it is signed with its time.
put()
{
	{ printf '\047\0\0\0'; cat "/lib/$1.auth"; } >/tmp/variable
	dd if=/tmp/variable of="$1-$2" bs=64k || exit 12
}
state()
{
	tail -c 1 SetupMode-* | od -An -t u1
}
state >/out/before
put db d719b2cb-3d3a-4596-a3bc-dad00e67656f
put KEK 8be4df61-93ca-11d2-aa0d-00e098032b8c
put PK 8be4df61-93ca-11d2-aa0d-00e098032b8c
state >/out/after
SCRIPT
OUT=$top/enrol
mkdir -p "$OUT"
if guest_run "$TAP_TMP/enrol" --firmware "$code:$top/vars.fd" --file "$efivarfs:/lib/efivarfs.ko" \
	--file "$top/PK.auth:/lib/PK.auth" --file "$top/KEK.auth:/lib/KEK.auth" --file "$top/db.auth:/lib/db.auth"; then
	is "the firmware had no keys, and has some now" "$(cat "$OUT/before" "$OUT/after" | tr -d ' \n')" 10
fi

# --- and the kernel holds modules to it ---
cat >"$TAP_TMP/use" <<'SCRIPT'
#!/bin/sh
mount -t securityfs none /sys/kernel/security 2>/dev/null
cat /sys/kernel/security/lockdown >/out/lockdown
dmesg | grep -i 'secure boot' >/out/boot
# insmod of such a name would be boot.sh's to strip, and the signature with it
insmod /lib/unsigned 2>/out/unsigned && exit 10
insmod /lib/signed || exit 11
kutrace_control run -o /out/run.trace -- true || exit 12
kutrace_control doctor >/out/doctor || exit 13
rmmod kutrace || exit 14
SCRIPT
OUT=$top/use
mkdir -p "$OUT"
if guest_run "$TAP_TMP/use" --firmware "$code:$top/vars.fd" --allow "Lockdown:" \
	--file "$top/unsigned.ko:/lib/unsigned" --file "$top/signed.ko:/lib/signed"; then
	like "Secure Boot is on" "$(cat "$OUT/boot")" 'Secure boot enabled'
	like "the kernel is locked down by itself" "$(cat "$OUT/lockdown")" '\[integrity\]'
	like "the module without a signature is refused" "$(cat "$OUT/unsigned")" 'Key was rejected|not permitted'
	like "the one with it is taken: doctor" "$(cat "$OUT/doctor")" '^good +signature +.* accepts only signed modules, and has accepted this one'
	trace_ok "what it records" "$OUT/run.trace"
fi

tap_end
