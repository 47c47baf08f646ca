"""Profiles of a user's own model: what a step takes, layer by layer, as `arlab plan -m profile:FILE` reads it."""
# mypy: disable-error-code="no-untyped-call"
import copy
import json
import math
import os
import platform
import tempfile
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Set

import torch

from .._errors import UsageError
from .._results import show_size, show_time
from ._clock import _real
from ._session import counted_steps

_WARM_UP = 2  # steps that allocate memory


class Profile:
    """A profile. Where arlab.plan() takes a model, it may stand for its file."""

    def __init__(self, data: Dict[str, Any]) -> None:
        self.data = data
        self._folder: Optional["tempfile.TemporaryDirectory[str]"] = None

    def save(self, path: Any) -> str:
        """Writes the file, and returns what `-m` takes."""
        text = json.dumps(self.data, indent=1)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        return f"profile:{os.fspath(path)}"

    def __str__(self) -> str:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="arlab-")
            self.save(os.path.join(self._folder.name, "model.json"))
        return f"profile:{os.path.join(self._folder.name, 'model.json')}"

    def __repr__(self) -> str:
        layers, parameters = self.data["layers"], self.data["parameters"]
        passes = [show_time(sum(layer[key] for layer in layers)) for key in ("forward_us", "backward_us")]
        optimizer = show_time(self.data["optimizer_ps_per_parameter"] * parameters / 1e6)
        size = show_size(parameters * self.data["gradient_bytes"])
        return (f"{self.data['name']}: {parameters:,} parameters in {len(layers)} layers, {size} of gradients, {self.data['batch']} samples "
                f"per step; forward {passes[0]}, backward {passes[1]}, optimizer {optimizer}, on {self.data['device']}")


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """The tensors in lists, tuples, dicts, and results of models."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from tensors_in(one)
    elif hasattr(value, "values"):
        yield from tensors_in(list(value.values()))


def samples_of(inputs: Any) -> int:
    """The first dimension of the first tensor of inputs; 0 without one."""
    first = next((tensor for tensor in tensors_in(inputs) if tensor.dim()), None)
    return 0 if first is None else first.shape[0]


class Recorder:
    """Takes the times at which layers end their forward pass, and their gradients are ready."""

    def __init__(self, model: torch.nn.Module, seconds: Callable[[], float]) -> None:
        self._model, self._seconds = model, seconds
        self._layers: List[Dict[str, Any]] = []
        self._steps: List[Optional[Dict[str, Any]]] = []
        self._removes: List[Any] = []
        seen: Set[int] = set()
        for name, module in model.named_modules():
            own = {key: one for key, one in module.named_parameters(recurse=False) if one.requires_grad and id(one) not in seen}
            seen |= {id(one) for one in own.values()}
            if own:
                number = len(self._layers)
                self._layers.append({"name": name or type(model).__name__, "tensors": {key: one.numel() for key, one in own.items()}})
                self._removes.append(module.register_forward_hook(lambda *_, number=number: self._forwarded(number)))
                self._removes += [one.register_hook(lambda _, number=number, key=key: self._ready(number, key)) for key, one in own.items()]
        if not self._layers:
            raise UsageError(f"{type(model).__name__} has no parameters that learn: a profile needs some")
        sizes = {one.element_size() for one in model.parameters() if one.requires_grad}
        if len(sizes) > 1:
            raise UsageError(f"{type(model).__name__} has parameters of {sorted(sizes)} bytes: a profile has one size; convert the model")
        self._bytes = sizes.pop()
        self._removes.append(model.register_forward_hook(lambda *_: self._ended()))
        self.begin_step()

    def begin_step(self) -> None:
        self._start, self._output, self._passes = self._seconds(), math.nan, 0
        self._forward: Dict[int, float] = {}
        self._gradient: Dict[Any, float] = {}

    def _forwarded(self, number: int) -> None:
        self._forward[number] = self._seconds()

    def _ready(self, number: int, key: str) -> None:
        self._gradient[number, key] = self._seconds()

    def _ended(self) -> None:
        if torch.is_grad_enabled():  # no evaluation
            self._output, self._passes = self._seconds(), self._passes + 1

    def end_step(self) -> None:
        end = self._seconds()
        missing = [f"{layer['name']}.{key}" for i, layer in enumerate(self._layers) for key in layer["tensors"]
                   if (i, key) not in self._gradient]
        if self._passes == 1 and not missing:
            ready = [max(self._gradient[i, key] for key in layer["tensors"]) - self._output for i, layer in enumerate(self._layers)]
            self._steps.append({"forward": [self._forward.get(i, self._start) - self._start for i in range(len(self._layers))],
                                "output": self._output - self._start, "ready": ready, "rest": end - self._output - max(ready)})
        else:
            self._steps.append(None)
            self._reason = (f"{missing[0]} gets no gradient: use it, or set its requires_grad to False" if missing else
                            f"a step has {self._passes} forward passes: a profile needs one")
        self.begin_step()

    def remove(self) -> None:
        for handle in self._removes:
            handle.remove()

    def profile(self, chosen: Sequence[int], batch: int) -> Dict[str, Any]:
        """The means of the chosen steps, in the file's form. Layers are in the order in which gradients become ready, reversed."""
        known = [self._steps[i] for i in chosen if i < len(self._steps)]
        steps = [step for step in known if step is not None]
        if not steps or len(steps) < len(known):
            raise UsageError(f"no profile of {type(self._model).__name__}: {getattr(self, '_reason', 'no step was recorded')}")

        def mean(values: Iterable[float]) -> float:
            return sum(values) / len(steps)

        ready = [mean(step["ready"][i] for step in steps) for i in range(len(self._layers))]
        order = sorted(range(len(self._layers)), key=lambda i: -ready[i])
        forward = [mean(step["forward"][i] for step in steps) for i in order]
        layers: List[Dict[str, Any]] = []
        done = 0.0
        for place, i in enumerate(order):
            end = max(done, forward[place]) if place + 1 < len(order) else mean(step["output"] for step in steps)
            before = ready[order[place + 1]] if place + 1 < len(order) else 0.0
            layers.append({**self._layers[i], "forward_us": round(1e6 * max(0.0, end - done), 3),
                           "backward_us": round(1e6 * (ready[i] - before), 3)})
            done = max(done, end)
        parameters = sum(sum(layer["tensors"].values()) for layer in self._layers)
        rest = mean(step["rest"] for step in steps)
        source = f"measured by arlab with PyTorch {torch.__version__}: mean of {len(steps)} steps, until the layer's last gradient was ready"
        return {"profile": 1, "name": type(self._model).__name__, "device": device_of(self._model), "batch": batch, "samples": "samples",
                "parameters": parameters, "gradient_bytes": self._bytes,
                "optimizer_ps_per_parameter": round(1e12 * max(0.0, rest) / parameters, 3),
                "sources": {"parameters": "the model's own", "forward_us": source, "backward_us": source,
                            "optimizer_ps_per_parameter": "measured from the last gradient to the end of the optimizer's step"},
                "layers": layers}


def device_of(model: torch.nn.Module) -> str:
    first = next(model.parameters())
    name = torch.cuda.get_device_name(first.device) if first.is_cuda else f"{platform.machine()} processor, {torch.get_num_threads()} threads"
    return f"{name}, {str(first.dtype).rpartition('.')[2]}"


def _loss_of(output: Any) -> torch.Tensor:
    """The model's own loss, or without one the sum of the means of its results."""
    loss = output.get("loss") if isinstance(output, dict) else getattr(output, "loss", None)
    if loss is not None:
        mean: torch.Tensor = loss.mean()
        return mean
    parts = [one.float().mean() for one in tensors_in(output) if one.is_floating_point() and one.requires_grad]
    if not parts:
        raise UsageError("the model's result has no tensor to differentiate: give loss=, a function of the result")
    return sum(parts[1:], parts[0])


def profile(model: torch.nn.Module, batch: Any, *, loss: Optional[Callable[[Any], torch.Tensor]] = None,
            optimizer: Optional[Callable[[Iterable[torch.nn.Parameter]], torch.optim.Optimizer]] = None, steps: int = 12,
            name: str = "") -> Profile:
    """Trains a copy of a model for some steps, and returns its profile, which arlab.plan() takes.

    `batch` is the model's argument, or a tuple or dict of them; its first dimension is the number of samples. `loss` makes a scalar of
    the result, by default its own `loss`, or its mean. `optimizer` takes parameters, by default SGD with momentum. On a GPU, each
    layer is waited for. The model stays what it was.
    """
    if steps < 4:
        raise UsageError(f"steps is {steps}: give at least 4")
    if not any(True for _ in tensors_in(batch)):
        raise UsageError(f"batch is {type(batch).__name__} without a tensor: give the model's argument, or a tuple or dict of them")
    if not samples_of(batch) and any(one.dim() for one in tensors_in(batch)):
        raise UsageError("batch has 0 samples: give at least one")
    if optimizer is not None and not callable(optimizer):
        raise UsageError(f"optimizer is {type(optimizer).__name__}, which has parameters of its own: give the class, such as torch.optim.Adam")
    model = copy.deepcopy(model.module if isinstance(model, torch.nn.parallel.DistributedDataParallel) else model).train()
    on_gpu = any(one.is_cuda for one in model.parameters())

    def seconds() -> float:
        if on_gpu:
            torch.cuda.synchronize()
        return _real()

    recorder, times = Recorder(model, seconds), []
    learner = (optimizer or (lambda parameters: torch.optim.SGD(parameters, lr=1e-3, momentum=0.9)))(model.parameters())
    for step in range(_WARM_UP + steps):
        begin = seconds()
        learner.zero_grad()
        output = model(**batch) if isinstance(batch, dict) else model(*batch) if isinstance(batch, (tuple, list)) else model(batch)
        (loss or _loss_of)(output).backward()
        learner.step()
        recorder.end_step()
        times.append(seconds() - begin)
    chosen = [i + _WARM_UP for i in counted_steps(times[_WARM_UP:])]
    data = recorder.profile(chosen, samples_of(batch) or 1)
    if name:
        data["name"] = name
    return Profile(data)
