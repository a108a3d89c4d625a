#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fast
#
# Tests that docs/reference/events.md and the page's events.ts agree with the event table, that no two events
# share a code, and that no other file of the page, no test of the page and no guest test contains an event number.
# This check first runs on a small tree with faults.
. "$(dirname "$0")/../tap.sh"
tap_begin

generator=${BUILD:-build}/gen/gen_events
if [ -z "${KUTRACE_BUILT-}" ] && ! make --no-print-directory BUILD="${BUILD:-build}" "$generator" \
	"${BUILD:-build}/gen/gen_page_events" "${BUILD:-build}/gen/events" >/dev/null; then
	fail "the generator builds" "see above"
	tap_end
fi
ok "docs/reference/events.md is up to date (make docs)" diff <("$generator") docs/reference/events.md
ok "templates/js/base/events.ts is up to date (make docs)" \
	diff <("${BUILD:-build}/gen/gen_page_events") templates/js/base/events.ts
is "no other file of the page has a number of three hex digits" \
	"$(grep -rnE '\b0x[0-9a-fA-F]{3}\b' templates/js --include=*.ts | grep -v '^templates/js/base/events.ts:' |
		grep -vE '& 0xfff\b')" ""

# Numbers of the table that mean something else in a file. numbers.c makes system calls whose numbers look like events.
others='templates/js/ask/grammar:530 templates/js/base/errno:513 templates/js/base/errno:514 templates/js/base/errno:516
tests/guest/prog/exact:521 tests/guest/prog/hookfire:514 tests/guest/prog/numbers:0x800 tests/guest/prog/numbers:0xa00
tests/guest/test_points:1031 tests/guest/test_ttrace:640'

# Prints the numbers of events in the files of the tree $1, the unknown names of events, and the names in an awk program
# that has no event_awk: "FILE:LINE: WORD". Powers of two and 4095 are numbers of events only in a comparison with the
# field of events. In tests of the page, only hexadecimal numbers, comparisons with an event and the field of events in
# a row of span JSON count; event text in quotes does not.
numbers()
{
	find "$1/templates/js" "$1/tests/guest" "$1/tests/viewer" -type f ! -name 'events.[jt]s' ! -name gen_events.c | LC_ALL=C sort |
		perl -e '
		my ($tree, $table, %known, %event) = (shift, shift);
		my %other = map { $_ => 1 } split(" ", shift);
		open(my $in, "<", $table) or die "$table: $!\n";
		while (<$in>) {
			/^(\w+)=(\d+)$/ or die;
			$known{$1} = 1;
			next if $2 < 512 || $2 == 4095;
			$event{sprintf("0x%x", $2)} = 1;
			$event{$2} = 1 unless $2 =~ /^(512|1024|2048)$/;
		}
		chomp(my @files = <STDIN>);
		for my $file (@files) {
			local (@ARGV, $/) = $file;
			my $text = <>;
			$file =~ s/^\Q$tree\E\///;
			my ($stem) = $file =~ /(.*?)(\.\w+)?$/;
			while ($text =~ /(?<![\w.%-])(0x[0-9a-fA-F]+|\d+|EV_\w+)\b/g) {
				my ($word, $before) = ($1, substr($text, 0, $-[0]));
				my ($line) = $before =~ /([^\n]*)\z/;
				next if $word =~ /^EV_NAME/ || $other{"$stem:\L$word"} || $line =~ /^# (timeout|takes): \z|--mem \z/;
				if ($file =~ m{^tests/viewer/}) {
					my $row = qr{\[(?:[^\[\],]+, ){5}\z};
					my $quotes = () = $line =~ /\x27/g;
					printf("%s:%d: %s\n", $file, 1 + ($before =~ tr/\n//), $word) if $quotes % 2 == 0 &&
						($word =~ /^0x/ ? $event{lc $word} : $event{$word} && $line =~ /(?:\[5\]|event) [=!<>]=* \z/ ||
						 $word >= 512 && $word < 4096 && $line =~ $row);
					next;
				}
				my $compared = $line =~ /\$[36] *[=!<>]=? *\z/ && $word >= 512 && $word < 4096;
				my $awk = $before =~ /.*(?<!\w)(event_)?awk /s ? $1 // "" : "event_";
				printf("%s:%d: %s\n", $file, 1 + ($before =~ tr/\n//), $word) if
					$word =~ /^EV_/ ? !$known{$word} || $awk eq "" && $line !~ /\$\z|\$\(\([^)]*\z/ && $file =~ /\.(sh|inc)$/ :
					$event{lc $word} || $compared;
			}
		}' "$1" "${BUILD:-build}/gen/events" "$others"
}
. tests/cli/faulty_tree.inc
put templates/js/page.ts 'a === 0x20D' 'b & 0xfff' 'c < 0x5ff' 'events.ts' 'd === 1038' '"a-531"'
put templates/js/events.ts 'export const MARKD = 0x20d;'
put templates/js/ask/grammar.ts '530 531'
put tests/viewer/test.mjs 'r[5] === 531' 'x = 0x213' '[1, 1, 0, 5, 0, 2048, 3]' 'width: 1280' "'1 2 3 0x213'" '[1, 1, 0, 5, 0, 65541, 2048]' 'l.event >= 768'
put tests/guest/test.sh '# takes: 520' 'run --mem 768' "awk '\$3 == 512 { n += 512 }'" "awk '\$3 == EV_MARKD'" \
	"event_awk '\$3 == EV_MARKD || \$3 == EV_MARK'" 'count $EV_MARKD $((EV_TRAP + 3)) 1535' "awk '\$6 <= 2100'" 'b=$EV_GONE'
numbers "$bad" >"$TAP_TMP/got"
is "a tree with numbers of events" "$(cat "$TAP_TMP/got")" 'templates/js/ask/grammar.ts:1: 531
templates/js/page.ts:1: 0x20D
templates/js/page.ts:3: 0x5ff
templates/js/page.ts:5: 1038
tests/guest/test.sh:3: 512
tests/guest/test.sh:4: EV_MARKD
tests/guest/test.sh:5: EV_MARK
tests/guest/test.sh:6: 1535
tests/guest/test.sh:7: 2100
tests/guest/test.sh:8: EV_GONE
tests/viewer/test.mjs:1: 531
tests/viewer/test.mjs:2: 0x213
tests/viewer/test.mjs:3: 2048
tests/viewer/test.mjs:7: 768'
is "no other file of the page, no test of the page and no guest test has an event number" "$(numbers .)" ""

# Each code of a point, a name or a made event occurs once. Ranges are not included.
twice=$("$generator" | awk -F'|' '
	/^## / { section = $0 }
	section ~ /Names|Points|Made/ && $2 ~ /^ [0-9a-f]+ $/ { print $2 }' | sort | uniq -d)
is "no code is given twice" "$twice" ""
ranges=$("$generator" | awk -F'|' '
	/^## / { section = $0 }
	section ~ /Calls/ && $2 ~ /\.\./ { print $2 "\n" $3 }' | tr -s ' .' ' ' |
	while read -r from to; do echo "$((16#$from)) $((16#$to))"; done | sort -n)
overlap=$(echo "$ranges" | awk 'NR > 1 && $1 <= last { print "at", $1 } { last = $2 }')
is "there are ranges of calls and returns" "$(echo "$ranges" | awk 'NF == 2' | wc -l)" 14
is "no ranges overlap" "$overlap" ""
tap_end
