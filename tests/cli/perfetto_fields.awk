# SPDX-License-Identifier: BSD-3-Clause
#
# Converts definitions of protocol buffers, as Perfetto publishes them in one file, to lines of
# tests/data/perfetto.fields:
#
#	message Clocks { optional Clock clock = 6; }	becomes		Clocks 6 Clock clock

# field TEXT: prints the field in a text such as "optional uint64 time = 8 [packed = true]"
function field(text,   number, words, n, path, i, more)
{
	if (!match(text, /= *-?(0x)?[0-9A-Fa-f]+/))
		return
	number = substr(text, RSTART + 1, RLENGTH - 1)
	gsub(/ /, "", number)
	more = text ~ /packed *= *true/ ? " packed" : text ~ /^repeated / ? " repeated" : ""
	text = substr(text, 1, RSTART - 1)
	sub(/^(optional|required|repeated) /, "", text)
	n = split(text, words, " ")
	for (i = 1; i <= depth; i++)
		if (kind[i] != "oneof")
			path = path (path ? "." : "") name[i]
	if (kind[depth] == "enum" && n == 1)
		print path, number, "-", words[1]
	else if ((kind[depth] == "message" || kind[depth] == "oneof") && n == 2)
		print path, number, words[1], words[2] more
}

{
	sub(/\/\/.*/, "")
	while (match($0, /\/\*([^*]|\*[^\/])*\*\//))
		$0 = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH)
	text = text " " $0
	while (match(text, /[{};]/)) {
		end = substr(text, RSTART, 1)
		one = substr(text, 1, RSTART - 1)
		text = substr(text, RSTART + 1)
		gsub(/[ \t]+/, " ", one)
		gsub(/^ | $/, "", one)
		if (end == "{") {
			split(one, word, " ")
			kind[++depth] = word[1]
			name[depth] = word[2]
		} else if (end == "}") {
			depth--
		} else {
			field(one)
		}
	}
}
