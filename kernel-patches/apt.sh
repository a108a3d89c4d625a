# SPDX-License-Identifier: BSD-3-Clause
#
# Packages of another Debian release than the machine's own: an older one's kernel
# source, a newer QEMU from backports, kernels and their compilers. To be sourced by bash with
#
#	cache	a directory that outlives the checkout
#	foreign	another architecture than this machine's, whose packages are wanted, too, as
#		NAME:ARCHITECTURE; or empty, or not set
#
# set, and a function die. It must never install anything, need root, or change the
# machine's own lists of packages; called by lib.sh, by kernel.sh, root.sh and qemu.sh of
# tests/guest, and by tests/sshd.sh.

# suite_sources SUITE...: lines of a sources.list for these Debian releases, from where
# this machine's apt gets its own, in whatever form that is written down.
suite_sources()
{
	local suite own key archs=

	[ -z "${foreign-}" ] || archs="arch=$(dpkg --print-architecture),$foreign "
	own=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
	for key in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg}; do
		[ ! -f "$key" ] || break
	done
	[ -n "$own" ] && [ -f "$key" ] || return 1
	# An origin is known only of what has been read before.
	for suite; do
		# shellcheck disable=SC2016 # apt fills these in
		apt-get indextargets --format '$(ORIGIN)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)' \
			'Created-By: Packages' |
			awk -F '|' -v own="$own" -v suite="$suite" -v key="$key" -v archs="$archs" '
			$1 != "Debian" && $1 !~ /^(\$.*)?$/ { next }
			# Backports are beside the release itself and nowhere else; unstable has
			# no other suites.
			suite ~ /-backports$|^sid$/ && $3 !~ "^(" own "|stable|oldstable)$" { next }
			sub("^(" own "|stable|oldstable)", suite, $3) &&
			$3 ~ /^[a-z]+(-updates|-security|-backports)?$/ {
				print "deb [" archs "signed-by=" key "] " $2 " " $3 " " $4
			}'
	done | sort -u
}

# suite_apt NAME SUITE...: sets apt_options, with which apt knows these Debian releases
# and no others. What it learns is kept for a day in the cache, as NAME.
suite_apt()
{
	local name=${foreign:+$foreign-}$1 dir new
	dir=$cache/apt-$name-$(date +%Y%m%d)
	shift

	if [ ! -d "$dir" ]; then
		mkdir -p "$cache"
		new=$(mktemp -d "$cache/.tmp.XXXXXX")
		mkdir -p "$new/lists/partial" "$new/archives/partial"
		suite_sources "$@" >"$new/sources.list" && [ -s "$new/sources.list" ] &&
			apt_options_of "$new" && suite_update "$new" || {
			tail -n 3 "$new/log" >&2 2>/dev/null || true
			rm -rf "$new"
			apt_options=()
			return 1
		}
		rm -rf "$cache/apt-$name"-*
		mv -T "$new" "$dir" 2>/dev/null || [ -d "$dir" ] || die "cannot create $dir"
	fi
	apt_options_of "$dir"
}

# A mirror of an architecture that few want can have a release whole and its updates half: then
# the release alone will do, and that is said.
suite_update()	# DIR
{
	apt-get -q "${apt_options[@]}" -o Acquire::Retries=3 update >"$1/log" 2>&1 </dev/null && return
	[ -n "${foreign-}" ] && grep -q -e '-\(updates\|security\) ' "$1/sources.list" || return 1
	sed -i '/-\(updates\|security\) /d' "$1/sources.list"
	apt-get -q "${apt_options[@]}" -o Acquire::Retries=3 update >"$1/log" 2>&1 </dev/null || return
	echo "apt: the lists of updates for $foreign cannot be had; going on without them" >&2
}

apt_options_of()	# DIR
{
	apt_options=(-o Dir::Etc::SourceList="$1/sources.list" -o Dir::Etc::SourceParts=/dev/null
		-o Dir::State::Lists="$1/lists" -o Dir::Cache="$1" -o APT::Sandbox::User=root)
	[ -z "${foreign-}" ] || apt_options+=(-o "APT::Architectures::=$(dpkg --print-architecture)"
		-o "APT::Architectures::=$foreign")
}

# apt_version PACKAGE: what apt would fetch; empty: nothing. apt takes a name that it does
# not know for a pattern, and linux-source-6.1 for linux-source-6.12.
apt_version()
{
	apt-cache ${apt_options[@]+"${apt_options[@]}"} policy "$1" |
		awk -v name="$1:" '/^[^ ]/ { mine = ($1 == name) }
		mine && $1 == "Candidate:" && $2 != "(none)" { print $2 }'
}

# apt_wants OPTION... PACKAGE...: NAME=VERSION, a line each, of what apt-get would install or bring
# up to date for these.
apt_wants()
{
	# "Inst NAME [OLD] (NEW ...".
	apt-get -q -s ${apt_options[@]+"${apt_options[@]}"} install --no-install-recommends "$@" \
		</dev/null |
		sed -n 's/^Inst \([^ ]*\) \(\[[^]]*\] \)\{0,1\}(\([^ ]*\) .*/\1=\3/p'
}

# apt_unpack DEBS ROOT PACKAGE[=VERSION]...: fetches into the folder DEBS, which is gone
# afterwards, and unpacks into ROOT, in which bin may be a link to usr/bin. What goes wrong is
# said on stderr.
apt_unpack()
{
	local debs=$1 root=$2 one
	shift 2

	mkdir -p "$debs"
	# As root, apt would hand the download to its own user, who may not write
	# here, and warn about it.
	(cd "$debs" && apt-get -q ${apt_options[@]+"${apt_options[@]}"} -o APT::Sandbox::User=root \
		-o Acquire::Retries=3 download "$@") </dev/null || return 1
	for one in "$debs"/*.deb; do
		dpkg-deb --fsys-tarfile "$one" |
			tar -x -C "$root" --keep-directory-symlink --no-same-owner || return 1
	done
	rm -rf "$debs"
}
