#pragma once

#include "support/gate_link.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

namespace cuebox::test {

// Lives on its thread, but for the counts.
class gate_core final : public gate_view
{
public:
    struct counts
    {
        std::size_t connections = 0;
        std::size_t accepted = 0;
        std::size_t swallowed = 0;
        std::array<std::size_t, 2> bytes{};
    };

    explicit gate_core(int target_port)
        : target_{asio::ip::address_v4::loopback(), static_cast<unsigned short>(target_port)},
          acceptor_{context_},
          work_{context_.get_executor()}
    {
        bind(0);
        port_ = acceptor_.local_endpoint().port();
        listen();
        thread_ = std::thread{[this] { context_.run(); }};
    }

    ~gate_core()
    {
        perform([this] {
            acceptor_.close();
            end_all(ending::reset);
            work_.reset();
        });
        thread_.join();
    }

    int port() const noexcept { return port_; }

    // On the gate's thread; returns when it is done.
    template <class Action>
    void perform(Action action)
    {
        std::promise<void> done;
        asio::post(context_, [&] {
            action();
            done.set_value();
        });
        done.get_future().wait();
    }

    template <class Change>
    void change(Change apply)
    {
        perform([&] {
            apply(rules_);
            for (const auto& link : open_links())
                link->reconsider();
        });
    }

    void pass()
    {
        perform([this] {
            rules_ = {};
            for (const auto& link : open_links())
                link->resume();
        });
    }

    void end_all(ending how)
    {
        for (const auto& link : open_links())
            link->end(how);
    }

    // Bound but not listening: connections are refused, and nobody else gets the port.
    void refuse()
    {
        listening_ = false;
        acceptor_.close();
        bind(port_);
    }

    void listen()
    {
        if (listening_)
            return;
        listening_ = true;
        acceptor_.listen();
        accept_next();
    }

    counts count() const
    {
        const std::lock_guard lock{mutex_};
        return counts_;
    }

    template <class Predicate>
    bool wait(std::chrono::steady_clock::duration longest, Predicate holds) const
    {
        std::unique_lock lock{mutex_};
        return changed_.wait_for(lock, longest, [&] { return holds(counts_); });
    }

    gate_rules& rules() override { return rules_; }

    void forwarded(way which, std::size_t bytes) override
    {
        update([&](counts& all) { all.bytes[static_cast<std::size_t>(which)] += bytes; });
    }

    void swallowed(std::size_t bytes) override
    {
        update([&](counts& all) { all.swallowed += bytes; });
    }

    void client_gone() override
    {
        update([](counts& all) { --all.connections; });
    }

private:
    void bind(unsigned short port)
    {
        acceptor_.open(asio::ip::tcp::v4());
        acceptor_.set_option(asio::ip::tcp::acceptor::reuse_address{true});
        acceptor_.bind({asio::ip::address_v4::loopback(), port});
    }

    void accept_next()
    {
        acceptor_.async_accept(
            [this](const boost::system::error_code& failed, asio::ip::tcp::socket client) {
                if (failed)
                    return;
                update([](counts& all) {
                    ++all.connections;
                    ++all.accepted;
                });
                std::erase_if(links_, [](const auto& link) { return link->ended(); });
                links_.push_back(std::make_shared<gate_link>(std::move(client), *this));
                links_.back()->start(target_);
                accept_next();
            });
    }

    std::vector<std::shared_ptr<gate_link>> open_links() const { return links_; }

    template <class Change>
    void update(Change apply)
    {
        const std::lock_guard lock{mutex_};
        apply(counts_);
        changed_.notify_all();
    }

    asio::io_context context_{1};
    asio::ip::tcp::endpoint target_;
    asio::ip::tcp::acceptor acceptor_;
    asio::executor_work_guard<asio::io_context::executor_type> work_;
    unsigned short port_ = 0;
    bool listening_ = false;
    gate_rules rules_;
    std::vector<std::shared_ptr<gate_link>> links_;
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    counts counts_;
    std::thread thread_;
};

}
