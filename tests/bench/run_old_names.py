"""Options under their old names: they do what the new ones do, and one note says what those are. The only test that uses them."""

import unittest

import program

# Command, old words, new words, notes.
RENAMED = (
    ("count ring -p 4 -n 64", "--plan", "--dry-run", ("--plan is now --dry-run",)),
    ("run ring -p 2 -n 64 --time 0 -b threads", "--place out --samples raw.jsonl --plan", "--buffers out-of-place --raw raw.jsonl --dry-run",
     ("--place is now --buffers", "--buffers out is now --buffers out-of-place", "--samples is now --raw", "--plan is now --dry-run")),
    ("run ring -p 2 -n 64 --time 0 -b threads --dry-run", "--start round-time", "--start agreed-time",
     ("--start round-time is now --start agreed-time",)),
    ("simulate ring -p 4 -s 4K", "--jitter 1us", "--message-jitter 1us", ("--jitter is now --message-jitter",)),
    ("simulate ring -p 4 -s 4K", "--model loggops --L 5us --o 1us --gamma=40ps", "--network loggops:L=5us,o=1us,gamma=40ps",
     ("--model is now --network loggops", "--L is now a setting of --network: MODEL:L=5us",
      "--o is now a setting of --network: MODEL:o=1us", "--gamma is now a setting of --network: MODEL:gamma=40ps")),
    ("simulate ring -p 4 -s 4K", "--alpha 5us --beta 0.08ns", "--network alpha_beta:alpha=5us,beta=0.08ns",
     ("--alpha is now a setting of --network: MODEL:alpha=5us", "--beta is now a setting of --network: MODEL:beta=0.08ns")),
    ("simulate ring -p 4 -s 4K", "--model packet --mtu 1K --topology torus:dims=2x2", "--network packet:mtu=1K,topology=torus:dims=2x2",
     ("--model is now --network packet", "--mtu is now a setting of --network: MODEL:mtu=1K")),
    ("simulate ring -p 4 -s 4K", "--model fluid --topology torus:dims=2x2,ring:hosts=4", "--network torus:dims=2x2,ring:hosts=4",
     ("--model is now --network fluid",)),
    ("simulate ring -p 4 -s 4K", "--topology torus:dims=2x2", "--network torus:dims=2x2", ()),
    ("export ring -p 4 -f perfetto", "--model loggops --overhead 2us", "--network loggops:o=2us",
     ("--model is now --network loggops", "--o is now a setting of --network: MODEL:o=2us")),
    ("bound", "torus:dims=2x2", "--network packet:topology=torus:dims=2x2", ()),
    ("tune ring --by simulated -p 2 -s 1K", "--network=--model=loggops", "--network loggops", ("--network OPTIONS is now --network SPEC", "--model is now --network loggops")),
)


# Of training from a profile, which was `train` once.
PROFILED = (
    ("train -b simulated -m profile:vgg16 -w 4 --bandwidth 10G,25G --steps 4",
     "plan --breakdown -a ring -m profile:vgg16 --gpus 4 --network 10G,25G --steps 4", ("`arlab plan --breakdown`", "--network")),
    ("train -m profile:vgg16 --topology torus:dims=2x4 --steps 4 --scheduler fifo buckets",
     "plan -a ring -m profile:vgg16 --gpus 8 --network torus:dims=2x4 --steps 4 --scheduler fifo buckets", ("`arlab plan --breakdown`", "--network")),
    ("train -m profile:resnet50 -b virtual --bandwidth=10G --steps 8", "replay -m profile:resnet50 -b virtual --network=10G --steps 8",
     ("`arlab replay`", "--network")),
)


class OldNames(program.ProgramTest):
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
