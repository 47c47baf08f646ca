#!/usr/bin/env python3
"""Lengths catches: the test of lengths counts functions of every form, and neither classes nor lambdas."""
import lengths

TEXT = """
namespace arlab {
#define MANY(x) {
struct Plain {
  int in_class() const { return 1; }
  Plain(int a)
      : a_(a), b_{a} {
    use(a);
  }
};
/* { */ const char* text = "{";
template <class Use>
void outer(Use use) {  // {
  use([&] {
    return '{';
  });
}
constexpr int kTable[] = {1, 2};
}
"""
found = dict(lengths.functions(TEXT))
assert found["in_class"] == 1 and found["outer"] == 5, found
assert set(found) <= {"in_class", "outer", "Plain", "b_", "a_"}, found
long = "void f() {\n" + "  g();\n" * lengths.MAX_LINES + "}\n"
assert dict(lengths.functions(long)) == {"f": lengths.MAX_LINES + 2}
