#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# Sends commands to a QEMU that listens for QMP, one after the other, and waits for the answer of
# each command. Must not treat an event of QEMU as an answer.
#
#	tests/guest/qmp.pl SOCKET COMMAND...	a COMMAND is a name, or the JSON of execute and arguments
#
# Prints each returned value in a line. Exit status: 0; 1 with QEMU's error.
use strict;
use warnings;
use IO::Socket::UNIX;

my ($path, @commands) = @ARGV;
my $qmp;
# QEMU opens the socket soon after its start, for one client at a time.
for (1 .. 100) {
	$qmp = IO::Socket::UNIX->new(Peer => $path) and last;
	select(undef, undef, undef, 0.1);
}
$qmp or die "qmp: no QEMU at $path: $!\n";
$qmp->autoflush(1);
defined(<$qmp>) or die "qmp: no greeting\n";
for my $command ('qmp_capabilities', @commands) {
	print $qmp $command =~ /^\{/ ? $command : qq({"execute":"$command"}), "\n";
	while (1) {
		my $line = <$qmp>;
		defined $line or ($command =~ /quit/ ? exit 0 : die "qmp: QEMU has ended\n");
		next if $line =~ /^\{"timestamp"|"event":/;
		$line =~ /"error":/ and die "qmp: $command: $line";
		print $line if $command ne 'qmp_capabilities';
		last;
	}
}
