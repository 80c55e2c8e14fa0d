#pragma once

#include <string>
#include <string_view>

namespace cuebox::test {

// A database of its own for one test, in the cluster of the run; dropped at the end, whoever may
// still be connected.
class database
{
public:
    // template0: nobody is ever connected to it, so tests that create side by side do not meet.
    explicit database(std::string_view copy_of = "template0");
    ~database();
    database(const database&) = delete;
    database& operator=(const database&) = delete;

    const std::string& name() const noexcept { return name_; }
    std::string conninfo() const;
    std::string tcp_conninfo() const;

    // Through psql.
    std::string query(std::string_view sql) const;

private:
    std::string name_;
};

}
