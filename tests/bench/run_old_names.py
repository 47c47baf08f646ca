"""Options under their old names: they do what the new ones do, and one note says what those are. The only test that uses them."""

import unittest

import program
import tiny_profile

# Command, old words, new words, notes.
RENAMED = (
    ("count ring -p 4 -n 64", "--plan", "--dry-run", ("--plan is now --dry-run",)),
    ("run ring -p 2 -n 64 --time 0 -b threads", "--place out --samples raw.jsonl --plan", "--buffers out-of-place --raw raw.jsonl --dry-run",
     ("--place is now --buffers", "--buffers out is now --buffers out-of-place", "--samples is now --raw", "--plan is now --dry-run")),
    ("run ring -p 2 -n 64 --time 0 -b threads --dry-run", "--start round-time --late 1:1us --repeats 3 --mode streaming --cache cold",
     "--start agreed-time:late=1:1us --mode streaming:repeats=3,cache=cold",
     ("--start round-time is now --start agreed-time", "--late is now --start late=1:1us", "--repeats is now --mode repeats=3",
      "--cache is now --mode cache=cold")),
    ("run -p 2 -n 64 --time 0 -b threads --dry-run", "--algorithm ring --bind none --precision 2%", "ring -b bind=none --time precision=2%",
     ("--algorithm is now without a name: ring", "--bind is now --backend bind=none", "--precision is now --time precision=2%")),
    ("verify -p 4 -n 64", "-a hierarchical --groups 2 --max-messages 1M", "hierarchical --layout groups=2 --limit messages=1M",
     ("-a is now without a name: hierarchical", "--groups is now --layout groups=2", "--max-messages is now --limit messages=1M")),
    ("simulate ring -p 4 -s 4K", "--jitter 1us --late 1:1us,2:3us --noise-runs 2", "--disturb jitter=1us,late=1:1us,2:3us,runs=2",
     ("--jitter is now --disturb jitter=1us", "--late is now --disturb late=1:1us,2:3us", "--noise-runs is now --disturb runs=2")),
    ("simulate ring -p 4 -s 4K --network torus:dims=2x2", "--links 2 --critical-path --events --no-symmetry", "--record links=2,critical_path --engine events",
     ("--links is now --record links=2", "--critical-path is now --record=critical_path", "--events is now --engine=events",
      "--no-symmetry is now --engine=events")),
    ("simulate ring -p 4 -s 4K", "--model loggops --L 5us --o 1us --gamma=40ps", "--network loggops:L=5us,o=1us,gamma=40ps",
     ("--model is now --network loggops", "--L is now a setting of --network: MODEL:L=5us",
      "--o is now a setting of --network: MODEL:o=1us", "--gamma is now a setting of --network: MODEL:gamma=40ps")),
    ("simulate ring -p 4 -s 4K", "--alpha 5us --beta 0.08ns", "--network alpha_beta:alpha=5us,beta=0.08ns",
     ("--alpha is now a setting of --network: MODEL:alpha=5us", "--beta is now a setting of --network: MODEL:beta=0.08ns")),
    ("simulate ring -p 4 -s 4K", "--model packet --mtu 1K --topology torus:dims=2x2", "--network packet:mtu=1K,topology=torus:dims=2x2",
     ("--model is now --network packet", "--mtu is now a setting of --network: MODEL:mtu=1K", "--topology is now --network")),
    ("simulate ring -p 4 -s 4K", "--model fluid --topology torus:dims=2x2,ring:hosts=4", "--network torus:dims=2x2,ring:hosts=4",
     ("--model is now --network fluid", "--topology is now --network")),
    ("simulate ring -p 4 -s 4K", "--network torus:dims=2x2 --placement block,random --routing ecmp --seed 3 --fault dead=h0--h1",
     "--network torus:dims=2x2,placement=block,routing=ecmp,seed=3,dead=h0--h1,torus:dims=2x2,placement=random,routing=ecmp,seed=3,dead=h0--h1",
     ("--placement is now a setting of --network: torus:placement=block", "--routing is now a setting of --network: torus:routing=ecmp",
      "--seed is now a setting of --network: torus:seed=3", "--fault is now a setting of --network: torus:dead=h0--h1")),
    ("show topology --hosts -p 4", "torus:dims=2x2 --placement random", "torus:dims=2x2,placement=random",
     ("--placement is now a setting of --network: torus:placement=random",)),
    ("simulate ring -p 4 -s 4K", "--topology torus:dims=2x2", "--network torus:dims=2x2", ("--topology is now --network",)),
    ("export ring -p 4 -f perfetto", "--model loggops --overhead 2us", "--network loggops:o=2us",
     ("--model is now --network loggops", "--o is now a setting of --network: MODEL:o=2us")),
    ("bound", "torus:dims=2x2", "--network packet:topology=torus:dims=2x2", ()),
    ("tune ring -p 2 -s 1K", "--by simulated --network=--model=loggops", "--network loggops",
     ("--by is now --network SPEC", "--network OPTIONS is now --network SPEC", "--model is now --network loggops")),
    ("tune ring -p 2 -s 1K", "--by simulated", "--network alpha_beta", ("--by is now --network SPEC",)),
    ("plan -m profile:vgg16 --gpus 4", "--latency 5us --groups 2 -a hierarchical --jitter 0.1 --seed 3 --slowdown 2",
     "--network 10G:latency=5us --exchange groups=2 -a hierarchical --compute jitter=0.1,seed=3,slowdown=2",
     ("--latency is now a setting of --network: 10G:latency=5us", "--groups is now --exchange groups=2", "--jitter is now --compute jitter=0.1",
      "--seed is now --compute seed=3", "--slowdown is now --compute slowdown=2")),
    ("replay -m profile:tiny.json -b virtual --steps 8", "--no-overlap --codec-cost 1,1 --compressor fp16", "--exchange overlap=off --compute codec=1,1 --compressor fp16",
     ("--no-overlap is now --exchange=overlap=off", "--codec-cost is now --compute codec=1,1")),
)


# Of training from a profile, which was `train` once.
PROFILED = (
    ("train -b simulated -m profile:vgg16 -w 4 --bandwidth 10G,25G --steps 4",
     "plan --breakdown -a ring -m profile:vgg16 --gpus 4 --network 10G,25G --steps 4", ("`arlab plan --breakdown`", "--network")),
    ("train -m profile:vgg16 --topology torus:dims=2x4 --steps 4 --scheduler fifo buckets",
     "plan -a ring -m profile:vgg16 --gpus 8 --network torus:dims=2x4 --steps 4 --scheduler fifo buckets", ("`arlab plan --breakdown`", "--network")),
    ("train -m profile:tiny.json -b virtual --bandwidth=10G --steps 8", "replay -m profile:tiny.json -b virtual --network=10G --steps 8",
     ("`arlab replay`", "--network")),
)


class OldNames(program.ProgramTest):
    def setUp(self):
        super().setUp()
        tiny_profile.write(self.folder)

    def test_training_from_a_profile_has_its_own_commands(self):
        for old, new, now in PROFILED:
            with self.subTest(old=old):
                old_out, old_err = self.arlab(*old.split())
                out, err = self.arlab(*new.split())
                self.assertEqual(old_out, out)
                self.assertEqual(err, "")
                for part in now:
                    self.assertEqual(old_err.count(f" is now {part}\n"), 1, old_err)
                self.assertEqual(old_err.count("note: "), len(now), old_err)

    def test_the_old_words_do_what_the_new_ones_do_and_say_so(self):
        for command, old, new, notes in RENAMED:
            with self.subTest(command=command, old=old):
                old_out, old_err = self.arlab(*command.split(), *old.split())
                out, err = self.arlab(*command.split(), *new.split())
                self.assertEqual(old_out, out)
                for note in notes:
                    self.assertEqual(old_err.count(f"note: {note}\n"), 1, old_err)
                self.assertEqual(old_err.count("note: "), err.count("note: ") + len(notes), old_err)

    def test_a_machine_file(self):
        (self.folder / "m.toml").write_text("[machine]\n", encoding="utf-8")
        for words in (("--machine", "m.toml"), ("--network", "m.toml")):
            with self.subTest(words=words):
                _, err = self.arlab("simulate", "ring", "-p", "4", *words, code=2)
                self.assertEqual("note: --machine is now --network m.toml\n" in err, words[0] == "--machine", err)
                self.assertIn("m.toml", err)

    def test_old_names_are_in_no_help(self):
        for command in ("run", "simulate", "tune", "export"):
            out, _ = self.arlab(command, "--help-all")
            words = set(out.replace(",", " ").split())
            self.assertFalse(words & set("--plan --place --samples --jitter --model --alpha --overhead --mtu".split()), command)


if __name__ == "__main__":
    unittest.main()
