// Private to this room, and not installed: only node.cpp and parse.cpp see taoJSON.
#pragma once

#include <cuebox/config/node.hpp>

#include <tao/json/value.hpp>

#include <string>

namespace cuebox::config {

struct node::document
{
    std::string source;
    tao::json::value root = tao::json::empty_object;
};

}
