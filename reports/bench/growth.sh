#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What each loop over stored things costs as they grow: the number doubles five times, and the CPU time of the last
# three steps must not grow faster than N^1.15. The least of RUNS=N runs (3) counts. WORDS as arguments: only
# the lines that contain one of them. KEEP=FOLDER leaves the databases there.
# shellcheck disable=SC2034,SC2317 # grows() evaluates its words
set -euo pipefail
source tests/support/bench.bash
folder=${KEEP:-$(mktemp -d)}
[ -n "${KEEP:-}" ] || trap 'rm -r "$folder"' EXIT
most=1.15
failed=0

# database FILE POINTS ALLOCATIONS CAMPAIGNS STEPS [NODES]: a sweep of so many points, each run once in every
# allocation of every campaign, over four days each; with NODES each allocation is on four of them, which a canary reads.
database() {
  local file=$1 points=$2 allocations=$3 campaigns=$4 steps=$5 nodes=${6:-0}
  rm -f "$file"
  build/pippin --db "$file" --quiet collect "$folder/nothing"
  sqlite3 -bail "$file" <<SQL >"$folder/out"
PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;
INSERT INTO sweeps (name) VALUES ('s');
INSERT INTO campaigns (sweep, number, started, cluster, run_order, seed, warmup)
  SELECT 1, value, datetime(1767225600 + value * 4 * 86400, 'unixepoch'), 'local', 'blocks', '1', 1
  FROM generate_series(1, $campaigns);
INSERT INTO points (id, name, trainer, size, style, layers, hidden, heads, seq, vocab, params, tp, pp, dp, mbs, gas, gpus, gbs)
  SELECT printf('%016x', value), 'p' || value, 'training', '52B', 'gpt2', 64, 8192, 32, 1024, 50257, 52000000000,
         4, 1, 4, 1, value, 16, 4 * value FROM generate_series(1, $points);
INSERT INTO campaign_points (campaign, position, point, state)
  SELECT c.value, p.value, printf('%016x', p.value), 'planned'
  FROM generate_series(1, $campaigns) AS c, generate_series(1, $points) AS p;
INSERT INTO allocations (campaign, name, number)
  SELECT c.value, 's-c' || c.value || '-a' || a.value, a.value
  FROM generate_series(1, $campaigns) AS c, generate_series(1, $allocations) AS a;
INSERT INTO runs (name, point, allocation, repeat, position, state, started_at, scraper_version)
  SELECT 'p' || p.value || '-' || a.name, printf('%016x', p.value), a.id, 1, p.value, 'ok',
         1767225600 + (4 * a.campaign + a.number % 4) * 86400 + a.number, 1
  FROM allocations AS a, generate_series(1, $points) AS p;
CREATE TEMP TABLE levels AS SELECT id, 1000 + abs(random() % 100) AS level_ms FROM runs;
$(lines_as_blocks "SELECT id AS run, value AS position, (level_ms + abs(random() % 20)) * 1000 AS time_us
                   FROM levels, generate_series(1, $steps)")
SQL
  if [ "$nodes" -eq 0 ]; then return; fi
  sqlite3 -bail "$file" <<SQL >"$folder/out"
PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;
INSERT INTO nodes (id, name) SELECT value, 'n' || value FROM generate_series(1, $nodes);
CREATE TEMP TABLE places AS SELECT a.id AS allocation, n.value AS place, 1 + abs(random() % $nodes) AS node
  FROM allocations AS a, generate_series(1, 4) AS n;
INSERT OR IGNORE INTO run_nodes (run, node) SELECT runs.id, places.node FROM runs JOIN places USING (allocation);
INSERT INTO canary_readings (allocation, number, taken_at, duration_s, ranks, nodes, gemm_m, gemm_n, gemm_k,
                             gemm_min_tflops, gemm_median_tflops, gemm_max_tflops, gemm_slowest_rank, gemm_slowest_host)
  SELECT id, 1, 1767225600, 5, 16, 4, 512, 512, 512, 90 + abs(random() % 10), 100, 101, 0, 'n1' FROM allocations;
INSERT INTO canary_all_reduce (reading, size_bytes, median_us, median_busbw_gb_per_s)
  SELECT id, 4194304, 1000 + abs(random() % 300), 1 FROM canary_readings;
INSERT OR IGNORE INTO canary_nodes (reading, node, gemm_min_tflops, gemm_median_tflops)
  SELECT r.id, 'n' || p.node, 95 + abs(random() % 10), 100 FROM canary_readings AS r JOIN places AS p USING (allocation);
INSERT OR IGNORE INTO canary_pairs (reading, node_a, node_b, bandwidth_gb_per_s)
  SELECT r.id, 'n' || a.node, 'n' || b.node, 10 + abs(random() % 3)
  FROM canary_readings AS r JOIN places AS a USING (allocation) JOIN places AS b USING (allocation)
  WHERE a.place < b.place AND a.node <> b.node;
INSERT INTO run_canaries (run, moment, reading) SELECT runs.id, 'before', r.id FROM runs JOIN canary_readings AS r USING (allocation);
SQL
}

# own_jobs FILE: each run in an allocation of its own, at all hours of its day.
own_jobs() {
  sqlite3 -bail "$1" <<SQL >"$folder/out"
PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;
INSERT INTO allocations (campaign, name, number)
  SELECT a.campaign, 'own-' || runs.id, 1000000 + runs.id FROM runs JOIN allocations AS a ON a.id = runs.allocation;
UPDATE runs SET started_at = started_at / 86400 * 86400 + id * 7919 % 86400,
                allocation = (SELECT max(id) FROM allocations) - (SELECT count(*) FROM runs) + id;
SQL
}

# cpu_us COMMAND RESET: user and system time of a command, the least of some runs.
cpu_us() {
  local i least='' now TIMEFORMAT='%U %S'
  for ((i = 0; i < ${RUNS:-3}; ++i)); do
    eval "$2"
    now=$({ time eval "$1" >"$folder/out"; } 2>&1 | awk 'END {printf "%d", ($1 + $2) * 1e6}')
    if [ -z "$least" ] || [ "$now" -lt "$least" ]; then least=$now; fi
  done
  echo "$least"
}

# grows WHAT FIRST PREPARE COMMAND [RESET]: bash words with $n, $p and $folder. The number of WHAT begins with FIRST;
# PREPARE is run for each number, RESET before each run.
grows() {
  local what=$1 n=$2 prepare=$3 command=$4 reset=${5:-:} i word times='' wanted=''
  for word in "${words[@]}"; do if [[ $what == *"$word"* ]]; then wanted=1; fi; done
  if [ "${#words[@]}" -gt 0 ] && [ -z "$wanted" ]; then return; fi
  for ((i = 0; i < 6; ++i, n *= 2)); do
    eval "$prepare"
    times+="$n $(cpu_us "$command" "$reset") "
  done
  # shellcheck disable=SC2086 # words
  awk -v what="$what" -v most="$most" 'BEGIN {
    for (i = 1; i < ARGC; i += 2) {n[++count] = ARGV[i]; us[count] = ARGV[i + 1]}
    power = log(us[count] / us[count - 3]) / log(n[count] / n[count - 3])
    printf "| %s | %d to %d | %.0f to %.0f | %.2f | %s |\n", what, n[1], n[count], us[1] / 1000, us[count] / 1000,
           power, (power > most ? "too steep" : "")
    exit power > most
  }' $times || failed=1
}

# long_log KIND N: a log of about 50 N iterations.
long_log() {
  rm -rf "$folder/logs"
  mkdir "$folder/logs"
  perl harness/scrape/bench/make_logs.pl "$1" 1 "$((17500 * $2))" "$folder/logs"
}

# new_names N: a log of 5 N iterations, each with ten values of new names.
new_names() {
  rm -rf "$folder/logs"
  mkdir "$folder/logs"
  perl -e 'print "using world size: 8, data-parallel-size: 8, tensor-model-parallel size: 1, pipeline-model-parallel size: 1\n";
    for $i (1 .. 5 * $ARGV[0]) {
      printf " iteration %d/ 9999 | consumed samples: 8 | elapsed time per iteration (ms): 100.%d | global batch size: 8 |%s\n",
        $i, $i % 7, join "", map " m$i-$_: 1.5 |", 1 .. 10;
    }' "$1" >"$folder/logs/a.log"
}

# nested_folders N: as many, each in the one before, and a log in each.
nested_folders() {
  local i at="$folder/logs"
  rm -rf "$folder/logs"
  for ((i = 0; i < $1; ++i)); do
    mkdir "$at"
    printf ' iteration 1/ 9 | consumed samples: 8 | elapsed time per iteration (ms): %d.5 | global batch size: 8 |\n' "$i" \
      >"$at/a.log"
    at+=/d
  done
}

# overlapping N: the trace of one rank, 1000 N calls that are all under way at once.
overlapping() {
  rm -rf "$folder/traces"
  mkdir "$folder/traces"
  perl -e 'print "{\"trace\":1,\"rank\":0,\"tp\":0,\"dp\":0,\"pp\":0,\"node\":\"n1\",\"clock_offset_ns\":0}\n";
    printf "{\"iteration\":1,\"call\":\"tp\",\"bytes\":1,\"begin_ns\":%d,\"busy_ns\":1000000000,\"exposed_ns\":0,\"waiting_ns\":0}\n", $_
      for 1 .. 1000 * $ARGV[0];' "$1" >"$folder/traces/rank-0.jsonl"
}

# small_logs N: as many logs of Megatron's lines, 2 KB each, in $folder/logs.
small_logs() {
  rm -rf "$folder/logs"
  mkdir "$folder/logs"
  awk -v n="$1" -v folder="$folder/logs" 'BEGIN {
    srand(1)
    for (i = 0; i < n; ++i) {
      file = sprintf("%s/%06d.log", folder, i)
      print "using world size: 4, data-parallel-size: 4, tensor-model-parallel size: 1, pipeline-model-parallel size: 1 " >file
      print "------------------------ arguments ------------------------" >file
      print "  hidden_size ..................................... 64" >file
      print "-------------------- end of arguments ---------------------" >file
      for (step = 1; step <= 16; ++step)
        printf " iteration %8d/ 16 | elapsed time per iteration (ms): %.1f | global batch size: 8 |\n", step, 500 + 20 * rand() >file
      close(file)
    }
  }'
  find "$folder/logs" -type f -exec touch -d '1 hour ago' {} +
}

# odd_log N: a log of four steps with 100 N arguments out of order, as many keys of DeepSpeed and timers.
odd_log() {
  rm -rf "$folder/logs"
  mkdir "$folder/logs"
  awk -v n="$((100 * $1))" 'BEGIN {
    print "using world size: 4, data-parallel-size: 4, tensor-model-parallel size: 1, pipeline-model-parallel size: 1 "
    print "------------------------ arguments ------------------------"
    for (i = n; i > 0; --i) printf "  argument_%d ............... %d\n", i, i
    print "  hidden_size ..................................... 64"
    print "-------------------- end of arguments ---------------------"
    print "[2021-05-25 22:30:04,196] [INFO] [config.py:754:print]   json = {"
    for (i = n; i > 0; --i) printf "    \"key_%d\": %d,\n", i, i
    print "}"
    for (step = 1; step <= 4; ++step) {
      printf " iteration %8d/ 4 | elapsed time per iteration (ms): 500.0 | global batch size: 8 |\n", step
      printf "time (ms)"
      for (i = n; i > 0; --i) printf " | timer_%d: %d.00", i, i % 100
      print ""
    }
  }' >"$folder/logs/odd.log"
}

# rank_files JOBS RANKS: jobs of which each rank prints its steps into a file of its own.
rank_files() {
  rm -rf "$folder/logs"
  mkdir "$folder/logs"
  awk -v jobs="$1" -v ranks="$2" -v folder="$folder/logs" 'BEGIN {
    srand(1)
    for (job = 0; job < jobs; ++job) {
      for (rank = 0; rank < ranks; ++rank) {
        file = sprintf("%s/job%05d/rank%d.log", folder, job, rank)
        if (rank == 0) system("mkdir " folder sprintf("/job%05d", job))
        for (step = 1; step <= 16; ++step)
          printf " iteration %8d/ 16 | elapsed time per iteration (ms): %.1f | global batch size: 8 |\n", step, 500 + 20 * rand() >file
        close(file)
      }
    }
  }'
}

# own_words N: a log of 50 N steps by a trainer that nobody knows.
own_words() {
  rm -rf "$folder/logs"
  mkdir "$folder/logs"
  awk -v n="$((50 * $1))" 'BEGIN {
    srand(1)
    for (step = 1; step <= n; ++step) printf "did step %d in %.1f ms, loss %.3f\n", step, 500 + 20 * rand(), 2 + rand()
  }' >"$folder/logs/own.log"
}

# trainer_log N: a log of 50 N steps of nanoGPT.
trainer_log() {
  rm -rf "$folder/logs"
  mkdir "$folder/logs"
  awk -v n="$((50 * $1))" 'BEGIN {
    srand(1)
    print "tokens per iteration will be: 491,520"
    for (step = 0; step < n; ++step) printf "iter %d: loss %.4f, time %.2fms, mfu 31.20%%\n", step, 2 + rand(), 500 + 20 * rand()
  }' >"$folder/logs/nano.log"
}

# many_launches N: a log of 10 N launches of llm.c, each of one step.
many_launches() {
  rm -rf "$folder/logs"
  mkdir "$folder/logs"
  awk -v n="$((10 * $1))" 'BEGIN {
    for (i = 1; i <= n; ++i) {
      print "| train data pattern    | x |"
      print "step    1/4 | loss 11.0 (+nanz)| norm 55.4 (+nanz)| lr 8.57e-07 | 3056.36 ms | -100.0% bf16 MFU | 343080 tok/s"
    }
  }' >"$folder/logs/llmc.log"
}

# node_lists N: a log that says as many times 50 which nodes its job has, 1,000 of them each time and other ones.
node_lists() {
  rm -rf "$folder/logs"
  mkdir "$folder/logs"
  awk -v n="$((50 * $1))" 'BEGIN {
    for (i = 1; i <= n; ++i) printf "SLURM_JOB_NODELIST=n[%d-%d]\n", i, i + 999
    print " iteration 1/ 1 | elapsed time per iteration (ms): 500.0 | global batch size: 1 |"
  }' >"$folder/logs/train.log"
}

# saves N: a log with as many checkpoints, each behind an iteration.
saves() {
  rm -rf "$folder/logs"
  mkdir "$folder/logs"
  awk -v n="$1" 'BEGIN {
    srand(1)
    for (step = 1; step <= n; ++step) {
      printf " iteration %8d/ %d | elapsed time per iteration (ms): %.1f | global batch size: 8 |\n", step, n, 500 + 20 * rand()
      printf "saving checkpoint at iteration %7d to /checkpoints\n", step
      printf "  successfully saved checkpoint at iteration %7d to /checkpoints\n", step
      printf "time (ms) | save-checkpoint: %.2f\n", 5000 + 200 * rand()
    }
  }' >"$folder/logs/saves.log"
}

# traces RANKS N: of as many ranks, 1000 N records each, in $folder/traces; pipelines have eight stages.
traces() {
  rm -rf "$folder/traces"
  mkdir "$folder/traces"
  awk -v ranks="$1" -v n="$2" -v folder="$folder/traces" 'BEGIN {
    for (rank = 0; rank < ranks; ++rank) {
      file = folder "/rank-" rank ".jsonl"
      printf "{\"trace\":1,\"rank\":%d,\"tp\":0,\"dp\":%d,\"pp\":%d,\"node\":\"n1\",\"clock_offset_ns\":0}\n", rank, rank / 8, rank % 8 >file
      for (i = 0; i < 500 * n; ++i) {
        printf "{\"iteration\":%d,\"activity\":\"forward-compute\",\"begin_ns\":%d,\"duration_ns\":52000}\n", 1 + i / 50, i * 61000 >file
        printf "{\"iteration\":%d,\"call\":\"pp\",\"bytes\":65536,\"to\":%d,\"begin_ns\":%d,\"busy_ns\":9000,\"exposed_ns\":9000,\"waiting_ns\":0}\n", 1 + i / 50, (rank + 1) % 8, i * 61000 + 52000 >file
      }
      close(file)
    }
  }'
}

# bandwidths N: as many logs of nccl-tests.
bandwidths() {
  rm -rf "$folder/logs"
  mkdir "$folder/logs"
  awk -v n="$1" -v folder="$folder/logs" 'BEGIN {
    srand(1)
    for (i = 0; i < n; ++i) {
      file = sprintf("%s/%06d.log", folder, i)
      print "# nThread 1 nGpus 8 minBytes 1048576 maxBytes 8388608 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0" >file
      print "# Collective test starting: all_reduce_perf" >file
      print "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong" >file
      print "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)" >file
      for (size = 1048576; size <= 8388608; size *= 2) {
        us = size / 1e5 * (1 + rand())
        printf "%12d %12d float sum -1 %.2f %.2f %.2f 0 %.2f %.2f %.2f 0\n", size, size / 4, us, size / us / 1e3, size / us / 1e3 * 1.75, us, size / us / 1e3, size / us / 1e3 * 1.75 >file
      }
      close(file)
    }
  }'
}

# grid N: a sweep of 50 times as many points.
grid() {
  local numbers
  numbers=$(seq --separator=', ' "$1")
  printf 'sweep: grid\ncommand: "x {a} {b}"\ngrid:\n  a: [%s]\n  b: [%s]\n' "$(seq --separator=', ' 50)" "$numbers" \
    >"$folder/grid.yaml"
}

# marked N: notes of as many tables that a report fills, each under 100 lines of text.
marked() {
  awk -v n="$1" 'BEGIN {
    for (i = 0; i < n; ++i) {
      printf "# Part %d\n\n", i
      for (line = 0; line < 100; ++line) print "A line of what somebody found out, and of what there is to do about it."
      print "\n<!-- pippin:begin s --columns point,gas,step_time,notes -->\n<!-- pippin:end -->\n"
    }
  }' >"$folder/marked.md"
}

# kept TABLES ROWS: notes of as many tables that a person keeps, each of so many rows.
kept() {
  awk -v tables="$1" -v rows="$2" 'BEGIN {
    srand(1)
    for (i = 0; i < tables; ++i) {
      print "## Results\n\n| GPUs | size | TP | PP | MBS | GAS | time, ms | notes |\n|---|---|---|---|---|---|---|---|"
      for (row = 1; row <= rows; ++row)
        printf "| 64 | 52B | 4 | 4 | 1 | %d | %.1f | number %d |\n", row, 1000 + 100 * rand(), row
      print ""
    }
  }' >"$folder/kept.md"
}

# wide N: a table of notes with as many columns of one name.
wide() {
  awk -v n="$1" 'BEGIN {
    line = "| GPUs | size | time, ms |"; rule = "|---|---|---|"; row = "| 64 | 52B | 1000 |"
    for (i = 0; i < n; ++i) { line = line " x |"; rule = rule "---|"; row = row " 1 |" }
    print line "\n" rule "\n" row
  }' >"$folder/kept.md"
}

# own_runs N: a sweep of as many short runs beside the database, all of which have ended an hour ago.
own_runs() {
  rm -rf "$folder"/t.db*
  echo " iteration 1/ 1 | elapsed time per iteration (ms): 500.0 | global batch size: 1 |" >"$folder/own.log"
  printf '%s\n' 'sweep: own' 'cluster: local' "command: cat $folder/own.log; true {k}" 'grid: {k: [1]}' 'gpus: 1' "repeats: {allocations: $1}" >"$folder/own.yaml"
  $p --yes run "$folder/own.yaml"
  find "$folder/t.db.runs" -exec touch -d '1 hour ago' {} +
}

# packed_runs N: own_runs that are packed.
packed_runs() {
  own_runs "$1"
  $p pack own
}

# job RUNS: one that does nothing so often, taken back before the queue could begin it.
job() {
  local q="build/pippin --db $folder/job.db --quiet --yes"
  rm -rf "$folder/job.db" "$folder/job.db.runs"
  printf 'sweep: job\ncommand: "true {a}"\ngrid: {a: [%s]}\n' "$(seq --separator=', ' "$1")" >"$folder/job.yaml"
  TMPDIR=$folder flock --close "$folder/pippin-$(id -u).lock" bash -c "$q submit $folder/job.yaml && $q cancel job"
}

# campaigns_before N: of one sweep, each taken back before it began.
campaigns_before() {
  local q="build/pippin --db $folder/t.db --quiet --yes"
  rm -rf "$folder"/t.db*
  printf 'sweep: s\ncommand: "true {a}"\ngrid: {a: [1, 2]}\n' >"$folder/s.yaml"
  TMPDIR=$folder flock --close "$folder/pippin-$(id -u).lock" bash -c \
    "for ((i = 1; i <= $1; ++i)); do $q submit --again $folder/s.yaml && $q cancel s/\$i; done"
}

# looked_at POINTS/50 ALLOCATIONS: a campaign of which every run but the last succeeded an hour ago, and is stored.
looked_at() {
  local q="build/pippin --db $folder/t.db --quiet --yes" runs
  rm -rf "$folder"/t.db*
  printf 'sweep: s\ncommand: "true {a} {b}"\ngrid: {a: [%s], b: [%s]}\nrepeats: {allocations: %s}\n' \
    "$(seq --separator=', ' 50)" "$(seq --separator=', ' "$1")" "$2" >"$folder/s.yaml"
  TMPDIR=$folder flock --close "$folder/pippin-$(id -u).lock" bash -c "$q submit $folder/s.yaml && $q cancel s"
  runs=$folder/t.db.runs/s
  mkdir -p "$runs/outcomes"
  awk -F '\t' '$1 == "task" {for (i = 3; i <= NF; ++i) print $i}' "$runs"/jobs/*/journal | head -n -1 >"$folder/names"
  sed 's/$/\tok/' "$folder/names" >"$runs/outcomes/n1-1"
  last=$(tail -n 1 "$folder/names")
  mkdir -p "$runs/$last/1-local-0"
  printf 'pippin: started=1767225500\npippin: exit=0 ended=1767225600 started=1767225500\n' >"$runs/$last/1-local-0/run"
  find "$folder/t.db.runs" -exec touch -d '1 hour ago' {} +
  sqlite3 -bail "$folder/t.db" <<SQL >"$folder/out"
CREATE TEMP TABLE names (name TEXT);
.import $folder/names names
INSERT INTO allocations (campaign, name, number) SELECT id, 'all', 1 FROM campaigns;
INSERT INTO runs (name, point, allocation, repeat, position, state, scraper_version)
  SELECT names.name, (SELECT id FROM points), allocations.id, 1, 1, 'ok', 1 FROM names, allocations;
SQL
  sleep 3 # nothing that may change unseen is kept
}

# megatron POINTS/4: a sweep of Megatron's command, whose points are judged before they run.
megatron() {
  printf '%s\n' 'sweep: m' 'cluster: polaris-a100-40g' 'model: {size: 6.7B}' 'gpus: 64' 'run_time: predicted' \
    "grid: {tp: [2, 4], mbs: [1, 2], gas: [$(seq --separator=', ' "$1")]}" \
    'command: train --num-layers {layers} --hidden-size {hidden} --num-attention-heads {heads} --seq-length {seq}
      --tensor-model-parallel-size {tp} --micro-batch-size {mbs} --global-batch-size {gbs} --train-iters {iterations}
      --vocab-size {vocab} --use-distributed-optimizer --use-flash-attn --bf16' >"$folder/megatron.yaml"
}

# layouts N: a table of as many, each with a time.
layouts() {
  awk -v n="$1" 'BEGIN {
    print "id\tgroup\tlayers\thidden\theads\tseq\tvocab\tprecision\tgpu\tgpu_mem_gb\tgpus_per_node\tn_gpus\ttp\tpp\tmbs\tgbs\tzero\trecompute\tattn\tframework\tstep_s"
    for (i = 1; i <= n; ++i)
      printf "%d\tg\t32\t4096\t32\t2048\t50257\tbf16\tA100-SXM4\t80\t8\t64\t2\t2\t1\t%d\t1\tnone\tflash\tMegatron-Core\t%f\n", i, 16 * i, 0.5 * i + 0.1
  }' >"$folder/layouts.tsv"
}

words=("$@")
mkdir -p "$folder/nothing"
p="build/pippin --db $folder/t.db --quiet"
echo "| of | N | CPU, ms | N to the power of | |"
echo "|---|---|---|---|---|"
# shellcheck disable=SC2016 # for grows
{
  grows 'report, the first time: runs' 250 'database "$folder/t.db" $((n / 5)) 5 1 40' '$p report --format csv' \
    'sqlite3 "$folder/t.db" "DELETE FROM run_digests"'
  grows 'report: rows' 150 'database "$folder/t.db" "$n" 5 1 3; $p report >"$folder/out"' '$p report'
  grows 'report --by run: runs' 250 'database "$folder/t.db" $((n / 5)) 5 1 3; $p report >"$folder/out"' '$p report --by run'
  for format in csv json markdown; do
    grows "report --by run --format $format: runs" 250 'database "$folder/t.db" $((n / 5)) 5 1 3; $p report >"$folder/out"' \
      '$p report --by run --format $format'
  done
  grows 'report --by run, sorted and chosen: runs' 250 'database "$folder/t.db" $((n / 5)) 5 1 3; $p report >"$folder/out"' \
    '$p report --by run --sort step_time,-gas --where "step_time > 1.05" --format csv'
  grows 'report --plot time: runs' 250 'database "$folder/t.db" $((n / 5)) 5 1 3; $p report >"$folder/out"' '$p report --plot time'
  grows 'report --plot gas: rows' 250 'database "$folder/t.db" "$n" 1 1 3; $p report >"$folder/out"' '$p report --plot gas'
  grows 'report --format html: runs' 1000 'database "$folder/t.db" $((n / 5)) 5 1 3; $p report >"$folder/out"' \
    '$p report --format html -o "$folder/page.html"'
  grows 'report --by campaign: campaigns' 2 'database "$folder/t.db" 50 4 "$n" 3; $p report >"$folder/out"' \
    '$p report s --by campaign'
  grows 'compare: rows' 75 'database "$folder/t.db" "$n" 5 2 3; $p report --pool >"$folder/out"' '$p compare s/1 s/2'
  grows 'compare: allocations' 8 'database "$folder/t.db" 50 "$n" 2 3; $p report --pool >"$folder/out"' '$p compare s/1 s/2'
  grows 'noise: configurations' 75 'database "$folder/t.db" "$n" 5 1 3; $p report >"$folder/out"' '$p noise s'
  grows 'noise: configurations in jobs of their own' 75 \
    'database "$folder/t.db" "$n" 5 1 3; own_jobs "$folder/t.db"; $p report >"$folder/out"' '$p noise s'
  grows 'noise: allocations' 10 'database "$folder/t.db" 50 "$n" 1 3 32; $p report >"$folder/out"' '$p noise s'
  grows 'nodes: nodes of as many allocations' 256 'database "$folder/t.db" 1 "$n" 1 3 "$n"; $p report >"$folder/out"' \
    '$p nodes s'
  grows 'noise: nodes of as many allocations' 256 'database "$folder/t.db" 1 "$n" 1 3 "$n"; $p report >"$folder/out"' \
    '$p noise s'
  grows 'show of a run: runs' 1000 'database "$folder/t.db" $((n / 5)) 5 1 3; $p report >"$folder/out"' '$p show 1'
  grows 'show of a run: lines of its log / 50' 40 'long_log timed "$n"; rm -f "$folder"/t.db*; $p collect "$folder/logs"' \
    '$p show 1'
  grows 'show of a point: its runs' 1000 'database "$folder/t.db" 1 "$n" 1 3; $p report >"$folder/out"' '$p show p1'
  grows 'show of a point: campaigns' 20 'database "$folder/t.db" 50 4 "$n" 3; $p report >"$folder/out"' '$p show p1'
  grows 'show of a sweep: runs' 1000 'database "$folder/t.db" $((n / 5)) 5 1 3; $p report >"$folder/out"' '$p show s'
  grows 'show of a node: nodes of as many allocations' 256 'database "$folder/t.db" 1 "$n" 1 3 "$n"; $p report >"$folder/out"' \
    '$p show n1'
  # Both have as many runs, of campaigns begun at other times.
  grows 'merge: runs of each' 625 'database "$folder/o.db" $((n / 5)) 5 1 20; database "$folder/base.db" $((n / 5)) 5 1 20
    sqlite3 "$folder/o.db" "UPDATE campaigns SET started = '\''2026-05-01T00:00:00Z'\''; UPDATE runs SET started_at = started_at + 7"' \
    '$p merge "$folder/o.db"' 'cp "$folder/base.db" "$folder/t.db"; rm -f "$folder"/t.db-*'
  grows 'merge of what is there: runs' 625 'database "$folder/o.db" $((n / 5)) 5 1 20; cp "$folder/o.db" "$folder/t.db"
    $p report >"$folder/out"' '$p merge "$folder/o.db"'
  grows 'collect: small logs' 250 'small_logs "$n"' '$p collect "$folder/logs"' 'rm -f "$folder"/t.db*'
  for kind in dense timed; do
    grows "collect: lines of one $kind log / 50" 40 'long_log $kind "$n"' '$p collect "$folder/logs"' 'rm -f "$folder"/t.db*'
  done
  grows 'collect: launches of one log / 10' 100 'many_launches "$n"' '$p collect "$folder/logs"' 'rm -f "$folder"/t.db*'
  grows 'collect: arguments, keys and timers / 100' 20 'odd_log "$n"' '$p collect "$folder/logs"' 'rm -f "$folder"/t.db*'
  grows 'collect of a log that has grown by a line: lines / 50' 40 \
    'long_log dense "$n"; rm -f "$folder"/[tb].db*; build/pippin --db "$folder/b.db" --quiet collect "$folder/logs"
     sed -n "\$p" "$folder"/logs/*.log | sed "s/^ iteration *[0-9]*/ iteration 90000/" >>"$(ls "$folder"/logs/*.log)"' \
    '$p collect "$folder/logs"' 'rm -f "$folder"/t.db*; cp "$folder/b.db" "$folder/t.db"'
  grows 'collect of what is there: small logs' 250 'small_logs "$n"; rm -f "$folder"/t.db*; $p collect "$folder/logs"' \
    '$p collect "$folder/logs"' 'touch "$folder"/logs/*'
  grows 'collect of what more is said of: small logs' 250 \
    'small_logs "$n"; rm -f "$folder"/[tb].db*; build/pippin --db "$folder/b.db" --quiet collect --set queue=a "$folder/logs"' \
    '$p collect --set partition=b "$folder/logs"' 'rm -f "$folder"/t.db*; cp "$folder/b.db" "$folder/t.db"'
  grows 'collect of what did not change: small logs' 2000 'small_logs "$n"; rm -f "$folder"/t.db*; $p collect "$folder/logs"' \
    '$p collect "$folder/logs"'
  grows 'collect: own runs' 25 'own_runs "$n"' '$p collect' 'rm -f "$folder"/t.db "$folder"/t.db-*'
  grows 'collect of what did not change: own runs' 25 'own_runs "$n"; $p collect' '$p collect'
  grows 'pack: own runs' 25 'own_runs "$n"' '$p pack own' '$p pack --undo own'
  grows 'collect: packed runs' 25 'packed_runs "$n"' '$p collect' 'rm -f "$folder"/t.db "$folder"/t.db-*'
  grows 'status: packed runs' 25 'packed_runs "$n"; $p status >"$folder/out"' '$p status'
  grows 'collect: jobs of eight files' 16 'rank_files "$n" 8' '$p collect "$folder/logs"' 'rm -f "$folder"/t.db*'
  grows 'collect: files of one job' 64 'rank_files 1 "$n"' '$p collect "$folder/logs"' 'rm -f "$folder"/t.db*'
  grows 'collect by patterns: lines / 50' 40 'own_words "$n"' \
    '$p collect --scrape "step=step (\d+)" --scrape "step_time=in ([0-9.]+) ms" "$folder/logs"' 'rm -f "$folder"/t.db*'
  grows 'collect of another trainer: lines / 50' 40 'trainer_log "$n"' '$p collect "$folder/logs"' 'rm -f "$folder"/t.db*'
  grows 'collect: names of values of one log / 50' 40 'new_names "$n"' '$p collect "$folder/logs"' 'rm -f "$folder"/t.db*'
  grows 'collect: folders in each other' 12 'nested_folders "$n"' '$p collect "$folder/logs"' 'rm -f "$folder"/t.db*'
  grows 'collect: lists of nodes of one log / 50' 40 'node_lists "$n"' '$p collect "$folder/logs"' 'rm -f "$folder"/t.db*'
  grows 'collect: checkpoints' 500 'saves "$n"' '$p collect "$folder/logs"' 'rm -f "$folder"/t.db*'
  grows 'report --checkpoints: checkpoints' 500 'saves "$n"; rm -f "$folder"/t.db*; $p collect "$folder/logs"' '$p report --checkpoints'
  grows 'collect: tables of collectives' 100 'bandwidths "$n"' '$p collect "$folder/logs"' 'rm -f "$folder"/t.db*'
  grows 'report --collectives: tables' 100 'bandwidths "$n"; rm -f "$folder"/t.db*; $p collect "$folder/logs"' '$p report --collectives'
  grows 'report --update: marked tables' 12 'database "$folder/t.db" 5 3 1 3; marked "$n"; $p report --update "$folder/marked.md"' \
    '$p report --update "$folder/marked.md"'
  grows 'import: tables' 50 'kept "$n" 4' '$p import "$folder/kept.md"' 'rm -f "$folder"/t.db*'
  grows 'import: rows of a table' 200 'kept 1 "$n"' '$p import "$folder/kept.md"' 'rm -f "$folder"/t.db*'
  grows 'import: columns of one name' 1000 'wide "$n"' '$p import "$folder/kept.md"' 'rm -f "$folder"/t.db*'
  for format in terminal csv json; do
    grows "plan --format $format: points / 50" 250 'grid "$n"' '$p plan "$folder/grid.yaml" --format $format'
  done
  grows 'plan of a command of Megatron: points / 4' 50 'megatron "$n"' '$p plan "$folder/megatron.yaml" --format csv'
  grows 'estimate of a sweep: points / 4' 50 'megatron "$n"' '$p estimate "$folder/megatron.yaml" --format csv'
  grows 'plan --max-model: points / 4' 25 'megatron "$n"' '$p plan "$folder/megatron.yaml" --max-model --format csv'
  grows 'estimate --points: rows' 250 'layouts "$n"' '$p estimate --points "$folder/layouts.tsv" --format csv'
  grows 'estimate --calibrate-on: rows' 25 'layouts "$n"' \
    '$p estimate --points "$folder/layouts.tsv" --calibrate-on "$folder/layouts.tsv" --format csv'
  grows 'job script: runs' 50 'job "$n"' 'setsid --wait bash "$folder"/job.db.runs/job/jobs/job-*/job.sh' \
    'rm -rf "$folder"/job.db.runs/job/{model-*,outcomes,jobs/job-*/claim-*}'
  # The first look reads the manifest; the next see what is kept; one run has come or gone since the others.
  grows 'status, the first time: runs / 50' 60 'looked_at "$n" 1' '$p status' 'rm -f "$folder"/t.db.runs/s/.c*'
  grows 'status of what did not change: runs / 50' 60 'looked_at "$n" 1; $p status >"$folder/out"' '$p status'
  grows 'status of what changed: runs / 50' 60 'looked_at "$n" 1; $p status >"$folder/out"' '$p status' \
    'printf "new\tok\n" >>"$folder/t.db.runs/s/outcomes/n1-1"'
  grows 'status of what did not change: jobs of 50 runs' 60 'looked_at 1 "$n"; $p status >"$folder/out"' '$p status'
  grows 'list: runs / 50' 60 'looked_at "$n" 1' '$p list'
  grows 'list: campaigns before' 10 'campaigns_before "$n"' '$p list'
  grows 'status: campaigns before' 10 'campaigns_before "$n"' '$p status' \
    'find "$folder/t.db.runs/s/jobs" -name ended -delete'
  grows 'status of what did not change: campaigns before' 10 'campaigns_before "$n"; $p status >"$folder/out"' '$p status'
  grows 'tail: runs / 50' 60 'looked_at "$n" 1; $p status >"$folder/out"' '$p tail "$last"'
  grows 'trace of timers: lines / 50' 40 'long_log timed "$n"; rm -f "$folder"/t.db*; $p collect "$folder/logs"' '$p trace 1'
  grows 'trace: records of 8 ranks / 1000' 2 'traces 8 "$n"; $p collect tests/data/trainers/megatron.log' \
    '$p trace 1 --traces "$folder/traces"'
  grows 'trace: ranks of 100 records' 32 'traces "$n" 0.1; $p collect tests/data/trainers/megatron.log' \
    '$p trace 1 --traces "$folder/traces"'
  grows 'trace: calls that overlap / 1000' 4 'overlapping "$n"; $p collect tests/data/trainers/megatron.log' \
    '$p trace 1 --traces "$folder/traces"'
  grows 'list: campaigns' 300 'database "$folder/t.db" 1 1 "$n" 1' '$p list'
}
exit "$failed"
