# cmake -D build=... -D source=... -D scratch=... -D generator=... -D compiler=... -D build_type=... -D expected=...
#       -D also=<other prefixes> -P
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${scratch})
run(${CMAKE_COMMAND} --install ${build} --prefix ${scratch}/prefix)
# Not by run(), which would split the list of prefixes.
execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${scratch}/build -G ${generator} -D CMAKE_CXX_COMPILER=${compiler}
                        -D CMAKE_BUILD_TYPE=${build_type} -D CMAKE_CXX_FLAGS_DEBUG=-O0 "-DCMAKE_PREFIX_PATH=${scratch}/prefix;${also}"
                COMMAND_ERROR_IS_FATAL ANY)
run(${CMAKE_COMMAND} --build ${scratch}/build)
execute_process(COMMAND ${scratch}/build/consumer OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output STREQUAL "${expected}\n")
  message(FATAL_ERROR "the consumer printed '${output}', expected '${expected}'")
endif()
