// Where a step of several processes spends its time: loaded before OpenMPI, it takes the time of every all-reduce, apart from what
// the processes wait for each other before it. See bench/slow_network.sh.
#include <mpi.h>
#include <stdio.h>

static double begun, ended, waited, summed;
static int count;

int MPI_Allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  double before = MPI_Wtime();
  PMPI_Barrier(comm);
  double ready = MPI_Wtime();
  int code = PMPI_Allreduce(from, to, n, type, op, comm);
  ended = MPI_Wtime();
  // The first ten steps start up.
  if (++count == 10) begun = ended;
  if (count > 10) waited += ready - before, summed += ended - ready;
  return code;
}

int MPI_Finalize(void) {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double each = 1e3 / (count - 10), whole = ended - begun;
  if (rank == 0 && count > 10)
    printf("%.2f ms a step, %.2f ms of it all-reduce (%.1f %%), %.2f ms waiting for the other\n", each * whole, each * summed,
           100 * summed / whole, each * waited);
  return PMPI_Finalize();
}

#ifdef ALONE
#include <stdlib.h>

// All-reduces of as many numbers as the argument says, and nothing else.
int main(int given, char **arguments) {
  MPI_Init(&given, &arguments);
  int n = atoi(arguments[1]);
  float *from = calloc(n, sizeof *from), *to = calloc(n, sizeof *to);
  for (int i = 0; i < 60; i++) MPI_Allreduce(from, to, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  return MPI_Finalize();
}
#endif
