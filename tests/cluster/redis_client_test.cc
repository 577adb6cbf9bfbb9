// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/redis_client.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <thread>

#include "tests/cluster/redis_server.h"

namespace khanzero {
namespace {

RedisClient Client(const std::string& url) { return RedisClient(ParseRedisAddress(url)); }

// What is thrown, as text.
template <class Error, class F>
std::string Thrown(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  } catch (const std::exception& e) {
    ADD_FAILURE() << "another error: " << e.what();
    return {};
  }
  ADD_FAILURE() << "nothing is thrown";
  return {};
}

void ExpectHas(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(RedisClient, SaysThatNobodyAnswers) {
  const ScratchFolder folder;
  ExpectHas(Thrown<RedisAway>(
                [&] { Client("unix://" + (folder.path() / "none").string()).Call({"PING"}); }),
            "no Redis answers at unix://");
  // Port 1 is nobody's.
  ExpectHas(Thrown<RedisAway>([] { Client("redis://127.0.0.1:1").Call({"PING"}); }),
            "no Redis answers at redis://127.0.0.1:1/0: Connection refused");
}

// One that speaks something else.
TEST(RedisClient, SaysThatItIsNoRedis) {
  const ScratchFolder folder;
  const std::string path = (folder.path() / "web").string();
  sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = {}};
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  std::jthread web([&] {
    const int connection = accept(listener, nullptr, nullptr);
    const std::string answer = "HTTP/1.1 400 Bad Request\r\n\r\n";
    EXPECT_EQ(write(connection, answer.data(), answer.size()), static_cast<ssize_t>(answer.size()));
    char buffer[64];
    while (read(connection, buffer, sizeof buffer) > 0) {
    }
    close(connection);
  });
  ExpectHas(Thrown<InputError>([&] { Client("unix://" + path).Call({"PING"}); }),
            "is no Redis server");
  web.join();
  close(listener);
}

class RedisClientTest : public RedisTest {};

TEST_F(RedisClientTest, CarriesAnyBytes) {
  const RedisServer server;
  RedisClient client = Client(server.url());
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  client.Call({"HSET", "key", bytes, bytes + bytes});
  EXPECT_EQ(client.Call({"HGET", "key", bytes}).text, bytes + bytes);
  EXPECT_TRUE(client.Call({"HGET", "key", "none"}).nil());
  EXPECT_EQ(client.Call({"HLEN", "key"}).integer, 1);
  EXPECT_TRUE(client.Call({"HGETALL", "none"}).at(7).at(1).nil());
  ExpectHas(Thrown<RedisRefusal>([&] { client.Call({"GET", "key"}); }), "WRONGTYPE");
  EXPECT_EQ(client.Call({"PING"}).text, "PONG");  // it goes on after a refusal
}

TEST_F(RedisClientTest, ComesBackAfterTheServerWasAway) {
  RedisServer server;
  RedisClient client = Client(server.url());
  client.Call({"SET", "key", "kept"});
  server.End(SIGKILL);
  ExpectHas(Thrown<RedisAway>([&] { client.Call({"GET", "key"}); }), "lost Redis at");
  ExpectHas(Thrown<RedisAway>([&] { client.Call({"GET", "key"}); }), "no Redis answers at");
  server.Start();
  EXPECT_EQ(client.Call({"GET", "key"}).text, "kept");
}

TEST_F(RedisClientTest, SaysWhoIsNotLetIn) {
  const RedisServer server({"--requirepass", "right"});
  const std::string at = server.socket();
  EXPECT_EQ(Client("unix://:right@" + at).Call({"PING"}).text, "PONG");
  EXPECT_EQ(Client("unix://default:right@" + at + "?db=3").Call({"PING"}).text, "PONG");
  for (const std::string& who : {std::string(), std::string(":wrong@"), std::string("me:right@")}) {
    const std::string said = Thrown<InputError>([&] { Client("unix://" + who + at).Connect(); });
    ExpectHas(said, "does not let us in");
    ExpectHas(said, "KHANZERO_REDIS_PASSWORD");
    EXPECT_EQ(said.find("wrong@"), std::string::npos) << said;
  }
  ExpectHas(Thrown<InputError>([&] { Client("unix://:right@" + at + "?db=99").Connect(); }),
            "out of range");
  RedisClient admin = Client("unix://:right@" + at);
  admin.Call({"ACL", "SETUSER", "guest", "on", ">word", "~khanzero:*", "+ping"});
  RedisClient guest = Client("unix://guest:word@" + at);
  ExpectHas(Thrown<InputError>([&] { guest.Call({"GET", "khanzero:run"}); }), "too little");
}

}  // namespace
}  // namespace khanzero
