#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# Prints the system calls of each numbered task of odd_calls in their order, with their results,
# from a trace or from strace's output of another run. A test compares both outputs. The two readers
# must share only the code that prints, because each output checks the other.
#
#	tests/guest/calls_of.pl trace EVENTS	event text
#	tests/guest/calls_of.pl strace FILE	output of strace -f -e raw=all -o FILE
#
# prints "TASK NAME RESULT" for each call. A name is from the kernel's tables, or "unknown" for a
# number that has no name. A result is its low 16 bits, negative if it is small and negative; "?" if
# there was none; "-" for addresses and process ids. Exit status: 0; 1 with a message; 2 usage.
use strict;
use warnings;
use Errno;

use constant {
	ROLE => 5000, ROLES => 200,
	CALLS => $ENV{EV_SYSCALL64}, RETURN => $ENV{EV_RETURN_BIT},
	# The event of all calls whose number has no event. Its argument is the number. odd_calls
	# makes x32's getpid this way.
	OTHER => $ENV{EV_SYSOTHER}, GETPID => 39,
};

my ($kind, $file) = @ARGV;
@ARGV == 2 && $kind =~ /^s?trace$/ or die "usage: calls_of.pl trace|strace FILE\n";
open(my $in, '<', $file) or die "calls_of: $file: $!\n";

my %role;	# number of each numbered task, from its close(5000 + number)
my %text;	# output lines of each number
my %before;	# calls of a task that has no number yet
my %open;	# name of each task's call that has not returned

# Calls that return addresses or process ids. Their errors are still printed.
my %hidden = map { $_ => 1 } qw(brk mmap mremap fork vfork clone clone3 wait4 waitpid getpid gettid getppid
	set_tid_address);

sub result
{
	my ($name, $value) = @_;

	return '?' if $value eq '?';
	$value &= 0xffff;
	$value -= 65536 if $value >= 65536 - 4096;
	return $value >= 0 && $hidden{$name} ? '-' : $value;
}

sub made
{
	my ($task, $name, $value) = @_;
	my $line = "$name " . result($name, $value);

	if (defined $role{$task}) {
		push @{$text{$role{$task}}}, $line;
	} else {
		push @{$before{$task}}, $line;
	}
}

# A task announces its number by close(5000 + number). The first such close counts.
sub closes
{
	my ($task, $fd) = @_;

	return if defined $role{$task} || $fd < ROLE || $fd >= ROLE + ROLES;
	$role{$task} = $fd - ROLE;
	$text{$role{$task}} = [ @{$before{$task} // []} ];
}

sub begins
{
	my ($task, $name) = @_;

	made($task, $open{$task}, '?') if defined $open{$task};
	$open{$task} = $name;
}

sub returns
{
	my ($task, $name, $value) = @_;

	delete $open{$task};
	made($task, $name, $value);
}

sub read_trace
{
	while (<$in>) {
		next if /^#/;
		my (undef, $duration, $event, undef, $task, undef, $arg, $ret, undef, $name) = split ' ';
		# The text has two blanks where a field is empty.
		next unless defined $name && $event >= CALLS;
		my $back = int($event / RETURN) % 2;
		$name =~ s/^\///;
		$name = $back ? $open{$task} // 'unknown' : $arg == GETPID ? 'getpid' : 'unknown'
			if $event % RETURN == OTHER % RETURN && $event >= OTHER;
		$name = 'unknown' if $name !~ /^[a-z]/ || $name =~ /^syscall/;
		if ($back) {
			# The first event of a new task is the return of its parent's call.
			next if !defined $open{$task} && !defined $role{$task} && !$before{$task} &&
				$name =~ /^(v?fork|clone3?)$/;
			returns($task, $name, $ret || $arg);
			next;
		}
		closes($task, $arg) if $name eq 'close';
		begins($task, $name);
		returns($task, $name, $ret) if $duration > 0;
	}
}

sub strace_value
{
	my ($said) = @_;

	# Take the last 16 bits of an address.
	return hex($1) if $said =~ /^0x[0-9a-f]*?([0-9a-f]{1,4})\b/;
	# An error that restarts a call has no name, because programs never see it.
	return -$1 if $said =~ /^-1 .*\((?:Unknown error|errno) (\d+)\)/;
	return '?' if $said =~ /^\?/;
	return -(Errno->can($1) // die "calls_of: no number of $1\n")->() if $said =~ /^-1 (E[A-Z0-9]+)/;
	return $1 if $said =~ /^(-?\d+)/;
	die "calls_of: what strace says is not known: $said\n";
}

sub read_strace
{
	while (<$in>) {
		chomp;
		my ($task, $said) = /^(\d+) +(.*)/ or die "calls_of: $file: line $.: no task: $_\n";
		next if $said =~ /^(---|\+\+\+|\[)/;
		my $resumed = $said =~ s/^<\.\.\. (\w+) resumed>//;
		my $name = $resumed ? $1 : $said =~ /^(\w+)\(/ ? $1 : '';
		$name ne '' or die "calls_of: $file: line $.: no call: $_\n";
		$name = 'unknown' if $name =~ /^syscall_/;
		closes($task, hex($1)) if !$resumed && $said =~ /^close\((0x[0-9a-f]+)/;
		begins($task, $name) unless $resumed;
		next unless $said =~ /\) += (.*)$/;
		my $value = strace_value($1);
		# The call did not return: exit() or a similar call, or its task was killed.
		next if $value eq '?';
		returns($task, $name, $value);
	}
}

$kind eq 'trace' ? read_trace() : read_strace();
for my $task (sort { $a <=> $b } keys %open) {
	made($task, $open{$task}, '?');
}
for my $role (sort { $a <=> $b } keys %text) {
	print map { "$role $_\n" } @{$text{$role}};
}
