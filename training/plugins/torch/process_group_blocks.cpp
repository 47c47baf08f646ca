// Collectives in which each rank has a block of its own.
#include <cstring>
#include <limits>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "training/plugins/torch/process_group.hpp"

namespace arlab::training {
namespace {

using Tensors = std::vector<at::Tensor>;

void check_one_per_rank(const std::vector<Tensors>& lists, int ranks, const char* what) {
  if (lists.size() != 1 || lists[0].size() != static_cast<std::size_t>(ranks))
    fail(Blame::usage, concat(what, " needs one tensor per rank in its list, ", ranks, " in all"));
}

void check_equal(const at::Tensor& tensor, const at::Tensor& model, const char* what) {
  if (tensor.numel() != model.numel() || tensor.scalar_type() != model.scalar_type())
    fail(Blame::usage,
         concat(what, " of ", model.numel(), " ", c10::toString(model.scalar_type()),
                " with a tensor of ", tensor.numel(), " ", c10::toString(tensor.scalar_type()),
                " in its list: give all the same size and type"));
}

void check_gathered(const at::Tensor& to, const at::Tensor& from, int ranks) {
  if (to.numel() != from.numel() * ranks || to.scalar_type() != from.scalar_type())
    fail(Blame::usage,
         concat("all_gather into ", to.numel(), " elements of ", ranks, " tensors of ",
                from.numel(), ": give an output of their size together, and of their type"));
}

void check_scattered(const at::Tensor& to, const at::Tensor& from, int ranks) {
  if (from.numel() != to.numel() * ranks || from.scalar_type() != to.scalar_type())
    fail(Blame::usage,
         concat("reduce_scatter of ", from.numel(), " elements into ", to.numel(), " on ", ranks,
                " ranks: give an input of one output per rank, of its type"));
}

// Of several tensors.
Call call_of_several(const char* what, std::size_t tensors) {
  Call call;
  call.what = ShortText<24>(what);
  call.elements = static_cast<Count>(tensors);
  return call;
}

// A buffer for one block per rank.
at::Tensor blocks(std::int64_t ranks, const at::Tensor& model, Held& held) {
  return held.emplace_back(at::empty({ranks, model.numel()}, model.options()));
}

void copy_in(const at::Tensor& all, const Tensors& from) {
  for (std::size_t r = 0; r < from.size(); ++r)
    all[static_cast<std::int64_t>(r)].copy_(from[r].reshape(-1));
}

void copy_out(const Tensors& to, const at::Tensor& all) {
  for (std::size_t r = 0; r < to.size(); ++r)
    to[r].copy_(all[static_cast<std::int64_t>(r)].view(to[r].sizes()));
}

}  // namespace

// `to`: one tensor per rank, or one of all.
auto ProcessGroupArlab::gathering(const Call& call, const Tensors& to, const at::Tensor& from)
    -> Task {
  return [call, to, from](GroupRanks& ranks, Held& held) {
    const bool one = to.size() == 1 && to[0].numel() != from.numel();
    const at::Tensor all =
        one ? flat_space(to[0], held) : blocks(ranks.communicator.ranks(), from, held);
    const at::Tensor rows = all.view({ranks.communicator.ranks(), from.numel()});
    rows[ranks.communicator.rank()].copy_(from.reshape(-1));
    ranks.all_gather(call, bytes_of(all));
    if (one)
      restore(to[0], all);
    else
      copy_out(to, rows);
  };
}

auto ProcessGroupArlab::_allgather_base(at::Tensor& output, at::Tensor& input,
                                        const c10d::AllgatherOptions&) -> Work {
  const at::Tensor to = checked_result(output, "all_gather"), from = checked(input, "all_gather");
  check_gathered(to, from, getSize());
  const Call call = call_of("all_gather", from);
  return post(c10d::OpType::_ALLGATHER_BASE, "arlab:all_gather", call, {to},
              gathering(call, {to}, from), needs_for(to.nbytes()));
}

auto ProcessGroupArlab::allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                                  const c10d::AllgatherOptions&) -> Work {
  const at::Tensor from = checked(the_one(inputs, "all_gather"), "all_gather");
  check_one_per_rank(outputs, getSize(), "all_gather");
  for (const at::Tensor& to : outputs[0])
    check_equal(checked_result(to, "all_gather"), from, "all_gather");
  const Call call = call_of("all_gather", from);
  return post(c10d::OpType::ALLGATHER, "arlab:all_gather", call, outputs[0],
              gathering(call, outputs[0], from), needs_for(from.nbytes() * outputs[0].size()));
}

auto ProcessGroupArlab::allgather_coalesced(std::vector<Tensors>& outputs, Tensors& inputs,
                                            const c10d::AllgatherOptions&) -> Work {
  std::vector<Part> parts;
  Tensors results;
  if (outputs.size() != static_cast<std::size_t>(getSize()))
    fail(Blame::usage, concat("all_gather_coalesced needs one list per rank, ", getSize()));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Tensors to;
    for (const Tensors& list : outputs) {
      if (list.size() != inputs.size())
        fail(Blame::usage, concat("all_gather_coalesced of ", inputs.size(), " tensors into ",
                                  list.size(), ": give an output for each input"));
      check_equal(checked_result(list[i], "all_gather_coalesced"), inputs[i],
                  "all_gather_coalesced");
      to.push_back(list[i]);
      results.push_back(list[i]);
    }
    const at::Tensor& from = checked(inputs[i], "all_gather_coalesced");
    const Call call = call_of("all_gather_coalesced", from);
    parts.push_back({call, gathering(call, to, from)});
  }
  return post_all(c10d::OpType::ALLGATHER_COALESCED, "arlab:all_gather",
                  call_of_several("all_gather_coalesced", inputs.size()), results,
                  std::move(parts));
}

#if TORCH_VERSION_MAJOR >= 2
namespace {

// `part_of(output, input)` of each pair of tensors.
template <class PartOf>
auto parts_of_pairs(const char* what, const Tensors& outputs, const Tensors& inputs,
                    PartOf part_of) {
  if (outputs.size() != inputs.size())
    fail(Blame::usage, concat(what, " of ", inputs.size(), " tensors into ", outputs.size(),
                              ": give an output for each input"));
  std::vector<decltype(part_of(outputs[0], inputs[0]))> parts;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    parts.push_back(part_of(checked_result(outputs[i], what), checked(inputs[i], what)));
  return parts;
}

}  // namespace

auto ProcessGroupArlab::allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                        const c10d::AllgatherOptions&) -> Work {
  constexpr const char* kName = "all_gather_coalesced";
  const auto part_of = [&](const at::Tensor& to, const at::Tensor& from) {
    check_gathered(to, from, getSize());
    const Call call = call_of(kName, from);
    return Part{call, gathering(call, {to}, from)};
  };
  return post_all(c10d::OpType::ALLGATHER_COALESCED, "arlab:all_gather",
                  call_of_several(kName, inputs.size()), outputs,
                  parts_of_pairs(kName, outputs, inputs, part_of));
}

auto ProcessGroupArlab::reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                        const c10d::ReduceScatterOptions& options)
    -> Work {
  constexpr const char* kName = "reduce_scatter_tensors";
  const auto part_of = [&](const at::Tensor& to, const at::Tensor& from) {
    check_scattered(to, from, getSize());
    const Reduction reduction = reduction_of(from, options.reduceOp);
    const Call call = call_of(kName, to, reduction);
    return Part{call, scattering_sums(call, to, {from}, reduction)};
  };
  return post_all(c10d::OpType::REDUCE_SCATTER, "arlab:reduce_scatter",
                  call_of_several(kName, inputs.size()), outputs,
                  parts_of_pairs(kName, outputs, inputs, part_of));
}
#endif

auto ProcessGroupArlab::gather(std::vector<Tensors>& outputs, Tensors& inputs,
                               const c10d::GatherOptions& options) -> Work {
  const at::Tensor from = checked(the_one(inputs, "gather"), "gather");
  const Rank root = checked_root(options.rootRank, getSize());
  const bool is_root = getRank() == root;
  Tensors to;
  if (is_root) {
    check_one_per_rank(outputs, getSize(), "gather");
    to = outputs[0];
    for (const at::Tensor& each : to) check_equal(checked_result(each, "gather"), from, "gather");
  }
  const Call call = call_of("gather", from, root);
  return post(c10d::OpType::GATHER, "arlab:gather", call, to,
              [call, to, from, is_root](GroupRanks& ranks, Held& held) {
                const at::Tensor mine = flat(from, held);
                if (!is_root) return ranks.gather(call, bytes_of(mine), {});
                const at::Tensor all = blocks(ranks.communicator.ranks(), from, held);
                ranks.gather(call, bytes_of(mine), bytes_of(all));
                copy_out(to, all);
              });
}

auto ProcessGroupArlab::scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                const c10d::ScatterOptions& options) -> Work {
  const at::Tensor to = checked_result(the_one(outputs, "scatter"), "scatter");
  const Rank root = checked_root(options.rootRank, getSize());
  const bool is_root = getRank() == root;
  Tensors from;
  if (is_root) {
    check_one_per_rank(inputs, getSize(), "scatter");
    from = inputs[0];
    for (const at::Tensor& each : from) check_equal(checked(each, "scatter"), to, "scatter");
  }
  const Call call = call_of("scatter", to, root);
  return post(c10d::OpType::SCATTER, "arlab:scatter", call, {to},
              [call, to, from, is_root](GroupRanks& ranks, Held& held) {
                const at::Tensor mine = flat_space(to, held);
                if (is_root) {
                  const at::Tensor all = blocks(ranks.communicator.ranks(), to, held);
                  copy_in(all, from);
                  ranks.scatter(call, bytes_of(all), bytes_of(mine));
                } else {
                  ranks.scatter(call, {}, bytes_of(mine));
                }
                restore(to, mine);
              });
}

// `from`: one tensor per rank, or one of all.
auto ProcessGroupArlab::scattering_sums(const Call& call, const at::Tensor& to, const Tensors& from,
                                        const Reduction& reduction) -> Task {
  return [call, to, from, reduction](GroupRanks& ranks, Held& held) {
    const at::Tensor all = blocks(ranks.communicator.ranks(), to, held);
    if (from.size() == 1 && from[0].numel() != to.numel())
      all.view(-1).copy_(from[0].reshape(-1));
    else
      copy_in(all, from);
    if (reduction.bits)
      reduce_flat(ranks, call, all, reduction, held);
    else
      ranks.reduce_scatter(call, bytes_of(all), reduction.operand);
    to.copy_(all[ranks.communicator.rank()].view(to.sizes()));
  };
}

// Of so many that shared memory does not count them, some go by MPI.
auto ProcessGroupArlab::needs_for_blocks(std::size_t bytes, const Reduction& reduction) const
    -> TaskQueue::Needs {
  const bool few = bytes <= std::numeric_limits<int>::max();
  return few && !reduction.bits ? needs_for(bytes) : TaskQueue::Needs::turn;
}

auto ProcessGroupArlab::_reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                             const c10d::ReduceScatterOptions& options) -> Work {
  const at::Tensor to = checked_result(output, "reduce_scatter"),
                   from = checked(input, "reduce_scatter");
  check_scattered(to, from, getSize());
  const Reduction reduction = reduction_of(from, options.reduceOp);
  const Call call = call_of("reduce_scatter", to, reduction);
  return post(c10d::OpType::_REDUCE_SCATTER_BASE, "arlab:reduce_scatter", call, {to},
              scattering_sums(call, to, {from}, reduction),
              needs_for_blocks(from.nbytes(), reduction));
}

auto ProcessGroupArlab::reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                       const c10d::ReduceScatterOptions& options) -> Work {
  const at::Tensor to = checked_result(the_one(outputs, "reduce_scatter"), "reduce_scatter");
  check_one_per_rank(inputs, getSize(), "reduce_scatter");
  for (const at::Tensor& from : inputs[0])
    check_equal(checked(from, "reduce_scatter"), to, "reduce_scatter");
  const Reduction reduction = reduction_of(to, options.reduceOp);
  const Call call = call_of("reduce_scatter", to, reduction);
  return post(c10d::OpType::REDUCE_SCATTER, "arlab:reduce_scatter", call, {to},
              scattering_sums(call, to, inputs[0], reduction),
              needs_for_blocks(to.nbytes() * inputs[0].size(), reduction));
}

auto ProcessGroupArlab::alltoall(Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions&)
    -> Work {
  check_one_per_rank({outputs}, getSize(), "all_to_all");
  check_one_per_rank({inputs}, getSize(), "all_to_all");
  for (const at::Tensor& to : outputs) checked_result(to, "all_to_all");
  for (const at::Tensor& from : inputs) checked(from, "all_to_all");
  for (const Tensors& list : {outputs, inputs})
    for (const at::Tensor& each : list)
      if (each.scalar_type() != inputs[0].scalar_type())
        fail(Blame::usage, "all_to_all of tensors of several types: give all the same");
  const Tensors to = outputs, from = inputs;
  Call call = call_of("all_to_all", from[0]);
  call.elements = 0;  // pairs of ranks compare their sizes
  return post(c10d::OpType::ALLTOALL, "arlab:all_to_all", call, to,
              [call, to, from](GroupRanks& ranks, Held& held) {
                Tensors its;
                std::vector<GroupRanks::Memory> sent, received;
                for (const at::Tensor& each : from) sent.push_back(bytes_of(flat(each, held)));
                for (const at::Tensor& each : to)
                  received.push_back(bytes_of(its.emplace_back(flat_space(each, held))));
                ranks.all_to_all(call, sent, received);
                for (std::size_t r = 0; r < to.size(); ++r) restore(to[r], its[r]);
              });
}

// Blocks are of rows. Without sizes they are equal.
auto ProcessGroupArlab::alltoall_base(at::Tensor& output, at::Tensor& input,
                                      std::vector<std::int64_t>& output_sizes,
                                      std::vector<std::int64_t>& input_sizes,
                                      const c10d::AllToAllOptions& options) -> Work {
  const auto parts = [&](const at::Tensor& tensor, const std::vector<std::int64_t>& sizes) {
    const std::int64_t rows = tensor.dim() == 0 ? 0 : tensor.size(0);
    const std::vector<std::int64_t> equal(static_cast<std::size_t>(getSize()), rows / getSize());
    const std::vector<std::int64_t>& its = sizes.empty() ? equal : sizes;
    std::int64_t sum = 0;
    for (const std::int64_t size : its) sum += size;
    if (sum != rows || its.size() != equal.size())
      fail(Blame::usage,
           concat("all_to_all of ", rows, " rows among ", getSize(),
                  " ranks: give split sizes of one number per rank that sum to the rows"));
    return tensor.split_with_sizes(its);
  };
  Tensors to = parts(checked_result(output, "all_to_all"), output_sizes);
  Tensors from = parts(checked(input, "all_to_all"), input_sizes);
  return alltoall(to, from, options);
}

}  // namespace arlab::training
