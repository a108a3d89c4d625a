#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# Serves a folder of the host to a guest as the file system "share", by virtiofsd. Needs no root.
#
#	share.pl SOCKET FOLDER	serves FOLDER to the QEMU that connects to SOCKET, until QEMU ends
#	share.pl --which	prints the path of virtiofsd; exit status 1 if there is none, or if this user
#				cannot run it
#
# $KUTRACE_VIRTIOFSD selects another virtiofsd. virtiofsd changes its root to FOLDER, which only root
# may do. For an ordinary user, this program first enters a user namespace, in which the user is root.
# Files that the guest's root writes belong to this user on the host. Some systems forbid user
# namespaces, and none can be made in a folder of chroot.
use strict;
use warnings;
use Fcntl;
use IO::Socket::UNIX;

my ($program) = grep { -x } $ENV{KUTRACE_VIRTIOFSD} // ('/usr/libexec/virtiofsd', '/usr/lib/qemu/virtiofsd');

if ("@ARGV" eq '--which') {
	exit 1 if !defined $program || ($> && system('unshare --map-root-user true 2>/dev/null'));
	print "$program\n";
	exit 0;
}
die "usage: share.pl SOCKET FOLDER | --which\n" if @ARGV != 2;
my ($path, $folder) = @ARGV;
die "share: there is no virtiofsd; try: tests/deps.sh play\n" if !defined $program;

# virtiofsd inherits the listening socket, so QEMU can connect as soon as the socket exists. With
# --socket-path, virtiofsd would also write a file in /var/run.
my $socket = IO::Socket::UNIX->new(Local => $path, Listen => 1) or die "share: cannot listen at $path: $!\n";
fcntl($socket, F_SETFD, 0) or die "share: $path: $!\n";
my @user = $> ? ('unshare', '--map-root-user') : ();
exec @user, $program, '-f', '-o', "source=$folder", '-o', 'sandbox=chroot', '-o', 'cache=none', '--fd=' . fileno($socket);
die "share: cannot run $program: $!\n";
