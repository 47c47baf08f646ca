// A program that knows nothing of arlab: calls MPI_Allreduce in every way, and checks each result.
// Prints "calls N, wrong N" on rank 0; exit status 1 if any result is wrong.
#include <unistd.h>

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

long calls = 0, wrong = 0;

template <class T>
T input(int rank, int i) {
  return static_cast<T>((rank + i) % 5 + 1);
}

template <class T>
T expected(MPI_Op op, int ranks, int i) {
  T value = input<T>(0, i);
  for (int r = 1; r < ranks; ++r) {
    const T next = input<T>(r, i);
    if (op == MPI_SUM) value = static_cast<T>(value + next);
    if (op == MPI_PROD) value = static_cast<T>(value * next);
    if (op == MPI_MIN) value = next < value ? next : value;
    if (op == MPI_MAX) value = next > value ? next : value;
  }
  return value;
}

template <class T>
void check(MPI_Comm comm, MPI_Datatype type, int count, bool in_place) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  for (const MPI_Op op : {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX}) {
    if (op == MPI_PROD && ranks > 3) continue;  // fits every type
    std::vector<T> from(static_cast<std::size_t>(count)), into(from.size());
    for (int i = 0; i < count; ++i) from[static_cast<std::size_t>(i)] = input<T>(rank, i);
    const std::vector<T> kept = from;
    if (in_place) into = from;
    const int code =
        MPI_Allreduce(in_place ? MPI_IN_PLACE : from.data(), into.data(), count, type, op, comm);
    ++calls;
    bool good = code == MPI_SUCCESS && from == kept;
    for (int i = 0; i < count; ++i)
      good = good && into[static_cast<std::size_t>(i)] == expected<T>(op, ranks, i);
    wrong += good ? 0 : 1;
  }
}

void check_all(MPI_Comm comm) {
  for (const int count : {0, 1, 3, 100, 1000, 20011}) {
    for (const bool in_place : {false, true}) {
      check<float>(comm, MPI_FLOAT, count, in_place);
      check<double>(comm, MPI_DOUBLE, count, in_place);
      check<int>(comm, MPI_INT, count, in_place);
      check<long>(comm, MPI_LONG, count, in_place);
      check<unsigned char>(comm, MPI_UNSIGNED_CHAR, count, in_place);
      check<unsigned long long>(comm, MPI_UINT64_T, count, in_place);
      check<short>(comm, MPI_SHORT, count, in_place);  // not ours
    }
  }
}

// Twice the sum, by an operation and a type of the program's own.
void add_pairs(void* from, void* into, int* count, MPI_Datatype*) {
  for (int i = 0; i < 2 * *count; ++i) static_cast<int*>(into)[i] += static_cast<int*>(from)[i];
}

void check_own_type(MPI_Comm comm) {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Op_create(add_pairs, 1, &op);
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  int from[2] = {1, 2}, into[2] = {0, 0};
  MPI_Allreduce(from, into, 1, pair, op, comm);
  ++calls;
  wrong += into[0] == ranks && into[1] == 2 * ranks ? 0 : 1;
  MPI_Op_free(&op);
  MPI_Type_free(&pair);
}

// Two groups: each gets the other's sum.
void check_two_groups(int rank, int ranks) {
  if (ranks < 2) return;
  const bool low = rank < ranks / 2;
  MPI_Comm mine = MPI_COMM_NULL, both = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, low ? 0 : 1, rank, &mine);
  MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, low ? ranks / 2 : 0, 7, &both);
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, both);
  ++calls;
  wrong += sum == (low ? ranks - ranks / 2 : ranks / 2) ? 0 : 1;
  check_all(mine);
  MPI_Comm_free(&both);
  MPI_Comm_free(&mine);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  // It computes, and needs no processor.
  if (argc > 1) sleep(static_cast<unsigned>(std::atoi(argv[1])));
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  check_all(MPI_COMM_WORLD);
  check_all(MPI_COMM_SELF);
  for (int again = 0; again < 2; ++again) {  // what is kept for a communicator goes with it
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    check<double>(copy, MPI_DOUBLE, 1000, false);
    MPI_Comm_free(&copy);
  }
  check_own_type(MPI_COMM_WORLD);
  check_two_groups(rank, ranks);
  for (int count = 1; count < 200; ++count)  // more sizes than plans are kept
    check<int>(MPI_COMM_WORLD, MPI_INT, count, false);
  long all = 0;
  MPI_Reduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("calls %ld, wrong %ld\n", calls, all);
  MPI_Bcast(&all, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
