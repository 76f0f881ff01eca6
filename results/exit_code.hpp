// The exit codes of tarry's commands.
#pragma once

namespace tarry {

enum ExitCode : int {
  kOk = 0,                 // also when the outcome is the one that the scenario expects
  kExpectationFailed = 1,  // another outcome than expected, or training that failed
  kBadInput = 2,           // a file, an option, a name; memory or a disk that is full
  kSafety = 3,             // a rule that must hold is broken; a counterexample of a hunt
  kDeadlock = 4,           // something waits for ever
  kNonDeterminism = 5,     // two runs of one scenario and seed differ
  kInternal = 6,           // a defect of tarry
  kInterrupted = 130       // by Ctrl-C
};

}  // namespace tarry
