#include "../support/program.hpp"
#include "cases.hpp"
#include "goals.hpp"
#include "workloads.hpp"

int main(int argc, char** argv)
{
    bench::suite suite{"mailbox"};
    bench::mailbox::add_cuebox_cases(suite);
    bench::mailbox::add_caf_cases(suite);
    bench::mailbox::add_asio_channel_cases(suite);
    return bench::run_program(suite, bench::mailbox::systems::cuebox, bench::mailbox::judge, argc,
                              argv);
}
