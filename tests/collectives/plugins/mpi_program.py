"""An mpi4py program that knows nothing of arlab: Allreduce of every type of numpy, checked."""
import sys

import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
wrong = 0
for dtype in (numpy.float32, numpy.float64, numpy.int8, numpy.int16, numpy.int32, numpy.int64, numpy.uint8, numpy.uint32, numpy.uint64):
    for count in (1, 1000, 20011):
        for op, combine in ((MPI.SUM, numpy.add), (MPI.MAX, numpy.maximum), (MPI.MIN, numpy.minimum)):
            every = [(numpy.arange(count) % 5 + r).astype(dtype) for r in range(ranks)]
            result = numpy.empty(count, dtype)
            comm.Allreduce(every[rank], result, op)
            wrong += not numpy.array_equal(result, combine.reduce(every))
wrong = comm.reduce(wrong)
if rank == 0:
    print("wrong", wrong)
sys.exit(1 if comm.bcast(wrong) else 0)
