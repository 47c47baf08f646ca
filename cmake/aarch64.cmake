# Toolchain of preset `aarch64`: programs for 64-bit Arm on another processor, by Debian's and Ubuntu's cross compiler. Libraries
# are those of that architecture beside the system's own (docs/start/install.md). CTest runs programs by qemu-user, if it is there.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
find_program(ARLAB_QEMU qemu-aarch64)
mark_as_advanced(ARLAB_QEMU)
if(ARLAB_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${ARLAB_QEMU})
endif()
