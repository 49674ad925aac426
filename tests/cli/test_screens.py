"""What a command says while it works; the screens of terminals are recorded."""

import sys

import pytest

from rankconst.cli.output import Notice


def test_a_command_says_what_it_does_when_it_is_silent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And erases that before it says anything else; nothing where no terminal is."""
    piped, notice = Notice(), Notice()
    piped.start("adjusting paper.csv ...")
    assert piped._timer is None
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(Notice, "delay", 0.0)
    notice.start("adjusting paper.csv ...")
    assert notice._timer is not None
    notice._timer.join()
    notice.stop()
    assert capsys.readouterr().err == "adjusting paper.csv ...\r\x1b[K"
    notice.stop()
    assert capsys.readouterr().err == ""
