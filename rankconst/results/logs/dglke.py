"""The output of DGL-KE: ``Test average MRR : 0.67``, or ``[0]Test average MR: 47.3``.

The first is of all processes, the second of one.

Of several processes, each evaluates only a part of the triples. Older versions print the step
behind the name: ``Test average MR at [9999/10000]: 48.06``.
"""

from __future__ import annotations

from dataclasses import replace

from rankconst.results.logs.lines import VALUE, LogFormat, LogNumber, rule

_PART = (
    "a process evaluates a part of the triples, and the mean over the processes is not printed for "
    "this split; evaluate with --num_proc 1, or take the lines below 'Test result'"
)


def _refuse_parts(numbers: list[LogNumber]) -> list[LogNumber]:
    """Refuse the numbers of single processes where there are several; find the protocols."""
    # Processes are counted from 0: any other number means that there are several.
    divided = {each.fields["split"] for each in numbers if each.fields.get("process", "0") != "0"}
    judged = []
    for number in numbers:
        fields, protocol = number.fields, None  # of the command above
        if fields.get("unfiltered"):
            protocol = "raw"
        if fields.get("negatives"):
            protocol = f"sampled:{fields['negatives']}"
        is_part = fields["split"] in divided and "process" in fields
        reason = _PART if is_part else number.reason
        judged.append(replace(number.say(protocol=protocol), reason=reason))
    return judged


READER = LogFormat(
    key="dglke",
    tool="dglke",
    values=rule(
        r"(?:\[(?:proc )?(?P<process>\d{1,6})\]|(?<![\w\]]))(?P<split>Test|Valid) average "
        r"(?P<name>MRR|MR|HITS@\d{1,9})(?: at \[(?P<step>\d{1,12})/\d+\])? ?:" + VALUE,
        *("Test average ", "Valid average "),
    ),
    headings=(
        rule(r"\[Train\]\((?P<step>\d{1,12})/\d", "[Train]("),
        # A script keeps the output below its commands, whose options may take several lines.
        rule(
            r"(?:--model_name (?P<model>\S{1,100}) )?--dataset ",
            "--dataset ",
            negatives="",
            unfiltered="",
        ),
        rule(r"--neg_sample_size_eval (?P<negatives>\d{1,9})", "--neg_sample_size_eval "),
        rule("(?P<unfiltered>--no_eval_filter)", "--no_eval_filter"),
    ),
    exact=True,
    refine=_refuse_parts,
).reader
