// relax(): what a thread that polls does between two looks.
#pragma once

namespace arlab::collectives {

/// Tells the core that the thread polls: it leaves more to the other thread of the core.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace arlab::collectives
