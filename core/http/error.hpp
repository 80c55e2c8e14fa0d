#pragma once

#include <stdexcept>

namespace cuebox::http {

// No answer was had, or no place to serve at. Names host and port; never a path, a query or a
// header, any of which may be a secret.
class error : public std::runtime_error
{
public:
    using runtime_error::runtime_error;
};

}
