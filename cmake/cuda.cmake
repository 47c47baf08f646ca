# Looks for CUDA and NCCL. Sets ARLAB_HAS_CUDA, NCCL_INCLUDE_DIR and NCCL_LIBRARY.

set(ARLAB_CUDA AUTO CACHE STRING "CUDA and NCCL executors: AUTO (if found), ON (required), OFF")
set(ARLAB_HAS_CUDA FALSE)

# CMake 3.25 does not search /usr/local/cuda for the compiler. check_language tests it with this C++ compiler.
set(arlab_cuda_off "nvcc not found: install CUDA 12 or newer from developer.nvidia.com")
if(NOT ARLAB_CUDA STREQUAL "OFF")
  find_program(ARLAB_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin
               DOC "The CUDA compiler")
  mark_as_advanced(ARLAB_NVCC)
  if(ARLAB_NVCC)
    if(NOT DEFINED ENV{CUDACXX})
      set(ENV{CUDACXX} ${ARLAB_NVCC})
    endif()
    include(CheckLanguage)
    check_language(CUDA)
    set(arlab_cuda_off "${ARLAB_NVCC} does not work with ${CMAKE_CXX_COMPILER}: see CMakeError.log, or set CUDAHOSTCXX to an older g++")
  endif()
endif()
if(CMAKE_CUDA_COMPILER AND NOT ARLAB_CUDA STREQUAL "OFF")
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 90-virtual)  # A100, H100, and code that newer GPUs translate
  endif()
  enable_language(CUDA)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that nvcc supports C++20
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  find_package(CUDAToolkit QUIET)
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12)
    set(arlab_cuda_off "nvcc ${CMAKE_CUDA_COMPILER_VERSION} does not support C++20: install CUDA 12 or newer from developer.nvidia.com")
  elseif(NOT TARGET CUDA::cudart_static)
    set(arlab_cuda_off "${CMAKE_CUDA_COMPILER} lacks libcudart_static: install the complete toolkit")
  else()
    set(ARLAB_HAS_CUDA TRUE)
    set(CMAKE_CUDA_RUNTIME_LIBRARY None)  # targets that need it link CUDA::cudart_static
  endif()
endif()
if(ARLAB_CUDA STREQUAL "ON" AND NOT ARLAB_HAS_CUDA)
  message(FATAL_ERROR "ARLAB_CUDA is ON, but CUDA is unavailable: ${arlab_cuda_off}")
endif()
if(ARLAB_HAS_CUDA)
  list(JOIN CMAKE_CUDA_ARCHITECTURES ", " architectures)
  arlab_feature("CUDA executor" ON "${CMAKE_CUDA_COMPILER} ${CMAKE_CUDA_COMPILER_VERSION}, for ${architectures}")
elseif(ARLAB_CUDA STREQUAL "OFF")
  arlab_feature("CUDA executor" OFF "ARLAB_CUDA is OFF")
else()
  arlab_feature("CUDA executor" OFF "${arlab_cuda_off}")
endif()

# NCCL comes with the toolkit, as a system package, or as a pip wheel, whose library is called libnccl.so.2 only.
if(ARLAB_HAS_CUDA)
  find_program(arlab_python python3 NO_CACHE)
  set(wheels "")
  if(arlab_python)
    execute_process(COMMAND ${arlab_python} -c "import site, sys; print(';'.join(p + '/nvidia/nccl' for p in site.getsitepackages() + [site.getusersitepackages()]))"
                    OUTPUT_VARIABLE wheels OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  set(nccl_hints $ENV{NCCL_HOME} $ENV{NCCL_ROOT} ${CUDAToolkit_LIBRARY_ROOT} ${CUDAToolkit_TARGET_DIR})
  find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${nccl_hints} PATHS ${wheels} PATH_SUFFIXES include)
  find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 HINTS ${nccl_hints} PATHS ${wheels} PATH_SUFFIXES lib lib64)
  mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)
  if(NCCL_INCLUDE_DIR AND NCCL_LIBRARY)
    file(STRINGS ${NCCL_INCLUDE_DIR}/nccl.h lines REGEX "#define NCCL_(MAJOR|MINOR|PATCH) ")
    string(REGEX REPLACE "[^0-9;]" "" nccl_version "${lines}")
    list(JOIN nccl_version "." nccl_version)
    if(nccl_version VERSION_LESS 2.14)  # communicators that do not block
      arlab_feature("NCCL executor" OFF "${NCCL_LIBRARY} is version ${nccl_version}, and 2.14 is needed: install a newer one")
      set(NCCL_LIBRARY NCCL_LIBRARY-NOTFOUND)
    else()
      arlab_feature("NCCL executor" ON "${NCCL_LIBRARY} ${nccl_version}")
    endif()
  else()
    arlab_feature("NCCL executor" OFF "NCCL not found: apt install libnccl-dev, or pip install nvidia-nccl-cu13 (or -cu12)")
  endif()
else()
  arlab_feature("NCCL executor" OFF "needs CUDA")
endif()

# arlab_cuda_kernels(<folder> sources...): the object library arlab_<folder>_kernels. It is separate from the host code,
# because nvcc does not support the host's sanitizers. compute-sanitizer checks kernels.
function(arlab_cuda_kernels name)
  add_library(arlab_${name}_kernels OBJECT ${ARGN})
  set_target_properties(arlab_${name}_kernels PROPERTIES CUDA_STANDARD 20)
  target_include_directories(arlab_${name}_kernels PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(arlab_${name}_kernels PRIVATE --extended-lambda
    "$<IF:$<CONFIG:Debug>,SHELL:-O1 -Xcicc -O1,-O3>")  # half the time to compile
  if(CMAKE_CXX_FLAGS MATCHES "-Werror")  # the presets apply the same warnings to kernels
    target_compile_options(arlab_${name}_kernels PRIVATE
      "SHELL:-Werror all-warnings" -Xcompiler=-Wall,-Wextra,-Wconversion,-Wshadow,-Werror)
  endif()
endfunction()
