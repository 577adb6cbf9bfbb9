// SPDX-License-Identifier: GPL-3.0-or-later
//
// The HTTP server around WebService. Only its source knows cpp-httplib. Pages of other sites cannot
// use it: a request must name this host, and one that changes something must be JSON, which a
// browser sends to another site only with a leave that is never given.
#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>

#include "play/web_page.h"
#include "play/web_service.h"

namespace khanzero {

struct WebServerSettings {
  std::string host = "127.0.0.1";
  int port = 0;         // 0: any free one
  size_t threads = 32;  // connections at once; a search keeps one, also while it waits
};

class WebServer {
 public:
  // Takes the port. Throws RuntimeFailure when it cannot be had. `service` must outlive the server.
  WebServer(WebService& service, WebFiles files, const WebServerSettings& settings);
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  int port() const;
  // "http://127.0.0.1:8642/"
  std::string url() const;
  // Answers requests until `stop`; then ends the searches and returns within a second or two.
  // Once only.
  void Run(std::stop_token stop);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace khanzero
