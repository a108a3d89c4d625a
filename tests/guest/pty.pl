#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs a command on a terminal of its own, and types for it. Reads one step per line from stdin:
#
#	expect REGEX	waits until new output of the command matches, at most SECONDS
#	run COMMAND	runs a shell command beside it, which must succeed
#	send TEXT	types TEXT, with \r, \t, \e, \xHH as in Perl
#
#	pty.pl SECONDS ROWS COLUMNS LOG COMMAND...
#
# Writes all output to LOG. After the last step it waits for the end of the command. Exit status: that of the
# command; 124 with a message if a step fails, or the expected output or the end does not come in time.
use strict;
use warnings;
use POSIX ();

# The ioctls of x86-64, arm64 and riscv64.
use constant {TIOCSWINSZ => 0x5414, TIOCGPTN => 0x80045430, TIOCSPTLCK => 0x40045431};

my ($seconds, $rows, $columns, $path, @command) = @ARGV;
die "usage: pty.pl SECONDS ROWS COLUMNS LOG COMMAND...\n" if !@command;
open(my $log, '>', $path) or die "pty: $path: $!\n";
$log->autoflush(1);
open(my $terminal, '+<', '/dev/ptmx') or die "pty: /dev/ptmx: $!\n";
my $number = pack('i', 0);
ioctl($terminal, TIOCSPTLCK, $number) or die "pty: unlock: $!\n";
ioctl($terminal, TIOCGPTN, $number) or die "pty: number: $!\n";
my $slave = '/dev/pts/' . unpack('i', $number);

my $child = fork() // die "pty: fork: $!\n";
if ($child == 0) {
	POSIX::setsid();
	# The first terminal that a session opens is its controlling terminal.
	open(STDIN, '+<', $slave) or die "pty: $slave: $!\n";
	my $size = pack('S4', $rows, $columns, 0, 0);
	ioctl(STDIN, TIOCSWINSZ, $size) or die "pty: size: $!\n";
	open(STDOUT, '>&', \*STDIN) && open(STDERR, '>&', \*STDIN) or die "pty: $!\n";
	exec @command or die "pty: $command[0]: $!\n";
}

my $new = '';	# the output since the last match

# Reads output until $done returns true. Returns false at the end of the output.
sub read_until
{
	my ($what, $done) = @_;
	my $end = time + $seconds;

	until ($done->()) {
		my $ready = '';
		vec($ready, fileno($terminal), 1) = 1;
		my $left = $end - time;
		if ($left <= 0 || !select($ready, undef, undef, $left)) {
			print STDERR "pty: no $what within $seconds s; the last output: ", substr($new, -400), "\n";
			kill 'TERM', -$child;
			exit 124;
		}
		# A terminal without a program returns EIO.
		sysread($terminal, my $piece, 65536) or return 0;
		print $log $piece;
		$new .= $piece;
	}
	return 1;
}

while (my $step = <STDIN>) {
	chomp $step;
	my ($verb, $text) = split ' ', $step, 2;
	if ($verb eq 'expect') {
		read_until($step, sub { $new =~ s/^.*?$text//s }) or do {
			print STDERR "pty: the command ended before: $step\n";
			exit 124;
		};
	} elsif ($verb eq 'send') {
		my %named = (r => "\r", t => "\t", e => "\e");
		$text =~ s/\\(?:x([0-9a-f]{2})|([rte]))/$1 ? chr hex $1 : $named{$2}/ge;
		syswrite($terminal, $text);
	} elsif ($verb eq 'run') {
		next if system($text) == 0;
		print STDERR "pty: failed: $text\n";
		kill 'TERM', -$child;
		exit 124;
	} else {
		die "pty: unknown step: $step\n";
	}
}
read_until('end', sub { 0 });
waitpid($child, 0);
exit($? & 127 ? 128 + ($? & 127) : $? >> 8);
