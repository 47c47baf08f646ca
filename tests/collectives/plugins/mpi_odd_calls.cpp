// A program that knows nothing of arlab, and calls what is rare: mpi_odd_calls WHAT. Its status is
// 1 if a result is wrong. WHAT:
//
//   types   a type that repeats one of Fortran's, which may not be freed
//   empty   a rank without elements that gives the same address twice
//   spawn   a rank and three that it starts, as one communicator
//   large   a type of more than 2 GiB
//   attributes  a communicator whose attributes count their copies
//   in_place    a broadcast in place, which MPI refuses
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Open MPI's and MPICH's question whether they take memory of GPUs; this one stands for theirs.
extern "C" int MPIX_Query_cuda_support() { return std::getenv("TEST_TAKES_GPU_MEMORY") ? 1 : 0; }

namespace {

constexpr int kFirstCalls = 8;  // after which a communicator may share memory

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int ranks_of(MPI_Comm comm) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  return ranks;
}

bool sums(MPI_Comm comm, int elements, int calls) {
  bool good = true;
  for (int call = 0; call < calls; ++call) {
    const std::vector<double> from(static_cast<std::size_t>(elements), 1 + rank_of(comm));
    std::vector<double> into(from.size());
    MPI_Allreduce(from.data(), into.data(), elements, MPI_DOUBLE, MPI_SUM, comm);
    const int ranks = ranks_of(comm), sum = ranks * (ranks + 1) / 2;
    good = good && into.front() == sum && into.back() == sum;
  }
  return good;
}

bool types() {
  MPI_Datatype of_fortran = MPI_DATATYPE_NULL, four = MPI_DATATYPE_NULL, copy = MPI_DATATYPE_NULL;
  MPI_Type_create_f90_real(15, 300, &of_fortran);
  MPI_Type_contiguous(4, of_fortran, &four);
  MPI_Type_commit(&four);
  MPI_Type_dup(of_fortran, &copy);
  bool good = sums(MPI_COMM_WORLD, 1, kFirstCalls);
  for (int root = 0; root < ranks_of(MPI_COMM_WORLD); ++root) {
    std::vector<double> x(8, rank_of(MPI_COMM_WORLD));
    MPI_Bcast(x.data(), 1, four, root, MPI_COMM_WORLD);
    MPI_Bcast(x.data() + 4, 4, copy, root, MPI_COMM_WORLD);
    good = good && x == std::vector<double>(8, root);
  }
  MPI_Type_free(&four);
  MPI_Type_free(&copy);
  return good;
}

bool empty() {
  bool good = sums(MPI_COMM_WORLD, 1, kFirstCalls);
  const int rank = rank_of(MPI_COMM_WORLD), ranks = ranks_of(MPI_COMM_WORLD);
  std::vector<int> counts(static_cast<std::size_t>(ranks), 256);
  counts.back() = 0;
  std::vector<double> from(static_cast<std::size_t>(256 * (ranks - 1)), 1), into(256);
  const bool is_last = rank == ranks - 1;
  for (int call = 0; call < kFirstCalls; ++call)
    MPI_Reduce_scatter(from.data(), is_last ? from.data() : into.data(), counts.data(), MPI_DOUBLE,
                       MPI_SUM, MPI_COMM_WORLD);
  return good && from.back() == 1 && (is_last || into.back() == ranks);
}

// Settings of the job that starts it, which another one does not inherit everywhere.
std::vector<std::string> settings() {
  std::vector<std::string> all;
  for (char** entry = environ; *entry; ++entry)
    if (const std::string_view text = *entry;
        text.starts_with("ARLAB_") || text.starts_with("LD_PRELOAD="))
      all.emplace_back(text);
  return all;
}

bool spawn(std::string program) {
  MPI_Comm parent = MPI_COMM_NULL, both = MPI_COMM_NULL, all = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  const bool starts = parent == MPI_COMM_NULL;
  if (starts) {
    std::vector<std::string> words = settings();
    words.insert(words.end(), {std::move(program), "spawn"});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    MPI_Comm_spawn("/usr/bin/env", arguments.data(), 3, MPI_INFO_NULL, 0, MPI_COMM_SELF, &both,
                   MPI_ERRCODES_IGNORE);
  } else {
    both = parent;
  }
  MPI_Intercomm_merge(both, starts ? 0 : 1, &all);
  const bool good = sums(all, 8, kFirstCalls) && sums(all, 2048, 2) && sums(all, 100'000, 2);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&both);
  return good;
}

bool large() {
  bool good = sums(MPI_COMM_WORLD, 1, kFirstCalls);
  constexpr std::size_t kBlock = 1 << 20, kBlocks = 2049;
  MPI_Datatype block = MPI_DATATYPE_NULL, all = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(kBlock, MPI_BYTE, &block);
  MPI_Type_commit(&block);
  MPI_Type_contiguous(kBlocks, block, &all);
  MPI_Type_commit(&all);
  const bool is_root = rank_of(MPI_COMM_WORLD) == 0;
  const auto x = std::make_unique_for_overwrite<unsigned char[]>(kBlock * kBlocks);
  x[kBlock * kBlocks - 1] = is_root ? 7 : 0;
  MPI_Bcast(x.get(), is_root ? 1 : kBlocks, is_root ? all : block, 0, MPI_COMM_WORLD);
  good = good && x[kBlock * kBlocks - 1] == 7;
  MPI_Type_free(&all);
  MPI_Type_free(&block);
  return good;
}

int copies = 0, deletions = 0;

// Copies and deletions as in a program that does not duplicate its communicator.
bool attributes() {
  MPI_Comm mine = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &mine);
  int key = MPI_KEYVAL_INVALID;
  const auto copy = [](MPI_Comm, int, void*, void*, void*, int* kept) {
    ++copies;
    return *kept = 0, MPI_ERR_OTHER;
  };
  const auto remove = [](MPI_Comm, int, void*, void*) { return ++deletions, MPI_SUCCESS; };
  MPI_Comm_create_keyval(copy, remove, &key, nullptr);
  MPI_Comm_set_attr(mine, key, nullptr);
  const bool good = sums(mine, 8, kFirstCalls) && sums(mine, 100'000, 2);
  MPI_Comm_free(&mine);
  MPI_Comm_free_keyval(&key);
  return good && copies == 0 && deletions == 1;
}

bool in_place() {
  bool good = sums(MPI_COMM_WORLD, 1, kFirstCalls);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  good = good && MPI_Bcast(MPI_IN_PLACE, 8, MPI_INT, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
  return good && sums(MPI_COMM_WORLD, 1, 1);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string_view what = argc > 1 ? argv[1] : "";
  const bool good = what == "types"        ? types()
                    : what == "empty"      ? empty()
                    : what == "spawn"      ? spawn(argv[0])
                    : what == "large"      ? large()
                    : what == "attributes" ? attributes()
                                           : in_place();
  if (!good) std::printf("wrong: %s\n", argv[1]);
  MPI_Finalize();
  return good ? 0 : 1;
}
