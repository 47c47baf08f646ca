"""arlab plan end to end."""

import json
import unittest

import program
import tiny_profile


class Plan(program.ProgramTest):
    """Options of plan."""

    def test_options_without_effect_are_refused(self):
        for option, what in ((("--every", "3"), "--strategy local_sgd:every=3"), (("-s", "local_sgd", "--scheduler", "fifo"), "strategy multi_worker or mirrored"),
                             (("--compute", "seed=2"), "--compute jitter or a topology")):
            _, err = self.arlab("plan", "--gpus", "4", *option, code=2)
            self.assertIn(f"{' '.join(option[-2:]).partition('=')[0] if '=' in option[-1] else option[-2]} has no effect here: it needs {what}", err)
        train = ("plan", "--breakdown", "-a", "ring", "-m", "profile:vgg16", "--gpus", "4")
        for option, what in ((("--exchange", "groups=2"), "--algorithm hierarchical"), (("--compute", "codec=1,1"), "--compressor")):
            _, err = self.arlab(*train, *option, code=2)
            self.assertIn(f"{option[0]} {option[1].partition('=')[0]} has no effect here: it needs {what}", err)
        self.arlab(*train[:2], *train[4:], "-a", "hierarchical", "--exchange", "groups=2", "--compressor", "fp16", "--compute", "codec=1,1,jitter=0.1,seed=2")

    def test_models_and_gpus_are_one_table_with_a_verdict_each(self):
        plan = ("plan", "-m", "profile:resnet50,profile:bert-base", "--gpus", "8", "--network", "10G,100G", "--steps", "4", "--compute", "gpu=v100,a100")
        out, _ = self.arlab(*plan, "--json", "p.jsonl")
        self.assertEqual(len(program.columns(out, "model", "GPU", "network")), 8)
        verdicts = [line for line in out.splitlines() if line.startswith("Verdict: ")]
        self.assertEqual([line.split(":")[1].removeprefix(" ") for line in verdicts],
                         [f"{model} on 8 GPUs of {gpu}" for model in ("resnet50", "bert-base") for gpu in ("NVIDIA V100, float32", "NVIDIA A100 80 GB SXM4, mixed")])
        decided = [r for r in program.parse(self.read("p.jsonl"))[1] if r["kind"] == "plan_decision"]
        self.assertEqual([(r["model"], r["network"]) for r in decided[:4]], [("resnet50", "10G"), ("resnet50", "100G")] * 2)
        self.arlab("report", "p.jsonl", "-o", "p.html")
        page = self.read("p.html")
        for line in verdicts:
            self.assertIn(json.dumps(line), page)

    def test_the_order_of_gpus_and_networks_changes_no_verdict(self):
        tiny_profile.write(self.folder)
        answers = []
        for gpus in ("1,8", "8,1"):
            for networks in ("10G:latency=5us,10G:latency=2ms", "10G:latency=2ms,10G:latency=5us"):
                out, _ = self.arlab("plan", "-m", "profile:tiny.json", "--gpus", gpus, "--network", networks, "--steps", "4", "--json", "p.jsonl")
                [verdict] = [line for line in out.splitlines() if line.startswith("Verdict: tiny on 8 GPUs")]
                answers.append(sorted(verdict.split(":", 2)[2].replace(" At a", "\nAt a").replace(" On ", "\nOn ").splitlines()))
                decided = [r for r in program.parse(self.read("p.jsonl"))[1] if r["kind"] == "plan_decision"]
                self.assertEqual([r["rates_asked"] for r in decided], [True, True])
        self.assertIn("At a latency of 2 ms, ", "\n".join(answers[0]))
        self.assertEqual(answers, answers[:1] * 4)

    def test_breakdowns_have_costs_too_and_name_the_gpu(self):
        plan = ("plan", "-m", "profile:resnet50", "--gpus", "8", "--network", "100G", "--compute", "gpu=a100,h100,price=1.8,watts=650", "--breakdown")
        out, _ = self.arlab(*plan)
        rows = self.records(*plan)
        self.assertEqual(program.columns(out, "kWh/1M samples", "$/1M samples"),
                         [(f"{r['kwh_per_million_samples']:.4g}", f"{r['dollars_per_million_samples']:.4g}") for r in rows])
        self.assertIn("resnet50 costs least on 8 GPUs of h100", out)
        self.assertIn("resnet50 on 8 workers of a100", out)

    def test_a_plan_with_given_codes_does_not_say_what_codes_take_at_least(self):
        for codec, says in ((), True), (("--compute", "codec=0"), False):
            out, _ = self.arlab("plan", "-m", "profile:resnet50", "--gpus", "8", "--network", "10G", "--compressor", "fp16", *codec)
            self.assertEqual("Codes take at least the time of their bytes" in " ".join(out.split()), says)

    def test_models_of_one_name_are_refused(self):
        for file, device in (("before", "none"), ("after", "none"), ("other", "else")):
            profile = {**tiny_profile.PROFILE, "name": "Net", "device": device}
            (self.folder / f"{file}.json").write_text(json.dumps(profile), encoding="utf-8")
        _, err = self.arlab("plan", "-m", "profile:before.json,profile:after.json", "--gpus", "2", code=2)
        self.assertIn("profile:before.json and profile:after.json both have the name 'Net' and the device 'none'", err)
        _, err = self.arlab("plan", "-m", "profile:before.json,profile:./before.json", "--gpus", "2", "--breakdown", code=2)
        self.assertIn("both have the name 'Net'", err)
        out, _ = self.arlab("plan", "-m", "profile:before.json,profile:other.json", "--gpus", "2", "--steps", "4")
        self.assertEqual(program.columns(out, "GPU"), [("none",), ("else",)])

    def test_devices_that_are_no_gpu_of_the_list_are_refused(self):
        for setting, why in (("gpu=a10", "unknown GPU 'a10', did you mean 'a100'?"), ("precision=fp8", "unknown precision 'fp8'"),
                             ("gpu=h100,precision=tf32", "no public measurement of training on NVIDIA H100 80 GB SXM5 in tf32: give mixed")):
            _, err = self.arlab("plan", "--gpus", "4", "--compute", setting, code=2)
            self.assertIn(why, err)

    def test_savings_too_small_to_count_are_not_shown(self):
        out, _ = self.arlab("plan", "-m", "profile:resnet50", "--gpus", "8", "--network", "10000G")
        self.assertNotIn("other algorithm |", out)
        out, _ = self.arlab("plan", "-m", "profile:vgg16", "--gpus", "8", "--network", "1G", "-a", "butterfly")
        self.assertRegex(out, r"\| (ring|rabenseifner) -[1-9]")

    def test_values_are_checked_where_they_are_given(self):
        for option, value, text in (("-B", "0", "--batch is 0: give 1 to 16777216"), ("--compute", "seed=-1", "--compute seed is -1: give a number of 0 or more"),
                                    ("--network", "10G,", "--network '10G,' has an empty entry"), ("--exchange", "groups=0", "--exchange groups is 0: give 1 to 16384"),
                                    ("-m", "profile:/dev/zero", "cannot read /dev/zero (it is a device)")):
            _, err = self.arlab("plan", "--gpus", "4", option, value, code=3 if "/dev" in value else 2)
            self.assertIn(text, err)
        _, err = self.arlab("validate", "--list", "misses=nan", code=2)
        self.assertEqual(err, "error: --list misses 'nan' is not a number: write for example 4 or 1.5\n")
        for value in ("0", "-3", "1e10", "nan"):
            _, err = self.arlab("bound", "torus", "-p", value, code=2)
            self.assertTrue(err.startswith(("error: -p is", "error: -p 'nan' is")), err)

    def test_a_dry_run_leaves_out_what_the_run_leaves_out(self):
        words = ("simulate", "ring,tree,all_to_all", "-p", "16", "-s", "1K", "--limit", "messages=100")
        planned, _ = self.arlab(*words, "--dry-run")
        self.arlab(*words, "--json", "r.jsonl")
        _, records = program.parse(self.read("r.jsonl"))
        skipped = [(record["algorithm"], record["skipped"] or "") for record in records]
        self.assertEqual([bool(why) for _, why in skipped], [False, False, True])
        self.assertEqual(program.columns(planned, "algorithm", "skipped"), skipped)


if __name__ == "__main__":
    unittest.main(verbosity=2)
