# SPDX-License-Identifier: BSD-3-Clause
#
# Reads the list of the tree's files and folders, and then the text of documents, manual pages and
# sources. Prints each name in prose that does not exist in the tree: "KIND<tab>FILE:LINE: TEXT".
# With -v counts=FILE, writes the numbers of checked references to FILE. See tests/cli/references.sh.
#
# Prose is the text of documents and of comments. Code is the text of sources without comments. A
# function exists if code calls, defines or declares it, or if the variable outside lists it. A name
# with a prefix of KUtrace (`ours` below) exists if it occurs in code.

BEGIN {
	FS = "\n"
	name = "[A-Za-z_][A-Za-z0-9_*]*"
	ours = "k[cpu]_|K[CPU]_|kutrace_|KUTRACE_"
	source = "[.](c|h|S|ts|mjs|sh|awk|def|inc|map|mk|md|pl|patch)$"
	n = split(outside, list, /[ \t\n]+/)
	for (i = 1; i <= n; i++)
		elsewhere[list[i]] = 1
}

# Records the names with a prefix of KUtrace in a line of code. Then records the functions: NAME(,
# (*NAME)(, MACRO(NAME, DO_declare(NAME, and a string that is only a name.
function code(text,    n, i, part) {
	if (text ~ ours) {
		n = split(text, part, /[^A-Za-z0-9_]+/)
		for (i = 1; i <= n; i++)
			name_is[part[i]] = 1
	}
	n = split(text, part, "(")
	for (i = 1; i <= n; i++) {
		if (i < n && match(part[i], /[A-Za-z_][A-Za-z0-9_]*[ )]?$/)) {
			word = substr(part[i], RSTART)
			sub(/[ )]$/, "", word)
			function_is[word] = 1
		} else if (i < n && match(part[i], /[A-Za-z_][A-Za-z0-9_]* = (async )?$/)) {
			word = substr(part[i], RSTART)
			sub(/ .*/, "", word)
			function_is[word] = 1
		}
		if (i > 1 && part[i - 1] ~ /([A-Z]|_declare)$/ && match(part[i], /^[A-Za-z_][A-Za-z0-9_]*/))
			function_is[substr(part[i], 1, RLENGTH)] = 1
	}
	if (index(text, "\""))
		while (match(text, /"[A-Za-z_][A-Za-z0-9_]*"/)) {
			function_is[substr(text, RSTART + 1, RLENGTH - 2)] = 1
			text = substr(text, RSTART + RLENGTH)
		}
}

function note(kind, text) {
	kind_of[++references] = kind
	text_of[references] = text
	file_of[references] = FILENAME
	line_of[references] = FNR
}

# Records the functions, names and paths in a line of prose. If @quoted, the text is in backquotes:
# there, a word with a slash is a path.
function words(text, quoted,    n, i, w, part) {
	while (match(text, name "\\(\\)")) {
		note("function", substr(text, RSTART, RLENGTH - 2))
		text = substr(text, 1, RSTART - 1) " " substr(text, RSTART + RLENGTH)
	}
	while (match(text, /[a-z][a-z0-9_-]+\([1-8]\)/)) {
		w = substr(text, RSTART, RLENGTH - 3) "." substr(text, RSTART + RLENGTH - 2, 1)
		if (w ~ /kutrace/)
			note("page", w)
		text = substr(text, 1, RSTART - 1) " " substr(text, RSTART + RLENGTH)
	}
	if (text ~ ours) {
		n = split(text, part, /[^A-Za-z0-9_.*\/-]+/)
		for (i = 1; i <= n; i++) {
			sub(/[.]+$/, "", part[i])
			if (part[i] ~ ("^(" ours ")[A-Za-z0-9_]*[A-Za-z0-9]$") && part[i] !~ /_x$/)
				note("name", part[i])
		}
	}
	if (text !~ /[\/.]/)
		return
	n = split(text, part, /[ \t()|"'`<>=;]+/)
	for (i = 1; i <= n; i++) {
		w = part[i]
		sub(/^\[+/, "", w)
		sub(/[],.:!?]+$/, "", w)
		sub(/:[0-9]+$/, "", w)
		if (w !~ /^[A-Za-z0-9_.*{},+\/-]+$/ || w ~ /^[-\/]|^[.]\// || w !~ /[A-Za-z]/ || w ~ /\/dev\/|^[.][.]\/|^build\//)
			continue
		if (w ~ ("[A-Za-z0-9_*}]" source) || w ~ /^[a-z].*\/$/ || w ~ /\// && (quoted || (substr(w, 1, index(w, "/") - 1) in folder)))
			note("path", w)
	}
}

function prose(text,    n, i, part) {
	gsub(/[a-z]+:\/\/[^ )>]*/, " ", text)
	n = split(text, part, "`")
	for (i = 1; i <= n; i++)
		words(part[i], i % 2 == 0 && i < n)
}

# Returns the anchor of a Markdown heading.
function anchor(text) {
	sub(/^#+ */, "", text)
	gsub(/\]\([^)]*\)/, "", text)
	text = tolower(text)
	gsub(/[^a-z0-9 _-]/, "", text)
	gsub(/ /, "-", text)
	return text
}

function document(text,    link) {
	if (text ~ /^ *```/)
		fenced = !fenced
	if (text ~ /^#+ / && !fenced)
		anchors[FILENAME, anchor(text)] = 1
	while (match(text, /\]\([^)]*\)/)) {
		link = substr(text, RSTART + 2, RLENGTH - 3)
		text = substr(text, 1, RSTART) " " substr(text, RSTART + RLENGTH)
		if (link !~ /^[a-z]+:/)
			note("link", link)
	}
	prose(text)
}

function manual(text) {
	if (text ~ /^[.]TH /)
		return
	if (text ~ /^[.]\\"/)
		sub(/^[.]\\" ?/, "", text)
	gsub(/\\f[BIRP]|\\&/, "", text)
	gsub(/\\-/, "-", text)
	if (text ~ /^[.](B|I|R)[BIR] /) {
		sub(/^[.][A-Z]+ /, "", text)
		gsub(/" "|" | "/, "", text)
		gsub(/ /, "", text)
	} else
		sub(/^[.][A-Z]+ /, "", text)
	prose(text)
}

# Returns the position of the end of the first string in @text. Returns 0 if no string begins before
# position @at, or if the string does not end.
function string_end(text, at,    i, quote, c) {
	if (!match(text, /["'`]/) || RSTART > at)
		return 0
	quote = substr(text, RSTART, 1)
	for (i = RSTART + 1; (c = substr(text, i, 1)) != ""; i++)
		if (c == "\\")
			i++
		else if (c == quote)
			return i
	return 0
}

# Passes comments of C, JavaScript or assembly to prose(), other text to code(). The global `block`
# is 1 if the line begins inside of a comment.
function c_like(text,    at, end, mark) {
	for (;;) {
		if (block) {
			if (!(at = index(text, "*/"))) {
				prose(text)
				return
			}
			prose(substr(text, 1, at - 1))
			block = 0
			text = substr(text, at + 2)
		}
		if (!match(text, /\/[*\/]/)) {
			code(text)
			return
		}
		at = RSTART
		# The mark of the comment may be part of a string.
		if ((end = string_end(text, at))) {
			code(substr(text, 1, end))
			text = substr(text, end + 1)
			continue
		}
		mark = substr(text, at, 2)
		code(substr(text, 1, at - 1))
		text = substr(text, at + 2)
		if (mark == "//") {
			prose(text)
			return
		}
		block = 1
	}
}

function hashed(text,    at) {
	if (text ~ /^#!/)
		return
	if (match(text, /(^|[ \t])#([ \t#]|$)/)) {
		at = RSTART + RLENGTH - 1
		code(substr(text, 1, RSTART - 1))
		prose(substr(text, at))
	} else
		code(text)
}

FILENAME == "docs/reference/man/aliases" {
	alias[$1]
	next
}
# the list of the tree's files and folders
NR == FNR {
	here[$0] = 1
	for (path = $0; ; path = substr(path, at + 1)) {
		tail[path] = 1
		if (!(at = index(path, "/")))
			break
		folder[substr(path, 1, at - 1)] = 1
	}
	next
}

FNR == 1 {
	block = fenced = 0
	files++
	if (FILENAME ~ /[.](md|txt|rst)$/) form = "document"
	else if (FILENAME ~ /\.[1-9]$/) form = "manual"
	else if (FILENAME ~ /\.patch$/) form = "patch"
	else if (FILENAME ~ /\.(c|h|S|ts|mjs|def|inc|in|css)$/ && FILENAME !~ /tests\/.*\.inc$/) form = "c"
	else form = "hashed"
}
form == "document" { document($0); next }
form == "manual" { manual($0); next }
form == "patch" {
	if (match($0, /^(---|[+][+][+]) [ab]\//)) {
		path = substr($0, RLENGTH + 1)
		for (;;) {
			kernel[path] = 1
			if (!sub(/\/[^\/]*$/, "", path))
				break
			kernel[path "/"] = 1
		}
	}
	code($0)
	next
}
form == "c" {
	if (match($0, /^ *# *include *[<"][^>"]*/)) {
		path = $0
		sub(/^[^<"]*[<"]/, "", path)
		sub(/[>"].*/, "", path)
		kernel[path] = kernel["include/" path] = 1
		next
	}
	c_like($0)
	next
}
{ hashed($0) }

function function_found(word,    pattern, i) {
	if ((word in function_is) || (word in elsewhere))
		return 1
	if (word !~ /^_|\*/)
		return 0
	# A name that begins with _ is the end of a function's name; * stands for any letters.
	pattern = word
	gsub(/\*/, ".*", pattern)
	pattern = (word ~ /^_/ ? "" : "^") pattern "$"
	for (i in function_is)
		if (i ~ pattern)
			return 1
	return 0
}

function path_found(word,    p, i) {
	sub(/^\.\//, "", word)
	if ((word in kernel) || (word in elsewhere))
		return 1
	sub(/\/$/, "", word)
	if ((word in tail) || ((word ".c") in tail) || ((word ".h") in tail) || ((word ".ts") in tail))
		return 1
	if (word !~ /[*{]|[A-Z][A-Z]/)
		return 0
	p = word
	gsub(/[.+]/, "[&]", p)
	gsub(/\*/, "[^/]*", p)
	gsub(/[{]/, "(", p); gsub(/[}]/, ")", p); gsub(/,/, "|", p)
	gsub(/[A-Z][A-Z_]+/, "([^/]*)", p)
	for (i in tail)
		if (i ~ ("^(" p ")$"))
			return 1
	return 0
}

function link_found(file, link,    target, part) {
	target = link
	part = ""
	if (match(link, /#/)) {
		part = substr(link, RSTART + 1)
		target = substr(link, 1, RSTART - 1)
	}
	if (target == "")
		target = file
	else {
		if (match(file, /.*\//))
			target = substr(file, 1, RLENGTH) target
		while (sub(/[^\/]+\/\.\.\//, "", target)) ;
		sub(/\/$/, "", target)
	}
	return (target in here) && (part == "" || (target, part) in anchors)
}

END {
	for (i = 1; i <= references; i++) {
		kind = kind_of[i]
		text = text_of[i]
		number[kind]++
		if (kind == "function")
			found = function_found(text)
		else if (kind == "link")
			found = link_found(file_of[i], text)
		else if (kind == "name")
			found = (text in name_is) || (text in elsewhere) || (text in tail) || ((text ".c") in tail)
		else if (kind == "page")
			found = ("docs/reference/man/" text) in here || text in alias
		else
			found = path_found(text)
		if (!found)
			print kind "\t" file_of[i] ":" line_of[i] ": " text
	}
	if (counts)
		print files + 0, number["path"] + 0, number["function"] + 0, number["name"] + 0, number["link"] + 0, number["page"] + 0 >counts
}
