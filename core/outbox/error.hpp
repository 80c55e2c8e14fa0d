#pragma once

#include <stdexcept>

namespace cuebox::outbox {

// An event that cannot be published as asked, said before the database sees anything of it.
class publish_error : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

// A schema that cannot be brought up to date as it is.
class migration_error : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

// How long things are to be kept cannot be.
class retention_error : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

}
