"""`winf` in forked processes of one that has loaded its modules: start-up is most of the time of a small command.

    python warm_program.py

Each line of standard input is a JSON object: `arguments` of the program, the folder `place` to run it in, and
optionally the names of calls to be `counted`, with the number `at` of the one at which it is killed, or fails with
`error`. The answer is a line with `code`, `stderr`, and where calls were counted `calls`.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, TextIO

from system_calls import traced

ENVIRONMENT = {
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONWARNINGS": "ignore",
    "POLARS_MAX_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "NO_COLOR": "1",
    "TERM": "dumb",
}

LIBRARIES = ("polars", "duckdb", "jinja2", "plotly", "rich.table", "rich.console", "encodings.ascii", "statistics")
ROOMS = (
    "_aggregate",
    "_dataset",
    "_export",
    "_ingest",
    "_mac",
    "_names",
    "_replay",
    "_report",
    "_schema",
    "_sql",
    "_util",
)
"""What commands load when they need it. Not the models: Polars starts its threads with them."""

HANG_S = 600
"""A run that takes longer is ended, and its stack is what it says."""


class WarmProgram:
    """The process, from the outside; not for several threads at once."""

    def __init__(self) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="warm-", ignore_cleanup_errors=True)
        self.temporary = Path(self._temporary.name)
        """Its folder of temporary files: what others left would be cleared up at calls that count."""
        paths = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | ENVIRONMENT | {"PYTHONPATH": os.pathsep.join(paths), "TMPDIR": str(self.temporary)},
        )

    def run(self, place: Path, *arguments: str, **options: Any) -> dict[str, Any]:
        """Run `winf`; with names in `counted` these calls are, and `at` and `error` say what happens to one."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"place": str(place), "arguments": arguments, **options}) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        """End the process."""
        self._process.communicate()
        self._temporary.cleanup()


def main() -> None:
    """Answer requests until standard input ends."""
    from winf_analyzer.cli import main as winf
    from winf_analyzer.cli.app import COMMANDS, _configure_allocator
    from winf_analyzer.cli.command import load

    _configure_allocator()
    for name in COMMANDS:
        load(name)
    for library in LIBRARIES:
        __import__(library)
    threads = _threads()
    for room in ROOMS:
        package = __import__(f"winf_analyzer.{room}", fromlist=[""])
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            __import__(module.name)
    assert _threads() == threads, "a forked process would wait for threads that it does not have"
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        request = json.loads(line)
        with tempfile.TemporaryFile("w+") as errors:

            def run(request: dict[str, Any] = request, errors: TextIO = errors) -> int:
                os.chdir(request["place"])
                with Path(os.devnull).open("r+") as nothing:
                    for number, file in enumerate((nothing, nothing, errors)):
                        os.dup2(file.fileno(), number)
                sys.argv = ["winf", *request["arguments"]]
                faulthandler.dump_traceback_later(HANG_S, exit=True, file=errors)
                try:
                    winf()
                except SystemExit as end:
                    return end.code if isinstance(end.code, int) else int(end.code is not None)
                return 0

            answer = _traced(run, request) if "counted" in request else _forked(run)
            errors.seek(0)
            answer["stderr"] = errors.read()
        print(json.dumps(answer), file=answers, flush=True)


def _threads() -> int:
    return sum(1 for _ in Path("/proc/self/task").iterdir())


def _traced(run: Any, request: dict[str, Any]) -> dict[str, Any]:
    return traced(run, request.get("at"), request.get("error"), request["counted"])._asdict()


def _forked(run: Any) -> dict[str, Any]:
    child = os.fork()
    if child == 0:
        code = 70
        with contextlib.suppress(BaseException):
            code = run()
        os._exit(code)
    return {"code": os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}


if __name__ == "__main__":
    main()
