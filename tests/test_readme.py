"""The README: short, its picture and its two commands as they should be. Its examples are run with
all other pages.
"""

from pathlib import Path

import pytest

from pages import CI_MARKS

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")

in_checkout = pytest.mark.skipif(
    not (ROOT / "docs").is_dir(), reason="what it leads to is in a checkout only"
)


def test_it_is_short() -> None:
    assert README.count("\n") <= 135


@in_checkout
def test_commands_that_ci_runs_are_marked() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for mark in CI_MARKS:
        assert f"<!-- {mark} -->\n```sh\n" in README
        assert f'"{mark}"' in script


@pytest.mark.slow
@in_checkout
def test_picture_shows_the_published_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib", reason="the extra rankconst[plot] is not installed")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "scripts"))
    import draw_chance

    adjusted, chance = draw_chance.adjust_published()
    assert chance["nations"] == pytest.approx(0.946930, abs=5e-7)
    # Hits@10 of ComplEx on Nations: (0.9652 - 0.946930) / (1 - 0.946930).
    assert adjusted["nations"][1] == pytest.approx((0.9652 - 0.946930) / (1 - 0.946930), abs=2e-5)
    picture = tmp_path / "chance.svg"
    draw_chance.draw(picture)
    text = picture.read_text(encoding="utf-8")
    shipped = (ROOT / "docs" / "chance.svg").read_text(encoding="utf-8")
    for word in ("Nations", "WN18RR", *draw_chance.MODELS, "0.947"):
        assert word in text
        assert word in shipped
