"""The build backend of the package (PEP 517): packs what CMake has compiled as a wheel. It needs nothing but Python, so that pip
installs without a network."""
import base64
import hashlib
import pathlib
import sysconfig
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
METADATA = "Metadata-Version: 2.1\nName: arlab\nVersion: {version}\nSummary: Collectives of Allreduce Lab for PyTorch\nRequires-Python: >=3.{minor}\n"


def _version():
    return (HERE / "VERSION").read_text().strip()


def _tag():
    """Of this Python and machine: the compiled module fits no other."""
    python = "cp" + sysconfig.get_config_var("py_version_nodot")
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def _files():
    """Returns the members of the wheel but its RECORD, by name. The compiled module must be there."""
    modules = [f"_arlab{sysconfig.get_config_var('EXT_SUFFIX')}", "__init__.py", "_arlab.pyi", "py.typed"]
    missing = [name for name in modules if not (HERE / "arlab" / name).exists()]
    if missing:
        raise FileNotFoundError(f"{HERE}/arlab has no {missing[0]}: build the target arlab_torch_plugin, with this Python first")
    info = f"arlab-{_version()}.dist-info"
    minor = sysconfig.get_config_var("py_version_nodot")[1:]
    return {**{f"arlab/{name}": (HERE / "arlab" / name).read_bytes() for name in modules},
            f"{info}/METADATA": METADATA.format(version=_version(), minor=minor).encode(),
            f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: arlab\nRoot-Is-Purelib: false\nTag: {_tag()}\n".encode()}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel into the folder, and returns its name."""
    files = _files()
    lines = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    record = f"arlab-{_version()}.dist-info/RECORD"
    files[record] = "".join([*lines, f"{record},,\n"]).encode()
    wheel = f"arlab-{_version()}-{_tag()}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the package has no source distribution: CMake compiles it in the project's tree")
