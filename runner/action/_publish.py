"""Results of another run become comments; nothing is evaluated."""

from __future__ import annotations

from runner import render, results
from runner.action._comment import Commenter, links_of
from runner.action._other_run import results_of_run
from runner.action._result import SpecResult, outputs
from runner.errors import Unavailable
from runner.github.workflow import Workflow
from runner.redact import Redactor
from runner.render import Links
from runner.session import World
from runner.settings import Settings

_OF_A_FORK = (
    "\n<sub>From the pull request's own run, which had no secrets of this repository; "
    "nobody else has checked what it says.</sub>\n"
)


def publish(config: Settings, world: World, step: Workflow, redactor: Redactor) -> int:
    """Comment on the results in the folder of the input ``publish``.

    Gives 0 whatever the verdict, which the run that evaluated has; where GitHub does
    not let a comment be made, the status of what could not be done.

    Raises:
        InputError: The folder has no results, or such as must not be published.
    """
    ended = results_of_run(config.publish, world.root, config.change.commit)
    links = links_of(config)
    for each in ended:
        _tell(each, step, world, links)
    step.outputs(outputs(ended, config.publish, world.root))
    note = _OF_A_FORK if config.change.fork else ""
    commenter = Commenter(config, world.templates, redactor, step, note)
    told = commenter.tell(ended, [each.spec for each in ended])
    failed = any(each.done == "failed" for each in told)
    return Unavailable.exit_code if failed else 0


def _tell(ended: SpecResult, step: Workflow, world: World, links: Links) -> None:
    if ended.report is None or ended.folder is None:
        return
    step.log(render.console(ended.report, folder=ended.spec))
    make = results.renderings(world.templates, ended.folder, links)
    step.summary(*(make[name](ended.report) for name in ("summary.md", "comment.md")))
