# SPDX-License-Identifier: Apache-2.0
# After the prolog, whatever that chose: a run that fails is not the end of the job. Modules and
# paths are what the runs see.
# shellcheck disable=SC2034,SC2154 # variables of the other parts

pippin_began=1
set +efuCET -o pipefail # of "train | tee log" the trainer's exit code
shopt -u failglob
trap - ERR DEBUG RETURN
trap 'pippin_signalled=1 pippin_time_up=1' USR1
trap 'pippin_stop TERM' TERM
trap 'pippin_stop INT' INT
# Two seconds before a scheduler's SIGSTOP. SIGCONT comes with SIGTERM, too, which ends the child: of one that
# ends as a signal comes bash's wait forgets how.
trap 'pippin_signalled=1 pippin_suspended=1' TSTP
# "export: NONE" is for what sbatch hands to this script; the ranks get what it has.
if [ "${SLURM_EXPORT_ENV:-}" = NONE ]; then export SLURM_EXPORT_ENV=ALL; fi
pippin_provenance
