"""The build backend of the Python package (PEP 517). In the checkout it compiles with CMake; beside a VERSION it packs what CMake
has compiled there. It needs nothing but Python, so that pip installs without a network."""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent  # of the checkout
METADATA = """Metadata-Version: 2.1
Name: arlab
Version: {version}
Summary: Allreduce algorithms: proved, counted, simulated, run, and written in Python
License: Apache-2.0
Requires-Python: >=3.9
Provides-Extra: all
Requires-Dist: pandas; extra == "all"
Requires-Dist: networkx; extra == "all"
Requires-Dist: tqdm; extra == "all"
"""
MODULES = ("_arlab", "torch/_torch")  # compiled


def _suffix():
    return sysconfig.get_config_var("EXT_SUFFIX")


def _tag():
    """Of this Python and machine: the compiled modules fit no other, since pybind11 does not use the stable interface."""
    python = "cp" + sysconfig.get_config_var("py_version_nodot")
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def _options():
    """What CMake must know to compile for this Python, besides what CMAKE_ARGS says."""
    return ["-DARLAB_PYTHON_PACKAGE=ON", f"-DARLAB_PYTHON={sys.executable}", "-DARLAB_TORCH=OFF", "-DARLAB_WASM=OFF",
            *os.environ.get("CMAKE_ARGS", "").split()]


def _compile():
    """Compiles the module in the checkout, and returns the folder of the package."""
    build = ROOT / "build" / f"python-{_tag()}"
    version = re.search(r"project\(arlab VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    print(f"compiling arlab {version} in {build}, which takes some minutes the first time", flush=True)
    for command in (["cmake", "--preset", "demo", "-B", str(build), *_options()],
                    ["cmake", "--build", str(build), "--target", "arlab_python"]):
        try:
            subprocess.run(command, cwd=ROOT, check=True)
        except FileNotFoundError:
            raise SystemExit("arlab: CMake is missing: apt install cmake ninja-build g++ pybind11-dev python3-dev") from None
        except subprocess.CalledProcessError:
            raise SystemExit(f"arlab: `{' '.join(command)}` failed, for the reason above; the packages that it needs are in "
                             "`./lab packages`, or docs/guides/python.md") from None
    return build / "python"


def _files(package):
    """Returns the members of the wheel but its RECORD, by name. A compiled module must be there."""
    version = (package / "VERSION").read_text().strip()
    compiled = [f"arlab/{name}{_suffix()}" for name in MODULES if (package / f"arlab/{name}{_suffix()}").exists()]
    if not compiled:
        raise FileNotFoundError(f"{package}/arlab has no _arlab{_suffix()}: build the target arlab_python with this Python first")
    sources = [path.relative_to(package).as_posix() for path in sorted((package / "arlab").rglob("*"))
               if path.suffix in (".py", ".pyi", ".js") or path.name == "py.typed"]
    if f"arlab/torch/_torch{_suffix()}" not in compiled:
        sources = [name for name in sources if not name.startswith(("arlab/torch/", "arlab/horovod/"))]
    info = f"arlab-{version}.dist-info"
    return version, {**{name: (package / name).read_bytes() for name in sources + compiled},
                     f"{info}/METADATA": METADATA.format(version=version).encode(),
                     f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: arlab\nRoot-Is-Purelib: false\nTag: {_tag()}\n".encode()}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel into the folder, and returns its name."""
    version, files = _files(HERE if (HERE / "VERSION").exists() else _compile())
    lines = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    record = f"arlab-{version}.dist-info/RECORD"
    files[record] = "".join([*lines, f"{record},,\n"]).encode()
    wheel = f"arlab-{version}-{_tag()}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the package has no source distribution: CMake compiles it in the project's tree")
