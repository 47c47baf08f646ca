"""ARLAB_VIRTUAL=64 python3 -m arlab.virtual SCRIPT [ARGUMENTS...]: runs a script of PyTorch in virtual time."""
import os
import runpy
import sys

from .._errors import Error, status_of

USAGE = """Usage: ARLAB_VIRTUAL=RANKS[:SETTINGS] [ARLAB_NETWORK=NETWORK] python3 -m arlab.virtual SCRIPT [ARGUMENTS...]
       ... python3 -m arlab.virtual -m MODULE [ARGUMENTS...]
       ARLAB_VIRTUAL=4:processes=real ... torchrun --nproc_per_node 4 -m arlab.virtual SCRIPT [ARGUMENTS...]

Runs a data-parallel PyTorch script in one process, as rank 0 of many that are alike. Collectives take the simulator's time.

  ARLAB_VIRTUAL=64               ranks; 8,64,512 is a study of scaling: a table, and a sentence
  ARLAB_VIRTUAL=64:slowdown=0.1  a factor on the measured time of computation; more settings after commas:
                  time=virtual   the script's time.time(), perf_counter(), and monotonic() read virtual time
                  device=cpu     what the script asks of CUDA runs on the processor
                  trace=FILE     steps, computation, and communication for Perfetto
                  profile=FILE   the model's profile, for `arlab plan -m profile:FILE`
                  gpu=a100       computation takes the time of its FLOPs on a GPU of `arlab list gpus`; precision=tf32
                  processes=real each rank is a process, which computes; Gloo exchanges the values
                  clock=processor  computation is the time of the processor: for machines that others use, with OMP_NUM_THREADS=1
                  json=FILE      the record of each number of ranks, for `arlab chart` and `arlab report`
                  csv=FILE       the table of a study
  ARLAB_NETWORK=10G              as --network of `arlab simulate` (default 10G)
  ARLAB_ALGORITHM=ring           of allreduces, by size as in butterfly@16K,ring (default: the fastest of a few)"""


def main() -> None:
    words = sys.argv[1:]
    if not words or words[0] in ("-h", "--help") or words == ["-m"]:
        print(USAGE)
        raise SystemExit(0 if words[:1] in (["-h"], ["--help"]) else 2)
    module = words[0] == "-m"
    if not module and not os.path.isfile(words[0]):
        raise SystemExit(f"arlab: there is no script {words[0]}: give a file, or -m MODULE")
    from . import _study
    from ._start import start
    try:
        if _study.is_asked():
            raise SystemExit(_study.run(words))
        start()
    except Error as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(status_of(error)) from None
    sys.argv = words[1:] if module else words
    sys.path[0] = os.getcwd() if module else os.path.dirname(os.path.abspath(words[0]))
    if module:
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(words[0], run_name="__main__")


main()
