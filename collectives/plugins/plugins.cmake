# Libraries that other people's programs load. What they need of ours is compiled once more: position-independent, optimized,
# and without sanitizers, which a program that loads the library would have to load first.
find_package(nlohmann_json QUIET GLOBAL)  # tuned tables are JSON
if(NOT TARGET nlohmann_json::nlohmann_json)
  arlab_feature("plugins" OFF "needs: apt install nlohmann-json3-dev")
  return()
endif()
if(ARLAB_STATIC OR EMSCRIPTEN)
  arlab_feature("plugins" OFF "need shared libraries, which ARLAB_STATIC and Emscripten do not make")
  return()
endif()
set(algorithms ${PROJECT_SOURCE_DIR}/algorithms)
set(collectives ${PROJECT_SOURCE_DIR}/collectives)
file(GLOB sources CONFIGURE_DEPENDS ${algorithms}/*.cpp ${algorithms}/base/*.cpp ${algorithms}/levels/*.cpp
     ${algorithms}/parts/*.cpp ${algorithms}/verify/*.cpp
     ${collectives}/*.cpp ${collectives}/files/*.cpp ${collectives}/reduce/*.cpp ${collectives}/schedule/*.cpp ${collectives}/host/*.cpp ${collectives}/plugins/*.cpp)

function(arlab_plugin_part target)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -O2 -g0 -fno-semantic-interposition -fno-plt)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_link_libraries(${target} PUBLIC Threads::Threads)
  arlab_unity(${target})
endfunction()

add_library(arlab_plugin_core STATIC ${sources})
arlab_catalog(arlab_plugin_core ${algorithms}/catalog algorithms/algorithm.hpp Algorithm algorithms arlab catalog)
target_link_libraries(arlab_plugin_core PUBLIC nlohmann_json::nlohmann_json)
arlab_plugin_part(arlab_plugin_core)
target_precompile_headers(arlab_plugin_core PRIVATE ${ARLAB_STANDARD_HEADERS})

# arlab_plugin(<name> <folder> <file name> <libraries...>): the shared library of a folder's sources. It exports what its
# exports.map names and nothing else, and brings its C++ library along: the program may be written in another language.
function(arlab_plugin name folder file)
  file(GLOB sources CONFIGURE_DEPENDS plugins/${folder}/*.cpp)
  add_library(${name} SHARED ${sources})
  arlab_plugin_part(${name})
  target_precompile_headers(${name} REUSE_FROM arlab_plugin_core)
  target_link_libraries(${name} PRIVATE ${ARGN})
  set(exports ${CMAKE_CURRENT_SOURCE_DIR}/plugins/${folder}/exports.map)
  target_link_options(${name} PRIVATE -Wl,--version-script=${exports} -Wl,--no-undefined -static-libstdc++ -static-libgcc)
  set_target_properties(${name} PROPERTIES OUTPUT_NAME ${file} LINK_DEPENDS ${exports})
  install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT plugins)
  arlab_feature("plugin ${folder}" ON "lib${file}.so")
endfunction()

arlab_plugin(arlab_nccl_tuner nccl nccl-tuner-arlab arlab_plugin_core)  # needs nothing of NCCL and CUDA
if(TARGET arlab::collectives_mpi)
  # Its own calls must be the library's, not those that it replaces.
  file(GLOB sources CONFIGURE_DEPENDS ${collectives}/mpi/*.cpp ${collectives}/mpi/library/*.cpp ${collectives}/mpi/messages/*.cpp)
  list(APPEND sources ${collectives}/shm/shared_memory.cpp ${collectives}/shm/shared_steps.cpp ${collectives}/shm/step_collectives.cpp)
  file(GLOB local CONFIGURE_DEPENDS ${collectives}/copy/*.cpp)
  list(APPEND sources ${local} ${collectives}/shm/local_communicator.cpp ${collectives}/shm/passing.cpp ${collectives}/shm/peer_memory.cpp
       ${collectives}/shm/shared_channels.cpp ${collectives}/shm/shared_round.cpp)
  list(FILTER sources EXCLUDE REGEX "/transport\\.cpp$")  # of GPUs
  add_library(arlab_plugin_mpi_core STATIC ${sources})
  arlab_plugin_part(arlab_plugin_mpi_core)
  target_link_libraries(arlab_plugin_mpi_core PUBLIC arlab_plugin_core MPI::MPI_CXX ${CMAKE_DL_LIBS})
  foreach(call Allgather Allreduce Bcast Reduce Reduce_scatter Reduce_scatter_block)
    target_compile_definitions(arlab_plugin_mpi_core PRIVATE MPI_${call}=PMPI_${call})
  endforeach()
  target_precompile_headers(arlab_plugin_mpi_core REUSE_FROM arlab_plugin_core)
  arlab_plugin(arlab_mpi_plugin mpi arlab_mpi arlab_plugin_mpi_core)
else()
  arlab_feature("plugin mpi" OFF "needs MPI")
endif()
