# Helpers for tests/.

add_library(arlab_test_main OBJECT ${PROJECT_SOURCE_DIR}/tests/main.cpp)
target_link_libraries(arlab_test_main PUBLIC Catch2::Catch2)
target_compile_features(arlab_test_main PUBLIC cxx_std_20)
arlab_sanitize(arlab_test_main)

# arlab_test(<name> SOURCES ... LIBRARIES ... [LABELS ...]): the Catch2 program test_<name>, one ctest test a TEST_CASE.
function(arlab_test name)
  cmake_parse_arguments(T "" "" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  if(NOT T_LABELS)
    set(T_LABELS unit)
  endif()
  add_executable(test_${name} ${T_SOURCES})
  target_link_libraries(test_${name} PRIVATE arlab_test_main ${T_LIBRARIES})
  target_precompile_headers(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/catch.hpp)
  catch_discover_tests(test_${name} TEST_PREFIX "${name}: " PROPERTIES LABELS "${T_LABELS}" TIMEOUT 300)
endfunction()
