// Copies words into a buffer on the stack, of sizes that the compiler does not know.
#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  char text[64] = "";
  for (int i = 0; i < argc; ++i) std::strcat(text, argv[i]);
  std::puts(text);
  return 0;
}
