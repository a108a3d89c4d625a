#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# Stops a guest when one of its CPUs reaches an address, lets that CPU execute a number of further
# instructions, sends an NMI to all CPUs, and lets the guest continue. QEMU listens for QMP
# (boot.sh --qmp).
#
#	tests/guest/nmi_at.pl QMP-SOCKET ADDRESS INSTRUCTIONS
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
	system("${here}qmp.pl", $qmp, @_) == 0 or die "nmi_at: qmp.pl failed\n";
}

my $gdb;

# Reads a packet that QEMU sends in gdb's remote protocol.
sub answer
{
	my ($answer, $byte) = ('');

	do {
		sysread($gdb, $byte, 1) or die "nmi_at: QEMU has gone\n";
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

	$answer =~ $pattern or die "nmi_at: $text: QEMU says '$answer'\n";
	return $answer;
}

qmp(qq({"execute":"human-monitor-command","arguments":{"command-line":"gdbserver unix:$path,server=on,wait=off"}}));
$gdb = IO::Socket::UNIX->new(Peer => $path) or die "nmi_at: no gdbserver: $!\n";
$gdb->autoflush(1);
alarm 120;
# QEMU stops the guest, and may report this before the first command.
answer() if IO::Select->new($gdb)->can_read(2);
# With this feature, QEMU's stop replies name the CPU.
ask('qSupported:multiprocess+');
want("Z1,$address,1", qr/^OK/);
my ($thread) = want('vCont;c', qr/^T05/) =~ /thread:([^;]*);/;
want("z1,$address,1", qr/^OK/);
for (1 .. $instructions) {
	want("vCont;s:$thread", qr/^T05/);
}
# The guest is stopped: its CPUs take the NMI when they continue, before anything else.
qmp('inject-nmi');
want('D;1', qr/^OK/);
