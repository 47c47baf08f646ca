# Libraries that other people's programs load. What they need of ours is compiled once more: position-independent, optimized,
# and without sanitizers, which a program that loads the library would have to load first.
if(NOT TARGET arlab::collectives_mpi)
  arlab_feature("MPI drop-in" OFF "needs MPI")
  return()  # of this file
endif()
set(algorithms ${PROJECT_SOURCE_DIR}/algorithms)
set(collectives ${PROJECT_SOURCE_DIR}/collectives)
file(GLOB sources CONFIGURE_DEPENDS ${algorithms}/*.cpp ${algorithms}/base/*.cpp ${algorithms}/levels/*.cpp ${algorithms}/verify/*.cpp
     ${collectives}/*.cpp ${collectives}/reduce/*.cpp ${collectives}/schedule/*.cpp ${collectives}/host/*.cpp)
file(GLOB mpi_sources CONFIGURE_DEPENDS ${collectives}/mpi/*.cpp ${collectives}/mpi/library/*.cpp)
list(FILTER mpi_sources EXCLUDE REGEX "/transport\\.cpp$")  # of GPUs

function(arlab_plugin_part target)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -O2 -g0 -fno-semantic-interposition)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_link_libraries(${target} PUBLIC Threads::Threads)
  arlab_unity(${target})
endfunction()

add_library(arlab_plugin_core STATIC ${sources})
arlab_catalog(arlab_plugin_core ${algorithms}/catalog algorithms/algorithm.hpp Algorithm algorithms arlab catalog)
arlab_plugin_part(arlab_plugin_core)
target_precompile_headers(arlab_plugin_core PRIVATE ${ARLAB_STANDARD_HEADERS})

# Their own MPI_Allreduce must be the library's, not the one that they replace.
add_library(arlab_plugin_mpi_core STATIC ${mpi_sources})
arlab_plugin_part(arlab_plugin_mpi_core)
target_link_libraries(arlab_plugin_mpi_core PUBLIC arlab_plugin_core MPI::MPI_CXX ${CMAKE_DL_LIBS})
target_compile_definitions(arlab_plugin_mpi_core PRIVATE MPI_Allreduce=PMPI_Allreduce)
target_precompile_headers(arlab_plugin_mpi_core REUSE_FROM arlab_plugin_core)

file(GLOB sources CONFIGURE_DEPENDS plugins/mpi/*.cpp)
add_library(arlab_mpi_plugin SHARED ${sources})
arlab_plugin_part(arlab_mpi_plugin)
target_link_libraries(arlab_mpi_plugin PRIVATE arlab_plugin_mpi_core)
set_target_properties(arlab_mpi_plugin PROPERTIES OUTPUT_NAME arlab_mpi)
# It exports what it replaces and nothing else, and brings its C++ library along: the program may be C or Fortran.
set(exports ${CMAKE_CURRENT_SOURCE_DIR}/plugins/mpi/exports.map)
target_link_options(arlab_mpi_plugin PRIVATE -Wl,--version-script=${exports} -Wl,--no-undefined -static-libstdc++ -static-libgcc)
set_target_properties(arlab_mpi_plugin PROPERTIES LINK_DEPENDS ${exports})
install(TARGETS arlab_mpi_plugin LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
arlab_feature("MPI drop-in" ON "libarlab_mpi.so, for LD_PRELOAD")
