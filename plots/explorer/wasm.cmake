# Compiles the engine for wasm32-wasi into one reactor module, ${module}; sets wasm_module.
#
# The engine is algorithms/, simulator/ without its ARLAB_NATIVE_SOURCES, the ARLAB_BROWSER_SOURCES of training/, and the
# answers.
set(sources "")
foreach(library arlab_algorithms arlab_simulator)
  get_target_property(parts ${library} SOURCES)
  get_target_property(folder ${library} SOURCE_DIR)
  foreach(part ${parts})
    cmake_path(ABSOLUTE_PATH part BASE_DIRECTORY ${folder} OUTPUT_VARIABLE source)
    list(APPEND sources ${source})
  endforeach()
endforeach()
get_target_property(native arlab_simulator ARLAB_NATIVE_SOURCES)
foreach(source ${native})
  if(NOT source IN_LIST sources)
    message(FATAL_ERROR "ARLAB_NATIVE_SOURCES of simulator/ names ${source}, which is not a source of arlab_simulator")
  endif()
endforeach()
list(REMOVE_ITEM sources ${native})
get_target_property(browser arlab_training ARLAB_BROWSER_SOURCES)
list(APPEND sources ${browser})
set(flags --target=wasm32-wasi -std=c++20 -O2 -fno-exceptions -nostdinc++ --sysroot=/ -isystem ${wasm_headers}
  -isystem /usr/include/wasm32-wasi -isystem ${CMAKE_CURRENT_BINARY_DIR}/include -I${PROJECT_SOURCE_DIR}
  -fvisibility=hidden -ffunction-sections -fdata-sections -DJSON_NOEXCEPTION -DJSON_HAS_FILESYSTEM=0
  -DJSON_HAS_EXPERIMENTAL_FILESYSTEM=0 -DBOOST_NO_EXCEPTIONS -DBOOST_EXCEPTION_DISABLE
  -D_LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION)

# Third-party headers, in a folder without the system's C headers.
get_target_property(json_folders nlohmann_json::nlohmann_json INTERFACE_INCLUDE_DIRECTORIES)
find_path(ARLAB_JSON_FOLDER nlohmann/json.hpp PATHS ${json_folders})
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/include)
file(CREATE_LINK ${ARLAB_JSON_FOLDER}/nlohmann ${CMAKE_CURRENT_BINARY_DIR}/include/nlohmann SYMBOLIC)
find_path(ARLAB_BOOST_FOLDER boost/version.hpp PATHS ${Boost_INCLUDE_DIRS})
file(CREATE_LINK ${ARLAB_BOOST_FOLDER}/boost ${CMAKE_CURRENT_BINARY_DIR}/include/boost SYMBOLIC)

arlab_unity_units(sources ${CMAKE_CURRENT_BINARY_DIR}/wasm ${sources} ${answers})
set(objects "")
foreach(source ${sources} ${here}/engine/wasm.cpp)
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
  string(REGEX REPLACE "^.*/wasm/" "" name ${name})
  string(REPLACE "/" "_" name ${name})
  set(object ${CMAKE_CURRENT_BINARY_DIR}/wasm/${name}.o)
  add_custom_command(OUTPUT ${object} DEPENDS ${source} DEPFILE ${object}.d
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${ARLAB_WASM_COMPILER} ${flags} -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
    COMMENT "Compiling ${name} for the browser" VERBATIM)
  list(APPEND objects ${object})
endforeach()
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/wasm)
list(TRANSFORM wasm_library_folders PREPEND -L)
add_custom_command(OUTPUT ${module} DEPENDS ${objects}
  COMMAND ${ARLAB_WASM_COMPILER} --target=wasm32-wasi --sysroot=/ -mexec-model=reactor -Wl,--strip-all -Wl,--gc-sections
          ${wasm_library_folders} ${objects} -o ${module} -lc++ -lc++abi
  COMMENT "Linking the explorer's WebAssembly" VERBATIM)
set(wasm_module ${module})
