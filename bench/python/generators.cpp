#include "bench/python/generators.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>
#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/stop.hpp"
#include "algorithms/round_limit.hpp"
#include "algorithms/verify/verify.hpp"
#include "bench/formats/own_algorithm.hpp"

namespace arlab::bench::python {
namespace {

namespace py = pybind11;

constexpr const char* kTooLarge = "no number of ranks or chunks is as large";

// Where a generator stands, in a text: "ring.py:7". Empty if it is no generator, or has ended.
std::string line_of(py::handle generator) {
  py::object frame = py::getattr(generator, "gi_frame", py::none());
  for (py::object inner = py::reinterpret_borrow<py::object>(generator);;) {
    inner = py::getattr(inner, "gi_yieldfrom", py::none());
    const py::object deeper = py::getattr(inner, "gi_frame", py::none());
    if (deeper.is_none()) break;
    frame = deeper;
  }
  if (frame.is_none()) return "";
  return py::str("{}:{}").format(frame.attr("f_code").attr("co_filename"), frame.attr("f_lineno"));
}

// Reads what the generator of one rank yields.
class RankReader {
 public:
  RankReader(const Problem& problem, Rank me, py::handle action_type)
      : problem_(problem), me_(me), action_type_(action_type) {}

  Script::Rounds rounds(const py::object& generator) {
    Script::Rounds all;
    const RoundLimit limit(problem_.ranks);
    const py::iterator iterator = py::iter(generator);
    generator_ = generator;
    while (const auto item = next(iterator)) {
      stop_if_asked();
      limit.check(me_, static_cast<Count>(all.size()) + 1);
      number_ = all.size() + 1;
      read_round(item.ptr(), all.emplace_back());
    }
    return all;
  }

 private:
  static py::object next(const py::iterator& iterator) {
    PyObject* item = PyIter_Next(iterator.ptr());
    if (!item && PyErr_Occurred()) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(item);
  }

  [[noreturn]] void wrong(const std::string& what) const {
    const std::string line = line_of(generator_);
    fail(Blame::usage, fmt::format("rank {}, round {}{}: {}", me_, number_,
                                   line.empty() ? "" : " (" + line + ")", what));
  }
  static std::string shown(PyObject* object) {
    const auto text = py::repr(object).cast<std::string>();
    return text.size() <= 60 ? text : text.substr(0, 60) + "...";
  }

  bool is_action(PyObject* object) const {
    return Py_TYPE(object) == reinterpret_cast<PyTypeObject*>(action_type_.ptr());
  }

  void read_round(PyObject* item, std::vector<Action>& round) const {
    if (is_action(item)) return round.push_back(action(item));
    if (!PyTuple_Check(item) && !PyList_Check(item))
      wrong("yields " + shown(item) + ": yield send(...), reduce(...), replace(...), or several");
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(item);
    round.reserve(static_cast<std::size_t>(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject* one = PySequence_Fast_GET_ITEM(item, i);
      if (!is_action(one))
        wrong("yields " + shown(one) + " in a round: put send(...), reduce(...), or replace(...)");
      round.push_back(action(one));
    }
  }

  Action action(PyObject* tuple) const {
    Action made;
    made.kind = static_cast<ActionKind>(number(PyTuple_GET_ITEM(tuple, 0), "the kind"));
    made.peer = narrow(number(PyTuple_GET_ITEM(tuple, 1), "the peer"), "the peer");
    PyObject* chunks = PyTuple_GET_ITEM(tuple, 2);
    if (!PyTuple_Check(chunks)) {
      made.chunks = problem_.chunk(number(chunks, "the chunk"));
      return made;
    }
    if (PyTuple_GET_SIZE(chunks) != 3)
      wrong("has " + shown(chunks) + " as chunks: use p.chunk(i), p.chunks(first, count), p.all()");
    const auto part = [&](int i, const char* what) {
      return narrow(number(PyTuple_GET_ITEM(chunks, i), what), what);
    };
    made.chunks = {part(0, "the first chunk"), part(1, "the number of chunks"),
                   part(2, "the stride")};
    return made;
  }

  Count number(PyObject* object, const char* what) const {
    const long long value = PyLong_CheckExact(object) ? PyLong_AsLongLong(object) : index(object);
    if (value == -1 && PyErr_Occurred()) {
      const bool is_whole = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
      PyErr_Clear();
      wrong(fmt::format("{} is {}: {}", what, shown(object),
                        is_whole ? kTooLarge : "give a whole number"));
    }
    return value;
  }
  // Of a number of another library, such as numpy's.
  static long long index(PyObject* object) {
    const auto value = py::reinterpret_steal<py::object>(PyNumber_Index(object));
    return value ? PyLong_AsLongLong(value.ptr()) : -1;
  }
  Rank narrow(Count value, const char* what) const {
    using Limits = std::numeric_limits<Rank>;
    if (value < Limits::min() || value > Limits::max())
      wrong(fmt::format("{} is {}: {}", what, value, kTooLarge));
    return static_cast<Rank>(value);
  }

  Problem problem_;
  Rank me_;
  py::handle action_type_;
  py::object generator_;
  std::size_t number_ = 0;
};

// A function that C++ keeps, and releases with the interpreter's lock.
std::shared_ptr<py::object> kept(py::object object) {
  return {new py::object(std::move(object)), [](py::object* held) {
            const py::gil_scoped_acquire lock;
            delete held;
          }};
}

py::tuple arguments(const Problem& p, Count last) {
  return py::make_tuple(std::string(name(p.collective)), p.ranks, p.root, last);
}

}  // namespace

Generators::Generators(const py::dict& about, py::object program, py::object cost,
                       py::object unsupported, py::object place, py::object action_type) {
  const auto text = [&](const char* key) { return about[key].cast<std::string>(); };
  OwnAlgorithm own{.name = text("name"),
                   .label = text("label"),
                   .summary = text("summary"),
                   .source = text("source")};
  own.collectives.clear();
  for (const py::handle one : about["collectives"])
    own.collectives.push_back(find_named(kCollectives, one.cast<std::string>(), "collective"));
  own.chunks_per_rank = about["chunks_per_rank"].cast<Rank>();
  own.plan = [program = kept(std::move(program)),
              type = kept(std::move(action_type))](const Problem& p) {
    const py::gil_scoped_acquire lock;
    std::vector<Script::Rounds> all;
    for (Rank me = 0; me < p.ranks; ++me)
      all.push_back(RankReader(p, me, *type).rounds((*program)(*arguments(p, me))));
    return all;
  };
  if (!cost.is_none())
    own.cost = [cost = kept(std::move(cost))](const Problem& p) {
      const py::gil_scoped_acquire lock;
      const py::tuple three = (*cost)(*arguments(p, p.elements));
      return Cost{three[0].cast<Count>(), three[1].cast<Count>(), three[2].cast<Count>()};
    };
  if (!unsupported.is_none())
    own.unsupported_reason = [reason = kept(std::move(unsupported))](const Problem& p) {
      const py::gil_scoped_acquire lock;
      return (*reason)(*arguments(p, p.elements)).cast<std::string>();
    };
  own.place = [place = kept(std::move(place))](const Problem& p, Rank me, Count round) {
    const py::gil_scoped_acquire lock;
    return (*place)(std::string(name(p.collective)), p.ranks, p.root, me, round)
        .cast<std::string>();
  };
  algorithm_ = algorithm_of(std::move(own));
}

py::dict Generators::prove(const std::string& collective, Rank ranks, Rank root) const {
  const Collective task = find_named(kCollectives, collective, "collective");
  Proof proof;
  {
    const py::gil_scoped_release unlocked;
    Problem p{.collective = task, .ranks = ranks, .elements = ranks, .root = root};
    check(p);
    if (const std::string why = unsupported(*algorithm_, p); !why.empty()) fail(Blame::usage, why);
    proof = verify(*algorithm_, p);
  }
  py::dict result;
  result["kind"] = std::string(name(proof.fault.kind));
  result["rank"] = proof.fault.rank;
  result["round"] = proof.fault.round;
  result["chunk"] = proof.fault.chunk;
  result["text"] = proof.fault.text;
  result["bracketing"] = proof.bracketing;
  result["same_on_all_ranks"] = proof.same_on_all_ranks;
  return result;
}

}  // namespace arlab::bench::python
