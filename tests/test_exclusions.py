"""What excludes a claim although the sentence lacks some of its words: dates of events, terms, ranks, schools, makers, places, counts, descriptions."""

from __future__ import annotations

import pytest

from redraft.claims.compare import compare, graded

EXCLUDED = [
    # dates of what happens once
    (
        "Ada Lovell was appointed to the Harbour Board by Mayor Ian Croft in 1977.",
        "Ada Lovell was nominated to the Harbour Board by Mayor Croft on 19 August 1981.",
    ),
    ("Ada Lovell was appointed to the Harbour Board in 1977.", "Lovell had taught law. In July 1981 Mayor Croft appointed her to the Harbour Board."),
    ("The company Acme Widgets was founded in 1987.", "Acme Widgets makes widgets. It was established in Ohio in 1990."),
    ("Rudolf Hale retired from the Royal Navy in 1962.", "Rudolf Hale, who retired from the Royal Navy in 1954, wrote two memoirs."),
    ("Petra Novak was born in 1931.", "Petra Novak (1943–2011) was a Czech chess player."),
    ("Petra Novak died in 2001.", "Petra Novak (1943–2011) was a Czech chess player."),
    ("Ottmar Klee graduated from Tarn University in 1999.", "Klee studied physics and graduated from Tarn University in 2004."),
    ("The Sund Bridge was completed in 1936.", "The Sund Bridge crosses the strait. It was paid for by tolls. The bridge was completed in 1941."),
    ("Borealis Records was acquired by Tonwerk in 2015.", "Tonwerk acquired Borealis Records in 2009 for an undisclosed sum."),
    ("The Tarn Treaty was ratified in 1911.", "The Tarn Treaty was signed by six states and ratified in 1920."),
    # terms
    ("Ingrid Falk served on the Court of Audit from 1990 until 2008.", "Ingrid Falk served on the Court of Audit from 1990 to 2001."),
    ("Ingrid Falk was a serving judge of the Court of Audit in 2009.", "Ingrid Falk served as a judge of the Court of Audit from 1990 to 2001."),
    ("King Osric reigned from 1204 to 1219.", "King Osric reigned between 1224 and 1239."),
    # ranks
    ("Norland is the largest producer of barley in Austria.", "Norland ranked third in barley production in Austria last year."),
    ("Norland is the largest producer of barley in the Union.", "Sudland led the nation in barley production, ahead of Norland."),
    ("Norland is the top barley producer in the Union.", "The top barley-producing states of the Union were, in order, Sudland, Westmark and Norland."),
    ("Westmark is the leading exporter of copper in the world.", "Westmark is the world's second-largest exporter of copper."),
    ("Brinn is the largest city in Westmark.", "Tolm is the largest city in Westmark, before Brinn."),
    # schools and makers
    ("Carla Weiss holds a bachelor's degree in law from Dunmore University.", "Weiss earned her B.A. in history from Orrin College and moved to Tolm."),
    ("Carla Weiss received a doctorate from the University of Brinn.", "She was born in Tolm. Carla Weiss took a Ph.D. in law at Orrin College in 1988."),
    ("“Glass Rivers” was directed by Tom Arden.", "“Glass Rivers” is a drama that was directed by Mina Okoro and shot in Brinn."),
    ("The Heron Symphony was composed by Elias Brandt.", "The Heron Symphony, which was composed by Marta Linde, has four movements."),
    ("Elias Brandt wrote The Salt Ledger.", "The Salt Ledger was written by Marta Linde in a single winter."),
    # places of one type
    ("Carla Weiss was born in Sweden.", "Carla Weiss was born in Turku, Finland, to a family of sailors."),
    ("The Arden Museum is located in Ohio.", "The Arden Museum is located in Topeka, Kansas."),
    ("Lake Umber is located in Africa.", "Lake Umber is located in the highlands of Asia."),
    # counts
    ("As of 2021, Paper Lanterns has released four albums.", "While Paper Suns has released five albums, Paper Lanterns has only released two."),
    ("Between 1989 and 2005, Brinn Rovers won four league titles.", "Between 1989 and 2005 Brinn Rovers won five Leagues and two cups."),
    # towns with what they lie in, sizes, ages
    ("Carla Weiss was born in Tolm, Westmark.", "Carla Weiss was born on 3 May 1931 in Brinn, Westmark, to a family of sailors."),
    ("Tonwerk is headquartered in Tolm, Westmark.", "Tonwerk is an audio company headquartered in Brinn, Westmark."),
    ("Mount Arn is 3,410 metres high.", "Mount Arn rises to a height of 2,980 metres."),
    ("The Sund Bridge has a length of 900 metres.", "The Sund Bridge is 640 metres long and carries four lanes."),
    ("Petra Novak died at the age of 81.", "Petra Novak died in Brinn in 2011, aged 68."),
    ("The Salt Works was founded by Tom Arden.", "The Salt Works was founded by Mina Okoro in a shed."),
    # denials of no more than the claim says
    ("The Arn kiwi can swim over long distances.", "The Arn kiwi cannot swim."),
    ("Elias Brandt finished the Heron Symphony in Brinn.", "Elias Brandt never finished the Heron Symphony."),
    # where a kind is at home
    ("The Bristly Arnweed is typically found in the dry regions of North America.", "The Bristly Arnweed is a plant of the dry zones of Eurasia."),
    # retired
    ("Justice Ian T. Croft was the oldest serving justice on the Arn High Court in 1980.", "Croft served on the High Court for years. He retired in 1975."),
    # descriptions
    ("Tolm is the capital of Westmark.", "Brinn is the capital of Westmark and its chief port."),
    ("The capital of Westmark is Tolm.", "Brinn, the capital of Westmark, lies on the Arn."),
    ("Elias Brandt is the author of The Salt Ledger.", "Marta Linde is the author of The Salt Ledger."),
    ("The president of Westmark is Elias Brandt.", "Marta Linde is the president of Westmark."),
    # what is said not to be
    ("The Warden of the Arn's appointment renewal is for two years.", "The Warden of the Arn is appointed for a non-renewable term of six years."),
    ("The Arn Commissioner's term can be renewed.", "The Arn Commissioner serves a single term with no possibility of renewal."),
    # signs in brackets are no part of a relation
    ("Zinc (Zn) displaces tin (Sn) from its salts.", "In this order tin displaces zinc from salts."),
    # the holder of a place, where the sentence speaks of one of many as well
    ("Tom Arden served as the 45th mayor of Brinn.", "Croft was the 45th mayor of Brinn, after one of the most heated campaigns. Ian Croft studied law."),
]

OPEN = [
    # another bearer, another event, another time, another party
    ("Sund Tower opened in 1989.", "Tarn Tower is tall. The tower opened in 1998."),
    ("Ada Lovell was born in 1931.", "His father, Rudolf Lovell, was born in 1901. Ada Lovell wrote about him."),
    ("Ada Lovell was born in 1931.", "Ada Lovell was the daughter of Rudolf Hale, who was born in 1901."),
    ("Ada Lovell was appointed to the Harbour Board in 1977.", "Ada Lovell was appointed to the Court of Audit in 1985."),
    ("Ada Lovell was appointed to the Harbour Board in 1980.", "Ada Lovell was nominated to the Harbour Board in 1981."),
    ("The company Acme Widgets was founded in 1987.", "Acme Widgets was founded in 1987. It was founded anew in 2003."),
    ("“Glass Rivers” was released in 2004.", "“Glass Rivers” was released in May 2004 and released on disc in 2006."),
    ("Ottmar Klee graduated from Tarn University in 1999.", "Klee graduated from Brinn College in 1995."),
    ("Borealis Records was acquired by Tonwerk in 2015.", "Borealis Records was acquired by Grammo in 2009."),
    ("Brinn Rovers won the Arn Cup in 2001.", "Brinn Rovers won the Arn Cup in 1998."),
    ("Ingrid Falk served on the Court of Audit from 1990 until 2001.", "Ingrid Falk served on the Court of Audit from 1989 to 2001."),
    ("Ingrid Falk served on the Court of Audit from 1990 until 2001.", "Ingrid Falk (1938–2020) served on the Court of Audit."),
    ("Ingrid Falk served on the Court of Audit from 1990 until 2001.", "Ingrid Falk served on the Harbour Board from 1980 to 1988."),
    ("Norland is the largest producer of barley in Austria.", "Norland ranked third in wheat production in Austria."),
    ("Norland is a leading producer of barley in Austria.", "Sudland is the largest producer of barley in Austria."),
    ("Norland is one of the largest producers of barley in Austria.", "Sudland is the largest producer of barley in Austria."),
    ("Brinn is the largest city in Westmark.", "Tolm is the largest city in Norland."),
    ("Brinn is the largest port in Westmark.", "Tolm is the largest city in Westmark."),
    ("Carla Weiss holds a bachelor's degree from Dunmore University.", "Weiss earned her master's degree from Orrin College."),
    ("Carla Weiss holds a bachelor's degree from Dunmore University.", "Her brother Tom Weiss earned his B.A. from Orrin College."),
    ("Carla Weiss holds a bachelor's degree from Dunmore University.", "Weiss earned her B.A. from Dunmore, then taught at Orrin College."),
    ("“Glass Rivers” was directed by Tom Arden.", "“Glass Rivers” was directed by Mina Okoro and Tom Arden."),
    ("“Glass Rivers” was directed by Tom Arden.", "The remake of “Glass Rivers” was written by Mina Okoro."),
    ("The Salt Ledger was written by Elias Brandt.", "The preface of the first edition was written by Marta Linde."),
    ("Carla Weiss was born in Sweden.", "Carla Weiss was born in Turku and moved to Finland."),
    ("Carla Weiss was born in Sweden.", "Carla Weiss was born before her parents left for Finland."),
    ("Carla Weiss lived in Sweden.", "Carla Weiss was born in Finland."),
    ("Paper Lanterns has released four albums.", "Paper Suns has released five albums, Paper Lanterns was founded by two."),
    ("Brinn Rovers won four league titles.", "Between 1989 and 2005 Brinn Rovers won five Leagues."),
    ("Carla Weiss was born in Tolm.", "Carla Weiss was born in Brinn, Westmark."),
    ("Carla Weiss was born in Tolm, Westmark.", "Carla Weiss was born in Brinn, Westmark, then a part of Tolm."),
    ("Mount Arn is 3,410 metres high.", "Mount Arn has a hut at 2,980 metres and a crater of 200 metres in width."),
    ("The Sund Bridge has a length of 900 metres.", "The Sund Bridge was 640 metres long in 1890."),
    ("Petra Novak died at the age of 81.", "Petra Novak won her first title at 16 and died in Brinn."),
    ("The Arn kiwi can swim.", "The Arn kiwi cannot swim over long distances."),
    ("The Arn kiwi can swim.", "The Arn kiwi cannot swim until it is a year old."),
    ("Elias Brandt finished the Heron Symphony.", "Elias Brandt never finished the second Heron Symphony."),
    ("Elias Brandt finished the Heron Symphony.", "Critics of Elias Brandt never finished the Heron Symphony."),
    ("The Bristly Arnweed is found in Europe.", "The Bristly Arnweed is a plant of the dry zones of Eurasia."),
    ("The Bristly Arnweed is found in Europe.", "The Woolly Arnweed is a plant of North America."),
    ("Justice Ian Croft was a serving justice of the Arn High Court in 1980.", "Croft retired from the Harbour Board in 1975."),
    ("Zinc displaces tin from its salts.", "In zinc baths tin is displaced, and zinc displaces tin."),
    ("Tolm is the capital of Westmark.", "Brinn was the former capital of Westmark."),
    ("Tolm is the capital of Westmark.", "Brinn is the cultural capital of Westmark."),
    ("Tolm is the capital of Westmark.", "Brinn is the capital of Norland."),
    ("Elias Brandt was the president of Westmark.", "Marta Linde was the president of Westmark."),
    ("Elias Brandt is the son of Marta Linde.", "Tom Brandt is the son of Marta Linde."),
    ("The Arn Commissioner's term can be extended.", "The Arn Commissioner raised no objection. The extension of his term was agreed."),
    ("The price increases changed the markets of Norland.", "In Norland cars were sold without increasing prices."),
    ("Tom Arden served as the 45th mayor of Brinn.", "Ian Croft was the 45th mayor of Tolm."),
]


@pytest.mark.parametrize(("claim", "passage"), EXCLUDED)
def test_a_passage_that_excludes_a_claim_contradicts_it(claim: str, passage: str) -> None:
    found = compare(claim, passage)
    assert found.verdict == "contradicted", found.reason
    assert found.quote in passage
    assert all(claim[start:end].strip() for start, end in found.words_claim)
    assert all(passage[start:end].strip() for start, end in found.words_passage)


@pytest.mark.parametrize(("claim", "passage"), OPEN)
def test_what_is_of_another_thing_time_or_party_excludes_nothing(claim: str, passage: str) -> None:
    assert compare(claim, passage).verdict != "contradicted"


def test_a_figure_counts_twice_in_a_grade_and_a_contradiction_leaves_nothing() -> None:
    assert graded("Tolm has 40 bells.", "The bells of Tolm ring.") == 0.5
    assert graded("Tolm has 40 bells.", "In Tolm ring 40 bells.") == 1.0
    assert graded("Petra Novak was born in 1931.", "Petra Novak (1943–2011) was a Czech chess player.") == 0.0
    assert graded("of the", "anything") == 1.0
