"""Serve a model over HTTP while it learns; docs/serving.md has the requests."""

import sys
from pathlib import Path

from ..programs import Parser

try:
    from .service import serve
except ModuleNotFoundError as _error:
    _help = "use WSL, as the service locks files in the way of Linux and macOS"
    _help = _help if _error.name == "fcntl" else "pip install 'river-hier[serving]'"
    sys.exit(f"{_error}: {_help}")


def main() -> None:
    """Read the command line, and serve."""
    parser = Parser("serve", __doc__)
    add = parser.add_argument
    add(
        "model",
        type=Path,
        nargs="?",
        help="a file of pickle.dump or checkpoint.save: only open your own",
    )
    add("--folder", type=Path, help="of the journal and the checkpoint; model.served by default")
    names = "address to listen at; after commas, more names by which clients may call it"
    add("--host", default=["127.0.0.1"], type=lambda names: names.lower().split(","), help=names)
    add("--port", type=int, default=8080, help="8080 by default; 0 for a free one")
    add("--save", type=float, default=60.0, help="seconds between two checkpoints")
    add("--risk", type=float, help="answer with inner nodes, wrong in this share of cases at most")
    add("--foreign", type=float, help="with --risk: refuse strangers, and this share of known x")
    add("--budget", type=float, help="say which labels are worth asking for, this share of them")
    add("--log", type=Path, help="append what is learned to a file of JSON lines, with its keys")
    add("--replay", type=Path, help="first learn what such a file holds, edits included")
    add("--follow", type=Path, help="only answer, by the checkpoints in the --folder of another")
    arguments = parser.parse_args()
    own = {"follow", "host", "port", "save"}
    if arguments.follow and any(
        value != parser.get_default(name)
        for name, value in vars(arguments).items()
        if name not in own
    ):
        parser.error("--follow takes --host and --port alone: the model is in the folder")
    if not arguments.follow and not arguments.model:
        parser.error("name the file of a model, or the folder of another process: --follow")
    if arguments.replay is not None and not arguments.replay.is_file():
        parser.error(f"{arguments.replay} is no file: --replay names one that --log has written")
    if arguments.foreign is not None and arguments.risk is None:
        parser.error("--foreign needs --risk: decision.Selective keeps both")
    serve(**vars(arguments))


if __name__ == "__main__":
    main()
