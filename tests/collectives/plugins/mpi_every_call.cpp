// A program that knows nothing of arlab: calls each collective of the drop-in library with every
// type and operation, in and out of place, on several communicators and sizes, and compares the
// results with those of the library itself (PMPI_*): bits where the operation is exact, else
// within rounding. Prints "calls N, wrong N" on rank 0; exit status 1 if any result is wrong.
//
//   mpi_every_call [COMMUNICATORS]: instead makes and frees so many, with a few calls on each, and
//   prints what has not been freed.
#include <mpi.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

long calls = 0, wrong = 0;

enum class Kind {
  integer,
  real32,
  real64,
  real_long,
  complex32,
  complex64,
  logical,
  boolean,
  byte,
  pair,
  gaps
};

struct Type {
  MPI_Datatype type;
  Kind kind;
  const char* name;
};

struct Comm {
  explicit Comm(MPI_Comm its) : comm(its) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
  }
  MPI_Comm comm;
  int rank = 0, ranks = 1;
};

std::size_t extent_of(MPI_Datatype type) {
  MPI_Aint low = 0, extent = 0;
  MPI_Type_get_extent(type, &low, &extent);
  return static_cast<std::size_t>(extent);
}

template <class T>
void put(std::vector<std::byte>& data, std::size_t at, T value) {
  std::memcpy(data.data() + at, &value, sizeof value);
}

// Small numbers that products of many ranks do not overflow, but not exact in binary.
std::vector<std::byte> input(const Type& type, std::size_t count, int rank) {
  const std::size_t each = extent_of(type.type);
  std::vector<std::byte> data(count * each);
  for (std::size_t i = 0; i < count; ++i) {
    const int small = static_cast<int>((i * 7 + static_cast<std::size_t>(rank) * 3) % 5);
    const double real = 0.9 + 0.07 * small;
    const std::size_t at = i * each;
    switch (type.kind) {
      case Kind::real32:
        put(data, at, static_cast<float>(real));
        break;
      case Kind::real64:
        put(data, at, real);
        break;
      case Kind::real_long:
        put(data, at, static_cast<long double>(real));
        break;
      case Kind::complex32:
        put(data, at, std::complex<float>(static_cast<float>(real), 0.1f));
        break;
      case Kind::complex64:
        put(data, at, std::complex<double>(real, 0.1));
        break;
      case Kind::boolean:
        put(data, at, small > 1);
        break;
      case Kind::logical:
        put(data, at, small > 1 ? 1 : 0);
        break;
      case Kind::pair:
        put(data, at, small);
        put(data, at + each / 2, rank);
        break;
      case Kind::gaps:
        put(data, at, real);
        put(data, at + sizeof(double), rank);
        break;
      default:
        data[at] = static_cast<std::byte>(small);  // of an integer of any size, little endian
    }
  }
  return data;
}

template <class T>
bool near(const std::byte* a, const std::byte* b, std::size_t bytes) {
  for (std::size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
    T x, y;
    std::memcpy(&x, a + at, sizeof x);
    std::memcpy(&y, b + at, sizeof y);
    const T tolerance = static_cast<T>(sizeof(T) == 4 ? 1e-5 : 1e-12);
    if (!(std::abs(x - y) <= tolerance * (1 + std::abs(y)))) return false;
  }
  return true;
}

bool equal(const std::vector<std::byte>& a, const std::vector<std::byte>& b, Kind kind,
           bool exact) {
  if (kind == Kind::real_long)
    return near<long double>(a.data(), b.data(), a.size());  // and padding
  if (exact || a.empty()) return a == b;
  switch (kind) {
    case Kind::real32:
    case Kind::complex32:
      return near<float>(a.data(), b.data(), a.size());
    case Kind::real64:
    case Kind::complex64:
      return near<double>(a.data(), b.data(), a.size());
    default:
      return a == b;
  }
}

void judge(bool good, const char* call, const char* type, std::size_t count, const Comm& on,
           bool in_place) {
  ++calls;
  if (good) return;
  if (++wrong < 5)
    std::printf("wrong: %s of %zu %s on rank %d of %d%s\n", call, count, type, on.rank, on.ranks,
                in_place ? ", in place" : "");
}

// Whether ours and the library's results agree, of calls that write `into`.
template <class Ours, class Theirs>
void compare(const char* call, const Type& type, std::size_t count, const Comm& on, bool in_place,
             bool exact, const std::vector<std::byte>& start, Ours ours, Theirs theirs) {
  std::vector<std::byte> a = start, b = start;
  const int code_a = ours(a.data()), code_b = theirs(b.data());
  judge(code_a == code_b && equal(a, b, type.kind, exact), call, type.name, count, on, in_place);
}

void check_reductions(const Comm& on, const Type& type, MPI_Op op, std::size_t count,
                      bool in_place) {
  const bool exact = op != MPI_SUM && op != MPI_PROD;
  const int n = static_cast<int>(count);
  const auto mine = input(type, count, on.rank);
  const void* const from = in_place ? MPI_IN_PLACE : mine.data();
  const auto start = in_place ? mine : std::vector<std::byte>(mine.size());
  compare(
      "MPI_Allreduce", type, count, on, in_place, exact, start,
      [&](void* into) { return MPI_Allreduce(from, into, n, type.type, op, on.comm); },
      [&](void* into) { return PMPI_Allreduce(from, into, n, type.type, op, on.comm); });
  const int root = static_cast<int>(count) % on.ranks;
  const void* const given = in_place && on.rank == root ? MPI_IN_PLACE : mine.data();
  const auto result = on.rank == root ? start : std::vector<std::byte>();
  compare(
      "MPI_Reduce", type, count, on, in_place, exact, result,
      [&](void* into) { return MPI_Reduce(given, into, n, type.type, op, root, on.comm); },
      [&](void* into) { return PMPI_Reduce(given, into, n, type.type, op, root, on.comm); });
  const auto ranks = static_cast<std::size_t>(on.ranks);
  const auto blocks = input(type, count * ranks, on.rank);
  const void* const all = in_place ? MPI_IN_PLACE : blocks.data();
  const std::size_t each = extent_of(type.type);
  const auto own = [&](std::size_t elements) {  // what is behind it is not defined in place
    return in_place ? blocks : std::vector<std::byte>(elements * each);
  };
  const auto scatter = [&](const char* call, std::size_t elements, auto ours, auto theirs) {
    auto a = own(elements), b = a;
    const int code_a = ours(a.data()), code_b = theirs(b.data());
    a.resize(elements * each);
    b.resize(elements * each);
    judge(code_a == code_b && equal(a, b, type.kind, exact), call, type.name, count, on, in_place);
  };
  scatter(
      "MPI_Reduce_scatter_block", count,
      [&](void* into) { return MPI_Reduce_scatter_block(all, into, n, type.type, op, on.comm); },
      [&](void* into) { return PMPI_Reduce_scatter_block(all, into, n, type.type, op, on.comm); });
  std::vector<int> counts(ranks, n);
  if (ranks > 1) counts[0] = 0, counts[1] = 2 * n;
  scatter(
      "MPI_Reduce_scatter", static_cast<std::size_t>(counts[static_cast<std::size_t>(on.rank)]),
      [&](void* into) {
        return MPI_Reduce_scatter(all, into, counts.data(), type.type, op, on.comm);
      },
      [&](void* into) {
        return PMPI_Reduce_scatter(all, into, counts.data(), type.type, op, on.comm);
      });
}

// Values of every second double, as pairs on odd ranks: other types of the same values.
struct Strided {
  Strided() {
    MPI_Type_create_resized(MPI_DOUBLE, 0, 16, &type);
    MPI_Type_commit(&type);
    MPI_Type_contiguous(2, type, &two);
    MPI_Type_commit(&two);
  }
  ~Strided() {
    MPI_Type_free(&two);
    MPI_Type_free(&type);
  }
  MPI_Datatype type = MPI_DATATYPE_NULL, two = MPI_DATATYPE_NULL;
};

void check_moves(const Comm& on, const Type& type, std::size_t count, bool in_place) {
  const int n = static_cast<int>(count), root = n % on.ranks;
  const auto ranks = static_cast<std::size_t>(on.ranks);
  const auto mine = input(type, count, on.rank);
  if (!in_place)
    compare(
        "MPI_Bcast", type, count, on, false, true, mine,
        [&](void* data) { return MPI_Bcast(data, n, type.type, root, on.comm); },
        [&](void* data) { return PMPI_Bcast(data, n, type.type, root, on.comm); });
  std::vector<std::byte> start(mine.size() * ranks);
  if (!mine.empty())
    std::memcpy(start.data() + mine.size() * static_cast<std::size_t>(on.rank), mine.data(),
                mine.size());
  const void* const from = in_place ? MPI_IN_PLACE : mine.data();
  compare(
      "MPI_Allgather", type, count, on, in_place, true, start,
      [&](void* all) { return MPI_Allgather(from, n, type.type, all, n, type.type, on.comm); },
      [&](void* all) { return PMPI_Allgather(from, n, type.type, all, n, type.type, on.comm); });
}

// Ranks with types of their own for the same values.
void check_types(const Comm& on, const Strided& strided, std::size_t count) {
  const Type doubles{MPI_DOUBLE, Kind::real64, "double with gaps"};
  const int n = static_cast<int>(count);
  const bool two = on.rank % 2 == 1;
  const MPI_Datatype type = on.rank == 0 ? MPI_DOUBLE : two ? strided.two : strided.type;
  const int its = two ? n / 2 : n;
  const auto memory = input(doubles, 2 * count, on.rank);
  compare(
      "MPI_Bcast", doubles, count, on, false, true, memory,
      [&](void* data) { return MPI_Bcast(data, its, type, 0, on.comm); },
      [&](void* data) { return PMPI_Bcast(data, its, type, 0, on.comm); });
  const std::vector<std::byte> start(memory.size() * static_cast<std::size_t>(on.ranks));
  compare(
      "MPI_Allgather", doubles, count, on, false, true, start,
      [&](void* all) {
        return MPI_Allgather(memory.data(), n, strided.type, all, its, type, on.comm);
      },
      [&](void* all) {
        return PMPI_Allgather(memory.data(), n, strided.type, all, its, type, on.comm);
      });
  double x = on.rank + 1, y = x;  // MPI_BOTTOM, and an absolute address
  MPI_Aint at[2];
  MPI_Get_address(&x, &at[0]);
  MPI_Get_address(&y, &at[1]);
  for (int i = 0; i < 2; ++i) {
    MPI_Datatype absolute = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed_block(1, 1, &at[i], MPI_DOUBLE, &absolute);
    MPI_Type_commit(&absolute);
    (i == 0 ? MPI_Bcast : PMPI_Bcast)(MPI_BOTTOM, 1, absolute, 0, on.comm);
    MPI_Type_free(&absolute);
  }
  judge(x == y && x == 1, "MPI_Bcast", "absolute double", 1, on, false);
}

// Later operands of this do not commute with earlier ones.
void take_right(void* from, void* into, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(into)[i] += 2 * static_cast<int*>(from)[i];
}

void check_own_operation(const Comm& on, std::size_t count) {
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(take_right, 0, &op);
  check_reductions(on, {MPI_INT, Kind::integer, "int, by an operation of its own"}, op, count,
                   false);
  MPI_Op_free(&op);
}

void check_types_and_operations(const Comm& on, std::size_t count, bool in_place) {
  const Type integers[] = {{MPI_INT, Kind::integer, "int"},
                           {MPI_LONG, Kind::integer, "long"},
                           {MPI_SHORT, Kind::integer, "short"},
                           {MPI_UNSIGNED, Kind::integer, "unsigned"},
                           {MPI_UNSIGNED_SHORT, Kind::integer, "unsigned short"},
                           {MPI_UNSIGNED_CHAR, Kind::integer, "unsigned char"},
                           {MPI_SIGNED_CHAR, Kind::integer, "signed char"},
                           {MPI_INT64_T, Kind::integer, "int64"},
                           {MPI_UINT8_T, Kind::integer, "uint8"},
                           {MPI_AINT, Kind::integer, "aint"}};
  const Type reals[] = {{MPI_FLOAT, Kind::real32, "float"},
                        {MPI_DOUBLE, Kind::real64, "double"},
                        {MPI_LONG_DOUBLE, Kind::real_long, "long double"}};
  const Type complexes[] = {{MPI_C_FLOAT_COMPLEX, Kind::complex32, "float complex"},
                            {MPI_C_DOUBLE_COMPLEX, Kind::complex64, "double complex"}};
  const Type pairs[] = {{MPI_2INT, Kind::pair, "pair of int"},
                        {MPI_DOUBLE_INT, Kind::gaps, "double and int"}};
  for (const Type& type : integers)
    for (const MPI_Op op : {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_LAND, MPI_LOR, MPI_LXOR,
                            MPI_BAND, MPI_BOR, MPI_BXOR})
      if (type.type != MPI_AINT || op == MPI_SUM) check_reductions(on, type, op, count, in_place);
  for (const Type& type : reals)
    for (const MPI_Op op : {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX})
      check_reductions(on, type, op, count, in_place);
  for (const Type& type : complexes)
    for (const MPI_Op op : {MPI_SUM, MPI_PROD}) check_reductions(on, type, op, count, in_place);
  for (const MPI_Op op : {MPI_LAND, MPI_LOR, MPI_LXOR})
    check_reductions(on, {MPI_C_BOOL, Kind::boolean, "bool"}, op, count, in_place);
  for (const MPI_Op op : {MPI_BAND, MPI_BOR, MPI_BXOR})
    check_reductions(on, {MPI_BYTE, Kind::byte, "byte"}, op, count, in_place);
  for (const Type& type : pairs)
    for (const MPI_Op op : {MPI_MINLOC, MPI_MAXLOC})
      check_reductions(on, type, op, count, in_place);
  for (const Type& type : {reals[1], integers[2], complexes[0], pairs[1]})
    check_moves(on, type, count, in_place);
}

void check_all(MPI_Comm comm, bool large) {
  const Comm on(comm);
  const Strided strided;
  for (const std::size_t count : {0, 1, 2, 6, 500})
    for (const bool in_place : {false, true}) check_types_and_operations(on, count, in_place);
  for (const std::size_t count : {2, 6, 5000}) check_types(on, strided, count);
  for (const std::size_t count : {1, 6, 3000}) check_own_operation(on, count);
  if (!large) return;
  for (const std::size_t count : {1025, 40000, 200003})  // pieces, and parts of them
    for (const bool in_place : {false, true}) {
      check_reductions(on, {MPI_DOUBLE, Kind::real64, "double"}, MPI_SUM, count, in_place);
      check_reductions(on, {MPI_SHORT, Kind::integer, "short"}, MPI_MAX, count, in_place);
      check_moves(on, {MPI_DOUBLE, Kind::real64, "double"}, count, in_place);
    }
}

// Ranks in another order: where machines are emulated, neighbors are on different ones.
void check_other_order(int rank) {
  MPI_Comm mixed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank % 2, &mixed);
  const Comm on(mixed);
  for (const std::size_t count : {0, 1, 2, 3, 500, 3000, 20000, 200003})
    for (const bool in_place : {false, true}) {
      check_reductions(on, {MPI_DOUBLE, Kind::real64, "double"}, MPI_SUM, count, in_place);
      check_reductions(on, {MPI_2INT, Kind::pair, "pair of int"}, MPI_MAXLOC, count, in_place);
    }
  MPI_Comm_free(&mixed);
}

// While a rank waits in a collective, its messages go on: the rank it waits for waits for them.
void check_progress(const Comm& on) {
  std::vector<int> out(300000, on.rank), in(out.size());
  const int next = (on.rank + 1) % on.ranks, last = (on.rank - 1 + on.ranks) % on.ranks;
  for (int round = 0; round < 10; ++round) {
    int one = 1, sum = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    if (on.rank % 2 == 0 && on.rank + 1 < on.ranks)
      MPI_Isend(out.data(), 300000, MPI_INT, next, 0, on.comm, &request);
    if (on.rank % 2 == 1) MPI_Recv(in.data(), 300000, MPI_INT, last, 0, on.comm, MPI_STATUS_IGNORE);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, on.comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    judge(sum == on.ranks, "MPI_Allreduce", "int beside a message", 1, on, false);
  }
}

// A communicator for each of two threads.
void check_threads(const Comm& on) {
  MPI_Comm two[2];
  for (MPI_Comm& its : two) MPI_Comm_dup(on.comm, &its);
  long bad[2] = {0, 0};
  const auto work = [&](int which) {
    for (int round = 0; round < 50; ++round) {
      std::vector<double> from(static_cast<std::size_t>(1 + round * 40), on.rank + which),
          into(from.size());
      MPI_Allreduce(from.data(), into.data(), static_cast<int>(from.size()), MPI_DOUBLE, MPI_SUM,
                    two[which]);
      const double expected = on.ranks * (on.ranks - 1) / 2.0 + which * on.ranks;
      bad[which] += into.front() != expected || into.back() != expected;
      MPI_Bcast(from.data(), static_cast<int>(from.size()), MPI_DOUBLE, 0, two[which]);
      bad[which] += from.back() != which;
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  judge(bad[0] + bad[1] == 0, "MPI_Allreduce", "double in two threads", 50, on, false);
  for (MPI_Comm& its : two) MPI_Comm_free(&its);
}

// What a process holds: maps of our memory, open descriptors, KiB of private memory.
struct Held {
  long maps = 0, descriptors = 0, kib = 0;
};

Held held() {
  Held now;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    now.maps += line.find("arlab (deleted)") != std::string::npos;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator("/proc/self/fd"))
    ++now.descriptors;
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "RssAnon:") status >> now.kib;
  return now;
}

// Makes and frees communicators: duplicates and halves, every other one with shared memory.
int make_communicators(int count, int rank) {
  Held half;
  for (int i = 0; i < count; ++i) {
    MPI_Comm copy = MPI_COMM_NULL;
    if (i % 4 < 2)
      MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    else
      MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &copy);
    int one = 1, sum = 0;
    for (int call = 0; call < (i % 2 == 0 ? 8 : 1); ++call)
      MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy);
    MPI_Comm_free(&copy);
    if (i == count / 2) half = held();
  }
  const Held last = held();
  if (rank == 0)
    std::printf("left: %ld mappings, since half of %d: %ld descriptors, %ld KiB\n", last.maps,
                count, last.descriptors - half.descriptors, last.kib - half.kib);
  return last.maps == 0 && last.descriptors <= half.descriptors ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1) {
    const int code = make_communicators(std::atoi(argv[1]), rank);
    MPI_Finalize();
    return code;
  }
  const Comm world(MPI_COMM_WORLD);
  check_all(world.comm, true);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(world.comm, rank % 2, -rank, &half);  // in the opposite order
  check_all(half, false);
  MPI_Comm_free(&half);
  check_all(MPI_COMM_SELF, false);
  check_other_order(rank);
  check_progress(world);
  if (provided == MPI_THREAD_MULTIPLE) check_threads(world);
  long all = 0;
  PMPI_Allreduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, world.comm);
  if (rank == 0) std::printf("calls %ld, wrong %ld\n", calls, all);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
