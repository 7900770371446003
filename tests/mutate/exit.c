/* exit: has a process that ends by _exit leave its counts of lines, too; linked with --wrap=_exit by
 * tests/mutate/cover.sh. */
void __gcov_dump(void);
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);

void __wrap__exit(int status)
{
    __gcov_dump();
    __real__exit(status);
}
