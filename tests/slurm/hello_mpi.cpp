// SPDX-License-Identifier: Apache-2.0
// Each rank of a job says who and where it is, once all have been heard.
#include <cstdio>
#include <cstdlib>
#include <mpi.h>

int main(int argc, char* argv[]) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int one = 1;
  int size = 0;
  MPI_Allreduce(&one, &size, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const char* node = std::getenv("SLURMD_NODENAME");
  std::printf("rank %d of %d on %s\n", rank, size, node ? node : "no node");
  MPI_Finalize();
}
