// SPDX-License-Identifier: GPL-3.0-or-later
//
// The server over real sockets, on a port that the system chooses.
#include "play/web_server.h"

#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "env/error.h"
#include "env/games.h"

namespace khanzero {
namespace {

using Json = nlohmann::json;

class WebServerTest : public testing::Test {
 protected:
  WebServerTest() {
    thread_ = std::jthread([this](const std::stop_token& stop) { server_.Run(stop); });
  }

  static WebSettings Settings() {
    WebSettings settings;
    settings.limits.pgn_body = 100'000;
    settings.limits.body = 2'000;
    return settings;
  }

  httplib::Client Client() const { return httplib::Client("127.0.0.1", server_.port()); }
  httplib::Result Post(const std::string& path, const std::string& body,
                       const httplib::Headers& headers = {}) const {
    return Client().Post(path, headers, body, "application/json");
  }
  static std::string Error(const httplib::Result& result) {
    return Json::parse(result->body).value("error", "");
  }
  // What the server says to a request that goes out as one piece: a client that is still sending
  // when it is refused may never read why.
  std::string AnswerTo(const std::string& request) const {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(server_.port()));
    std::string answer;
    if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
        send(fd, request.data(), request.size(), MSG_NOSIGNAL) == std::ssize(request)) {
      std::array<char, 1024> bytes{};
      for (ssize_t n = 0; (n = recv(fd, bytes.data(), bytes.size(), 0)) > 0;) {
        answer.append(bytes.data(), static_cast<size_t>(n));
      }
    }
    close(fd);
    return answer;
  }
  std::string NewGame(const std::string& game) const {
    const auto result = Post("/api/games", Json({{"game", game}}).dump());
    EXPECT_EQ(result->status, 201);
    return "/api/games/" + Json::parse(result->body)["id"].get<std::string>();
  }

  WebService service_{Settings(), {}};
  WebServer server_{service_,
                    {{"/", {.type = "text/html", .bytes = "<p>page</p>"}},
                     {"/page.js", {.type = "text/javascript", .bytes = "1"}}},
                    {}};
  std::jthread thread_;
};

TEST_F(WebServerTest, GivesThePageAndTheInterface) {
  auto client = Client();
  const auto page = client.Get("/");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->body, "<p>page</p>");
  EXPECT_EQ(page->get_header_value("Content-Type"), "text/html");
  EXPECT_NE(page->get_header_value("Content-Security-Policy").find("default-src 'none'"),
            std::string::npos);
  for (const char* const path : {"/", "/api/info"}) {
    const auto head = client.Head(path);
    ASSERT_TRUE(head) << path;
    EXPECT_EQ(head->status, 200) << path;
    EXPECT_EQ(head->body, "") << path;
  }
  const auto info = client.Get("/api/info");
  EXPECT_EQ(info->status, 200);
  EXPECT_EQ(info->get_header_value("Content-Type"), "application/json");
  EXPECT_EQ(info->get_header_value("X-Content-Type-Options"), "nosniff");
}

TEST_F(WebServerTest, NoPathLeavesTheTable) {
  for (const char* const path :
       {"/../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
        "/page.js/../../x", "/page.js%00.html", "/./", "/PAGE.JS", "/index.html", "/.",
        "/api/games/../../../etc/passwd", "/api/%2e%2e/info"}) {
    const auto result = Client().Get(path);
    ASSERT_TRUE(result) << path;
    EXPECT_EQ(result->status, 404) << path;
    EXPECT_NE(Error(result), "") << path;
  }
}

TEST_F(WebServerTest, BadBodiesAreAnswered) {
  const std::string game = NewGame("khans");
  for (const char* const body : {"{", "[]", "\xff", "{\"move\":1}", "{\"move\":\"e2e4\"}"}) {
    const auto result = Post(game + "/move", body);
    ASSERT_TRUE(result) << body;
    EXPECT_EQ(result->status, 400) << body;
    EXPECT_NE(Error(result), "") << body;
  }
  EXPECT_EQ(Post(game + "/move", R"({"move":"e2e4","ply":0})")->status, 200);
}

TEST_F(WebServerTest, LongBodiesAreRefused) {
  const auto result = Post("/api/games", "{\"game\":\"" + std::string(3'000, 'x') + "\"}");
  EXPECT_EQ(result->status, 413);
  const auto longer = Post("/api/pgn", "{\"text\":\"" + std::string(200'000, 'x') + "\"}");
  EXPECT_EQ(longer->status, 413);
  EXPECT_NE(Error(longer), "");
  EXPECT_EQ(Client().Get("/" + std::string(9'000, 'a'))->status, 414);
  EXPECT_EQ(Client().Get("/api/info")->status, 200);
}

// However long they are: these are not read.
TEST_F(WebServerTest, BodiesWithoutALimitAreRefused) {
  for (const char* const line :
       {"POST /api/games", "POST /api/pgn", "POST /unknown", "PUT /api/games"}) {
    for (const char* const header :
         {"Transfer-Encoding: chunked", "Content-Encoding: gzip\r\nContent-Length: 3", "X: y"}) {
      const std::string answer = AnswerTo(
          std::string(line) + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" +
          header + "\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n");
      EXPECT_TRUE(answer.starts_with("HTTP/1.1 411 ")) << line << ", " << header << ": " << answer;
      EXPECT_NE(answer.find("Content-Length"), std::string::npos) << answer;
    }
  }
  EXPECT_EQ(service_.games(), 0U);
  EXPECT_EQ(Client().Get("/api/info")->status, 200);
}

TEST_F(WebServerTest, OtherSitesCannotUseIt) {
  const std::string body = R"({"game":"khans"})";
  EXPECT_EQ(Client().Post("/api/games", body, "text/plain")->status, 415);
  EXPECT_EQ(Client().Post("/api/games", body, "application/x-www-form-urlencoded")->status, 415);
  EXPECT_EQ(Post("/api/games", body, {{"Host", "evil.example"}})->status, 403);
  EXPECT_EQ(Client().Get("/api/info", {{"Host", "evil.example:80"}})->status, 403);
  EXPECT_EQ(Client().Get("/", {{"Host", "evil.example"}})->status, 403);
  // A name of theirs that leads here.
  for (const std::string name : {"127.evil.example", "127.0.0.1.evil.example:80", "127.x", ""}) {
    EXPECT_EQ(Client().Get("/api/info", {{"Host", name}})->status, 403) << name;
    EXPECT_EQ(Post("/api/games", body, {{"Host", name}, {"Origin", "http://" + name}})->status, 403)
        << name;
  }
  EXPECT_EQ(Post("/api/games", body, {{"Origin", "http://evil.example"}})->status, 403);
  const std::string host = "localhost:" + std::to_string(server_.port());
  EXPECT_EQ(Post("/api/games", body, {{"Host", host}, {"Origin", "http://" + host}})->status, 201);
  EXPECT_EQ(service_.games(), 1U);
  const auto options = Client().Options("/api/games");
  EXPECT_FALSE(options && options->has_header("Access-Control-Allow-Origin"));
}

TEST_F(WebServerTest, ManyAskAtOnce) {
  constexpr int kAskers = 8;
  std::atomic<int> plies = 0;
  {
    std::vector<std::jthread> askers;
    for (int i = 0; i < kAskers; ++i) {
      askers.emplace_back([&, i] {
        const std::string game = NewGame(GameNames()[static_cast<size_t>(i % 2)]);
        for (int ply = 0; ply < 6; ++ply) {
          const auto result = Post(game + "/think", R"({"simulations":1,"play":true})");
          if (result && result->status == 200) ++plies;
        }
      });
    }
  }
  EXPECT_EQ(plies, 6 * kAskers);
  EXPECT_EQ(service_.games(), static_cast<size_t>(kAskers));
}

TEST_F(WebServerTest, APortInUseIsNamed) {
  try {
    WebServer another(service_, {}, {.port = server_.port()});
    ADD_FAILURE() << "the port was shared";
  } catch (const RuntimeFailure& failure) {
    EXPECT_NE(std::string(failure.what()).find("is in use by another program"), std::string::npos)
        << failure.what();
  }
}

TEST(WebServer, AStopBeforeItListensIsHeard) {
  WebService service({}, {});
  WebServer server(service, {}, {});
  std::stop_source stop;
  stop.request_stop();
  server.Run(stop.get_token());
  EXPECT_EQ(service.Handle({.method = "GET", .path = "/api/info"}).status, 200);
}

TEST(WebServer, AHostThatIsNotHereIsAnError) {
  WebService service({}, {});
  EXPECT_THROW(WebServer(service, {}, {.host = "192.0.2.1"}), RuntimeFailure);
}

TEST(WebPage, SaysWhatIsMissingWhenItWasNotBuilt) {
  const std::filesystem::path nowhere = "/nonexistent/page";
  EXPECT_FALSE(HasWebPage(nowhere));
  const WebFiles files = LoadWebPage(nowhere);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_NE(files.at("/").bytes.find("scripts/build_page.sh"), std::string::npos);
}

}  // namespace
}  // namespace khanzero
