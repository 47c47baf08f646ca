# Recipe for Spack 1.0 or newer. Copy this folder to a repository of packages as packages/arlab, then: spack install arlab +mpi
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Arlab(CMakePackage, CudaPackage):
    """Allreduce algorithm simulator and benchmarking suite."""

    homepage = "https://example.org/arlab"
    url = "https://example.org/arlab/arlab-0.2.0.tar.gz"

    license("Apache-2.0")

    # .ci/release prints the checksum of the source archive.
    version("0.2.0")

    variant("mpi", default=True, description="Real runs over MPI, and the plugin for MPI programs")
    variant("torch", default=False, description="Training of models on LibTorch, and the backend of torch.distributed")
    variant("python", default=False, description="The Python package arlab")
    variant("charts", default=True, description="What arlab chart needs")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("boost@1.74: +graph")
    depends_on("cli11@2.1:")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:")
    depends_on("pugixml@1.13:")
    depends_on("tomlplusplus@3.3:")
    depends_on("zlib-api")
    depends_on("protobuf@3.21:")
    depends_on("mpi", when="+mpi")
    depends_on("nccl", when="+cuda")
    depends_on("py-torch", when="+torch")
    depends_on("py-pybind11@2.10:", when="+python")
    depends_on("python@3.9:", when="+python", type=("build", "run"))
    depends_on("python@3.9:", when="+charts", type="run")
    depends_on("py-matplotlib", when="+charts", type="run")

    conflicts("%gcc@:11", msg="needs C++20 of GCC 12 or newer")
    generator("ninja")

    def cmake_args(self):
        args = [
            self.define_from_variant("ARLAB_MPI", "mpi"),
            self.define_from_variant("ARLAB_CUDA", "cuda"),
            self.define_from_variant("ARLAB_TORCH", "torch"),
            self.define_from_variant("ARLAB_PYTHON_PACKAGE", "python"),
            self.define("CMAKE_BUILD_TYPE", "Release"),
            self.define("ARLAB_UNITY", True),
            self.define("ARLAB_TESTS", self.run_tests),
            self.define("ARLAB_MICRO", False),
            self.define("ARLAB_GLOO", False),
        ]
        if "+cuda" in self.spec and self.spec.variants["cuda_arch"].value != ("none",):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", ";".join(self.spec.variants["cuda_arch"].value)))
        return args

    @run_after("install")
    def works(self):
        Executable(self.prefix.bin.arlab)("verify", "ring", "-p", "2..8")
