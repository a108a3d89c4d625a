# SPDX-License-Identifier: BSD-3-Clause
#
# Completion of the filters' options and files for bash: options are what --help lists. Installed
# as share/bash-completion/completions/TOOL for each of them.

_kutrace_filter()
{
	local word=${COMP_WORDS[COMP_CWORD]}

	COMPREPLY=()
	case $word in
	-*)
		mapfile -t COMPREPLY < <(compgen -W "$("$1" --help 2>/dev/null |
			sed -n 's/^ *\(-[A-Za-z]\(, \| | \)\)\{0,1\}\(--[a-z][a-z-]*\).*/\3/p')" -- "$word")
		;;
	*) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	esac
}

complete -o filenames -F _kutrace_filter @TOOLS@
