// Scanning HTCondor DAGMan files: statements found, the plain ones recognised.
//
// A statement is one command: a line, the lines that continue it, and its inline submit
// description if it has one. Nearly all statements of a large file are written in the plainest
// way. The scanner understands only plain statements. It leaves the bytes of every other statement
// to the caller, so it need not know the fine print of the language.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace icsched {

enum class StatementKind : std::uint8_t {
  other = 0,  // not plain, or not a command at all
  job = 1,    // JOB and SUBDAG EXTERNAL; value: JobOptions, added up
  parent = 2,
  done = 3,
  priority = 4,  // value: the priority
  retry = 5,
  vars = 6,
  pre = 7,     // SCRIPT PRE
  script = 8,  // SCRIPT POST and SCRIPT HOLD
  category = 9,
  abort = 10,  // ABORT_DAG_ON
  pre_skip = 11,
  save_point = 12,  // SAVE_POINT_FILE
  broken = 13,      // value: a Problem; always the last statement
};

enum JobOptions : std::int32_t {
  noop = 1,
  is_done = 2,
  has_dir = 4,
  is_subdag = 8,
  is_inline = 16,  // its submit description follows, and nothing after the description
};

enum class Problem : std::int32_t {
  none = 0,
  glued = 1,     // a backslash at the end of a line has no blank before it
  unended = 2,   // the file ends where a continued line should go on
  unclosed = 3,  // an inline submit description has no closing line
};

struct DagmanScan {
  // Per statement, in the order of the file.
  std::vector<std::uint8_t> kind;         // a StatementKind
  std::vector<std::int32_t> line;         // its first, counted from 1
  std::vector<std::int64_t> begin, end;   // its bytes, without blanks around it
  std::vector<std::int32_t> name, value;  // the number of the job's name or -1; see kinds

  // Per parent statement: its parents are refs[first_parent .. first_child). Its children go from
  // there to first_parent of the next statement, or to the end of refs.
  std::vector<std::int64_t> first_parent, first_child;
  std::vector<std::int32_t> refs;  // numbers of names

  // All names of plain statements, numbered as they first occur, a newline between them.
  std::vector<std::uint8_t> names;
  std::int32_t name_count = 0;
};

// Scans any bytes; stops after a broken statement. Throws std::length_error for 2^31 bytes
// or more. Takes linear time. Takes about as much memory as `data` for ordinary files, and at most
// 20 times as much for the worst (two bytes a line, or a new name every few bytes).
DagmanScan scan_dagman(std::span<const std::uint8_t> data);

}  // namespace icsched
