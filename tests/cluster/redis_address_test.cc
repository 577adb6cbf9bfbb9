// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/redis_address.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "env/error.h"

namespace khanzero {
namespace {

TEST(RedisAddress, TheFormsOfAUrl) {
  EXPECT_EQ(ParseRedisAddress("redis://host"), (RedisAddress{.host = "host"}));
  EXPECT_EQ(ParseRedisAddress("redis://host/"), (RedisAddress{.host = "host"}));
  EXPECT_EQ(ParseRedisAddress("redis://10.0.0.7:7000/3"),
            (RedisAddress{.host = "10.0.0.7", .port = 7000, .database = 3}));
  EXPECT_EQ(ParseRedisAddress("redis://[::1]:7000/0"), (RedisAddress{.host = "::1", .port = 7000}));
  EXPECT_EQ(ParseRedisAddress("redis://[fe80::1]"), (RedisAddress{.host = "fe80::1"}));
  EXPECT_EQ(ParseRedisAddress("redis://actor:s%40cret@host:1/2"),
            (RedisAddress{
                .host = "host", .port = 1, .user = "actor", .password = "s@cret", .database = 2}));
  EXPECT_EQ(ParseRedisAddress("redis://:a@b@host"),
            (RedisAddress{.host = "host", .password = "a@b"}));
  EXPECT_EQ(ParseRedisAddress("unix:///run/redis.sock"),
            (RedisAddress{.socket = "/run/redis.sock"}));
  EXPECT_EQ(ParseRedisAddress("unix://me:word@/run/a%20b?db=4"),
            (RedisAddress{.socket = "/run/a b", .user = "me", .password = "word", .database = 4}));
}

TEST(RedisAddress, WhatIsWrongIsSaidWithoutThePassword) {
  for (const char* const url : {"",
                                "host",
                                "http://host",
                                "redis://",
                                "redis://:6379",
                                "redis://u:secret@",
                                "redis://u:secret@host:0",
                                "redis://u:secret@host:65536",
                                "redis://u:secret@host:12x",
                                "redis://u:secret@host/x",
                                "redis://u:secret@host/-1",
                                "redis://u:secret@host/1/2",
                                "redis://u:secret%zz@host",
                                "redis://u:secret%4",
                                "redis://u:secret%00@host",
                                "redis://[::1",
                                "redis://[::1]x",
                                "redis://u:sec/ret@host",
                                "unix://",
                                "unix://relative",
                                "unix:///a?db=",
                                "unix:///a?x=1"}) {
    SCOPED_TRACE(url);
    try {
      ParseRedisAddress(url);
      ADD_FAILURE() << "it is taken";
    } catch (const InputError& e) {
      EXPECT_EQ(std::string(e.what()).find("secret"), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("redis://[USER"), std::string::npos) << e.what();
    }
  }
}

TEST(RedisAddress, TlsIsRefusedWithAWayOut) {
  try {
    ParseRedisAddress("rediss://host");
    ADD_FAILURE() << "it is taken";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("stunnel"), std::string::npos) << e.what();
  }
}

TEST(RedisAddress, TextShowsNeitherUserNorPassword) {
  for (const auto& [url, text] :
       {std::pair{"redis://u:p@host/2", "redis://host:6379/2"},
        std::pair{"redis://u:p@[::1]:7", "redis://[::1]:7/0"},
        std::pair{"redis://u:p@a%40b", "redis://a%40b:6379/0"},
        std::pair{"unix://u:p@/a%3Fdb%3D7", "unix:///a%3Fdb%3D7"},
        std::pair{"unix://u:p@/run/%1bx?db=1", "unix:///run/%1Bx?db=1"}}) {
    const RedisAddress address = ParseRedisAddress(url);
    EXPECT_EQ(address.Text(), text);
    EXPECT_EQ(ParseRedisAddress(address.Text()).host, address.host);
    EXPECT_EQ(ParseRedisAddress(address.Text()).socket, address.socket);
  }
}

TEST(RedisAddress, TheEnvironmentGivesAPassword) {
  ASSERT_EQ(setenv("KHANZERO_REDIS_PASSWORD", "of the environment", 1), 0);
  EXPECT_EQ(RedisAddressOf("redis://host").password, "of the environment");
  EXPECT_EQ(RedisAddressOf("redis://:own@host").password, "own");
  ASSERT_EQ(unsetenv("KHANZERO_REDIS_PASSWORD"), 0);
  EXPECT_EQ(RedisAddressOf("redis://host").password, "");
}

}  // namespace
}  // namespace khanzero
