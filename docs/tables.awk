# Prints a document with its tables made anew: what stands between the lines
#   <!-- table NAME: COMMAND -->
#   <!-- end -->
# is replaced by what COMMAND prints. A command that fails, or a table without an end, ends everything with an error.
/^<!-- table [^:]+: .+ -->$/ {
  print
  command = $0
  sub(/^<!-- table [^:]+: /, "", command)
  sub(/ -->$/, "", command)
  print ""
  while ((command | getline line) > 0) print line
  if (close(command) != 0) fail("failed: " command)
  print ""
  inside = 1
  next
}
/^<!-- end -->$/ { inside = 0 }
!inside { print }
END { if (inside && !failed) fail("no end of the table of: " command); exit failed }

function fail(problem) {
  print problem > "/dev/stderr"
  failed = 1
  exit 1
}
