#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# Asks the kernel of a guest that does not end what its CPUs and tasks are doing: magic SysRq 9, t and l,
# each after a break on the serial line. The answer comes on its console. Called by boot.sh before
# it ends such a guest. A guest whose interrupts no longer come says nothing.
#
#	tests/guest/tasks.pl MONITOR CONSOLE		the sockets of QEMU's monitor and of the serial line
#						(the chardev "console")
#	tests/guest/tasks.pl --list LOG			of each process: name, number, state and where it sleeps
#
# Exit status: 0; 1 with a message on stderr.
use strict;
use warnings;
use IO::Socket::UNIX;

use constant FRAMES => 5;	# of a process's stack that --list shows

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
die "usage: tasks.pl MONITOR CONSOLE | --list LOG\n" if @ARGV != 2;
my ($monitor, $console) = map { connected($_) } @ARGV[0, 1];
$_->autoflush(1) for $monitor, $console;
for my $key ('9', 't', 'l') {
	print $monitor "chardev-send-break console\n";
	select(undef, undef, undef, 0.3);
	print $console $key;
	# What the guest says comes here, too, and must be taken: QEMU would not write it to the log either. It
	# has said all when nothing more has come for four seconds.
	my $since = time;
	my $ready = '';
	vec($ready, fileno($console), 1) = 1;
	while (time - $since < 60 && select(my $r = $ready, undef, undef, 4)) {
		sysread($console, my $taken, 65536) or exit 0;
	}
}
