#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# Prints the progress of crashmark, from its page of memory in a dump: an ELF core, or any file that
# contains the page. Tests compare the output with a trace, so it must not come from one.
#
#	tests/guest/crashmark_progress.pl DUMP KEY CPUS	a line for each CPU: CPU BEGUN MADE
#
# Exit status: 0; 1 with a message: the page is missing, or there is more than one.
use strict;
use warnings;
no warnings 'portable';	# numbers of 64 bits are needed

my ($dump, $key, $cpus) = @ARGV;
my $want = pack('Q2', hex($key), ~hex($key));
my ($before, $found, $chunk) = ('');

open(my $file, '<:raw', $dump) or die "crashmark_progress: $dump: $!\n";
while (read($file, $chunk, 1 << 22)) {
	# A page across the end of a chunk is found with the next chunk.
	my $both = $before . $chunk;
	for (my $at = -1; ($at = index($both, $want, $at + 1)) >= 0; ) {
		next if length($both) - $at < 4096 && !eof($file);
		my $page = substr($both, $at, 16 + 16 * $cpus);
		die "crashmark_progress: the key is in $dump twice\n" if defined $found && $found ne $page;
		$found = $page;
	}
	$before = substr($both, -4095);
}
defined $found or die "crashmark_progress: the key is not in $dump\n";
for my $cpu (0 .. $cpus - 1) {
	print join(' ', $cpu, unpack('Q2', substr($found, 16 + 16 * $cpu, 16))), "\n";
}
