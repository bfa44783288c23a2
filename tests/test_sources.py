"""Sources: who stands behind evidence, how far it is trusted, what is independent, and which side of a disagreement weighs more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.claims.sources import host_of, independent, newest, origin, outweighs, same_text, side, trusted
from redraft.errors import UsageError
from redraft.policies import policy_from_mapping
from redraft.types import Evidence

MIRRORED = "Ada Marsh was born in the small harbour town of Berley, where her father mended nets for the fishing fleet until the war began."
OTHER = "The parish register of Corwick lists the baptism of Ada Marsh in March of that year, a week after her birth in the same parish."


def piece(source: str = "", text: str = "", *, trust: float = 0.8, time: str = "", title: str = "") -> Evidence:
    return Evidence(tool="search", input="q", text=text or f"what {source} says of it", source=source, trust=trust, time=time, title=title)


@pytest.mark.parametrize(
    ("source", "host"),
    [
        ("https://www.Nature.com/articles/1?x=1#top", "www.nature.com"),
        ("http://user:pass@example.org:8080/", "example.org"),
        ("//cdn.example.org/x", "cdn.example.org"),
        ("en.wikipedia.org/wiki/Ada", "en.wikipedia.org"),
        ("example.org", "example.org"),
        ("http://[2001:db8::1]:80/x", "[2001:db8::1]"),
        ("report.pdf#page 3", ""),
        ("notes.md", ""),
        ("docs/notes.md", ""),
        ("page:birthplace", ""),
        ("Ada Marsh (book), 1950", ""),
        ("", ""),
        ("https://", ""),
    ],
)
def test_the_host_of_a_source(source: str, host: str) -> None:
    assert host_of(source) == host


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://en.wikipedia.org/wiki/A", "https://de.wikipedia.org/wiki/B", True),
        ("https://www.bbc.co.uk/a", "https://news.bbc.co.uk/b", True),
        ("https://www.bbc.co.uk/a", "https://www.tate.org.uk/b", False),
        ("https://www.bbc.co.uk/a", "https://www.itv.co.uk/b", False),
        ("https://a.example.com/x", "https://b.example.org/x", False),
        ("http://10.0.0.1/x", "http://10.0.0.2/x", False),
        ("docs/a.txt#chars 0-10", "docs/a.txt#chars 50-60", True),
        ("docs/a.txt#1", "docs/b.txt#1", False),
        ("https://a.github.io/", "https://b.github.io/", True),  # cannot be told apart without a list: taken for one
    ],
)
def test_the_origin_is_the_registrable_domain_or_the_file(one: str, other: str, same: bool) -> None:
    assert (origin(piece(one)) == origin(piece(other))) == same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (MIRRORED, MIRRORED, True),
        (MIRRORED, MIRRORED.upper() + "  ", True),
        (MIRRORED, "From our archive: " + MIRRORED + " This text was copied with permission.", True),
        (MIRRORED, OTHER, False),
        (MIRRORED, "", False),
        ("", "", False),
        ("It is 42.", "It is 42.", True),
        ("It is 42.", "It is 43.", False),
        ("在一九二〇年出生于柏林的一个小镇上并且在那里长大", "在一九二〇年出生于柏林的一个小镇上并且在那里长大。", True),
        ("在一九二〇年出生于柏林的一个小镇上并且在那里长大", "她在巴黎上学之后成为一名非常有名的医生和作家", False),
    ],
)
def test_copies_of_a_text_are_one_text(one: str, other: str, same: bool) -> None:
    assert same_text(one, other) is same
    assert same_text(other, one) is same


def test_mirrors_and_pages_of_one_site_count_once() -> None:
    items = [
        piece("https://a.org/1", MIRRORED),
        piece("https://b.com/2", "Copied: " + MIRRORED),
        piece("https://b.com/3", "Something else that the same site has to say about the matter."),
        piece("https://c.net/4", OTHER),
    ]
    groups = independent(items)
    assert [len(group) for group in groups] == [3, 1]
    assert side(items).sources == 2


def test_a_link_through_a_third_joins_two_groups() -> None:
    a, b = piece("https://a.org/1", MIRRORED), piece("https://b.com/2", OTHER)
    bridge = piece("https://b.com/9", MIRRORED)
    assert len(independent([a, b])) == 2
    assert len(independent([a, b, bridge])) == 1


@pytest.mark.parametrize(
    ("source", "trust"),
    [
        ("https://www.nasa.gov/x", 0.9),
        ("https://spam.gov.example.com/x", 0.8),
        ("https://forum.nature.com/x", 0.3),
        ("https://www.nature.com/x", 0.95),
        ("https://notnature.com/x", 0.8),
        ("drafts/plan.md#1", 0.2),
        ("final/plan.md#1", 0.8),
    ],
)
def test_the_longest_pattern_that_fits_gives_the_trust(source: str, trust: float) -> None:
    mapping = {"*.gov": 0.9, "nature.com": 0.95, "forum.nature.com": 0.3, "drafts/*": 0.2}
    assert trusted(piece(source), mapping).trust == trust
    assert trusted(piece(source), {}) == piece(source)


def test_trust_outside_its_range_is_kept_within_it() -> None:
    assert trusted(piece("https://a.org"), {"a.org": 7}).trust == 1.0


def test_a_policy_takes_trust_by_domain_from_a_file() -> None:
    policy = policy_from_mapping({"base": "guarded", "trust": {"*.gov": 0.9}, "min_sources": 2})
    assert policy.trust == {"*.gov": 0.9}
    assert policy.hash != policy_from_mapping({"base": "guarded", "min_sources": 2}).hash
    with pytest.raises(UsageError, match="trust"):
        policy_from_mapping({"trust": {"*.gov": "much"}})


class TestWeighing:
    def test_more_trust_outweighs(self) -> None:
        assert outweighs(side([piece("a", trust=0.9)]), side([piece("b", trust=0.5)]))

    def test_more_independent_sources_of_equal_trust_outweigh(self) -> None:
        assert outweighs(side([piece("a"), piece("b")]), side([piece("c")]))

    def test_copies_add_nothing(self) -> None:
        copies = [piece("https://a.org/1", MIRRORED), piece("https://b.com/1", MIRRORED), piece("https://c.net/1", MIRRORED)]
        assert not outweighs(side(copies), side([piece("d")]))

    def test_a_few_poor_sources_do_not_outweigh_a_good_one(self) -> None:
        assert not outweighs(side([piece("a", trust=0.3), piece("b", trust=0.3)]), side([piece("c", trust=0.95)]))

    def test_a_second_independent_source_counts_even_where_trust_is_complete(self) -> None:
        assert outweighs(side([piece("a", trust=1.0), piece("b", trust=1.0)]), side([piece("c", trust=1.0)]))

    @pytest.mark.parametrize(
        ("one", "other", "wins"),
        [
            ("2024-05-01", "2019", True),
            ("2019", "2024-05-01", False),
            ("2024", "2024-05-01", False),  # may be the same day
            ("2024-05-02", "2024-05-01", True),
            ("2024-05-01T12:00:00Z", "2024-05-01", False),
            ("2024", "", False),  # nothing is known of the other's age
            ("", "2024", False),
            ("", "", False),
            ("yesterday", "2024", False),
        ],
    )
    def test_at_equal_weight_the_certainly_newer_side_wins_and_a_tie_is_no(self, one: str, other: str, wins: bool) -> None:
        assert outweighs(side([piece("a", time=one)]), side([piece("b", time=other)])) is wins

    def test_anything_outweighs_nothing(self) -> None:
        assert outweighs(side([piece("a")]), side([]))
        assert not outweighs(side([]), side([]))

    def test_a_side_says_what_it_is(self) -> None:
        assert str(side([piece("a", time="2024-05-01T10:00")])) == "1 source, trust 0.8, 2024-05-01"
        assert str(side([piece("a"), piece("b", trust=0.5)])) == "2 sources, trust 0.8"


def test_newest_leaves_out_what_is_no_date() -> None:
    assert newest(["", "soon", "2019-01", "2020"]) == "2020"
    assert newest([]) == ""


pieces = st.builds(
    piece,
    source=st.sampled_from(["https://a.org/1", "https://b.com/1", "https://www.b.com/2", "c.txt#1", ""]),
    text=st.sampled_from([MIRRORED, OTHER, "It is 42.", "short"]),
    trust=st.floats(0, 1),
    time=st.sampled_from(["", "2019", "2024-05"]),
)


@given(st.lists(pieces, max_size=6), st.lists(pieces, max_size=6))
def test_never_both_sides_outweigh_each_other(one: list[Evidence], other: list[Evidence]) -> None:
    assert not (outweighs(side(one), side(other)) and outweighs(side(other), side(one)))


@given(st.lists(pieces, max_size=6))
def test_groups_hold_every_piece_once_and_more_evidence_never_weighs_less(items: list[Evidence]) -> None:
    groups = independent(items)
    assert sorted(item.id for group in groups for item in group) == sorted(item.id for item in items)
    assert 0 <= side(items).weight <= 1
    assert side(items).sources <= len(items)
