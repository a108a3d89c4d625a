#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# Makes the kernel of a guest that does not end print the state of its CPUs and tasks to the
# console, by magic SysRq 9, t and l, each after a break on the serial line. A guest whose
# interrupts are lost prints nothing.
#
#	tasks.pl MONITOR CONSOLE LOG	the sockets of QEMU's monitor and of the serial line (the chardev
#					"console"), and the file that has the console's output
#	tasks.pl --list LOG		prints for each process: name, number, state and where it sleeps
#
# Exit status: 0; 1 with a message on stderr.
use strict;
use warnings;
use IO::Socket::UNIX;

use constant FRAMES => 5;	# frames of a process's stack that --list shows

sub list
{
	my ($path) = @_;
	my ($line, @frames);
	my $end = sub {
		print "$line: ", join(' < ', @frames) || 'no stack', "\n" if defined $line;
		($line, @frames) = ();
	};

	open(my $log, '<', $path) or die "tasks: $path: $!\n";
	while (<$log>) {
		if (/task:(\S+) +state:(\S)\b.*? pid: *(\d+) .*?ppid: *(\d+)/) {
			$end->();
			# 2 is kthreadd, the parent of all kernel threads
			$line = "$1 (pid $3, parent $4) $2" if $3 != 2 && $4 != 2;
		} elsif (defined $line && @frames < FRAMES &&
			 /^\[[^]]*\]\s+([A-Za-z_][\w.]*)\+0x\w+\/0x\w+/ && $1 !~ /^(__)?schedule$/) {
			push @frames, $1;
		}
	}
	$end->();
}

sub connected
{
	my ($path) = @_;

	return IO::Socket::UNIX->new(Peer => $path) || die "tasks: $path: $!\n";
}

if (@ARGV == 2 && $ARGV[0] eq '--list') {
	list($ARGV[1]);
	exit 0;
}
die "usage: tasks.pl MONITOR CONSOLE LOG | --list LOG\n" if @ARGV != 3;
my $monitor = connected($ARGV[0]);
$monitor->autoflush(1);
# Waits until QEMU has answered a command. Then it has executed all earlier commands, and has read
# the key that was sent before.
sub taken
{
	my ($said, $ready) = ('', '');

	print $monitor "info status\n";
	vec($ready, fileno($monitor), 1) = 1;
	while ($said !~ /VM status/ && select(my $r = $ready, undef, undef, 10)) {
		sysread($monitor, $said, 4096, length($said)) or last;
	}
}
sub order
{
	print $monitor "$_[0]\n";
	taken();
}
for my $key ('9', 't', 'l') {
	# Stop the guest while the line is open. The guest's output also goes to the line, and if
	# it is not read immediately, characters are lost, even from the log.
	order('stop');
	my $console = connected($ARGV[1]);
	$console->autoflush(1);
	order('chardev-send-break console');
	print $console $key;
	taken();
	close($console);
	order('cont');
	# The output is complete when nothing has come for four seconds.
	my ($since, $quiet, $size) = (time, time, -s $ARGV[2]);
	while (time - $since < 60 && time - $quiet < 4) {
		select(undef, undef, undef, 0.2);
		($quiet, $size) = (time, -s $ARGV[2]) if -s $ARGV[2] != $size;
	}
}
