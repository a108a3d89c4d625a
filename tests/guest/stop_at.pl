#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# Stops a guest where one of its CPUs comes to an address, lets that CPU go on by so many
# instructions, sends all CPUs an NMI, which they take there, and lets the guest go on. Called by
# test_crash.sh; QEMU listens for QMP (boot.sh --qmp).
#
#	tests/guest/stop_at.pl QMP-SOCKET ADDRESS INSTRUCTIONS
#
# Exit status: 0; 1 with a message.
use strict;
use warnings;
use IO::Select;
use IO::Socket::UNIX;

my ($qmp, $address, $instructions) = @ARGV;
my $path = "$qmp.gdb";
my $here = $0 =~ s{[^/]*$}{}r;

sub qmp
{
	system("${here}qmp.pl", $qmp, @_) == 0 or die "stop_at: qmp.pl failed\n";
}

my $gdb;

# A packet that QEMU sends: gdb's remote protocol.
sub answer
{
	my ($answer, $byte) = ('');

	do {
		sysread($gdb, $byte, 1) or die "stop_at: QEMU has gone\n";
	} until $byte eq '$';
	while (sysread($gdb, $byte, 1) && $byte ne '#') {
		$answer .= $byte;
	}
	sysread($gdb, $byte, 1) for 1 .. 2;
	print $gdb '+';
	return $answer;
}

sub ask
{
	my $text = shift;
	my $sum = 0;

	$sum += ord for split //, $text;
	printf $gdb '$%s#%02x', $text, $sum & 255;
	return answer();
}

sub want
{
	my ($text, $pattern) = @_;
	my $answer = ask($text);

	$answer =~ $pattern or die "stop_at: $text: QEMU says '$answer'\n";
	return $answer;
}

qmp(qq({"execute":"human-monitor-command","arguments":{"command-line":"gdbserver unix:$path,server=on,wait=off"}}));
$gdb = IO::Socket::UNIX->new(Peer => $path) or die "stop_at: no gdbserver: $!\n";
$gdb->autoflush(1);
alarm 120;
# It stops the guest, and may say so before it is asked anything.
answer() if IO::Select->new($gdb)->can_read(2);
# With it stops say of which CPU they are.
ask('qSupported:multiprocess+');
want("Z1,$address,1", qr/^OK/);
my ($thread) = want('vCont;c', qr/^T05/) =~ /thread:([^;]*);/;
want("z1,$address,1", qr/^OK/);
for (1 .. $instructions) {
	want("vCont;s:$thread", qr/^T05/);
}
# It is stopped: they take it when it goes on, before anything else.
qmp('inject-nmi');
want('D;1', qr/^OK/);
