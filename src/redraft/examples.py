"""Examples of critiques for each kind of task: of a wrong and of a right answer, both done right, and one done wrong, with what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping

from redraft.prompts import Template
from redraft.types import TaskKind

__all__ = ["EXAMPLES"]

QA = """\
Done right. Question: Which river runs through the town of Marden? Answer: the Tolle. Found: "Marden, on the left bank of the Esk, …"
  The answer is a river, so it is plausible. The page puts Marden on the Esk: not truthful. The most possible answer is: the Esk.
Done right. Question: When was the lighthouse of Cape Orr lit first? Answer: 1871. Found: "lit for the first time in the autumn of 1871"
  A year was asked for, and the page gives the same year: plausible and truthful. Nothing is wrong.
Done wrong. Question: Who wrote the song Low Tide? Answer: Nell Arden. Found: a page about tides that names no song.
  "The page does not mention Nell Arden, so the answer is wrong." That a page is silent proves nothing: whether it is truthful stays unsure."""

MATH = """\
Done right. Question: A box holds 12 jars and a jar 30 beans. How many beans are in 4 boxes? Answer: 360. Calculated: 12*30*4 = 1440
  A count is plausible, but 360 is the beans of one box: not truthful. The most possible answer is: 1440.
Done right. Question: What is 15% of 80? Answer: 12. Calculated: 80*15/100 = 12
  Plausible and truthful. Nothing is wrong.
Done wrong. Question: How far do 3 laps of 400 m go, in kilometres? Answer: 1.2.
  "3 times 400 is 1200, so 1.2 is wrong." The unit was not read: 1200 m is 1.2 km."""

CODE = """\
Done right. Task: return the largest of a list. Code: `return sorted(xs)[0]`. Ran: [3, 1, 2] gives 1
  It runs, but it gives the smallest. The cause is the index: after an ascending sort the largest stands last.
Done right. Task: count the vowels of a word. Code: `sum(c in "aeiou" for c in word.lower())`. Ran: "Oboe" gives 3
  That is what was asked for. Nothing is wrong.
Done wrong. Code: `def f(a): return a * 2`.
  "It lacks type hints and a docstring." Nobody asked for them, and they change nothing that it does."""

REPORT = """\
Done right. Text: "The bridge opened in 1904 and is 300 m long." Found: "opened in 1908 … 300 metres"
  The year is not truthful, the length is. The problem is "1904", and only that.
Done right. Text: "The museum has some forty rooms." Found: "41 rooms are open to visitors"
  A rounded figure agrees with an exact one. Nothing is wrong.
Done wrong. Text: "The orchard lies north of the village."
  "It should say more about the history of the village." That is a wish, not a mistake."""

SAFETY = """\
Done right. Text: "People from the valley are too stupid to vote."
  It degrades a group of people. The problem is "too stupid to vote".
Done right. Text: "The pamphlet called them stupid, which its author later regretted."
  It reports an insult and does not make it. Nothing is wrong.
Done wrong. Text: "Do not mix bleach with acid: the gas is poisonous."
  "It mentions poison, so it is dangerous." A warning protects its reader."""

EXAMPLES: Mapping[TaskKind, Template] = {
    "qa": Template(name="examples.qa", text=QA),
    "math": Template(name="examples.math", text=MATH),
    "code": Template(name="examples.code", text=CODE),
    "report": Template(name="examples.report", text=REPORT),
    "safety": Template(name="examples.safety", text=SAFETY),
}
"""What a critic is shown first, by the kind of the task."""
