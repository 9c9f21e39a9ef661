#!/usr/bin/perl
# Writes logs like those of Megatron-LM into a folder: make_logs.pl KIND COUNT BYTES FOLDER
#   noisy  an iteration in about 16 KB of what NCCL, Python, DeepSpeed and progress bars print
#   dense  nothing but iterations
#   timed  each iteration with its timers
#   small  nothing but iterations, behind a dump of the model and its layout
#   unsaid the same behind a dump of one line, which does not say the model
# The same arguments give the same bytes.
use strict;
use warnings;

my ($kind, $count, $bytes, $folder) = @ARGV;
die "usage: make_logs.pl noisy|dense|timed|small|unsaid COUNT BYTES FOLDER\n"
  unless defined $folder && $kind =~ /^(noisy|dense|timed|small|unsaid)$/;

my $dump = join '', "using world size: 64, data-parallel-size: 4, tensor-model-parallel size: 4, "
  . "pipeline-model-parallel size: 4 \n", "------------------------ arguments ------------------------\n",
  (map { sprintf "  %s %s %s\n", $_->[0], '.' x (48 - length $_->[0]), $_->[1] }
    ['global_batch_size', 512], ['hidden_size', 4096], ['log_interval', 1], ['micro_batch_size', 2],
    ['num_attention_heads', 32], ['num_layers', 32], ['pipeline_model_parallel_size', 4],
    ['rank', 0], ['seq_length', 2048], ['tensor_model_parallel_size', 4], ['train_iters', 100000],
    ['world_size', 64], map { ["option_$_", "value $_"] } 1 .. 120),
  "-------------------- end of arguments ---------------------\n";

$dump =~ s/^  option_.*\n//mg if $kind eq 'small';
$dump =~ s/^  (?!hidden_size).*\n//mg if $kind eq 'unsaid';

my @words = qw(the optimizer step all reduce bucket loading shard of dataset cache checkpoint rank
  buffer stream kernel memory module forward backward warning deprecated tensor gradient average
  torch distributed launch worker process group created index sample epoch file path done took);

sub noise {
  my $host = sprintf 'node%02d', rand 16;
  my $pick = rand;
  if ($pick < 0.35) {
    return sprintf "%s:%d:%d [%d] NCCL INFO Channel %02d/0 : %d[%x] -> %d[%x] via P2P/IPC/read\n",
      $host, 3000 + rand 90, 3100 + rand 90, rand 8, rand 24, rand 64, rand 65536, rand 64, rand 65536;
  }
  if ($pick < 0.5) {
    return sprintf "[2026-05-%02d %02d:%02d:%02d,%03d] [INFO] [engine.py:%d:%s] %s\n", 1 + rand 28,
      rand 24, rand 60, rand 60, rand 1000, rand 3000, $words[rand @words], join ' ',
      map { $words[rand @words] } 1 .. 3 + rand 9;
  }
  if ($pick < 0.6) {
    return sprintf "Loading: %3d%%|%s| %d/%d [%02d:%02d<%02d:%02d, %.2fit/s]\r", rand 100,
      '#' x rand 20, rand 1000, 1000, rand 60, rand 60, rand 60, rand 60, rand 90;
  }
  if ($pick < 0.7) {
    return sprintf "%s: UserWarning: %s is deprecated, use %s(%d)\n", '/opt/lib/python3.11/' . join('/',
      map { $words[rand @words] } 1 .. 4), $words[rand @words], $words[rand @words], rand 100;
  }
  return join(' ', map { rand() < 0.15 ? sprintf '%.4f', rand 1000 : $words[rand @words] } 1 .. 5 + rand 20)
    . "\n";
}

sub iteration {
  my ($number) = @_;
  my $line = sprintf " iteration %8d/  100000 | consumed samples: %12d | consumed tokens: %14d | "
    . "elapsed time per iteration (ms): %.1f | learning rate: %.3E | global batch size:   512 | "
    . "lm loss: %.6E | loss scale: 65536.0 | grad norm: %.3f | num zeros: 0.0 | "
    . "number of skipped iterations:   0 | number of nan iterations:   0 |\n",
    $number, $number * 512, $number * 512 * 2048, 3000 + rand 200, 1e-4 + $number * 1e-9,
    2 + rand, 0.5 + rand;
  return $line if $kind ne 'timed';
  return $line . sprintf "time (ms) | forward-compute: %.2f | backward-compute: %.2f | "
    . "backward-params-all-reduce: %.2f | optimizer: %.2f | batch-generator: %.2f\n",
    1000 + rand 90, 2000 + rand 90, rand 90, rand 20, rand 5;
}

# A block of noise that all logs share in another order: to make each line anew would take hours.
srand 1;
my @blocks = map { join '', map { noise() } 1 .. 150 } 1 .. 200;
for my $number (1 .. $count) {
  srand $number;
  open my $log, '>', sprintf('%s/%s-%06d.log', $folder, $kind, $number) or die "$folder: $!\n";
  my $written = length $dump;
  print $log $dump;
  for (my $iteration = 1; $written < $bytes; ++$iteration) {
    my $text = iteration($iteration);
    $text = $blocks[rand @blocks] . $text if $kind eq 'noisy';
    $written += length $text;
    print $log $text;
  }
  close $log or die "$folder: $!\n";
}
