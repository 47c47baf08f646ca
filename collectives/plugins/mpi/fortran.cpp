// Open MPI's Fortran bindings call PMPI_Allreduce, PMPI_Init and others, so that they need entries
// of their own: of mpif.h and `use mpi`, and of `use mpi_f08`, whose last argument may be absent.
#include <mpi.h>

#ifdef OPEN_MPI

extern "C" {
extern int mpi_fortran_in_place_, mpi_fortran_bottom_;  // the addresses of Fortran's constants
}

namespace {

void* in_c(const void* buffer) {
  if (buffer == &mpi_fortran_in_place_) return MPI_IN_PLACE;
  if (buffer == &mpi_fortran_bottom_) return MPI_BOTTOM;
  return const_cast<void*>(buffer);
}

void give(MPI_Fint* error, int code) {
  if (error) *error = code;
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] void mpi_allreduce_(const void* from, void* into,
                                                   const MPI_Fint* count, const MPI_Fint* type,
                                                   const MPI_Fint* op, const MPI_Fint* comm,
                                                   MPI_Fint* error) {
  give(error, MPI_Allreduce(in_c(from), in_c(into), static_cast<int>(*count), MPI_Type_f2c(*type),
                            MPI_Op_f2c(*op), MPI_Comm_f2c(*comm)));
}

[[gnu::visibility("default")]] void mpi_allreduce_f08_(const void* from, void* into,
                                                       const MPI_Fint* count, const MPI_Fint* type,
                                                       const MPI_Fint* op, const MPI_Fint* comm,
                                                       MPI_Fint* error) {
  mpi_allreduce_(from, into, count, type, op, comm, error);
}

[[gnu::visibility("default")]] void mpi_bcast_(void* data, const MPI_Fint* count,
                                               const MPI_Fint* type, const MPI_Fint* root,
                                               const MPI_Fint* comm, MPI_Fint* error) {
  give(error, MPI_Bcast(in_c(data), static_cast<int>(*count), MPI_Type_f2c(*type),
                        static_cast<int>(*root), MPI_Comm_f2c(*comm)));
}

[[gnu::visibility("default")]] void mpi_bcast_f08_(void* data, const MPI_Fint* count,
                                                   const MPI_Fint* type, const MPI_Fint* root,
                                                   const MPI_Fint* comm, MPI_Fint* error) {
  mpi_bcast_(data, count, type, root, comm, error);
}

[[gnu::visibility("default")]] void mpi_reduce_(const void* from, void* into, const MPI_Fint* count,
                                                const MPI_Fint* type, const MPI_Fint* op,
                                                const MPI_Fint* root, const MPI_Fint* comm,
                                                MPI_Fint* error) {
  give(error, MPI_Reduce(in_c(from), in_c(into), static_cast<int>(*count), MPI_Type_f2c(*type),
                         MPI_Op_f2c(*op), static_cast<int>(*root), MPI_Comm_f2c(*comm)));
}

[[gnu::visibility("default")]] void mpi_reduce_f08_(const void* from, void* into,
                                                    const MPI_Fint* count, const MPI_Fint* type,
                                                    const MPI_Fint* op, const MPI_Fint* root,
                                                    const MPI_Fint* comm, MPI_Fint* error) {
  mpi_reduce_(from, into, count, type, op, root, comm, error);
}

[[gnu::visibility("default")]] void mpi_allgather_(const void* from, const MPI_Fint* from_count,
                                                   const MPI_Fint* from_type, void* into,
                                                   const MPI_Fint* count, const MPI_Fint* type,
                                                   const MPI_Fint* comm, MPI_Fint* error) {
  give(error, MPI_Allgather(in_c(from), static_cast<int>(*from_count), MPI_Type_f2c(*from_type),
                            in_c(into), static_cast<int>(*count), MPI_Type_f2c(*type),
                            MPI_Comm_f2c(*comm)));
}

[[gnu::visibility("default")]] void mpi_allgather_f08_(const void* from, const MPI_Fint* from_count,
                                                       const MPI_Fint* from_type, void* into,
                                                       const MPI_Fint* count, const MPI_Fint* type,
                                                       const MPI_Fint* comm, MPI_Fint* error) {
  mpi_allgather_(from, from_count, from_type, into, count, type, comm, error);
}

// MPI_Fint is int wherever these entries exist: counts are passed as they are.
static_assert(sizeof(MPI_Fint) == sizeof(int));

[[gnu::visibility("default")]] void mpi_reduce_scatter_(const void* from, void* into,
                                                        const MPI_Fint* counts,
                                                        const MPI_Fint* type, const MPI_Fint* op,
                                                        const MPI_Fint* comm, MPI_Fint* error) {
  give(error, MPI_Reduce_scatter(in_c(from), in_c(into), counts, MPI_Type_f2c(*type),
                                 MPI_Op_f2c(*op), MPI_Comm_f2c(*comm)));
}

[[gnu::visibility("default")]] void mpi_reduce_scatter_f08_(const void* from, void* into,
                                                            const MPI_Fint* counts,
                                                            const MPI_Fint* type,
                                                            const MPI_Fint* op,
                                                            const MPI_Fint* comm, MPI_Fint* error) {
  mpi_reduce_scatter_(from, into, counts, type, op, comm, error);
}

[[gnu::visibility("default")]] void mpi_reduce_scatter_block_(
    const void* from, void* into, const MPI_Fint* count, const MPI_Fint* type, const MPI_Fint* op,
    const MPI_Fint* comm, MPI_Fint* error) {
  give(error, MPI_Reduce_scatter_block(in_c(from), in_c(into), static_cast<int>(*count),
                                       MPI_Type_f2c(*type), MPI_Op_f2c(*op), MPI_Comm_f2c(*comm)));
}

[[gnu::visibility("default")]] void mpi_reduce_scatter_block_f08_(
    const void* from, void* into, const MPI_Fint* count, const MPI_Fint* type, const MPI_Fint* op,
    const MPI_Fint* comm, MPI_Fint* error) {
  mpi_reduce_scatter_block_(from, into, count, type, op, comm, error);
}

[[gnu::visibility("default")]] void mpi_init_(MPI_Fint* error) {
  give(error, MPI_Init(nullptr, nullptr));
}

[[gnu::visibility("default")]] void mpi_init_f08_(MPI_Fint* error) { mpi_init_(error); }

[[gnu::visibility("default")]] void mpi_init_thread_(const MPI_Fint* required, MPI_Fint* provided,
                                                     MPI_Fint* error) {
  int given = MPI_THREAD_SINGLE;
  give(error, MPI_Init_thread(nullptr, nullptr, static_cast<int>(*required), &given));
  *provided = given;
}

[[gnu::visibility("default")]] void mpi_init_thread_f08_(const MPI_Fint* required,
                                                         MPI_Fint* provided, MPI_Fint* error) {
  mpi_init_thread_(required, provided, error);
}
}
#endif
