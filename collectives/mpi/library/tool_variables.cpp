#include "collectives/mpi/library/tool_variables.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "algorithms/base/error.hpp"

namespace arlab::collectives {
namespace {

constexpr int kTextBytes = 4096;

void check_tool(int code, const std::string& doing) {
  if (code != MPI_SUCCESS)
    fail(Blame::environment, "MPI's tool interface failed in " + doing + " (error " +
                                 std::to_string(code) + "): use another version of the library");
}

std::vector<ToolVariables::Value> named_values(MPI_T_enum names) {
  std::vector<ToolVariables::Value> all;
  if (names == MPI_T_ENUM_NULL) return all;
  char text[kTextBytes];
  int length = kTextBytes, count = 0;
  if (MPI_T_enum_get_info(names, &count, text, &length) != MPI_SUCCESS) return all;
  for (int i = 0; i < count; ++i) {
    ToolVariables::Value value;
    length = kTextBytes;
    if (MPI_T_enum_get_item(names, i, &value.number, text, &length) != MPI_SUCCESS) continue;
    value.name = text;
    all.push_back(std::move(value));
  }
  return all;
}

class ControlHandle {
 public:
  explicit ControlHandle(int index) {
    check_tool(MPI_T_cvar_handle_alloc(index, nullptr, &handle_, &count_),
               "MPI_T_cvar_handle_alloc");
  }
  ~ControlHandle() { MPI_T_cvar_handle_free(&handle_); }
  ControlHandle(const ControlHandle&) = delete;
  ControlHandle& operator=(const ControlHandle&) = delete;
  MPI_T_cvar_handle get() const { return handle_; }

 private:
  MPI_T_cvar_handle handle_ = MPI_T_CVAR_HANDLE_NULL;
  int count_ = 0;
};

}  // namespace

ToolVariables::ToolVariables() {
  int provided = 0;
  check_tool(MPI_T_init_thread(MPI_THREAD_SERIALIZED, &provided), "MPI_T_init_thread");
}

ToolVariables::~ToolVariables() { MPI_T_finalize(); }

std::optional<ToolVariables::Control> ToolVariables::control(const std::string& name) const {
  Control found;
  if (MPI_T_cvar_get_index(name.c_str(), &found.index) != MPI_SUCCESS) return std::nullopt;
  char its_name[kTextBytes], description[kTextBytes];
  int name_bytes = kTextBytes, description_bytes = kTextBytes, verbosity = 0, binds = 0, scope = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum names = MPI_T_ENUM_NULL;
  check_tool(MPI_T_cvar_get_info(found.index, its_name, &name_bytes, &verbosity, &type, &names,
                                 description, &description_bytes, &binds, &scope),
             "MPI_T_cvar_get_info");
  if (type != MPI_INT && type != MPI_UNSIGNED && type != MPI_C_BOOL) return std::nullopt;
  found.description = description;
  found.values = named_values(names);
  return found;
}

int ToolVariables::read(const Control& control) const {
  const ControlHandle handle(control.index);
  std::int64_t value[2] = {};  // an int or a bool, with room to spare
  check_tool(MPI_T_cvar_read(handle.get(), value), "MPI_T_cvar_read");
  int number = 0;
  std::memcpy(&number, value, sizeof number);
  return number;
}

void ToolVariables::write(const Control& control, int value) const {
  const ControlHandle handle(control.index);
  check_tool(MPI_T_cvar_write(handle.get(), &value), "MPI_T_cvar_write");
}

RankCounters::RankCounters(const ToolVariables&, const std::string& name, int ranks)
    : ranks_(ranks) {
  int index = 0;
  if (MPI_T_pvar_get_index(name.c_str(), MPI_T_PVAR_CLASS_SIZE, &index) != MPI_SUCCESS) return;
  char its_name[kTextBytes], description[kTextBytes];
  int name_bytes = kTextBytes, description_bytes = kTextBytes, verbosity = 0, kind = 0, binds = 0,
      readonly = 0, continuous = 0, atomic = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum names = MPI_T_ENUM_NULL;
  if (MPI_T_pvar_get_info(index, its_name, &name_bytes, &verbosity, &kind, &type, &names,
                          description, &description_bytes, &binds, &readonly, &continuous,
                          &atomic) != MPI_SUCCESS)
    return;
  int bytes = 0;
  MPI_Type_size(type, &bytes);
  bytes_per_value_ = static_cast<std::size_t>(bytes);
  if (MPI_T_pvar_session_create(&session_) != MPI_SUCCESS) return;
  MPI_Comm world = MPI_COMM_WORLD;
  int count = 0;
  if (MPI_T_pvar_handle_alloc(session_, index, &world, &handle_, &count) != MPI_SUCCESS) return;
  if (!continuous) check_tool(MPI_T_pvar_start(session_, handle_), "MPI_T_pvar_start");
  // Open MPI 5 also lists what it does not count, which cannot be read.
  std::vector<std::uint64_t> raw(static_cast<std::size_t>(std::max(count, 1)));
  counts_ = count == ranks && (bytes_per_value_ == 4 || bytes_per_value_ == 8) &&
            MPI_T_pvar_read(session_, handle_, raw.data()) == MPI_SUCCESS;
}

RankCounters::~RankCounters() {
  if (handle_ != MPI_T_PVAR_HANDLE_NULL) MPI_T_pvar_handle_free(session_, &handle_);
  if (session_ != MPI_T_PVAR_SESSION_NULL) MPI_T_pvar_session_free(&session_);
}

std::vector<Count> RankCounters::read() const {
  const auto ranks = static_cast<std::size_t>(ranks_);
  std::vector<std::uint64_t> raw(ranks);
  check_tool(MPI_T_pvar_read(session_, handle_, raw.data()), "MPI_T_pvar_read");
  std::vector<Count> all(ranks);
  for (std::size_t i = 0; i < ranks; ++i) {
    if (bytes_per_value_ == 8) {
      all[i] = static_cast<Count>(raw[i]);
      continue;
    }
    std::uint32_t value = 0;
    std::memcpy(&value, reinterpret_cast<const std::byte*>(raw.data()) + 4 * i, sizeof value);
    all[i] = static_cast<Count>(value);
  }
  return all;
}

}  // namespace arlab::collectives
