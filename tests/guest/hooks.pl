#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# Reports properties of the direct hooks in assembler (module/probes/direct.h) in a module's file:
# whether the unwinder's table has each frame of a hook, whether a hook may be called where IBT is
# enforced, and whether it has branches that an attacker could redirect. Reads the output of objdump
# and readelf.
#
#	tests/guest/hooks.pl KO
#
# prints a line for each function NAME for which there is also a symbol NAME_end: "NAME endbr:
# yes|no|sealed indirect: N ret: N unwound: N of N skips: N".
#
#	endbr	yes: its first instruction is ENDBR. sealed: the kernel removes the ENDBR, because no
#		code uses the address of the function
#	indirect	calls and jumps by a register or memory, which retpolines replace
#	ret	plain returns, which return thunks replace
#	unwound	instructions for which the unwinder's table (ORC) has the frame that the pushes and pops made
#	skips	how often a hook takes the function's return address off the stack without a return, which
#		the processor's return predictor cannot follow
# Exit status: 0; 1 with a message: there are none; 2 usage.
use strict;
use warnings;

use constant {
	SECTION => '.kprobes.text',
	# struct orc_entry: two offsets, then registers in four bits each.
	ORC_SIZE => 6, ORC_SP => 5,
	RETURN => 8,
};

@ARGV == 1 or die "usage: hooks.pl KO\n";
my ($ko) = @ARGV;

sub lines
{
	open(my $pipe, '-|', @_) or die "hooks: $_[0]: $!\n";
	my @lines = <$pipe>;
	close($pipe) or die "hooks: $_[0] failed\n";
	return @lines;
}

# %at has the address of each symbol of the section, @hooks the functions that also have an end
# symbol.
my ($number) = map { /^\s*\[\s*(\d+)\] \Q${\SECTION}\E / ? $1 : () } lines('readelf', '-SW', $ko);
defined $number or die "hooks: $ko has no ${\SECTION}\n";
my %at;
for (lines('readelf', '-sW', $ko)) {
	my @field = split;
	$at{$field[7]} = hex($field[1]) if @field >= 8 && $field[6] eq $number;
}
my @hooks = grep { defined $at{$_ . '_end'} } sort keys %at;
@hooks or die "hooks: $ko has no hook\n";

# $named{TABLE}{ADDRESS} is the index of the table's entry for an address of the section.
my (%named, $table);
for (lines('readelf', '-rW', $ko)) {
	$table = $1 if /^Relocation section '\.rela([^']*)'/;
	next unless $table && $table =~ /^\.(orc_unwind_ip|ibt_endbr_seal)$/;
	my @field = split;
	next unless @field >= 7 && ($field[4] eq SECTION || defined $at{$field[4]});
	$named{$table}{hex($field[3]) + hex($field[6]) * ($field[5] eq '-' ? -1 : 1)} = hex($field[0]) / 4;
}
my $entries = join '', lines('objcopy', '--dump-section', '.orc_unwind=/dev/stdout', $ko, '/dev/null');
my @known = sort { $a <=> $b } keys %{$named{'.orc_unwind_ip'}};

# Returns the number that the unwinder adds to the stack pointer at an address; undef if it uses
# another register, or none.
sub frame_at
{
	my ($address) = @_;
	my ($last) = grep { $_ <= $address } reverse @known;

	return undef unless defined $last;
	my ($offset, undef, $registers) =
		unpack('s<s<S<', substr($entries, ORC_SIZE * $named{'.orc_unwind_ip'}{$last}, ORC_SIZE));
	return ($registers & 15) == ORC_SP ? $offset : undef;
}

my @code;	# [address, instruction]
for (lines('objdump', '-drw', '--no-show-raw-insn', '-j', SECTION, $ko)) {
	next unless /^\s*([0-9a-f]+):\t(.*)/;
	push @code, [hex($1), $2];
}

for my $hook (@hooks) {
	my ($from, $to) = ($at{$hook}, $at{$hook . '_end'});
	my ($count, $indirect, $ret, $unwound, $skips) = (0, 0, 0, 0, 0);
	my $endbr = 'no';
	my $frame = RETURN;	# bytes on the stack since the hook was called
	my %jumped;		# the frame at the target of a jump
	for (@code) {
		my ($address, $instruction) = @$_;
		next if $address < $from || $address >= $to;
		$count++;
		$endbr = defined $named{'.ibt_endbr_seal'}{$from} ? 'sealed' : 'yes'
			if $address == $from && $instruction =~ /^endbr64/;
		$frame = $jumped{$address} if defined $jumped{$address};
		$unwound++ if defined $frame && $frame == (frame_at($address) // -1);
		$indirect++ if $instruction =~ /^(notrack )?(call|jmp)q? +\*/;
		$ret++ if $instruction =~ /^(repz? )?retq?\b/;
		$jumped{hex($1)} = $frame if $instruction =~ /^j[a-z]+ +([0-9a-f]+)/ && $instruction !~ /^jmp/;
		# The hook stores an address in itself as a return address. The unwinder looks up
		# the byte before a return address, so that byte has the same frame.
		if ($instruction =~ /^movq +\$0x[0-9a-f]+,.*R_X86_64_32S\s+\.kprobes\.text\+0x([0-9a-f]+)/) {
			$jumped{hex($1)} = $jumped{hex($1) - 1} = RETURN;
		}
		next unless defined $frame;
		$frame += RETURN if $instruction =~ /^push/;
		$frame -= RETURN if $instruction =~ /^pop/;
		$frame -= hex($1) if $instruction =~ /^addq? +\$0x([0-9a-f]+),%rsp/;
		$frame += hex($1) if $instruction =~ /^subq? +\$0x([0-9a-f]+),%rsp/;
		# When the hook has removed its return address, the stack is as at the call of the
		# hooked function.
		if ($frame == 0) {
			$skips++;
			$frame = RETURN;
		}
		$frame = undef if $instruction =~ /^(jmp|ret)/;
	}
	print "$hook endbr: $endbr indirect: $indirect ret: $ret unwound: $unwound of $count skips: $skips\n";
}
