# What makes the build fast: a compiler cache, a fast linker, precompiled headers and unity builds.

option(ARLAB_UNITY "Compile the sources of several folders as one unit: fast from scratch, slow after a change" OFF)

# The compiler cache, unless the user chose a launcher. It caches units that use a precompiled header only with this
# sloppiness, and finds those of another checkout of the same sources only if it sees paths relative to the checkout.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(ARLAB_CCACHE ccache DOC "The compiler cache")
  mark_as_advanced(ARLAB_CCACHE)
  if(ARLAB_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${ARLAB_CCACHE})
  endif()
endif()
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
endif()

# Names of files in tests' messages, without the checkout: another checkout finds the unit in the cache.
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>)

# Units of a whole folder need a gigabyte anyway; g++ compiles them a tenth faster if it collects garbage rarely.
if(ARLAB_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=500000;--param=ggc-min-expand=200>")
endif()

# The linker, unless the user chose one.
if(PROJECT_IS_TOP_LEVEL AND NOT EMSCRIPTEN AND NOT "${CMAKE_EXE_LINKER_FLAGS} $ENV{LDFLAGS}" MATCHES "-fuse-ld|-B")
  include(CheckLinkerFlag)
  foreach(linker mold lld)
    check_linker_flag(CXX -fuse-ld=${linker} ARLAB_LINKER_${linker})
    if(ARLAB_LINKER_${linker})
      add_link_options(-fuse-ld=${linker})
      break()
    endif()
  endforeach()
endif()

# The standard headers that most sources include. Every header must still include what it uses: the target arlab_headers and the
# preset tidy compile without precompiled headers.
set(ARLAB_STANDARD_HEADERS <algorithm> <array> <atomic> <chrono> <cmath> <condition_variable> <coroutine> <cstdint> <cstring>
    <functional> <limits> <map> <memory> <mutex> <numeric> <optional> <set> <span> <sstream> <string> <string_view> <thread>
    <unordered_map> <utility> <variant> <vector>)

# Of Boost, what most sources of the simulator include: it takes longer than what they add to it.
set(ARLAB_GRAPH_HEADER <boost/graph/adjacency_list.hpp>)

# arlab_precompile(<target>): the standard headers, compiled once and reused by all other targets; for arlab_simulator together
# with Boost's graphs. Targets with other flags of the stack protector cannot share them: the compiler would read all again.
function(arlab_precompile target)
  set(owner arlab_algorithms)
  if(ARLAB_HARDENED)
    set(owner arlab_collectives)
  endif()
  if(target STREQUAL "arlab_simulator")
    target_precompile_headers(${target} PRIVATE ${ARLAB_STANDARD_HEADERS} ${ARLAB_GRAPH_HEADER})
  elseif(target STREQUAL "arlab_algorithms" OR target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE ${ARLAB_STANDARD_HEADERS})
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# arlab_unity_group(<variable> <source>): sets the name of the unit that the source is compiled in; empty for a unit of its own.
function(arlab_unity_group variable source)
  cmake_path(ABSOLUTE_PATH source)
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
  set(${variable} "" PARENT_SCOPE)
  if(ARLAB_UNITY AND NOT source MATCHES "^build|^\\.\\.|/catalog/|\\$" AND NOT source IN_LIST ARLAB_NOT_IN_UNITY)
    cmake_path(GET source PARENT_PATH folder)
    foreach(unit ${ARLAB_UNITS})
      if(folder MATCHES "^(${unit})$")
        string(MAKE_C_IDENTIFIER ${unit} folder)
      endif()
    endforeach()
    set(${variable} ${folder} PARENT_SCOPE)
  endif()
endfunction()

# arlab_unity_units(<variable> <folder> <sources...>): sets the units to compile instead of the sources, generated in the folder.
# For compilers that CMake does not know.
function(arlab_unity_units variable where)
  set(units "")
  set(folders "")
  foreach(source ${ARGN})
    arlab_unity_group(folder ${source})
    if(folder STREQUAL "")
      list(APPEND units ${source})
    else()
      list(APPEND folders ${folder})
      string(APPEND text_of_${folder} "#include \"${source}\"\n")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder ${folders})
    string(REPLACE "/" "_" name ${folder})
    file(CONFIGURE OUTPUT ${where}/${name}.cpp CONTENT "${text_of_${folder}}" @ONLY)
    list(APPEND units ${where}/${name}.cpp)
  endforeach()
  set(${variable} ${units} PARENT_SCOPE)
endfunction()

# arlab_unity(<target>): with ARLAB_UNITY, compiles the sources of folders as one unit. Catalogs stay apart, since their
# files repeat names in unnamed namespaces; ARLAB_NOT_IN_UNITY lists other sources that do.
function(arlab_unity target)
  if(NOT ARLAB_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    arlab_unity_group(folder ${source})
    if(NOT folder STREQUAL "")
      cmake_path(ABSOLUTE_PATH source)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder})
    endif()
  endforeach()
endfunction()
# Folders that form one unit, as regular expressions: what they instantiate of the same libraries is compiled once.
set(ARLAB_UNITS
  "algorithms(/.*)?"
  "simulator(/(analysis|bounds|connections|forest|models|nccl))?"
  "simulator/topologies(/.*)?"
  "simulator/(contention|engine|noise|sweep)"
  "collectives(/(gpu|host|nccl|reduce|threads))?"
  "training(/(checkpoint|cluster|compressors|control|emulation|io|replica|schedulers|strategies|telemetry|trainer)(/.*)?)?"
  "training/(data|exchange|profiles|simulation)"
  "bench/(config|formats|formats/msccl|formats/rules|options|simulate|text)"
  "bench/(measure|perf|results|run|study)"
  "bench/(calibrate|sweep|training|training/profiled|tune|validation|validation/fit|validation/nccl|validation/published)"
  "bench/(commands(/parts)?|training/train(/options)?)")
set(ARLAB_NOT_IN_UNITY
  algorithms/parts/halving.cpp
  bench/training/train/refused_memory.cpp
  bench/validation/calibrated/gpu_nodes.cpp
  bench/validation/calibrated/messages.cpp
  bench/validation/calibrated/nccl.cpp
  bench/validation/calibrated/nccl_call.cpp
  bench/validation/calibrated/robust_fit.cpp
  bench/validation/calibrated/torus_axis.cpp
  bench/validation/calibrated/torus_ports.cpp
  bench/validation/calibrated/torus_rounds.cpp
  simulator/contention/maxmin.cpp
  simulator/engine/engine.cpp
  simulator/engine/tracer.cpp
  simulator/forest/split_switches.cpp
  simulator/topologies/analysis/flow.cpp
  simulator/topologies/analysis/metrics.cpp
  training/cluster/slurm.cpp
  training/compressors/choice.cpp
  training/replica/learning_rate.cpp
  training/replica/optimizer.cpp)
