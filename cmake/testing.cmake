# Helpers for tests/.

add_library(arlab_test_main OBJECT ${PROJECT_SOURCE_DIR}/tests/support/main.cpp)
target_link_libraries(arlab_test_main PUBLIC Catch2::Catch2)
target_compile_features(arlab_test_main PUBLIC cxx_std_20)
arlab_sanitize(arlab_test_main)

# arlab_test(<name> SOURCES ... LIBRARIES ... [LABELS ...]): the Catch2 program test_<name>, one ctest test a TEST_CASE.
# A TEST_CASE whose name CMake cuts in two (a semicolon does it) would run nothing, and pass.
function(arlab_test name)
  cmake_parse_arguments(T "" "" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  if(NOT T_LABELS)
    set(T_LABELS unit)
  endif()
  add_executable(test_${name} ${T_SOURCES})
  target_link_libraries(test_${name} PRIVATE arlab_test_main ${T_LIBRARIES})
  target_precompile_headers(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/catch.hpp)
  catch_discover_tests(test_${name} TEST_PREFIX "${name}: " PROPERTIES LABELS "${T_LABELS}" TIMEOUT 300
                       FAIL_REGULAR_EXPRESSION "No tests ran")
endfunction()

# arlab_headers_alone(folders...): compiles every header of these folders by itself, twice included.
# Headers of executors that are off are left out: collectives/mpi/ belongs to arlab_collectives_mpi.
function(arlab_headers_alone)
  set(left_out "")
  foreach(executor mpi cuda nccl)
    if(NOT TARGET arlab_collectives_${executor})
      list(APPEND left_out "(collectives|training/compressors)/${executor}/")
    endif()
  endforeach()
  if(NOT TARGET arlab_training)
    list(APPEND left_out "training/")
  endif()
  list(APPEND left_out "training/models/(torch|sync)")  # LibTorch's headers take half a minute for each
  list(TRANSFORM ARGN APPEND /*.hpp OUTPUT_VARIABLE patterns)
  list(TRANSFORM patterns PREPEND ${PROJECT_SOURCE_DIR}/)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${patterns})
  foreach(pattern ${left_out})
    list(FILTER headers EXCLUDE REGEX "^${pattern}")
  endforeach()

  set(sources "")
  foreach(header ${headers})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${header}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
    list(APPEND sources ${source})
  endforeach()
  get_property(libraries GLOBAL PROPERTY ARLAB_LIBRARIES)
  add_library(arlab_headers_alone OBJECT ${sources})
  target_link_libraries(arlab_headers_alone PRIVATE ${libraries})
  if(TARGET MPI::MPI_CXX)
    target_link_libraries(arlab_headers_alone PRIVATE MPI::MPI_CXX)
  endif()
endfunction()

# What every test under mpiexec needs: root and more ranks than cores allowed, leaks of the library left alone.
function(arlab_mpi_properties test ranks)
  set_tests_properties(${test} PROPERTIES LABELS mpi TIMEOUT 300 PROCESSORS ${ranks} ENVIRONMENT
    "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_rmaps_base_oversubscribe=1;OMPI_MCA_mpi_yield_when_idle=1;OMPI_MCA_btl_vader_single_copy_mechanism=none;ASAN_OPTIONS=detect_leaks=0")
endfunction()

# arlab_mpi_test(<name> SOURCES ... LIBRARIES ... RANKS ...): the Catch2 program test_<name> with a main of its own, one
# ctest test for each number of ranks.
function(arlab_mpi_test name)
  cmake_parse_arguments(T "" "" "SOURCES;LIBRARIES;RANKS" ${ARGN})
  add_executable(test_${name} ${T_SOURCES})
  target_link_libraries(test_${name} PRIVATE Catch2::Catch2 ${T_LIBRARIES})
  arlab_sanitize(test_${name})
  foreach(ranks ${T_RANKS})
    add_test(NAME "${name}: ${ranks} ranks"
             COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:test_${name}>)
    arlab_mpi_properties("${name}: ${ranks} ranks" ${ranks})
  endforeach()
endfunction()

# arlab_gpu_test(<name> SOURCES ... LIBRARIES ...): the Catch2 program test_<name> with a main of its own
# (tests/support/gpu_main.hpp): one ctest test, skipped with the reason where there is no GPU.
function(arlab_gpu_test name)
  cmake_parse_arguments(T "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(test_${name} ${T_SOURCES})
  target_link_libraries(test_${name} PRIVATE Catch2::Catch2 ${T_LIBRARIES})
  arlab_sanitize(test_${name})
  add_test(NAME "${name}: on a GPU" COMMAND test_${name})
  # CUDA maps memory where the address sanitizer wants none, and keeps some until the end.
  set_tests_properties("${name}: on a GPU" PROPERTIES LABELS gpu TIMEOUT 600 SKIP_RETURN_CODE 77 RESOURCE_LOCK gpu
    ENVIRONMENT "ASAN_OPTIONS=protect_shadow_gap=0:detect_leaks=0")
endfunction()
