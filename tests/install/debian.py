#!/usr/bin/env python3
"""The Debian packages of a build: what lies where, what they need, and no tag of lintian where it is installed; and manual pages.

    debian.py BUILD SOURCE [TEST...]

Packs all components but the programs and the C++ libraries, which take long. What packages need, and lintian, with ARLAB_THOROUGH=1 only.
Status 77 where dpkg-deb is missing.
"""
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, SOURCE = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2))
NAMES = {"plugins": "arlab-plugins", "python": "python3-arlab", "torch": "python3-arlab-torch"}
THOROUGH = bool(os.environ.get("ARLAB_THOROUGH"))
QUICK = () if THOROUGH else ("-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none", "-D", "CPACK_DEBIAN_PACKAGE_SHLIBDEPS=OFF", "-D", "CPACK_STRIP_FILES=OFF")
# Of builds with sanitizers, and of libraries that no package of the system has, such as CUDA's.
EXCUSED = ("hardening-no-pie", "custom-library-search-path RUNPATH /usr/local/", "custom-library-search-path RUNPATH /opt/")


def said(*words, **more):
    done = subprocess.run(list(map(str, words)), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **more)
    if done.returncode:
        raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def variable(file, name):
    return re.search(rf"(?m)^(?:{name}[:A-Z]*=|set\({name} \"?)([^\")\n]*)", (BUILD / file).read_text(encoding="utf-8"))[1]


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        made = tempfile.TemporaryDirectory(prefix="arlab-debian-")
        cls.addClassCleanup(made.cleanup)
        cls.folder = pathlib.Path(made.name)
        cls.components = [name for name in variable("CPackConfig.cmake", "CPACK_COMPONENTS_ALL").split(";") if name in NAMES]
        if not cls.components:
            raise unittest.SkipTest("this build has neither plugins nor the Python package")
        said("cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", cls.folder, "-D", f"CPACK_COMPONENTS_ALL={';'.join(cls.components)}",
             *QUICK, cwd=cls.folder)
        cls.version = variable("CPackConfig.cmake", "CPACK_PACKAGE_VERSION")
        cls.files = {}
        for component in cls.components:
            [package] = cls.folder.glob(f"{NAMES[component]}_{cls.version}_*.deb")
            said("dpkg-deb", "-x", package, cls.folder / component)
            cls.files[component] = package

    def test_each_has_what_policy_asks_for(self):
        for component, package in self.files.items():
            documents = self.folder / component / "usr/share/doc" / NAMES[component]
            self.assertIn("/usr/share/common-licenses/Apache-2.0", (documents / "copyright").read_text(encoding="utf-8"))
            changes = gzip.decompress((documents / "changelog.gz").read_bytes()).decode()
            self.assertTrue(changes.startswith(f"{NAMES[component]} ({self.version}) "), changes)
            self.assertIn(f" -- {said('dpkg-deb', '-f', package, 'Maintainer').strip()}  ", changes)
            self.assertEqual([path.name for path in documents.parent.iterdir()], [NAMES[component]])

    def test_libraries_lie_where_they_are_looked_for(self):
        if "plugins" in self.files:
            plugins = list((self.folder / "plugins/usr/lib").rglob("*.so"))
            self.assertTrue(plugins)
            self.assertEqual({path.parent.name for path in plugins}, {"arlab"})
        if "python" in self.files:
            package = self.folder / "python/usr/lib/python3/dist-packages"
            self.assertTrue(list((package / "arlab").glob("_arlab.*.so")))
            self.assertEqual([path.name for path in package.glob("*.dist-info/*") if path.name == "RECORD"], [])
            self.assertFalse((self.folder / "python/usr/share/arlab").exists())
            self.assertIn("python3 (>= 3.", said("dpkg-deb", "-f", self.files["python"], "Depends"))
            scripts = said("dpkg-deb", "-I", self.files["python"], "postinst", "prerm")
            self.assertIn("py3compile -p python3-arlab\n", scripts)
            self.assertIn("py3clean -p python3-arlab\n", scripts)

    @unittest.skipUnless(THOROUGH and shutil.which("lintian"), "only where lintian is installed, and with ARLAB_THOROUGH=1")
    def test_lintian_finds_nothing(self):
        found = [line for package in self.files.values()
                 for line in subprocess.run(["lintian", "--no-cfg", "--allow-root", "--fail-on", "none", package], text=True, capture_output=True,
                                            check=True).stdout.splitlines()]
        self.assertEqual([line for line in found if not any(tag in line for tag in EXCUSED)], [])


class Manuals(unittest.TestCase):
    def test_each_program_and_command_has_a_page_that_names_it(self):
        programs = BUILD / "bench"
        if not (programs / "arlab").exists():
            self.skipTest("this build has no program")
        with tempfile.TemporaryDirectory(prefix="arlab-manuals-") as name:
            share = pathlib.Path(name)
            said("cmake", "-D", f"programs={programs}", "-D", f"share={share}", "-P", SOURCE / "cmake" / "manuals.cmake")
            pages = {path.stem: path.read_text(encoding="utf-8") for path in (share / "man/man1").iterdir()}
            self.assertTrue(list(share.glob("*/*/*arlab*")))
        commands = re.findall(r"(?m)^  (\w+) ", said(programs / "arlab", "help").partition("Subcommands:")[2].partition("Examples:")[0])
        self.assertGreater(len(commands), 15)
        perf = [path.name for path in programs.glob("*_perf*")]
        self.assertEqual(set(pages), {"arlab", *perf, *(f"arlab-{command}" for command in commands)})
        for title, page in pages.items():
            escaped = re.escape(title.replace("-", "\\-"))
            self.assertRegex(page, rf"(?m)^\.SH NAME\n{escaped} \\- \w.*\n\.SH SYNOPSIS$", title)
            self.assertGreater(len(page.splitlines()), 12, title)


if __name__ == "__main__":
    if not shutil.which("dpkg-deb"):
        print("skipped: dpkg-deb is missing, so this is not Debian")
        sys.exit(77)
    unittest.main(verbosity=2)
