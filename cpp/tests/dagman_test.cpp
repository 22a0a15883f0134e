#include "icsched/dagman.hpp"

#include <string>
#include <string_view>

#include "check.hpp"
#include "gives_way.hpp"
#include "icsched/names.hpp"

using icsched::DagmanScan;
using icsched::Problem;
using Kind = icsched::StatementKind;
using Vector = std::vector<std::int32_t>;
using Offsets = std::vector<std::int64_t>;

namespace {

DagmanScan scan(std::string_view text) {
  // A copy of its own size, so that a read past its end does not go unnoticed.
  const std::vector<std::uint8_t> data(text.begin(), text.end());
  return icsched::scan_dagman(data);
}

std::vector<Kind> kinds(const DagmanScan& scan) {
  std::vector<Kind> result;
  for (std::uint8_t kind : scan.kind) result.push_back(static_cast<Kind>(kind));
  return result;
}

std::string names(const DagmanScan& scan) { return {scan.names.begin(), scan.names.end()}; }

bool is_broken(const DagmanScan& scan, Problem problem) {
  return kinds(scan).back() == Kind::broken &&
         scan.value.back() == static_cast<std::int32_t>(problem);
}

}  // namespace

TEST(statements_have_their_kind_place_and_name) {
  const DagmanScan file = scan("# two jobs\n JOB a a.sub\r\nretry a 3\n\nDONE b");
  CHECK(kinds(file) == std::vector{Kind::job, Kind::retry, Kind::done});
  CHECK(file.line == Vector{2, 3, 5});
  CHECK(file.begin == Offsets{12, 25, 36});
  CHECK(file.end == Offsets{23, 34, 42});
  CHECK(file.name == Vector{0, 0, 1});
  CHECK(names(file) == "a\nb" && file.name_count == 2);
}

TEST(values_are_options_and_priorities) {
  const DagmanScan file = scan("JOB a x DIR d NOOP DONE\nJOB b x\nPRIORITY a -12\n");
  CHECK(file.value == Vector{icsched::has_dir + icsched::noop + icsched::is_done, 0, -12});
}

TEST(jobs_may_be_subdags_have_quoted_files_and_descriptions) {
  const DagmanScan file =
      scan("SUBDAG EXTERNAL a \"in 1.dag\" DONE\nJOB b \"x y\" DIR \"d e\"\n"
           "JOB c {\n}\nJOB d @=T\n@T");
  CHECK(kinds(file) == std::vector(4, Kind::job));
  CHECK(file.value == Vector{icsched::is_subdag + icsched::is_done, icsched::has_dir,
                             icsched::is_inline, icsched::is_inline});
  CHECK(names(file) == "a\nb\nc\nd");
}

TEST(values_of_vars_may_have_escaped_quotes) {
  const DagmanScan file =
      scan("VARS a x=\"say \\\"so\\\"\" +y = \"\\\\\"\nVARS a APPEND x=1\nVARS a x=\"\\a\"");
  CHECK(kinds(file) == std::vector{Kind::vars, Kind::vars, Kind::other});
}

TEST(a_backslash_alone_on_a_line_belongs_to_no_statement) {
  const DagmanScan file = scan("\\\n\\\n\nSAVE_POINT_FILE a \"f\"\n");
  CHECK(kinds(file) == std::vector{Kind::save_point});
  CHECK(file.line == Vector{4} && file.begin == Offsets{5});
  CHECK(is_broken(scan("JOB a x\n\\\n# c\n"), Problem::unended));
}

TEST(refs_hold_parents_and_then_children) {
  const DagmanScan file = scan("PARENT a b CHILD c\nPARENT c CHILD d a\n");
  CHECK(kinds(file) == std::vector{Kind::parent, Kind::parent});
  CHECK(file.first_parent == Offsets{0, 3});
  CHECK(file.first_child == Offsets{2, 4});
  CHECK(file.refs == Vector{0, 1, 2, 2, 3, 0});
  CHECK(file.name == Vector{-1, -1});
}

TEST(a_continued_statement_is_one_and_its_comments_do_not_count) {
  const DagmanScan file = scan("PARENT a \\\n# or b\n  c CHILD \\\r\n\td\nVARS a x=\"1 \\\n 2\"\n");
  CHECK(kinds(file) == std::vector{Kind::parent, Kind::vars});
  CHECK(names(file) == "a\nc\nd");
  CHECK(file.line == Vector{1, 5});
}

TEST(after_an_empty_line_a_command_ends_the_continued_statement) {
  const DagmanScan file = scan("PARENT a CHILD b \\\n\nJOB a x\n\\\n\nJOB b x\n");
  CHECK(kinds(file) == std::vector{Kind::parent, Kind::job, Kind::job});
  CHECK(file.end == Offsets{18, 27, 38});
}

TEST(inline_submit_descriptions_belong_to_their_statement) {
  const DagmanScan file = scan("JOB a {\nJOB b x\n} c\nJOB d @=END\n@ENDS\n@END\nJOB e x\n");
  CHECK(kinds(file) == std::vector{Kind::other, Kind::job, Kind::job});
  CHECK(file.end == Offsets{19, 42, 50});
  CHECK(names(file) == "d\ne");
}

TEST(what_is_not_plain_is_left_alone) {
  for (const char* text : {"JOB a+b x", "JOB a x.condor.sub", "JOB child x", "VARS a queue=\"1\"",
                           "VARS a x='1'", "PARENT a CHILD b CHILD c", "RETRY a 1234567890",
                           "PRE_SKIP a 256", "SCRIPT DEFER 0 2 PRE a x", "SPLICE a b", "\"a\""}) {
    const DagmanScan file = scan(text);
    CHECK(kinds(file) == std::vector{Kind::other});
    CHECK(file.name == Vector{-1} && file.refs.empty() && file.name_count == 0);
  }
}

TEST(a_broken_statement_is_the_last) {
  CHECK(is_broken(scan("JOB a x\\\ny\nJOB b x\n"), Problem::glued));
  CHECK(is_broken(scan("JOB a x\nJOB b \\\n# c\n\n"), Problem::unended));
  CHECK(is_broken(scan("JOB a {\nJOB b x\n"), Problem::unclosed));
  CHECK(is_broken(scan("FINAL a @=\n@\n"), Problem::unclosed));
}

TEST(any_bytes_will_do) {
  CHECK(scan("").kind.empty());
  CHECK(scan(" \t\r\v\f\n\n").kind.empty());
  CHECK(kinds(scan(std::string_view("JOB a\0b x\n\0\xff", 12))) ==
        std::vector{Kind::other, Kind::other});
}

TEST(names_keep_their_numbers_while_the_table_grows) {
  const int count = 5000;
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) texts.push_back(std::string(i % 40, 'x') + std::to_string(i));
  icsched::NameTable table;
  Vector first, again;
  for (const std::string& text : texts) table.number(text, first);
  for (const std::string& text : texts) table.number(text, again);
  table.settle();
  CHECK(table.size() == count);
  CHECK(first == again && first.front() == 0 && first.back() == count - 1);
}

TEST(a_long_scan_ends_when_the_user_wants_out) {
  std::string text;
  for (int job = 0; job < 50'000; ++job) text += "DONE a\n";
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  CHECK(gives_way([&] { icsched::scan_dagman({bytes, text.size()}); }));
}
