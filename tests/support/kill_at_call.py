"""python killed.py N script.py arguments: runs `main` of a script, and kills it at a call into C.

It is the Nth such call that kills it, as `kill -9` would; 0 lets it live. It then says on standard
error how many there were.
"""

import os
import runpy
import signal
import sys
from pathlib import Path


def run_until_killed(run, fatal):
    """Run a function, and kill this process at a call into C; if it lives, how many there were."""
    calls = 0

    def count(frame, event, arg):
        nonlocal calls
        if event == "c_call":
            calls += 1
            if calls == fatal:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(count)
    run()
    sys.setprofile(None)
    return calls


if __name__ == "__main__":
    fatal, path = int(sys.argv[1]), sys.argv[2]
    sys.argv = sys.argv[2:]
    sys.path.insert(0, str(Path(path).parent))
    main = runpy.run_path(path)["main"]
    print(run_until_killed(main, fatal), file=sys.stderr)
