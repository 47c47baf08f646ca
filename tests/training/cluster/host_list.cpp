#include "training/cluster/host_list.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

using Names = std::vector<std::string>;
using Counts = std::vector<Rank>;

Names hosts(std::string_view list) { return expand_hosts(list, "LIST"); }
std::string said(std::string_view list) {
  return failure([&] { hosts(list); });
}

}  // namespace

TEST_CASE("expands host lists in order, with leading zeros") {
  CHECK(hosts("n[006,011],m5,o[3-4]") == Names{"n006", "n011", "m5", "o3", "o4"});
  CHECK(hosts("alone") == Names{"alone"});
  CHECK(hosts("n[08-11]") == Names{"n08", "n09", "n10", "n11"});
  CHECK(hosts("n[8-11]") == Names{"n8", "n9", "n10", "n11"});
  CHECK(hosts("n[99-101]") == Names{"n99", "n100", "n101"});
  CHECK(hosts("n[0-0]") == Names{"n0"});
  CHECK(hosts("n[1,3-4,007]-ib.cluster.org") == Names{"n1-ib.cluster.org", "n3-ib.cluster.org",
                                                      "n4-ib.cluster.org", "n007-ib.cluster.org"});
  CHECK(hosts("rack[1-2]node[01-02],[7-8]") ==
        Names{"rack1node01", "rack1node02", "rack2node01", "rack2node02", "7", "8"});
  CHECK(hosts("n[00001-65536]").size() == 65536);
}

TEST_CASE("rejects malformed host lists, naming the error") {
  CHECK(said("") == "2: LIST '': a name is missing next to a comma");
  CHECK(said("a,,b") == "2: LIST 'a,,b': a name is missing next to a comma");
  CHECK(said("a,").find("a name is missing") != std::string::npos);
  CHECK(said("n[1-2") == "2: LIST 'n[1-2': a [ without a ]");
  CHECK(said("n1-2]") == "2: LIST 'n1-2]': a ] without a [");
  CHECK(said("n[1-[2]]") == "2: LIST 'n[1-[2]]': a [ within brackets: brackets do not nest");
  CHECK(said("n[]") == "2: LIST 'n[]': '' is neither a number nor a range such as 3-4");
  CHECK(said("n[1,]").find("'' is neither") != std::string::npos);
  CHECK(said("n[a-c]") == "2: LIST 'n[a-c]': 'a-c' is neither a number nor a range such as 3-4");
  CHECK(said("n[1-2-3]").find("'1-2-3' is neither") != std::string::npos);
  CHECK(said("n[-3]").find("'-3' is neither") != std::string::npos);
  CHECK(said("n[5-3]") == "2: LIST 'n[5-3]': the range '5-3' is descending");
  CHECK(said("a b") == "2: LIST 'a b': 'a b' is not a host name");
  CHECK(said("n[1-2],n2") == "2: LIST 'n[1-2],n2': the host 'n2' appears twice");
  CHECK(said("a\n\x80z").find("'a??z' is not a host name") != std::string::npos);
  CHECK(said(std::string(1000, '/')).find("'" + std::string(60, '/') + "...'") !=
        std::string::npos);
}

TEST_CASE("rejects host lists that would fill the memory at once") {
  const std::string more = "more than 1048576 hosts";
  CHECK(said("n[1-999999999999]").find(more) != std::string::npos);
  CHECK(said("n[1-9999999999999]").find("is neither a number") != std::string::npos);
  CHECK(said("n[0-1048576]").find(more) != std::string::npos);
  CHECK(said("n[0-2000][0-2000]").find(more) != std::string::npos);
  CHECK(said("a[0-600000],b[0-600000]").find(more) != std::string::npos);
}

TEST_CASE("expands Slurm's run lengths") {
  CHECK(expand_counts("2(x3),1", "T") == Counts{2, 2, 2, 1});
  CHECK(expand_counts("16", "T") == Counts{16});
  CHECK(expand_counts("1,0,2(x1)", "T") == Counts{1, 0, 2});
  const auto no = [](std::string_view list) { return failure([&] { expand_counts(list, "T"); }); };
  CHECK(no("2(x)") == "2: T '2(x)': '2(x)' is not a count such as 2 or 2(x3)");
  CHECK(no("2(x0)").find("is not a count") != std::string::npos);
  CHECK(no("2(x3").find("is not a count") != std::string::npos);
  CHECK(no("(x3)").find("is not a count") != std::string::npos);
  CHECK(no("two").find("'two' is not a count") != std::string::npos);
  CHECK(no("") == "2: T '': a name is missing next to a comma");
  CHECK(no("1000(x1000000)") == "2: T '1000(x1000000)': more than 1048576 tasks");
  CHECK(no("0(x1048576),0").find("more than") != std::string::npos);
}
