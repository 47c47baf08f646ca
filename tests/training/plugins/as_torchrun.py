"""Starts processes as torchrun does, which fails under Python 3.11 with PyTorch 1.13: as_torchrun.py RANKS PORT PROGRAM..."""
import os
import subprocess
import sys

ranks, port, *program = sys.argv[1:]
processes = [subprocess.Popen(program, env={**os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank), "GROUP_RANK": "0", "WORLD_SIZE": ranks,
                                            "LOCAL_WORLD_SIZE": ranks, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port})
             for rank in range(int(ranks))]
sys.exit(max(abs(process.wait()) for process in processes))
