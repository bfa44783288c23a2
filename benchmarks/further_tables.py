"""Tables of other kinds with questions and claims in another style than those of `tables.py`, written after the rules: each run is a first look or a check.

python benchmarks/tables.py --phrasings further
"""

from __future__ import annotations

__all__ = ["CLAIMS", "QUESTIONS", "TABLES"]

TABLES = {
    "ferries": """Ferry,Operator,Built,Passengers,Cars,Top speed (knots),Leaves,Arrives
Aurelia,Blue Line,1998,1200,310,22,06:30,09:10
Borealis,Norvik,2011,1850,520,26,07:45,10:05
Calypso,Blue Line,1987,640,140,17,09:20,13:05
Delphine,Norvik,2019,2100,600,28,11:00,13:15
Estrella,Sunferries,2004,980,260,21,14:10,17:00
Fortuna,Sunferries,1992,760,180,19,18:25,21:50
""",
    "peaks": """Peak,Range,Height (m),First ascent,Huts,Snow cover
Altmark,Silver Alps,3120,1861,4,72%
Brunner,Silver Alps,2875,1874,2,55%
Corvo,Dun Hills,1640,1802,1,8%
Drakon,Iron Ridge,4015,1911,0,94%
Elsin,Iron Ridge,3660,1899,3,88%
Fogel,Dun Hills,1985,1823,5,15%
Gant,Silver Alps,2410,1850,6,31%
""",
    "library": """Title,Author,Genre,Pages,Copies,Loans,Acquired
The Quiet Harbour,Ines Calder,Novel,312,6,148,2019-03-14
Stone and Salt,Tomas Brandt,History,540,2,37,2021-11-02
A Field of Clocks,Ines Calder,Novel,268,4,95,2022-06-20
Birds of the Marsh,Lena Okoro,Nature,190,3,121,2018-09-05
Iron Letters,Paul Dray,History,415,2,54,2020-01-27
Night Bread,Mira Solen,Cookery,224,5,203,2023-02-11
""",
    "plants": """Plant,Employees,Output (tonnes),Scrap rate,Energy cost (EUR),Accidents
Dortal,420,18300,2.4%,812000,3
Emmich,185,7600,3.9%,403500,7
Falun,610,30250,1.8%,1265000,2
Gorlau,95,2900,5.2%,188400,1
Hexby,330,14100,2.9%,655000,5
""",
}
QUESTIONS: tuple[tuple[str, str, str], ...] = (
    ("ferries", "newest ship in the fleet?", "Delphine"),
    ("ferries", "At what time does the Calypso get in?", "13:05"),
    ("ferries", "Which of the ferries can take the most cars?", "Delphine"),
    ("ferries", "How many vessels does Norvik run?", "2"),
    ("ferries", "How many ships were built after 2000?", "3"),
    ("ferries", "Which boat sets off earliest?", "Aurelia"),
    ("ferries", "and the slowest one?", "Calypso"),
    ("ferries", "Who operates the Fortuna?", "Sunferries"),
    ("ferries", "How many passengers could all the ferries carry together?", "7530"),
    ("ferries", "How much faster is Borealis than Estrella, in knots?", "5"),
    ("ferries", "What's the mean top speed? One decimal, please.", "22.2"),
    ("ferries", "How many ferries leave before noon?", "4"),
    ("ferries", "Apart from Delphine, which ferry has room for the most passengers?", "Borealis"),
    ("ferries", "In which year was Estrella built?", "2004"),
    ("ferries", "How many different operators are there?", "3"),
    ("peaks", "Which mountain is the tallest?", "Drakon"),
    ("peaks", "How high is Elsin?", "3660"),
    ("peaks", "When was Gant first climbed?", "1850"),
    ("peaks", "Which peak was climbed first?", "Corvo"),
    ("peaks", "How many summits reach 3,000 metres or more?", "3"),
    ("peaks", "third-highest peak?", "Altmark"),
    ("peaks", "How many huts are there in the Silver Alps?", "12"),
    ("peaks", "What share of Brunner is covered in snow?", "55"),
    ("peaks", "Which peak in the Dun Hills has more huts?", "Fogel"),
    ("peaks", "How much lower is Corvo than Fogel?", "345"),
    ("peaks", "Which range does Elsin belong to?", "Iron Ridge"),
    ("peaks", "Give me the average height of the Silver Alps peaks, to the nearest metre.", "2802"),
    ("peaks", "Number of peaks with fewer than three huts", "3"),
    ("library", "Who wrote Night Bread?", "Mira Solen"),
    ("library", "Which book was lent out most often?", "Night Bread"),
    ("library", "longest book?", "Stone and Salt"),
    ("library", "How many books by Ines Calder does the library have?", "2"),
    ("library", "When did the library acquire Iron Letters?", "2020-01-27"),
    ("library", "How many titles are shorter than 300 pages?", "3"),
    ("library", "What percentage of all loans went to Night Bread? Round to one decimal.", "30.9"),
    ("library", "Which is the most recent acquisition?", "Night Bread"),
    ("library", "What genre is Birds of the Marsh?", "Nature"),
    ("library", "How many pages do the history books have between them?", "955"),
    ("library", "What's the total number of copies on the shelves?", "22"),
    ("plants", "Which plant has the worst scrap rate?", "Gorlau"),
    ("plants", "Where did the fewest accidents happen?", "Gorlau"),
    ("plants", "How many people work at Hexby?", "330"),
    ("plants", "Total workforce across all plants?", "1640"),
    ("plants", "What does energy cost at Falun?", "1265000"),
    ("plants", "How many sites employ at least 300 people?", "3"),
    ("plants", "Emmich's scrap rate?", "3.9"),
    ("plants", "By how many tonnes does Falun's output exceed Dortal's?", "11950"),
    ("plants", "Which plant is second in output?", "Dortal"),
    ("plants", "What fraction of total output comes from Falun, as a percentage to the nearest whole number?", "41"),
    ("plants", "How many employees does the plant with the most accidents have?", "185"),
)
CLAIMS: tuple[tuple[str, str, str, bool], ...] = (
    ("ferries", "The Aurelia was built in 1998.", "1998", True),
    ("ferries", "The Calypso was built in 1991.", "1991", False),
    ("ferries", "Norvik's two ferries carry 3,950 passengers between them.", "3,950", True),
    ("ferries", "Delphine has room for 540 cars.", "540", False),
    ("ferries", "Borealis does 26 knots at best.", "26", True),
    ("ferries", "Estrella reaches a top speed of 24 knots.", "24", False),
    ("ferries", "Four ferries can hold more than 900 passengers.", "Four", True),
    ("ferries", "Three of the ferries carry fewer than 200 cars.", "Three", False),
    ("peaks", "Drakon is the highest peak at 4,015 m.", "4,015", True),
    ("peaks", "Elsin is 3,460 m high.", "3,460", False),
    ("peaks", "Snow covers 72% of Altmark.", "72%", True),
    ("peaks", "Gant's snow cover is 41%.", "41%", False),
    ("peaks", "The Silver Alps have twelve huts in all.", "twelve", True),
    ("peaks", "Last summer 9 climbers slept at the foot of Drakon.", "9", True),
    ("library", "Night Bread was lent 203 times.", "203", True),
    ("library", "Stone and Salt runs to 480 pages.", "480", False),
    ("library", "Novels account for 243 of the loans.", "243", True),
    ("library", "The six titles were borrowed 758 times in total.", "758", False),
    ("plants", "Falun employs 610 people.", "610", True),
    ("plants", "Hexby has 290 employees.", "290", False),
    ("plants", "Gorlau's scrap rate of 5.2% is the worst.", "5.2%", True),
    ("plants", "Total output came to 73,150 tonnes.", "73,150", True),
    ("plants", "Energy at Emmich cost €453,500.", "€453,500", False),
    ("plants", "Dortal had 5 accidents.", "5", False),
    ("plants", "Emmich paid €12,000 for a new gate.", "€12,000", True),
)
"""Table, sentence, its figure, and whether it may stand (true, or about something that the table does not have)."""
