// What LeakSanitizer, where it is built in, is to pass over. Fontconfig keeps its configuration for
// the life of the process, partly where no pointer leads to it. libpqxx 6 loses the result of
// a statement whose connection breaks: two kilobytes each time.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
    return "leak:libfontconfig\nleak:libpqxx\n";
}
