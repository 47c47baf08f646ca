#!/usr/bin/env python3
"""The files of a project: one version everywhere, a changelog in its form, links that lead somewhere, and the files of a release.

    release.py [TEST...]
"""
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECTIONS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")  # of keepachangelog.com, version 1.1.0


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def version():
    return re.search(r"^project\(arlab VERSION ([\d.]+)", read("CMakeLists.txt"), re.MULTILINE)[1]


class Files(unittest.TestCase):
    def test_one_version(self):
        self.assertEqual(re.search(r"^version: (\S+)", read("CITATION.cff"), re.MULTILINE)[1], version())
        newest = re.search(r"^## \[([\d.]+)\] - (\d{4}-\d\d-\d\d)$", read("CHANGELOG.md"), re.MULTILINE)
        self.assertEqual(newest[1], version())
        self.assertEqual(re.search(r"^date-released: (\S+)", read("CITATION.cff"), re.MULTILINE)[1], newest[2])

    def test_the_changelog_has_the_form_of_keep_a_changelog(self):
        headings = re.findall(r"^(#+) (.*)$", read("CHANGELOG.md"), re.MULTILINE)
        self.assertEqual(headings[:2], [("#", "Changelog"), ("##", "[Unreleased]")])
        for level, text in headings[2:]:
            self.assertTrue(text in SECTIONS if level == "###" else re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", text), text)

    def test_the_citation_has_what_citation_files_require(self):
        keys = dict(re.findall(r"^([a-z-]+): *(.*)$", read("CITATION.cff"), re.MULTILINE))
        self.assertLessEqual({"cff-version", "message", "title", "authors"}, keys.keys())
        self.assertEqual(keys["cff-version"], "1.2.0")  # of the specification
        self.assertIn("Apache License", read("LICENSE"))
        self.assertEqual(keys["license"], "Apache-2.0")

    def test_what_cmake_names_is_here(self):
        named = 0
        for script in [*ROOT.rglob("CMakeLists.txt"), *(ROOT / "cmake").glob("*.cmake"), ROOT / "CMakePresets.json"]:
            folder = script.relative_to(ROOT).parts[0]
            if folder in ("build", "results") or "consumer" in script.parts:
                continue
            text = script.read_text(encoding="utf-8")
            for base, name in re.findall(r"\$\{((?:PROJECT_|CMAKE_CURRENT_)?SOURCE_DIR|sourceDir)\}/([\w./-]+\.\w+)(?![\w/*$])", text, re.IGNORECASE):
                here = ROOT if base in ("PROJECT_SOURCE_DIR", "SOURCE_DIR", "sourceDir") else script.parent
                named += 1
                self.assertTrue((here / name).exists(), f"{script.relative_to(ROOT)} names {name}: is it in the repository?")
        self.assertGreater(named, 30)

    def test_recipes_build_what_lab_builds(self):
        self.assertEqual(set(re.findall(r"(?:version\(|set version = )\"([\d.]+)\"", read("cmake/recipes/spack/package.py") + read("cmake/recipes/conda/meta.yaml"))), {version()})
        compile(read("cmake/recipes/spack/package.py"), "package.py", "exec")
        lab = read("lab")
        needed = set(re.search(r"^build_packages=\(([^)]*)\)", lab, re.MULTILINE)[1].split())
        needed |= set(re.search(r"^  packages=\((\"clang[^)]*)\)", lab, re.MULTILINE)[1].replace("$llvm", "16").replace('"', "").split())
        self.assertGreater(len(needed), 12)
        self.assertLessEqual(needed, set(re.search(r"AS build\nRUN (.*?)\nCOPY", read("cmake/recipes/Dockerfile"), re.DOTALL)[1].split()))
        presets = {preset["name"] for preset in json.loads(read("CMakePresets.json"))["configurePresets"]}
        self.assertIn(re.search(r"cmake --preset (\w+)", read("cmake/recipes/Dockerfile"))[1], presets)
        options = set(re.findall(r"^(?:set|option)\((ARLAB_\w+)", read("CMakeLists.txt") + read("cmake/cuda.cmake") + read("cmake/speed.cmake"), re.MULTILINE))
        used = set(re.findall(r"ARLAB_\w+", read("cmake/recipes/spack/package.py") + read("cmake/recipes/conda/meta.yaml")))
        self.assertLessEqual(used, options)

    def test_conda_installs_what_its_recipe_names(self):
        needed = re.search(r"  build:\n(.*?)  run:", read("cmake/recipes/conda/meta.yaml"), re.DOTALL)[1]
        packages = set(re.findall(r"(?m)^    - ([a-z0-9_-]+)", needed)) - {"openmpi"}  # from the cluster's modules
        command = re.search(r"(?m)^conda create .* -c conda-forge (.*)$", read("docs/reference/measurement.md"))[1]
        self.assertEqual(set(command.split()), packages)

    def test_the_core_of_an_algorithm_is_that_of_the_file(self):
        core = re.search(r"The core of `ring\.cpp`.*?```cpp\n(.*?)```", read("CONTRIBUTING.md"), re.DOTALL)[1]
        self.assertIn(core, read("algorithms/catalog/ring.cpp"))

    def test_templates_and_workflows_are_yaml(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("python3-yaml is not installed")
        files = [*ROOT.glob(".github/**/*.yml"), ROOT / ".pre-commit-config.yaml", ROOT / "CITATION.cff"]
        self.assertGreater(len(files), 6)
        for path in files:
            self.assertTrue(yaml.safe_load(path.read_text(encoding="utf-8")), path)
        for path in ROOT.glob(".github/ISSUE_TEMPLATE/[!c]*.yml"):
            form = yaml.safe_load(path.read_text(encoding="utf-8"))
            self.assertLessEqual({"name", "description", "body"}, form.keys(), path)
            for part in form["body"]:
                self.assertIn(part["type"], ("markdown", "textarea", "input", "dropdown", "checkboxes"))

    def test_the_development_container_and_images_run_what_is_here(self):
        container = json.loads(re.sub(r"(?m)^\s*//.*$", "", read(".devcontainer/devcontainer.json")))
        self.assertEqual(container["image"], "debian:12")
        verbs = set(re.findall(r"(?m)^  (\w+)\) ", read("lab"))) - {"all"}
        asked = re.findall(r"\./lab (\w+)", container["onCreateCommand"])
        self.assertEqual(asked, ["packages"])
        self.assertLessEqual(set(asked), verbs)
        packages = set(re.findall(r"arlab_debian_package\(\w+ ([a-z0-9-]+)", read("cmake/package.cmake")))
        self.assertEqual(len(packages), 5)
        for recipe in ("cmake/recipes/Dockerfile", "bench/cluster/Dockerfile"):
            text = read(recipe)
            self.assertEqual(text.count("\nFROM debian:"), 2, recipe)  # the compiler stays behind
            self.assertLessEqual(set(re.findall(r"/([a-z0-9-]+)_\*\.deb", text)), packages, recipe)
            self.assertIn(f"-f {recipe} .", text)
            for definition in re.findall(r"[\w/]+\.def", text):
                self.assertTrue((ROOT / definition).exists(), definition)
        self.assertIn("USER arlab", read("cmake/recipes/Dockerfile"))

    def test_the_workflow_runs_what_this_repository_has(self):
        text = read(".github/workflows/ci.yml")
        presets = {preset["name"] for preset in json.loads(read("CMakePresets.json"))["configurePresets"]}
        asked = set(re.findall(r"--preset (\w+)", text))
        self.assertLessEqual(asked, presets)
        self.assertLessEqual({"clang", "tidy", "dev", "release"}, asked)
        for made in re.findall(r"\.ci/release \S+ (.*)", text):
            for build in made.split():  # all of it, but of a portable build, whose programs are released alone
                self.assertRegex(text, rf"cmake --build ({build}\n|--preset portable\n)")
        for script in re.findall(r"(?:^|\s)(\./lab|\.ci/\w+)", text):
            self.assertTrue((ROOT / script).stat().st_mode & 0o111, script)


class Release(unittest.TestCase):
    def setUp(self):
        if not (ROOT / ".git").exists():
            self.skipTest("not a git repository")
        made = tempfile.TemporaryDirectory(prefix="arlab-release-")
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)
        self.clone = self.folder / "clone"
        self.git("clone", "-q", ROOT, self.clone, where=self.folder)
        for name in (".ci/release", "CHANGELOG.md", "CMakeLists.txt", "cmake/commit.txt", "cmake/version.cmake", ".gitattributes"):
            shutil.copy(ROOT / name, self.clone / name)  # as they are now
        self.commit()

    def git(self, *words, where=None):
        return subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *map(str, words)], cwd=where or self.clone, check=True, text=True,
                              stdout=subprocess.PIPE).stdout.strip()

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-qm", "as it is now", "--allow-empty")

    def release(self, where):
        return subprocess.run([self.clone / ".ci" / "release", where], text=True, capture_output=True, check=False)

    def test_the_source_archive_is_whole_and_knows_its_commit(self):
        out = self.folder / "out"
        done = self.release(out)
        self.assertEqual(done.returncode, 0, done.stderr)
        archive = out / f"arlab-{version()}.tar.gz"
        data = archive.read_bytes()
        self.assertEqual((out / "SHA256SUMS").read_text(encoding="utf-8"), f"{hashlib.sha256(data).hexdigest()}  {archive.name}\n")
        with tarfile.open(archive) as tar:
            held = {name.partition("/")[2] for name in tar.getnames()} - {""}
            tar.extractall(self.folder)
        self.assertLessEqual(set(self.git("ls-files").splitlines()), held)
        source = self.folder / f"arlab-{version()}"
        subprocess.run(["cmake", "-D", "OUTPUT=v.cpp", "-D", f"SOURCE_DIR={source}", "-D", "VERSION=1", "-D", "COMPILER=c", "-D", "BUILD_TYPE=b",
                        "-P", source / "cmake" / "version.cmake"], cwd=self.folder, check=True)
        commit = self.git("rev-parse", "HEAD")
        found = re.search(r'kCommit = "(\w+)"', (self.folder / "v.cpp").read_text(encoding="utf-8"))[1]
        self.assertTrue(commit.startswith(found), (commit, found))
        self.assertEqual(self.release(self.folder / "again").returncode, 0)
        self.assertEqual((self.folder / "again" / archive.name).read_bytes(), data)

    def test_what_must_not_be_released_is_refused(self):
        (self.clone / "CHANGELOG.md").write_text("# Changelog\n\n## [0.0.1] - 2026-01-01\n", encoding="utf-8")
        done = self.release(self.folder / "out")
        self.assertEqual(done.returncode, 2)
        self.assertIn("CHANGELOG.md 0.0.1", done.stderr)
        shutil.copy(ROOT / "CHANGELOG.md", self.clone / "CHANGELOG.md")
        (self.clone / "README.md").write_text("other", encoding="utf-8")
        done = self.release(self.folder / "out")
        self.assertEqual(done.returncode, 2)
        self.assertIn("README.md", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv, verbosity=2)
