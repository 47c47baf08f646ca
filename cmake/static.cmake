# Programs that load no shared library, so that they run on any Linux with the same processors: without root, a compiler, or packages.
# What a machine brings as shared libraries goes without: MPI, GPUs, LibTorch.
option(ARLAB_STATIC "Programs that need no shared library: they run on any Linux, without MPI, GPUs, and LibTorch" OFF)

# arlab_leave_out(<reason>): turns parts off that programs without shared libraries cannot have, and refuses those that are asked for.
function(arlab_leave_out reason)
  foreach(part MPI GLOO TORCH CUDA PYTHON_PACKAGE PROTOBUF)
    if(ARLAB_${part} STREQUAL "ON")
      message(FATAL_ERROR "${reason}, and ARLAB_${part}=ON needs some: choose one of them")
    endif()
    set(ARLAB_${part} OFF PARENT_SCOPE)
  endforeach()
endfunction()

set(ARLAB_FMT fmt::fmt)
set(ARLAB_PUGIXML pugixml::pugixml)
if(NOT ARLAB_STATIC)
  return()
endif()
arlab_leave_out("ARLAB_STATIC=ON makes programs without shared libraries")
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(Boost_USE_STATIC_LIBS ON)
# Not by CMAKE_POSITION_INDEPENDENT_CODE, which adds -pie: it would undo -static-pie.
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fPIE>)
add_link_options("$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-static-pie>")

set(ARLAB_PUGIXML pugixml::static)
# Distributions have these two as shared libraries only, but their headers hold all of them.
set(ARLAB_FMT fmt::fmt-header-only)
find_path(ARLAB_TOML toml++/toml.h)
mark_as_advanced(ARLAB_TOML)
if(ARLAB_TOML AND NOT TARGET tomlplusplus::tomlplusplus)
  add_library(tomlplusplus::tomlplusplus INTERFACE IMPORTED GLOBAL)
  target_include_directories(tomlplusplus::tomlplusplus INTERFACE ${ARLAB_TOML})
  target_compile_definitions(tomlplusplus::tomlplusplus INTERFACE TOML_HEADER_ONLY=1)
endif()
