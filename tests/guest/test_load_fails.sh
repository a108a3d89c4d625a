#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
# ci
#
# A failed or forbidden load leaves no device, and doctor reports the reason. If a step of loading
# fails, no device was visible before. In a kernel that is locked down against tracing, no user, not
# even root, can control or read recordings. A kernel that requires signatures loads no unsigned
# module. Runs on the stock kernel.
. tests/guest/lib.sh
guest_begin load_fails

ok "the test's kernel module is built" tests/guest/module_build.sh "$KDIR" "$KVER" "$BUILD" "$KSUITE" \
	tests/guest/module/device_class

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
# Log the kernel's device events, in which no device must be visible before the first load fails.
uevents >/out/uevents &
watcher=$!
until grep -q ready /out/uevents; do usleep 10000; done
must insmod /lib/device_class.ko
must_fail insmod /lib/kutrace.ko mb=1 2>/out/insmod.err
must rmmod device_class
until grep -q 'remove@/module/device_class' /out/uevents; do usleep 10000; done
must_fail [ -e /dev/kutrace/control ]
# a later load works
must insmod /lib/kutrace.ko mb=1
must kutrace_control run -o /out/before.trace -- true

# --- locked down ---
mount -t securityfs none /sys/kernel/security 2>/dev/null
must kutrace_control start
echo integrity >/sys/kernel/security/lockdown || die "cannot write /sys/kernel/security/lockdown"
must kutrace_control status >/out/integrity
must kutrace_control doctor >/out/integrity.doctor
must kutrace_control off
echo confidentiality >/sys/kernel/security/lockdown || die "cannot write /sys/kernel/security/lockdown"
must_fail kutrace_control start 2>/out/start.err
must_fail kutrace_control dump /out/no.trace 2>/out/dump.err
must_fail cat /dev/kutrace/ctl >/out/ctl 2>/out/ctl.err
must_fail kutrace_control doctor >/out/confidentiality.doctor
must access 0 0 >/out/root
must rmmod kutrace
kill $watcher
SCRIPT

if guest_run "$TAP_TMP/script" --cpus 2 --file "$GUEST_BIN/uevents" \
	--file "$GUEST_BIN/access" --file "$BUILD/module/$KVER/device_class/device_class.ko:/lib/device_class.ko" \
	--allow "cannot create duplicate filename|kobject_add_internal failed|Call Trace:|Lockdown:"; then
	is "no device is shown before loading fails" "$(sed '/remove@\/module\/device_class/,$d' \
		"$OUT/uevents" | grep '^add@.*kutrace_control')" ""
	like "a later load shows a device" "$(cat "$OUT/uevents")" '^add@/devices/virtual/misc/kutrace_control'
	like "lockdown for integrity allows tracing" "$(cat "$OUT/integrity")" 'recording'
	like "doctor reports lockdown for integrity" "$(cat "$OUT/integrity.doctor")" '^good +lockdown +integrity$'
	like "doctor reports that a loaded module's signature was accepted" "$(cat "$OUT/integrity.doctor")" \
		'^good +signature +.* has accepted this one$'
	like "lockdown for confidentiality: doctor" "$(cat "$OUT/confidentiality.doctor")" \
		'^wrong +lockdown +confidentiality: no user may trace'
	like "doctor reports that root is refused too" "$(cat "$OUT/confidentiality.doctor")" '^wrong +permission +even root is refused'
	like "lockdown for confidentiality: start" "$(cat "$OUT/start.err")" 'kutrace_control: '
	ok "no trace was written" test ! -e "$OUT/no.trace"
	like "lockdown for confidentiality: the device files are refused" "$(cat "$OUT/ctl.err")" 'not permitted|denied'
	is "lockdown for confidentiality: ctl is empty" "$(cat "$OUT/ctl")" ""
	for attempt in info on off reset insert map-aux map-block; do
		is "root: $attempt" "$(awk -v what="$attempt" '$1 == what { print $2; exit }' \
			"$OUT/root")" EPERM
	done
fi

# --- a kernel that loads only signed modules, and an unsigned module ---
cat >"$TAP_TMP/signed" <<'SCRIPT'
#!/bin/sh
mount -t securityfs none /sys/kernel/security 2>/dev/null
modules=/lib/modules/$(uname -r)
mkdir -p "$modules/extra"
cp /lib/kutrace.ko "$modules/extra/"
echo 'extra/kutrace.ko:' >"$modules/modules.dep"
must_fail insmod /lib/kutrace.ko 2>/out/insmod.err
must_fail kutrace_control doctor >/out/doctor
printf '~Module signature appended~\n' >>"$modules/extra/kutrace.ko"
must_fail kutrace_control doctor >/out/signed.doctor
:
SCRIPT
# signed NAME ARGUMENT REGEX: boots a kernel with that argument on its command line, and checks the
# error of insmod
signed()
{
	mkdir -p "$top/$1"
	OUT=$top/$1
	guest_run "$TAP_TMP/signed" --append "$2" --allow "module verification failed|Lockdown:" || return
	like "$1: a module without a signature is refused" "$(cat "$OUT/insmod.err")" "$3"
	like "$1: doctor reports the missing signature" "$(cat "$OUT/doctor")" '^wrong +signature +.*kutrace.ko has no signature: sign it'
	like "$1: doctor prints the command that signs it" "$(cat "$OUT/doctor")" \
		'-> sudo /lib/modules/.*/sign-file sha256 KEY.priv KEY.der /'
	like "$1: doctor accepts a module with a signature" "$(cat "$OUT/signed.doctor")" \
		'^good +signature +.* is signed, '
	like "$1: doctor prints the path of the installed module" "$(cat "$OUT/signed.doctor")" \
		'^wrong +module +not loaded; installed as .*/kutrace.ko'
}
top=$OUT
signed enforced module.sig_enforce=1 'Key was rejected'
signed lockdown lockdown=integrity '[Oo]peration not permitted'
tap_end
