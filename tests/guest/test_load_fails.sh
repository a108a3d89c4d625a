#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
# ci
#
# The module where it must not go on: a step of loading that fails shows nobody a device
# before; in a kernel that is locked down against tracing nobody controls or reads, root
# neither; one that wants signatures takes none without. doctor says each. Stock kernel.
. tests/guest/lib.sh
guest_begin load_fails

ok "the kernel module of the test is built" tests/guest/built.sh "$KDIR" "$KVER" "$BUILD" "$KSUITE" \
	tests/guest/module/taken

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
# told: the last of these lines is about what came before
uevents >/out/uevents &
watcher=$!
until grep -q ready /out/uevents; do usleep 10000; done
insmod /lib/taken.ko || exit 10
insmod /lib/kutrace.ko mb=1 2>/out/insmod.err && exit 11
rmmod taken || exit 12
until grep -q 'remove@/module/taken' /out/uevents; do usleep 10000; done
[ -e /dev/kutrace/control ] && exit 13
# loaded after all, it works
insmod /lib/kutrace.ko mb=1 || exit 14
kutrace_control run -o /out/before.trace -- true || exit 15

# --- locked down ---
mount -t securityfs none /sys/kernel/security 2>/dev/null
kutrace_control start || exit 16
echo integrity >/sys/kernel/security/lockdown || exit 17
kutrace_control status >/out/integrity || exit 18
kutrace_control doctor >/out/integrity.doctor || exit 26
kutrace_control off || exit 19
echo confidentiality >/sys/kernel/security/lockdown || exit 20
kutrace_control start 2>/out/start.err && exit 21
kutrace_control dump /out/no.trace 2>/out/dump.err && exit 22
cat /dev/kutrace/ctl >/out/ctl 2>/out/ctl.err && exit 23
kutrace_control doctor >/out/confidentiality.doctor && exit 27
access 0 0 >/out/root || exit 24
rmmod kutrace || exit 25
kill $watcher
SCRIPT

if guest_run "$TAP_TMP/script" --cpus 2 --file "$BUILD/guest/bin/uevents" \
	--file "$BUILD/guest/bin/access" --file "$BUILD/module/$KVER/taken/taken.ko:/lib/taken.ko" \
	--allow "cannot create duplicate filename|kobject_add_internal failed|Call Trace:|Lockdown:"; then
	is "no device is shown before loading fails" "$(sed '/remove@\/module\/taken/,$d' \
		"$OUT/uevents" | grep '^add@.*kutrace_control')" ""
	like "later there is one" "$(cat "$OUT/uevents")" '^add@/devices/virtual/misc/kutrace_control'
	like "lockdown for integrity lets tracing be" "$(cat "$OUT/integrity")" 'recording'
	like "so says doctor" "$(cat "$OUT/integrity.doctor")" '^good +lockdown +integrity$'
	like "a module that was loaded before is no question of signatures" "$(cat "$OUT/integrity.doctor")" \
		'^good +signature +.* has accepted this one$'
	like "lockdown for confidentiality: doctor" "$(cat "$OUT/confidentiality.doctor")" \
		'^wrong +lockdown +confidentiality: no user may trace'
	like "root is refused, too: doctor" "$(cat "$OUT/confidentiality.doctor")" '^wrong +permission +even root is refused'
	like "lockdown for confidentiality: start" "$(cat "$OUT/start.err")" 'kutrace_control: '
	ok "no trace was written" test ! -e "$OUT/no.trace"
	like "files" "$(cat "$OUT/ctl.err")" 'not permitted|denied'
	is "nothing of ctl" "$(cat "$OUT/ctl")" ""
	for attempt in info on off reset insert map-aux map-block; do
		is "root: $attempt" "$(awk -v what="$attempt" '$1 == what { print $2; exit }' \
			"$OUT/root")" EPERM
	done
fi

# --- a kernel that takes signed modules only, and one of ours that is not ---
cat >"$TAP_TMP/signed" <<'SCRIPT'
#!/bin/sh
mount -t securityfs none /sys/kernel/security 2>/dev/null
modules=/lib/modules/$(uname -r)
mkdir -p "$modules/extra"
cp /lib/kutrace.ko "$modules/extra/"
echo 'extra/kutrace.ko:' >"$modules/modules.dep"
insmod /lib/kutrace.ko 2>/out/insmod.err && exit 10
kutrace_control doctor >/out/doctor && exit 11
printf '~Module signature appended~\n' >>"$modules/extra/kutrace.ko"
kutrace_control doctor >/out/signed.doctor && exit 12
:
SCRIPT
# signed NAME ARGUMENT REGEX: a kernel with that on its command line; what insmod says
signed()
{
	mkdir -p "$top/$1"
	OUT=$top/$1
	guest_run "$TAP_TMP/signed" --append "$2" --allow "module verification failed|Lockdown:" || return
	like "$1: a module without a signature is refused" "$(cat "$OUT/insmod.err")" "$3"
	like "$1: doctor: it is not signed" "$(cat "$OUT/doctor")" '^wrong +signature +.*kutrace.ko has no signature: sign it'
	like "$1: doctor: how it is signed" "$(cat "$OUT/doctor")" \
		'-> sudo /lib/modules/.*/sign-file sha256 KEY.priv KEY.der /'
	like "$1: doctor: one that has a signature may be tried" "$(cat "$OUT/signed.doctor")" \
		'^good +signature +.* is signed, '
	like "$1: doctor: from where it is loaded" "$(cat "$OUT/signed.doctor")" \
		'^wrong +module +not loaded; installed as .*/kutrace.ko'
}
top=$OUT
signed enforced module.sig_enforce=1 'Key was rejected'
signed lockdown lockdown=integrity '[Oo]peration not permitted'
tap_end
