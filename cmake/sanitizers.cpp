// Defaults of the address sanitizer in sanitized programs; ASAN_OPTIONS overrides them.

// Of who allocated what, reports show the innermost callers: each allocation would otherwise record
// 30, which takes a tenth of the time of the tests.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "malloc_context_size=3"; }
