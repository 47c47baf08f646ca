"""Variables by which Open MPI starts as root and on fewer cores than ranks: version 5 starts by PRRTE, which has a name of its own for the latter."""

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
SHARED_CORES = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}
YIELDING = {"OMPI_MCA_mpi_yield_when_idle": "1"}
ENVIRONMENT = AS_ROOT | SHARED_CORES | YIELDING


def by_rank(first: str, others: str) -> list[str]:
    """A command for mpirun that is `first` on rank 0; the mpirun of Open MPI 5.0.7 (Debian 13) crashes when it is given two."""
    return ["sh", "-c", f'case "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" in 0) exec {first} ;; *) exec {others} ;; esac']
