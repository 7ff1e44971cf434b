"""The command line: one module per command, imported only when its command is used.

A module in this folder that does not begin with an underscore is a command of its name. It has a ``command`` for
click, and the first line of its docstring stands in ``course --help``.
"""

from __future__ import annotations

import importlib
import io
import sys
from pathlib import Path

import click

from grader import __version__

FOLDER = Path(__file__).parent


class Commands(click.Group):
    """The commands, by the files of this folder."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(file.stem for file in FOLDER.glob("*.py") if not file.name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command = importlib.import_module(f"{__name__}.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in self.list_commands(ctx) and not name.startswith("-"):
            from grader.cli._names import unknown

            raise unknown(f"no command is called {name!r}", name, self.list_commands(ctx), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, _first_line(FOLDER / f"{name}.py")) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@click.group(cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="course", message="%(prog)s %(version)s")
@click.pass_context
def course(ctx: click.Context) -> None:
    """Learn sharded training, and have your work graded.

    Without a command: says where you are and what to do next.
    """
    if ctx.invoked_subcommand is None:
        from grader.cli._here import describe

        click.echo(describe(Path.cwd()))


def main() -> None:
    """Run ``course``, and end with its exit code whatever happens."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        code = course.main(prog_name="course", standalone_mode=False)
    except (Exception, KeyboardInterrupt) as error:
        from grader.cli._failures import explain

        code = explain(error)
    sys.exit(code)


def _first_line(file: Path) -> str:
    with file.open(encoding="utf-8") as lines:
        return next(lines).strip().strip('"')
