! A Fortran program that knows nothing of arlab: MPI_Allreduce through `use mpi` and `use mpi_f08`.
subroutine with_f08(wrong)
  use mpi_f08
  integer, intent(inout) :: wrong
  integer :: ranks
  real(8) :: from(1000), into(1000)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  from = 2
  call MPI_Allreduce(from, into, 1000, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  if (any(into /= 2 * ranks)) wrong = wrong + 1
end subroutine

program main
  use mpi
  implicit none
  integer :: error, rank, ranks, wrong
  real(4) :: from(1000), into(1000)
  integer(8) :: values(10)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  wrong = 0
  from = 1
  call MPI_Allreduce(from, into, 1000, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, error)
  if (error /= MPI_SUCCESS .or. any(into /= ranks)) wrong = wrong + 1
  values = rank
  call MPI_Allreduce(MPI_IN_PLACE, values, 10, MPI_INTEGER8, MPI_MAX, MPI_COMM_WORLD, error)
  if (error /= MPI_SUCCESS .or. any(values /= ranks - 1)) wrong = wrong + 1
  call with_f08(wrong)
  if (rank == 0) print '(a,i0)', 'wrong ', wrong
  call MPI_Finalize(error)
  if (wrong /= 0) stop 1
end program
