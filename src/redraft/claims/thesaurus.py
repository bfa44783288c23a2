"""Words that may stand for each other between a question and the sentence that answers it: enough to find a sentence, never enough to decide a claim.

Groups of everyday English by meaning. A word may be in several groups; nearness is not passed on from one group to the next.
"""

from __future__ import annotations

from redraft.claims.words import stem

__all__ = ["ALIKE", "alike"]

_GROUPS = """
write author written writer pen compose draft
found establish start form create set launch founder begin begun origin
invent inventor devise create develop developer think
build construct erect builder make built raise
locate situate lie lay stand find sit place position
bear born birthplace birth native
die death dead pass perish
direct director run head lead manage manager charge oversee supervise conduct
film movie picture
play star portray act perform
paint painter artist picture portrait decorate
compose composer music song piece
marry wife husband spouse wed wedding bride
design architect designer plan draw engineer
discover discoverer discovery find unearth uncover spot dig
lead leader head chief chair charge boss direct captain run command commander
rule king queen emperor reign monarch
win winner victory victor champion triumph take first succeed
begin start open launch commence inaugurate
end finish close stop conclude cease complete
buy purchase acquire bought obtain get
pay cost price fee charge fare fund finance money spend expensive admission ticket
live reside inhabitant resident dwell home inhabit occupy lodge house
big large size great huge
make produce manufacture maker producer create built craft made
use utilise employ apply
show display exhibit present depict picture portray decorate
help assist aid support
kill murder assassinate slay
near close next beside adjacent by
job occupation profession work living career employ earn trade post position
own owner belong possess have keep property
teach teacher taught lesson train instruct professor tutor
study student learn pupil scholar
speak language spoken talk speech tongue
tall high height rise reach stand
long length stretch extend last duration measure cover
wide width broad breadth
deep depth
heavy weigh weight load
old age year born
host hold organise organize held
name call know dub christen nickname title entitle baptise refer term label moniker
car automobile vehicle
country nation state land
employee worker staff workforce employ
sell sale sold supply provide deliver buy stock purchase order
earn revenue income make salary wage profit surplus
publish release issue appear print come
say state claim tell report announce mention inform declare notify point
leave depart quit resign go retire exit
arrive reach come get
trainee apprentice learner novice student intern
prize award medal trophy honour honor win reward cup ribbon title
gathering meeting assembly event conference convention session reunion festival fair
guarantee warranty cover
graveyard cemetery churchyard burial
blossom flower bloom petal
gather pick collect harvest pluck
fine penalty punish punishment
forbid ban prohibit outlaw illegal allow bar
save rescue preserve protect conserve survive
extinct extinction vanish disappear endanger
lamp light lighting lantern bulb illuminate
loaf bread bake bun
oven bake stove furnace kiln
seat chair bench sit
railway rail tram train line track funicular railroad
colour color shade hue tint paint dye
coax lure tempt entice attract draw
road route path way street track lane
letter character alphabet
print paper page
program programme software tool application app utility
convert turn transform change make adapt become into
company business firm enterprise manufacturer corporation supplier contractor
gym gymnasium sport hall
rain wet
leak drip
repair fix mend restore renovate renew patch
customer client guest visitor buyer shopper
question query enquiry inquiry ask
answer reply respond response deal
storm weather rain snow gale wind sandstorm blizzard flood hurricane
stop halt standstill cease interrupt pause suspend close
dig excavate excavation digging archaeology archaeologist unearth
floor pavement ground mosaic
bath bathhouse pool
keeper guard warden caretaker care mind tend
last final latest end ultimate
first initial original earliest begin debut
second another other further additional extra
third bronze
scheme plan project proposal extension idea design
plan propose intend design devise draw
money cash fund sum amount finance
animal creature beast livestock
bird fowl hen chicken
dog hound
cat kitten feline
horse pony stallion mare
child kid youngster boy girl son daughter pupil
teacher tutor head schoolmaster
doctor physician medic surgeon
illness disease sick ill ailment pneumonia
food dish eat meal cuisine diet feed
eat consume feed dine taste
drink beverage
sweet dessert pudding cake pastry
fruit berry plum apple
shop store retailer outlet dealer
market fair bazaar stall stand
boat ship vessel ferry craft launch
sail voyage cruise cross crossing travel
journey trip travel voyage ride excursion outing tour
town village city settlement municipality
house home building cottage villa residence live
castle fortress palace fort stronghold
church chapel cathedral abbey parish
tower spire steeple lighthouse
bridge viaduct span cross
river stream brook canal waterway
hill mountain mount peak summit
wood forest tree timber
stone rock granite marble
metal iron steel
gold golden
king ruler monarch sovereign
war conflict battle fight
soldier troop army military
attack assault raid hit
defeat beat overcome lose
decrease fall drop decline shrink less reduce cut
price tariff rate
ticket admission entry entrance fare
enter entry admission entrance join
allow permit let may
visit visitor tourist attract attend come see guest
attend attendance present visitor audience crowd come
audience spectator crowd viewer
record best highest most
popular favourite beloved famous
famous well-known renowned celebrated
known famous call
member belong membership join
vote elect election ballot choose
choose select pick vote
president chairman head leader
mayor council
treasurer finance
secretary clerk
employ hire recruit engage appoint contract
appoint name elect choose become install
replace succeed successor substitute follow take instead
predecessor previous former before precede
leave quit retire resign step retirement departure
retire retirement leave pension
move transfer shift relocate
bring carry take transport fetch deliver
transport carry ship haul convey
send dispatch ship post
receive get obtain accept gain earn award win
give donate present hand gift grant bequeath leave
donate donor donation gift give contribute benefactor sponsor
sponsor fund finance pay support back
cost price worth value
worth value cost
damage destroy harm ruin wreck
destroy demolish ruin raze burn
fire burn blaze
accident crash collision incident mishap
escape flee run
hide conceal bury
steal theft thief rob burglar
lose loss miss vanish disappear
find found discover locate recover
seek look search hunt
watch see observe view look
hear listen sound
sound noise ring hoot horn signal
foghorn siren horn signal fog
bell chime ring
music tune melody song
sing singer sang song vocal choir
dance dancer ballet
band orchestra group ensemble
instrument play
violin fiddle fiddler violinist
statue sculpture sculptor monument bust bronze carve
sculptor sculpture sculpt statue carve make
carve cut whittle sculpt make
picture photograph photo image
book novel volume work
story tale
read reader
school academy college
university college academy
scholarship grant bursary
class lesson course
test exam trial check
sport game match
race run contest competition course
competition contest tournament race championship
team side crew squad staff
cyclist rider cycle bicycle bike
runner athlete
goal score point
point score mark rate grade
inspector examiner judge reviewer critic
judge jury referee
rule law regulation
law act statute
crime criminal offence
prison jail
police officer
hold contain house room accommodate capacity seat fit
contain hold include have comprise
consist comprise contain include
include contain among
maximum most limit up capacity top more
minimum least fewest
limit maximum restrict most
open opening inaugurate start launch unveil
close shut closed
unveil inaugurate reveal open
visit see come
cover clothe upholster wrap coat
cloth fabric textile material
wear dress clothes clothing garment costume outfit
sew stitch tailor make
local nearby neighbour resident people
population inhabitant resident people
penalty fine pay
finance fund pay sponsor donate meet
mend repair fix
soldier colonel general officer captain major
return back hand give
shut close
bike bicycle
park leave
angle fish
altitude height elevation
command lead
jersey shirt
hat cap
shoe boot
jewel gem
clean wash scrub
wash rinse clean
cook chef kitchen prepare bake
restaurant inn diner cafe eatery
hotel inn guesthouse lodging
reserve book reservation advance
advance ahead before beforehand
open hour
day weekday
week weekly
month monthly
year annual yearly annually season
night evening
morning dawn
noon midday
every each per
often frequently times
once one
twice two double
half fifty
grow plant cultivate growth thrive habitat
plant shrub flower tree herb
seed germinate sprout
soil earth ground
farm farmer agriculture
cow cattle herd
sheep lamb wool
fish angler fisherman catch fishing lobster eel net
net pot trap gear equipment
bee honey hive
insect bug
pollinate pollination
poison toxic poisonous
water aqua
ice frost freeze frozen
sun solar
wind gust windmill
power energy electricity drive run fuel propel
engine motor power drive
fuel oil petrol burn power run
electric electricity
machine device apparatus equipment appliance
pasteuriser heat heating
heat warm hot boil
cold cool
temperature degree
fast quick speed rapid
strong powerful
break broken fracture snap fault
new fresh replacement latest modern recent replace
old ancient former antique
young youth
rich wealthy
beautiful lovely
change alter modify
add attach attachment
remove drop delete withdraw
withdraw discontinue drop remove
connect link join
link connect between
divide split separate
count number census tally
number amount total figure many
total sum altogether
area surface
side flank
bottom underneath below base
top peak upper summit
middle centre center
inside interior
outside exterior
front facade
door gate entrance
window pane glass
roof ceiling
room chamber
garden park
sea ocean
coast shore beach seaside
island isle islet
harbour harbor port dock
storey floor level
step stair climb
climb ascend mount
fall tumble
jump leap hop
throw toss hurl
hit strike knock
push shove
pull tow drag haul
cut slice
join unite merge
meet encounter
friend companion
neighbour neighbor
family relative
father dad
mother mum
brother sibling
sister sibling
parent father mother
colleague partner associate
expert specialist
scientist researcher scholar
research study investigate
investigate examine inquiry probe
describe description identify record
identify recognise
recognise recognize
inspire inspiration model base
base basis found
belief believe think
opinion view
idea concept
cause reason because due
result outcome effect
problem trouble difficulty fault
complain complaint criticise objection
criticise critic dislike
like love enjoy admire praise
praise admire applaud
fear afraid scare frighten
surprise astonish
try attempt
fail failure
succeed success successful
success triumph hit
agree agreement deal
contract agreement
sign signature
promise pledge
pledge promise commit
need require necessary
require need must
want wish
wait queue
delay postpone late
late delay
hour time
clock watch
notice discover see spot detect perceive find
illustrate draw paint picture design
arrange organise plan prepare
plan design lay layout
accompany play join escort
cover roof clothe coat
besiege siege
besieger siege attacker
shelter lodge accommodate house host
halt stop interrupt
punishment penalty fine
bus coach
travel go tour journey ride
listener audience hearer attend
beginner novice newcomer learner
beekeeper bee apiary
knit sew weave make
weave knit loom
hurt injure wound
injury wound hurt
ill sick
cure heal treat
feed nourish
grow raise breed
raise lift increase collect
lift raise hoist carry
collect gather raise collection
assemble gather build
fix repair attach
fasten attach tie fix
surround encircle enclose
guard protect watch
warn alert alarm
alert warn alarm raise
phone call ring telephone
contact reach call write
inform tell notify report
explain describe clarify
translate translation translator
edit editor revise
record register note
film shoot record
photograph photographer picture
exhibit show display
perform play sing act premiere
premiere debut first perform stage
stage perform present
conduct conductor direct
celebrate mark commemorate honour
commemorate remember mark honour
bury grave tomb rest
inherit heir bequeath leave
borrow lend loan
lend borrow loan
hire rent lease
rent lease hire
export ship sell deliver
import buy bring
deliver bring supply carry
fetch bring get
store keep house hold
house keep hold store accommodate
keep hold store house preserve
exile banish expel
banish exile expel
free release liberate
arrest capture catch seize
capture catch seize take
conquer defeat capture take
surrender yield
occupy hold take
approve pass adopt accept agree
reject refuse turn decline
refuse reject decline
oppose against resist
demand ask require claim
order command request
request ask order
invite ask guest
welcome greet receive
greet welcome
open launch begin inaugurate
postpone delay move
cancel call drop scrap
extend lengthen enlarge expand
enlarge extend expand widen
expand grow extend enlarge
shrink reduce
reduce cut lower decrease
lower reduce drop
double twice
spread extend
flow run drain empty
drain empty flow
swim swimmer bathe
row rower oar
fly flight pilot
land arrive touch
crash collide hit wreck
collide crash hit strike
sink founder drown wreck
wreck sink ruin destroy
drown sink
burn fire blaze light
fire blaze burn
extinguish put quench
explode blast blow
flood water inundate burst
collapse fall break
crack break split
tear rip
mend repair fix patch
polish clean shine
paint colour coat
dye colour stain
carve cut
forge cast smith
cast forge mould pour
weld join
knock hit
sweep clean
plough farm till
sow plant seed
reap harvest mow
milk cow dairy
shear wool sheep
slaughter butcher kill
smoke cure
brew brewer brewery beer
distil distiller spirit
bottle fill
serve offer provide dish
offer provide give serve
provide offer give supply
equip fit furnish provide
furnish equip fit
decorate adorn ornament paint
adorn decorate ornament
inscribe engrave carve write
engrave inscribe carve
sign autograph
stamp mark seal
measure survey gauge
survey measure map
map chart survey
predict forecast
calculate compute reckon work
estimate reckon guess
observe watch see notice
track follow trace
follow track
lead guide head
guide lead tour
escort accompany guide
drive driver steer
steer drive pilot helm
ride rider
climb climber mountaineer ascend
reach arrive attain
pass cross go
cross span pass bridge
dwell live
sleep rest
wake rouse
laugh joke
weep cry
quarrel argue dispute
argue dispute debate
debate discuss argue
discuss talk debate
protest demonstrate complain
strike protest stop
marry wed
divorce separate
adopt take raise
baptise christen name
graduate degree study
train coach teach practise
practise train rehearse
rehearse practise
qualify pass
compete race contest enter
participate take join part compete
beat defeat
rank place
lawyer attorney solicitor barrister
chemist pharmacist
mechanic engineer
writer author poet novelist
poet poem verse poetry
shop store
pub inn tavern bar
barn stable shed
stable horse barn
attic loft
cellar basement vault
basement cellar
kitchen cook
hall room auditorium
ceiling roof vault
lawn grass garden
grass lawn hay
hedge fence
fence wall hedge
gate door entrance
well spring fountain
fountain well
pond lake pool
lake pond water
marsh swamp bog
cliff rock
cave cavern grotto
desert sand
fog mist
lightning thunder storm
drought dry
earthquake quake
disease illness plague infection
plague disease pest
medicine drug remedy
wage pay salary
tax duty levy
debt loan
customs duty tax
goods cargo freight load
cargo goods freight load
parcel package
luggage baggage
purse bag
necklace jewel
crown king
flag banner
emblem symbol badge arms
symbol emblem sign
motto slogan
hymn song
lullaby cradle song
tale story legend
legend story tale myth
ghost spirit spectre haunt
puppet doll marionette
toy doll
mascot animal
costume clothes dress
scarf shawl
coat jacket cloak
cloak coat cape
uniform clothes dress coat
""".strip().splitlines()

ALIKE: dict[str, frozenset[str]] = {}
"""For a stem the stems that may stand for it."""
for _line in _GROUPS:
    _group = frozenset(stem(word) for word in _line.split())
    for _word in _group:
        ALIKE[_word] = ALIKE.get(_word, frozenset()) | _group


def alike(stem_: str) -> frozenset[str]:
    """The stems that may stand for a word, itself included."""
    return ALIKE.get(stem_, frozenset()) | {stem_}
