// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/web_server.h"

#include <httplib.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

#include "env/error.h"

namespace khanzero {

namespace {

constexpr const char* kJsonType = "application/json";

// httplib's own would share the port with another server of the same user.
void ReuseAddressOnly(socket_t socket) {
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

// The name in a Host header, without its port.
std::string HostName(const std::string& header) {
  if (header.starts_with('[')) return header.substr(0, header.find(']') + 1);
  return header.substr(0, header.find(':'));
}

// A name that only begins like an address ("127.evil.example") can be anybody's.
bool IsLoopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host == "[::1]" ||
         (host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string::npos);
}

// The library holds a body to its Content-Length only: one without it, in chunks, or packed could
// be of any size in memory.
httplib::Server::HandlerResponse RefuseBoundless(const httplib::Request& request,
                                                 httplib::Response& response) {
  const bool has_body =
      request.method == "POST" || request.method == "PUT" || request.method == "PATCH";
  if (!request.has_header("Transfer-Encoding") && !request.has_header("Content-Encoding") &&
      (!has_body || request.has_header("Content-Length"))) {
    return httplib::Server::HandlerResponse::Unhandled;
  }
  constexpr int kLengthRequired = 411;
  response.status = kLengthRequired;
  response.set_content(
      WebError(kLengthRequired, "a body must come whole, not packed, and with its Content-Length")
          .body,
      kJsonType);
  return httplib::Server::HandlerResponse::Handled;
}

}  // namespace

struct WebServer::Parts {
  WebService& service;
  WebFiles files;
  WebServerSettings settings;
  httplib::Server server{};
  int port = 0;

  void Bind();
  void AddRoutes();
  void Answer(const httplib::Request& request, httplib::Response& response);
  std::string Refusal(const httplib::Request& request, int& status) const;
};

// What is wrong with how a request comes, and the status; empty when it may be answered.
std::string WebServer::Parts::Refusal(const httplib::Request& request, int& status) const {
  const std::string host = request.get_header_value("Host");
  const std::string name = HostName(host);
  status = 403;
  if (IsLoopback(settings.host) && !IsLoopback(name) && name != settings.host) {
    return "this server is called " + settings.host + ", not '" + Printable(name.substr(0, 80)) +
           "'";
  }
  if (request.method != "POST" && request.method != "DELETE") return "";
  if (request.has_header("Origin") && request.get_header_value("Origin") != "http://" + host) {
    return "requests come from this server's own page only";
  }
  status = 415;
  if (request.method == "POST" &&
      !request.get_header_value("Content-Type").starts_with(kJsonType)) {
    return "the Content-Type must be application/json";
  }
  return "";
}

void WebServer::Parts::Answer(const httplib::Request& request, httplib::Response& response) {
  // The library leaves the body of an answer to HEAD out.
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  WebResponse answer;
  const std::string refusal = Refusal(request, answer.status);
  const auto file = files.find(request.path);
  if (!refusal.empty()) {
    answer = WebError(answer.status, refusal);
  } else if (method == "GET" && file != files.end()) {
    response.set_content(file->second.bytes, file->second.type);
    return;
  } else {
    answer = service.Handle({.method = method, .path = request.path, .body = request.body});
  }
  response.status = answer.status;
  response.set_content(answer.body, kJsonType);
}

void WebServer::Parts::AddRoutes() {
  const auto answer = [this](const httplib::Request& request, httplib::Response& response) {
    Answer(request, response);
  };
  server.set_pre_routing_handler(RefuseBoundless);
  // Paths of any other form are unknown, and the library says so.
  constexpr const char* kPath = "/[a-z0-9/._-]{0,100}";
  server.Get(kPath, answer);
  server.Post(kPath, answer);
  server.Delete(kPath, answer);
  server.set_error_handler([](const httplib::Request&, httplib::Response& response) {
    if (!response.body.empty()) return;
    const std::string what = response.status == 404   ? "there is no such page"
                             : response.status == 413 ? "the body is too long"
                                                      : "the request was not understood";
    response.set_content(WebError(response.status, what).body, kJsonType);
  });
  server.set_default_headers(
      {{"Cache-Control", "no-store"},
       {"X-Content-Type-Options", "nosniff"},
       {"X-Frame-Options", "DENY"},
       {"Referrer-Policy", "no-referrer"},
       // The board sets style attributes, and its pictures are data in the style sheet.
       {"Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' "
        "data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors "
        "'none'"}});
}

void WebServer::Parts::Bind() {
  errno = 0;
  if (settings.port == 0) {
    port = server.bind_to_any_port(settings.host);
  } else if (server.bind_to_port(settings.host, settings.port)) {
    port = settings.port;
  } else {
    port = -1;
  }
  if (port > 0) return;
  const int error = errno;
  const std::string place = "port " + std::to_string(settings.port) + " of " + settings.host;
  if (error == EADDRINUSE) {
    throw RuntimeFailure(place +
                         " is in use by another program; --port chooses another, and "
                         "--port 0 any free one");
  }
  throw RuntimeFailure(
      place + " cannot be had: " +
      (error == 0 ? "is the host an address of this machine?" : std::strerror(error)));
}

WebServer::WebServer(WebService& service, WebFiles files, const WebServerSettings& settings)
    : parts_(std::make_unique<Parts>(service, std::move(files), settings)) {
  httplib::Server& server = parts_->server;
  server.new_task_queue = [threads = settings.threads] { return new httplib::ThreadPool(threads); };
  server.set_socket_options(ReuseAddressOnly);
  server.set_tcp_nodelay(true);
  // A connection that stands open keeps a thread, also when the server ends.
  server.set_keep_alive_timeout(1);
  server.set_keep_alive_max_count(1000);
  server.set_payload_max_length(service.limits().pgn_body);
  parts_->AddRoutes();
  parts_->Bind();
}

WebServer::~WebServer() = default;

int WebServer::port() const { return parts_->port; }

std::string WebServer::url() const {
  const std::string& host = parts_->settings.host;
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return "http://" + name + ":" + std::to_string(parts_->port) + "/";
}

void WebServer::Run(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any changed;
  bool ended = false;
  bool good = false;
  std::jthread listener([&] {
    const bool result = parts_->server.listen_after_bind();
    const std::lock_guard lock(mutex);
    good = result;
    ended = true;
    changed.notify_all();
  });
  std::unique_lock lock(mutex);
  changed.wait(lock, stop, [&] { return ended; });
  parts_->service.Stop();
  // The library forgets a stop that comes before it listens, so it is told until it has ended.
  while (!ended) {
    parts_->server.stop();
    changed.wait_for(lock, std::chrono::milliseconds(10), [&] { return ended; });
  }
  if (!good && !stop.stop_requested()) throw RuntimeFailure("the server cannot take connections");
}

}  // namespace khanzero
