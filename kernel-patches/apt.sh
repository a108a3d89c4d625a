# SPDX-License-Identifier: BSD-3-Clause
#
# Functions that fetch packages of any Debian release: kernel sources, kernels and their compilers, a
# newer QEMU from backports. A bash script sources this file. It must have a function die and these
# variables:
#
#	cache	a directory that outlives the checkout
#	foreign	another architecture, whose packages are also fetched, as NAME:ARCHITECTURE; empty
#		or unset for none
#
# Must not install anything, need root, or change the machine's own lists of packages.

# suite_sources SUITE...: prints lines of a sources.list for these Debian releases, with the mirrors
# of this machine's apt.
suite_sources()
{
	local suite own key archs=

	[ -z "${foreign-}" ] || archs="arch=$(dpkg --print-architecture),$foreign "
	own=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
	for key in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg}; do
		[ ! -f "$key" ] || break
	done
	[ -n "$own" ] && [ -f "$key" ] || return 1
	# Accept an unknown origin: apt knows the origin of a list only after reading the list.
	for suite; do
		# shellcheck disable=SC2016 # apt fills these in
		apt-get indextargets --format '$(ORIGIN)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)' \
			'Created-By: Packages' |
			awk -F '|' -v own="$own" -v suite="$suite" -v key="$key" -v archs="$archs" '
			$1 != "Debian" && $1 !~ /^(\$.*)?$/ { next }
			# Backports are only on the mirror of the release itself. Unstable has no
			# other suites.
			suite ~ /-backports$|^sid$/ && $3 !~ "^(" own "|stable|oldstable)$" { next }
			sub("^(" own "|stable|oldstable)", suite, $3) &&
			$3 ~ /^[a-z]+(-updates|-security|-backports)?$/ {
				print "deb [" archs "signed-by=" key "] " $2 " " $3 " " $4
			}'
	done | sort -u
}

# suite_apt NAME SUITE...: sets apt_options, with which apt uses these Debian releases and no
# others. The cache holds the lists of packages for a day, under NAME.
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

# Reads the lists. A mirror of a rare architecture may have a complete release but incomplete updates.
# Then uses the release alone, and prints a message.
suite_update()	# DIR
{
	apt-get -q "${apt_options[@]}" -o Acquire::Retries=3 update >"$1/log" 2>&1 </dev/null && return
	[ -n "${foreign-}" ] && grep -q -e '-\(updates\|security\) ' "$1/sources.list" || return 1
	sed -i '/-\(updates\|security\) /d' "$1/sources.list"
	apt-get -q "${apt_options[@]}" -o Acquire::Retries=3 update >"$1/log" 2>&1 </dev/null || return
	echo "apt: cannot read the lists of updates for $foreign; using the release without them" >&2
}

apt_options_of()	# DIR
{
	apt_options=(-o Dir::Etc::SourceList="$1/sources.list" -o Dir::Etc::SourceParts=/dev/null
		-o Dir::State::Lists="$1/lists" -o Dir::Cache="$1" -o APT::Sandbox::User=root)
	[ -z "${foreign-}" ] || apt_options+=(-o "APT::Architectures::=$(dpkg --print-architecture)"
		-o "APT::Architectures::=$foreign")
}

# apt_version PACKAGE: prints the version that apt would fetch, or nothing. apt uses an unknown name
# as a pattern, so linux-source-6.1 would match linux-source-6.12.
apt_version()
{
	apt-cache ${apt_options[@]+"${apt_options[@]}"} policy "$1" |
		awk -v name="$1:" '/^[^ ]/ { mine = ($1 == name) }
		mine && $1 == "Candidate:" && $2 != "(none)" { print $2 }'
}

# apt_wants OPTION... PACKAGE...: prints NAME=VERSION, one line for each package that apt-get would
# install or update for these packages.
apt_wants()
{
	# A line has the form "Inst NAME [OLD] (NEW ...".
	apt-get -q -s ${apt_options[@]+"${apt_options[@]}"} install --no-install-recommends "$@" \
		</dev/null |
		sed -n 's/^Inst \([^ ]*\) \(\[[^]]*\] \)\{0,1\}(\([^ ]*\) .*/\1=\3/p'
}

# apt_unpack DEBS ROOT PACKAGE[=VERSION]...: fetches packages into the folder DEBS, unpacks them into
# ROOT, in which bin may be a link to usr/bin, and removes DEBS. Prints errors to stderr.
apt_unpack()
{
	local debs=$1 root=$2 one
	shift 2

	mkdir -p "$debs"
	# As root, apt would download as its own user, which may not write here, and print a
	# warning.
	(cd "$debs" && apt-get -q ${apt_options[@]+"${apt_options[@]}"} -o APT::Sandbox::User=root \
		-o Acquire::Retries=3 download "$@") </dev/null || return 1
	for one in "$debs"/*.deb; do
		dpkg-deb --fsys-tarfile "$one" |
			tar -x -C "$root" --keep-directory-symlink --no-same-owner || return 1
	done
	rm -rf "$debs"
}
