#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# Counts markers of prose that is hard to read, in a tree's comments, documents and messages.
#
#	tests/prose.pl DIR [--max]
#
# For comments, documents and messages, prints how often each marker occurs per 10,000 words, and how many of 1,000 texts
# begin with a preposition or a pronoun. Then prints the files with most markers. Texts of fewer than four words do not
# count. The limits are twice the highest rate of six well-written C projects. A marker need not be a fault. Messages are
# string literals in control/ and postprocess/.
# Exit status: 0; 1 with --max if a rate is above its limit, or a group has no text; 2 usage.
use strict;
use warnings;

my @marks = (	# name, pattern, limit per 10,000 words
	['headless what', qr/\b[Ww]hat (?!to\b|if\b|about\b)(?:is|was|has|are|were|it|they|there|had|ran|runs|can|comes|came|follows|else|stands|says|said|belongs|goes|[a-z]+ed)\b/, 5],
	['code says, tells, knows, asks, wants', qr/\b(?:says?|said|tells?|told|knows?|asks?|asked|wants?|wanted)\b/, 30],
	['who, nobody for code', qr/\b(?:[Ww]ho|[Ww]hom|[Ww]hoever|[Nn]obody|[Ss]omebody)\b/, 5],
	['behind, in front of', qr/\b(?:behind|in front of)\b/, 3],
	['anew, mend, by turns, doings ...', qr/\b(?:anew|mend(?:s|ed)?|by turns|doings|at once|of its own|once more)\b/, 5],
	['that of, those of, is of', qr/\b(?:that|those) of\b|\bis of\b/, 7],
	[', too; likewise', qr/, too\b|\b[Ll]ikewise\b/, 5],
	['but for; leading else', qr/\bbut for\b|(?:^|[.;] )[Ee]lse\b/, 3],
	['so many, so long', qr/\bso (?:many|much|long|few)\b(?! as\b| that\b)/, 2],
	['be had', qr/\b(?:be|is|are) had\b/, 1],
);
my @starts = (	# name, pattern, limit per 1,000 texts
	['begins with a preposition', qr/^(?:Of|For|With|In|From|As|At|By|Until|Behind|Where|Whose|Between|Over|Without|On|Out|Into|Above|Below|But)\b/, 40],
	['begins with a pronoun', qr/^(?:It|They|Its|Their|That|Those|These|This|Both|Neither|Nobody|Somebody|There|He|Who|What|Whom)\b/, 60],
);
my %skipped = map { $_ => 1 } qw(.git build node_modules golden broken);

my ($top, $strict) = @ARGV;
(@ARGV == 1 || @ARGV == 2 && $strict eq '--max') && -d $top or do {
	print STDERR "usage: prose.pl DIR [--max]\n";
	exit 2;
};

sub files
{
	my ($dir, $inside) = @_;

	opendir(my $handle, $dir) or die "prose: cannot read $dir: $!\n";
	my @names = sort grep { !/^\.\.?$/ } readdir $handle;
	closedir $handle;
	return map {
		my ($path, $name) = ("$dir/$_", $inside eq '' ? $_ : "$inside/$_");
		-l $path ? () : -d $path ? ($skipped{$_} ? () : files($path, $name)) : [$path, $name];
	} @names;
}

sub comments
{
	my ($text, $shell) = @_;

	if ($shell) {
		my @blocks = $text =~ /((?:^[ \t]*#(?!!).*\n)+)/mg;
		s/^[ \t]*#+ ?//mg for @blocks;
		return @blocks;
	}
	my @found = $text =~ m{/\*(.*?)\*/}sg;
	s/\n\s*\*[ \t]?/\n/g, s/^[* \n]+|[* \n]+$//g for @found;
	return @found;
}

sub paragraphs
{
	my ($text, $manual) = @_;

	if ($manual) {
		$text =~ s/^\.(?:TH|SH|SS|nf|fi|RS|RE|TP|PP|IP|so|\\").*$/\n/mg;
	} else {
		$text =~ s/```.*?```|^    .*$|`[^`]*`|<!--.*?-->/ /smg;
	}
	return grep { /\S/ } split /\n\s*\n/, $text;
}

# Returns the string literals of C. Adjacent literals count as one.
sub messages
{
	my ($text) = @_;

	$text =~ s{/\*.*?\*/|//[^\n]*}{}sg;
	$text =~ s/^[ \t]*#[^\n]*//mg;
	$text =~ s/(?<!\\)"\s*"//g;
	return $text =~ /"((?:[^"\\\n]|\\.)*)"/g;
}

my %texts = (comments => [], documents => [], messages => []);
for my $file (files($top, '')) {
	my ($path, $name) = @$file;
	next unless $name =~ /\.(md|[1-9]|c|h|S|ts|mjs|sh)$/;
	open(my $handle, '<:raw', $path) or next;
	my $text = do { local $/; <$handle> };
	close $handle;
	if ($name =~ /\.(md|[1-9])$/) {
		push @{$texts{documents}}, map { [$name, $_] } paragraphs($text, $name !~ /md$/);
	} else {
		push @{$texts{comments}}, map { [$name, $_] } comments($text, $name =~ /sh$/);
		push @{$texts{messages}}, map { [$name, $_] } messages($text) if $name =~ m{^(control|postprocess)/.*\.c$};
	}
}

my ($above, %worst) = (0);
sub rate
{
	my ($name, $hits, $per, $limit) = @_;
	my $rate = $per ? $hits / $per : 0;

	$above = 1 if $rate > $limit;
	printf "  %-40s %6d %8.1f  limit %d%s\n", $name, $hits, $rate, $limit, $rate > $limit ? '  over' : '';
}
for my $kind (qw(comments documents messages)) {
	my ($words, @all) = (0);
	for my $text (@{$texts{$kind}}) {
		my ($name, $block) = @$text;
		$block =~ s/\@(?:param|returns?|type|typedef|template)\b[^\n]*//g;
		my @words = split ' ', $block;
		next if @words < 4 || $block =~ /SPDX/;
		$words += @words;
		push @all, [$name, join ' ', @words];
	}
	$above = 1 if !$words;
	printf "%s: %d of them, %d words\n", $kind, scalar(@all), $words;
	for my $mark (@marks) {
		my ($name, $pattern, $limit) = @$mark;
		my $hits = 0;
		for my $text (@all) {
			my $here = () = $text->[1] =~ /$pattern/g;
			$hits += $here;
			$worst{$text->[0]} += $here if $here;
		}
		rate($name, $hits, $words / 10000, $limit);
	}
	next if $kind eq 'messages';
	for my $start (@starts) {
		my ($name, $pattern, $limit) = @$start;
		rate($name, scalar(grep { $_->[1] =~ $pattern } @all), @all / 1000, $limit);
	}
}
my @order = sort { $worst{$b} <=> $worst{$a} || $a cmp $b } keys %worst;
printf "%5d %s\n", $worst{$_}, $_ for @order[0 .. ($#order < 14 ? $#order : 14)];
exit($strict && $above ? 1 : 0);
