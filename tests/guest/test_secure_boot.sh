#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
# takes: 40
# ci
#
# With Secure Boot and an own key, the locked-down kernel loads only the module that is signed with
# the key, and records. The test writes the key to the variables of the UEFI firmware (package
# ovmf). test_mok.sh enrolls a key by MokManager instead. The test cannot check that the firmware
# refuses other kernels, because the firmware accepts each kernel that QEMU loads.
. tests/guest/lib.sh
guest_begin secure_boot
code=/usr/share/OVMF/OVMF_CODE_4M.secboot.fd
for wanted in "$code" "$(command -v cert-to-efi-sig-list)"; do
	[ -r "$wanted" ] || { skip "Secure Boot" "firmware or tools are missing: packages ovmf, efitools"; tap_end; }
done
top=$OUT
efivarfs=$(find "$MODULES" -name efivarfs.ko)
ok "the kernel has efivarfs as a module" test -n "$efivarfs"

# Make the key as in docs/guide/install.md, and also in the firmware's format.
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
# Sign the module as in docs/guide/install.md.
cp "$KO" "$top/unsigned.ko"
strip --strip-debug "$top/unsigned.ko"
cp "$top/unsigned.ko" "$top/signed.ko"
ok "a module is signed with the key" "$KDIR/scripts/sign-file" sha256 "$top/key.priv" "$top/key.der" "$top/signed.ko"
cp "${code%/*}/OVMF_VARS_4M.fd" "$top/vars.fd"

# --- the firmware stores the key ---
cat >"$TAP_TMP/enrol" <<'SCRIPT'
#!/bin/sh
must insmod /lib/efivarfs.ko
must mount -t efivarfs none /sys/firmware/efi/efivars
cd /sys/firmware/efi/efivars
# Four bytes precede the content: they make the variable persistent and announce a signature with a
# time.
put()
{
	{ printf '\047\0\0\0'; cat "/lib/$1.auth"; } >/tmp/variable
	must dd if=/tmp/variable of="$1-$2" bs=64k
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
	is "the firmware has keys, and had none before" "$(cat "$OUT/before" "$OUT/after" | tr -d ' \n')" 10
fi

# --- the kernel checks modules by the key ---
cat >"$TAP_TMP/use" <<'SCRIPT'
#!/bin/sh
mount -t securityfs none /sys/kernel/security 2>/dev/null
cat /sys/kernel/security/lockdown >/out/lockdown
dmesg | grep -i 'secure boot' >/out/boot
# The files have no .ko in their names, because boot.sh would strip the signature from a .ko.
must_fail insmod /lib/unsigned 2>/out/unsigned
must insmod /lib/signed
must kutrace_control run -o /out/run.trace -- true
must kutrace_control doctor >/out/doctor
must rmmod kutrace
SCRIPT
OUT=$top/use
mkdir -p "$OUT"
if guest_run "$TAP_TMP/use" --firmware "$code:$top/vars.fd" --allow "Lockdown:" \
	--file "$top/unsigned.ko:/lib/unsigned" --file "$top/signed.ko:/lib/signed"; then
	like "Secure Boot is on" "$(cat "$OUT/boot")" 'Secure boot enabled'
	like "the kernel is locked down by itself" "$(cat "$OUT/lockdown")" '\[integrity\]'
	like "the module without a signature is refused" "$(cat "$OUT/unsigned")" 'Key was rejected|not permitted'
	like "doctor reports that the signed module was accepted" "$(cat "$OUT/doctor")" '^good +signature +.* accepts only signed modules, and has accepted this one'
	trace_ok "the recording of the signed module" "$OUT/run.trace"
fi

tap_end
