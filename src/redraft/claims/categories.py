"""Words for the members of everyday kinds: what "which animal", "what food", "which material", "which instrument" may be answered with."""

from __future__ import annotations

from collections.abc import Mapping

from redraft.claims.words import stem

__all__ = ["MEMBERS", "OCCUPATIONS"]

_LINES = {
    "animal": (
        "animal dog cat horse pony donkey mule cow bull ox calf sheep lamb ram goat pig boar hog deer stag elk moose reindeer camel llama "
        "alpaca elephant rhino "
        "hippo giraffe zebra antelope lion tiger leopard panther cheetah lynx puma wolf fox jackal bear panda badger otter beaver weasel "
        "stoat ferret marten mink "
        "mole hedgehog rabbit hare squirrel rat mouse hamster vole shrew bat monkey ape gorilla chimpanzee baboon lemur kangaroo koala "
        "wombat whale dolphin "
        "porpoise seal walrus bird eagle hawk falcon kite owl raven crow magpie jay jackdaw pigeon dove gull puffin tern albatross heron "
        "stork crane swan goose "
        "duck hen rooster cockerel chicken turkey pheasant partridge quail grouse peacock ostrich emu penguin pelican cormorant parrot "
        "cuckoo woodpecker "
        "kingfisher swallow swift lark thrush blackbird robin sparrow finch wren starling nightingale snake adder viper cobra lizard gecko "
        "crocodile alligator "
        "turtle tortoise frog toad newt salamander fish trout salmon pike perch carp cod herring mackerel tuna eel shark ray sardine "
        "anchovy crab lobster shrimp "
        "prawn crayfish mussel oyster clam squid octopus snail slug worm leech insect bee wasp hornet ant beetle ladybird butterfly moth "
        "fly hoverfly mosquito "
        "midge dragonfly grasshopper cricket locust spider scorpion flea"
    ),
    "food": (
        "food bread loaf roll bun bagel biscuit cookie cracker cake tart pie pastry pudding dumpling pancake waffle doughnut gingerbread "
        "marzipan chocolate candy "
        "sweet jam jelly honey syrup sugar ice-cream sorbet custard cream milk butter cheese yoghurt egg omelette soup broth stew curry "
        "salad sandwich pasta noodle "
        "rice porridge oat barley wheat rye flour meat beef pork lamb mutton ham bacon sausage chicken turkey duck goose venison fish "
        "salmon trout herring eel "
        "shrimp crab lobster oyster mussel vegetable potato carrot beet beetroot turnip parsnip cabbage kale spinach lettuce tomato "
        "cucumber pepper onion garlic "
        "leek pea bean lentil pumpkin squash mushroom fruit apple pear plum cherry peach apricot grape orange lemon lime banana berry "
        "strawberry raspberry "
        "blackberry blueberry cranberry gooseberry currant quince fig date nut almond walnut hazelnut chestnut tea coffee cocoa juice cider "
        "beer ale wine mead "
        "brandy whisky vinegar oil salt pepper cinnamon ginger saffron vanilla mint basil thyme fennel mustard sauce hay clover corn maize"
    ),
    "material": (
        "wood oak pine beech birch ash elm maple cherry walnut cedar larch willow teak mahogany ebony bamboo cork stone granite marble "
        "limestone sandstone slate "
        "basalt chalk flint brick clay concrete cement plaster tile glass crystal metal iron steel copper bronze brass tin lead zinc "
        "aluminium pewter silver gold "
        "platinum nickel titanium cloth cotton linen wool silk velvet corduroy felt leather fur canvas hemp jute nylon paper cardboard "
        "parchment vellum plastic "
        "rubber wax resin horn bone ivory shell pearl straw reed thatch turf peat coal charcoal oil gas wicker porcelain ceramic amber jade"
    ),
    "instrument": (
        "violin viola cello bass guitar lute harp piano organ harpsichord accordion concertina flute oboe clarinet bassoon saxophone "
        "trumpet trombone horn tuba "
        "drum bell xylophone bagpipe fiddle zither mandolin banjo recorder whistle gong cymbal"
    ),
}
MEMBERS: Mapping[str, frozenset[str]] = {kind: frozenset(stem(word) for word in line.split()) for kind, line in _LINES.items()}
"""Stems of the words for members of a kind."""

OCCUPATIONS = frozenset(
    stem(word)
    for word in (
        "teacher tutor clerk cook chef baker butcher tailor weaver potter smith blacksmith goldsmith locksmith carpenter joiner mason "
        "bricklayer plumber painter "
        "sculptor printer bookbinder engraver engineer mechanic electrician driver pilot sailor fisherman ferryman captain soldier officer "
        "policeman fireman guard "
        "keeper lighthouse-keeper caretaker gardener farmer shepherd forester miner quarryman porter messenger postman courier lawyer judge "
        "notary doctor surgeon "
        "dentist nurse midwife vet pharmacist chemist physicist biologist botanist geologist astronomer historian librarian archivist "
        "curator journalist editor "
        "proofreader translator interpreter secretary bookkeeper accountant banker merchant trader shopkeeper grocer bookseller innkeeper "
        "waiter waitress maid "
        "servant governess actor actress singer dancer musician organist violinist pianist conductor composer architect surveyor "
        "cartographer draughtsman "
        "photographer designer dressmaker milliner shoemaker cobbler clockmaker watchmaker jeweller glazier glassblower tanner miller brewer cooper"
    ).split()
)
"""Stems of what people do for a living."""
