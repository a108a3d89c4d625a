#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# Enrolls a key in MokManager, which shim starts if a key is to be enrolled, by the serial line of a
# guest. Answers as a user does: Enroll MOK, Continue, Yes, the password, Reboot. Must not send a
# key before the expected menu is on the screen.
#
#	tests/guest/mokmanager.pl SOCKET PASSWORD	prints its answers
#
# Exit status: 0; 1 with the text that it waited for.
use strict;
use warnings;
use IO::Select;
use IO::Socket::UNIX;

@ARGV == 2 or die "usage: mokmanager.pl SOCKET PASSWORD\n";
my ($path, $password) = @ARGV;
my ($down, $enter) = ("\e[B", "\r");
my $limit = 120;	# seconds for a screen to come
my $line;
for (1 .. 100) {
	$line = IO::Socket::UNIX->new(Peer => $path) and last;
	select(undef, undef, undef, 0.1);
}
$line or die "mokmanager: no guest at $path: $!\n";
$line->autoflush(1);
my $select = IO::Select->new($line);
my $screen = '';

# Waits at most $seconds for output, and reads it. Returns 0 if there is none.
sub more
{
	my ($seconds) = @_;

	$select->can_read($seconds) or return 0;
	my $read = sysread $line, my $piece, 4096;
	defined $read or die "mokmanager: $!\n";
	$read or die "mokmanager: the guest has ended\n";
	$screen .= $piece;
	return 1;
}

# Waits until $text is on the screen.
sub awaited
{
	my ($text) = @_;

	$screen = '';
	while ($screen !~ /\Q$text\E/) {
		more($limit) or die "mokmanager: no '$text' within $limit s\n";
	}
}

# Waits for $text, and for the end of the output, because MokManager reads keys only then. Types the
# keys. Does not read the output after the last key, which belongs to the next screen.
sub answer
{
	my ($text, @keys) = @_;

	awaited($text);
	1 while more(1);
	print "$text\n";
	for my $key (@keys) {
		print $line $key;
		next if $key ne $down;
		1 while more(0.5);
	}
}

# This screen counts down ten seconds, so its output never pauses.
awaited('Press any key');
print "Press any key\n";
print $line ' ';
answer('Enroll MOK', $down, $enter);
answer('Continue', $down, $enter);
answer('Yes', $down, $enter);
answer('Password:', $password . $enter);
answer('Reboot', $enter);
