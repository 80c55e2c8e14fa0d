#include "../support/program.hpp"
#include "cases.hpp"
#include "goals.hpp"

int main(int argc, char** argv)
{
    bench::suite suite{"codec"};
    bench::codec::add_cuebox_cases(suite);
    bench::codec::add_taojson_cases(suite);
    return bench::run_program(suite, bench::codec::systems::cuebox, bench::codec::judge, argc,
                              argv);
}
