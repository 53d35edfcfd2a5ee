"""Templates of texts that share their wording and differ in names, numbers and places, for trust_collections.py.

Every wording is a list of blocks with blank lines between them. In a block:
  <slot>        is filled in anew each time; <slot:name> once for each document; <n LOW HIGH> and <d LOW HIGH> are numbers
  {a|b|}        one of these, at random: wording, not a slot
  \\{           a brace; the same for any other letter
  ?40 ...       at the beginning of a block: 40 % of the documents have it
  *3-8 ...      a list: 3 to 8 lines of this kind
  +1-3 ...      1 to 3 blocks of this kind
  ~2-4 ...      2 to 4 of the lines that follow, in any order

All wording here was written for this file.
"""

from dataclasses import dataclass

FIRST = """Ada Adele Agnes Alan Albert Alice Amir Amy Andrea Anita Anna Arthur Audrey Barbara Beatrice Ben Bernard Bruno Carla Carlos
Caroline Cecil Celia Chen Clara Conrad Cora Dalia Daniel Daphne David Dora Edgar Edith Edwin Elena Elias Ella Emil Emma Enid Eric
Esther Eva Farid Felix Fiona Flora Frank Freya George Gerda Grace Greta Gustav Hanna Harold Hazel Helen Henry Hilda Hugo Ida Igor
Ines Irene Isaac Ivan Jack James Jane Jasper Joan John Jonas Judith Julia Karim Karl Kate Keith Lara Laura Leah Leo Lena Lewis Lida
Louis Lucy Mabel Magda Marcus Margaret Maria Martin Mary Max Mehmet Mia Milan Mira Moses Nadia Nell Nina Noah Nora Olga Oliver Omar
Oscar Otto Pablo Paul Pearl Peter Petra Philip Priya Quentin Rachel Ralph Ravi Rita Robert Rosa Ruben Ruth Samir Sara Simon Sofia
Stella Stephen Sven Tamara Theo Thomas Tilda Tom Ursula Vera Victor Viola Walter Wanda Wendy Willa Xenia Yara Yusuf Zelda Zoe""".split()
LAST = """Abbott Adler Ahmed Ainsley Alder Arden Ashby Aydin Baker Barlow Becker Bell Bennett Berg Birch Blake Bloom Bond Borg Bowen
Brandt Brook Brown Burton Byrne Calder Carver Castro Chan Clarke Cole Conway Cooper Costa Crane Cross Dalton Davies Dean Dekker Diaz
Dixon Doyle Drake Duarte Dunn Eaton Egan Elliott Ellis Engel Evans Fabre Falk Farrell Ferris Fisher Fleming Ford Foster Fox Franke
Frost Gallo Gardner Garvey Gibbs Gill Gomez Gordon Graf Grant Gray Greene Grimm Hahn Hale Hall Hansen Harper Hart Hayes Heller Herrera
Hill Holm Horton Howell Hughes Hunt Ibsen Irwin Jansen Jensen Joshi Kane Kaplan Keller Kemp Khan King Klein Knight Koch Kovac Krause
Lamb Lang Larsen Lawson Leach Lind Lloyd Lopez Lowe Lund Maier Mann Marsh Mason Mercer Meyer Miles Mills Moore Moreau Moss Nash Neal
Nguyen Nolan North Novak Oakes Olsen Osman Owen Page Palmer Park Patel Payne Pereira Perry Pike Pope Porter Quinn Rao Reed Reyes Rhodes
Rice Rios Ritter Roth Rowe Russo Ryan Sato Savage Schmid Scott Shah Sharp Shaw Silva Sloan Snow Stark Steele Stone Storm Swift Sykes
Tanner Tate Thorne Tran Turner Unger Vance Vargas Vega Vogel Wade Walsh Ward Watts Webb Weiss Wells West White Winter Wolfe Wood
Wyatt Yates York Young Zeller Ziegler""".split()
BEGIN = """Alder Amber Apple Ash Badger Barn Beck Birch Black Bram Bright Broad Brook Burn Carr Cedar Clay Cold Crane Crow Dale Deer Dun
East Elder Elm Fair Fern Fox Gold Grand Green Grey Hart Hazel Heron High Hollow Iron Kings Lake Lark Lime Long Maple Marsh Mill Moor
Nether North Oak Otter Over Pine Queens Raven Red Rose Salt Sand Sheep Silver South Stone Swan Thorn Under Upper Wal West White Wild
Willow Wind Wood""".split()
END = """bourne bridge brook burgh bury by cliff combe cote croft dale den field ford gate ham haven heath hill holm hurst ley lock
minster mouth port ridge shaw shore side stead stoke thorpe ton vale wade water well wick worth""".split()
ADJECTIVES = """able acid aged amber ample ancient angular arid ashen autumn bare bitter black blank blue blunt bold bright brisk broad
broken brown calm careful clear clever cold common compact cool crisp curved damp dark deep dense dim distant double dry dull dusty early
eager empty even faint fair famous fast fertile fine firm flat fragile fresh gentle golden grand green grey hard harsh heavy hidden high
hollow honest humble idle inner iron keen large late lean light little lively lone long loose loud low lucky mild modern narrow neat new
noble northern odd old open outer pale patient plain polished poor proud pure quick quiet rare raw ready red rich rigid ripe rough round
rural rusty sandy serious sharp shallow short silent silver simple slender slow small smooth soft solid southern spare steady steep stiff
still stout strange strong subtle sunny sweet swift tall tender thick thin tidy tight tiny tough upper useful vast vivid warm wary weak
western wet white wide wild wise wooden young""".split()
NOUNS = """acorn anchor apron arch arrow attic axle badge bakery balcony barley barn barrel basin basket beacon beam bell bench berry
blanket boat bolt bonnet bottle boulder bowl bracket branch bread brick bridge broom bucket buoy cabin cable camera candle canoe canvas
carpet cart castle cedar cellar chain chair chalk chapel cherry chimney chisel clock cloth coal coast coat comet compass copper cord corn
cottage cradle crane crate creek crystal cup curtain dairy desk diary ditch dock door drawer drum easel elbow engine farm feather fence
ferry fiddle field flag flask flint flour flute forge fork fountain fox furnace garden gate glacier glass glove grain granite grass
gravel guitar hammer hammock harbour harp hatch hedge helmet hinge honey hook horse hose inlet island ivory jacket jar jetty kettle kiln
kite knife ladder lake lamp lantern larch latch lathe leaf ledge lemon lens lever library lid lighthouse linen lock loom magnet mallet
map maple marble market mast meadow mill mirror moat moss motor mountain mug nail needle nest net nettle oar oat olive onion orchard oven
owl paddle paint pantry paper parcel path pear pebble pen pepper piano pier pillow pine pipe planet plank plate plough plum pocket pond
poppy porch potter prism pulley pump quarry quilt raft rail rake ramp reed reef ribbon ridge river rocket roof rope rose rudder sail
salt sand saucer saw scale scarf school screw shed shelf shell ship shoe shovel sickle silk sledge slate soap spade spoon spring square
stable stair stamp statue steam stone stool stove straw stream string sugar table tailor tent thread tide tile timber torch tower track
trail train tray trowel trunk tunnel turbine valley valve vase vault veil vessel vine violin wagon wall wax weaver well wheat wheel
whistle willow window wire wool workshop wreath yard yarn""".split()
VERBS = """adjusts admires answers balances bends borrows brings builds carries catches chooses circles cleans closes collects
compares counts covers crosses cuts damages delays describes divides drains draws drops empties enters explains faces fills finds
finishes follows forgets gathers guards guides heats hides holds improves invents joins keeps leads leaves lifts lights measures meets
mends mixes moves needs notices offers opens orders paints passes picks plants polishes presses prints protects pulls pushes raises
reaches reads records remembers repairs replaces rescues returns reveals rolls sells sends separates serves shakes shapes sharpens shows
sketches sorts steers stirs stops stores studies supports surrounds takes teaches tests tightens touches traces trades turns twists
visits warms washes watches weighs welcomes widens winds wraps""".split()
MATERIALS = """ash bamboo beech brass bronze canvas ceramic chrome concrete copper cork cotton felt glass granite hemp iron larch leather
linen maple marble nylon oak paper pewter pine plaster porcelain rubber silk slate steel suede teak tin velvet walnut wicker wool""".split()
COLOURS = """amber apricot azure beige black blue bronze brown burgundy charcoal cherry chestnut cobalt copper coral cream crimson emerald
graphite green grey indigo ivory jade khaki lavender lilac lime maroon mint mustard navy ochre olive orange peach pearl pink plum purple
red rose ruby rust saffron salmon sand sapphire scarlet silver slate teal terracotta turquoise umber violet white yellow""".split()
JOBS = """accountant archivist baker bookbinder bricklayer buyer carpenter caretaker cashier chemist cook cooper courier dentist
dispatcher doctor draughtsman driver economist editor electrician engineer farmer fitter florist forester gardener geologist glazier
joiner judge lawyer lecturer librarian machinist mason mechanic miller nurse optician painter pharmacist photographer pilot planner
plumber potter printer programmer receptionist roofer saddler sailor surveyor tailor teacher technician tiler translator turner
typesetter upholsterer vet watchmaker weaver welder""".split()
MONTHS = "January February March April May June July August September October November December".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
ROADS = "Avenue Close Court Crescent Drive Gardens Grove Hill Lane Mews Parade Place Quay Road Row Square Street Terrace Walk Way".split()
FIRMS = "Brothers|& Sons|Limited|Group|Holdings|Partners|Works|Foundry|Trading|Industries|Cooperative|Laboratories".split("|")
TEAMS = "Albion Athletic City Dynamos Harriers Kickers Lions Mariners Rangers Rovers Town Tigers United Wanderers".split()

DE_FIRST = """Achim Almut Andrea Anke Antje Bernd Birgit Björn Carsten Christa Claudia Detlef Dieter Dirk Dörte Edeltraud Elke Erika Ernst
Frauke Frieda Gerhard Gisela Gudrun Günter Hannelore Hartmut Heike Heinz Helga Hilde Holger Horst Ilse Inge Jens Jochen Jörg Jürgen Jutta
Karin Katrin Klaus Kurt Lothar Lutz Manfred Marlies Monika Norbert Petra Rainer Renate Rolf Rüdiger Sabine Silke Sigrid Susanne Swantje
Torsten Traute Udo Ulrike Uwe Volker Werner Wiebke Wolfgang""".split()
DE_LAST = """Albers Arndt Bachmann Barth Baumann Behrens Böhm Brandes Busch Claasen Dietrich Ebert Eckert Ehlers Engel Fiedler Friedrich
Fuchs Gerlach Götz Gruber Haas Hartwig Heinrich Hinrichs Hoffmann Jäger Janssen Jung Kaiser Keller Kirchner Köhler Kramer Krüger Kuhn
Lehmann Lorenz Ludwig Martens Mertens Möller Naumann Neumann Otto Paulsen Peters Pohl Reuter Richter Sauer Schäfer Schreiber Schubert
Seidel Sommer Stein Steffens Thiele Vogt Wagner Weiß Wendt Wilke Winkler Wulf Zimmermann""".split()
DE_BEGIN = """Adel Alten Auer Birken Bocks Braun Brunn Buchen Dorn Eber Eichen Erlen Falken Fichten Frieden Gold Grün Hagen Hasel Heiden
Herren Hirsch Hohen Kalten Kirch Klein Königs Lauter Linden Mühl Neuen Nieder Ober Rosen Rothen Schön Schwarzen Silber Stein Tannen
Unter Weiden Weißen Wester Wolfs Ziegel""".split()
DE_END = "au bach berg born brück burg dorf eck feld furt hafen hagen hausen heim hof holz horst ingen kirchen leben mühle rode stadt stedt tal wald werder".split()
DE_MONTHS = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()
FR_FIRST = """Adrien Agathe Alain Aline Antoine Arnaud Aurore Benoît Brigitte Camille Cédric Chantal Christophe Claire Colette Damien
Delphine Denis Didier Élise Éric Étienne Fabienne Florence Francis Gaëlle Gérard Gilles Hélène Henri Hervé Isabelle Jacques Jérôme
Joëlle Laurent Lucie Luc Madeleine Marc Mathilde Maxime Mireille Monique Nadège Nicolas Odile Olivier Pascal Pauline Philippe Régine
Rémi Roland Sabine Serge Solange Sylvie Thérèse Thierry Valérie Yves""".split()
FR_LAST = """Arnoux Aubert Barbier Baron Besson Blanchard Bonnet Boucher Brunet Caron Charpentier Chevalier Collet Cordier Daniel Delorme
Deschamps Dumas Dupuis Durand Fabre Faure Fontaine Fournier Gaillard Garnier Gauthier Giraud Guérin Hamon Hubert Jacquet Joly Lacroix
Lambert Langlois Leclerc Lefort Lemoine Leroux Mallet Marchand Masson Mercier Meunier Monnier Moulin Noël Olivier Paris Pasquier Perrin
Picard Poirier Prévost Renard Rey Richard Rivière Robin Roche Rolland Rousseau Royer Sauvage Tessier Vasseur Vidal""".split()
FR_BEGIN = "Beau Belle Bois Bourg Champ Chante Château Clair Cour Fontaine Grand Haute Mont Neuve Noir Pierre Pont Roche Rouge Saint Val Vieille Ville Vaux".split()
FR_END = "mont ville court fort loup merle val lieu rive pierre fontaine bourg champ clair roche mare vigne fosse lande".split()
FR_MONTHS = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split()


class Slots:
    """Values for slots, all from one source of randomness."""

    def __init__(self, r, language):
        self.r, self.language = r, language

    def value(self, kind):
        kind, *numbers = kind.split(" ")
        return str(getattr(self, kind)(*map(int, numbers)))

    def n(self, low, high):
        return self.r.randint(low, high)

    def d(self, low, high):
        point = "." if self.language == "en" else ","
        return f"{self.r.randint(low, high)}{point}{self.r.randint(0, 9)}"

    def of(self, english, german, french):
        return self.r.choice({"de": german, "fr": french}.get(self.language, english))

    def first(self):
        return self.of(FIRST, DE_FIRST, FR_FIRST)

    def last(self):
        return self.of(LAST, DE_LAST, FR_LAST)

    def person(self):
        return f"{self.first()} {self.last()}"

    def place(self):
        begin, end = self.of(BEGIN, DE_BEGIN, FR_BEGIN), self.of(END, DE_END, FR_END)
        return f"{begin}-{end.capitalize()}" if self.language == "fr" else begin + end

    def street(self):
        begin = self.of(BEGIN, DE_BEGIN, FR_BEGIN)
        if self.language == "de":
            return f"{begin}{self.r.choice(('straße', 'weg', 'allee', 'gasse', 'ring'))} {self.n(1, 180)}"
        if self.language == "fr":
            return f"{self.n(1, 180)}, {self.r.choice(('rue', 'avenue', 'allée', 'impasse'))} {self.first()}-{self.last()}"
        return f"{self.n(1, 400)} {begin}{self.r.choice(END)} {self.r.choice(ROADS)}"

    def date(self):
        month = self.of(MONTHS, DE_MONTHS, FR_MONTHS)
        return f"{self.n(1, 28)}{'.' if self.language == 'de' else ''} {month} {self.n(1998, 2025)}"

    def month(self):
        return self.of(MONTHS, DE_MONTHS, FR_MONTHS)

    def day(self):
        return self.r.choice(DAYS)

    def time(self):
        return f"{self.n(6, 22)}:{self.r.choice(('00', '05', '10', '15', '20', '30', '40', '45', '50'))}"

    def money(self):
        return f"{self.n(1, 99)},{self.n(100, 999)}" if self.r.random() < 0.5 else f"{self.n(3, 999)}.{self.n(10, 99)}"

    def code(self):
        letters = "ABCDEFGHJKLMNPRSTVWXYZ"
        return f"{self.r.choice(letters)}{self.r.choice(letters)}-{self.n(100, 99999)}"

    def company(self):
        return f"{self.last()} {self.r.choice(FIRMS)}"

    def team(self):
        return f"{self.place()} {self.r.choice(TEAMS)}"

    def adj(self):
        return self.r.choice(ADJECTIVES)

    def noun(self):
        return self.r.choice(NOUNS)

    def verb(self):
        return self.r.choice(VERBS)

    def material(self):
        return self.r.choice(MATERIALS)

    def colour(self):
        return self.r.choice(COLOURS)

    def job(self):
        return self.r.choice(JOBS)

    def thing(self):
        return f"{self.adj()} {self.noun()}"

    def name(self):
        """The name of a make or a program."""
        return self.r.choice(BEGIN) + self.r.choice(("a", "ex", "io", "ix", "on", "or", "um", "yx"))

    def sentence(self):
        """A sentence of its own."""
        form = self.r.choice(
            (
                "The {adj} {noun} {verb} the {noun} behind the {noun}.",
                "When the {noun} {verb} a {noun}, the {adj} {noun} {verb} it.",
                "{person} {verb} every {noun} that the {adj} {noun} {verb}.",
                "A {noun} of {material} {verb} the {adj} {noun} and the {noun}.",
                "Between {place} and {place}, a {adj} {noun} {verb} the {noun}.",
                "Nobody knows why the {colour} {noun} {verb} so many {adj} {noun} makers.",
                "Each {month}, the {noun} {verb} its {adj} {noun}, and {first} {verb} the {noun}.",
                "No {noun} {verb} the {noun} as the {adj} {noun} from {place} does.",
                "The {job} {verb} the {noun}, the {noun} and, at times, the {adj} {noun}.",
                "If a {job} {verb} the {adj} {noun}, {person} {verb} the {material} {noun}.",
            )
        )
        words = []
        for part in form.split("{"):
            kind, closed, rest = part.partition("}")
            words.append(getattr(self, kind)() + rest if closed else part)
        return "".join(words)

    def c_line(self):
        """A line of a program in C."""
        a, b, c = self.noun(), self.noun(), self.adj()
        return self.r.choice(
            (
                f"    {a}->{c} = {b}_{self.noun()}({c}, {self.n(0, 512)});",
                f"    if ({a}_{b} > {self.n(0, 99)}) return {c}_{a}(&{b});",
                f"    for (int {a} = 0; {a} < {b}_count; {a}++) {c} += {b}[{a}];",
                f"    {b} = {a} * {self.n(2, 64)} + {c}_{b};",
                f"    while (!{a}_{c}({b})) {b} = {self.noun()}_next({b});",
                f"    memcpy({a}.{b}, {c}_{self.noun()}, sizeof {a}.{b});",
            )
        )


@dataclass
class Template:
    name: str
    language: str
    wordings: list


TEMPLATES = [
    Template(
        "product",
        "en",
        [
            """
<name:make> <thing:it>, <material>, <colour>

Item number <code>, {listed in|from our department for} <noun> and <noun>. {Our price|Price}: <money> including tax.

~2-4 The <thing:it> by <name:make> is made of <material> and weighs <n 100 9000> grams.
It was {designed|drawn} by <person> in <place>.
{Thanks to|Because of} its <adj> <noun>, it also suits a <adj> <noun>.
You can choose between <colour>, <colour> and <colour>.
Our customers like its <adj> finish and its <adj> <noun>.

?60 <sentence> <sentence>

{Technical data|Details at a glance}

*4-9 <noun> <noun>: <n 2 900> mm, <material>

{We deliver within <n 2 9> working days. Returns are free of charge for <n 14 60> days after delivery, provided that the article was not used.|Delivery takes <n 2 9> to <n 10 20> days, depending on where you live. You may send the article back within <n 14 60> days and get your money back.}

?70 All prices are final and contain the statutory tax. Pictures may differ from the article. Please read our terms before you place an order.

?50 {Customers who bought this article also bought|You may also like}: <name> <thing>, <name> <thing>, <name> <thing>
""",
            """
<thing:it> "<name:make>"

{Looking for|In search of} a <adj> <noun>? The <thing:it> from <name:make> combines <adj> <material> with a <adj> design, and comes with a guarantee of <n 2 12> years.

Why our customers choose it:

*3-6 - <adj> <noun> of <material>, tested in <place>

+1-3 "<sentence> I would buy it again." <first>, <place>, <date>

Height <n 10 200> cm, width <n 10 200> cm, depth <n 5 90> cm, weight <d 1 60> kg. Article <code>.

In stock: <n 2 90> pieces. {Order before <time> and we ship today.|If you order before <time>, the parcel leaves our house the same day.}

Questions about this product? Our service team is there for you on weekdays from nine to five, by telephone or by mail.
""",
        ],
    ),
    Template(
        "court",
        "en",
        [
            """
{IN THE DISTRICT COURT OF|BEFORE THE COUNTY COURT OF} <place:court>

Case No. <code:case>

NOTICE OF {HEARING|PUBLIC HEARING}

To: <person:defendant>, <street>, <place>

You are hereby notified that <person:plaintiff> has filed a claim against you in this court concerning <adj> <noun> and the sum of <money>. The hearing in case <code:case> will take place on <day>, <date>, at <time> in courtroom <n 1 40>, before Judge <person:judge>.

If you fail to appear at the time and place stated above, the court may decide the matter in your absence and on the statements of the other party alone.

?60 You have the right to be represented by counsel. If you cannot afford counsel, you may apply to the clerk of the court for assistance not later than <n 5 20> days before the hearing.

?70 Any written answer must reach the clerk by <date>. Documents received later will be considered only if the delay is excused for good cause.

?40 The party named above further states: <sentence> <sentence>

{Issued|Given under my hand} at <place:court> on <date>. <person>, clerk of the court, <street>, telephone <n 200 999> <n 1000 9999>.
""",
            """
PUBLIC NOTICE: {SALE OF PROPERTY BY ORDER OF THE COURT|COURT ORDERED SALE}

By virtue of an order of the court of <place:court>, made on <date> in the matter of <person:plaintiff> against <person:defendant> (No. <code:case>), the following property will be offered for sale to the highest bidder:

+1-3 The premises known as <street>, <place>, {with|together with} <n 2 12> rooms, a <thing> and <n 1 90> acres of land, entered in the register under <code>.

The sale will be held on <date> at <time> at the <noun> hall, <street>, <place:court>. The lowest bid that will be accepted is <money>.

Terms: one tenth of the price is due at the fall of the hammer, the remainder within thirty days. The purchaser bears the costs of the conveyance. The property is sold as it stands, and no warranty of any kind is given.

Inspection by appointment with <person>, agent, telephone <n 200 999> <n 1000 9999>.

<person>, sheriff of <place:court>
""",
        ],
    ),
    Template(
        "weather",
        "en",
        [
            """
Weather for <place:here>, <day>, <date>

{Today|During the day}: <adj> spells in the morning, {with|then} a <n 5 95> percent chance of rain after <time>. Highs of <n 4 36> degrees in <place:here> and <n 4 36> degrees in <place>. Wind from the {north|south|east|west} at <n 3 70> kilometres per hour.

{Tonight|Overnight}: lows near <n 1 18> degrees. Visibility <n 1 40> kilometres, falling to <n 100 900> metres in the valley of <place>.

*3-7 <place>: <n 3 36> degrees, <adj>, rain <d 1 40> mm, wind <n 2 60> km/h

?60 The warning for drivers on the road between <place> and <place> remains in force until <time>. Drive with care and allow more time for your journey.

?70 {Outlook|The days ahead}: <day> <n 3 30> degrees and <adj>, <day> <n 3 30> degrees and <adj>.

?60 Sunrise <time>, sunset <time>. The station at <place:here> measured <d 1 60> mm of rain in <month>, <n 3 60> percent more than usual.

This forecast is updated four times a day. Figures are rounded and come without any guarantee. For warnings, listen to your local station.
""",
            """
<place:here>: {forecast for the coming days|five day forecast}, issued at <time> on <date>

A <adj> front {crosses|moves over} <place> on <day> and brings <n 2 60> mm of rain to <place:here> and the hills around <place>. Behind it, temperatures drop from <n 15 33> to <n 2 14> degrees.

+3-5 <day>: {mostly|partly} <adj>, {at times|in places} <adj>. Maximum <n 3 34> degrees, minimum <n 1 12> degrees, gusts of up to <n 20 110> km/h near <place>.

?60 At sea: waves of <d 1 6> metres off <place>, water <n 5 22> degrees, high tide at <time> and <time>.

{Pollen count|Pollen}: <noun> <n 1 9>, <noun> <n 1 9>. Air quality index <n 10 180>.

The next bulletin will be published as soon as new measurements are available. Please note that local conditions may differ from the forecast.
""",
        ],
    ),
    Template(
        "sport",
        "en",
        [
            """
<team:home> <n 1 6> <team:guest> <n 1 6>

<team:home> and <team:guest> met at <place> on <day> in front of <n 300 60000> spectators. {It was|This was} the <n 3 90>th meeting of the two sides.

~3-6 <last> {opened the score|scored first} in minute <n 2 44> after a <adj> pass from <last>.
<last> made it level from <n 8 30> metres shortly before the break.
The referee, <person>, showed a yellow card to <last> in minute <n 20 88>.
In minute <n 46 70>, <last> came on for <last>, who had hurt his <noun>.
<last> hit the post twice, and <last> saved a penalty in minute <n 50 90>.
<last> decided the match with a header in minute <n 70 93>.

?60 "<sentence>" said coach <person> after the final whistle. 

Line-up: <last>, <last>, <last>, <last>, <last>, <last>, <last>, <last>, <last>, <last>, <last>.

?70 {Next|On the next match day}, <team:home> travel to <team>, while <team:guest> {welcome|play at home against} <team>.

Results, tables and the fixtures of the season can be found on the pages of the league.
""",
            """
League {round-up|results}, match day <n 1 38>, <date>

*5-12 <team> - <team> <n 0 6>:<n 0 6> (<n 0 3>:<n 0 3>), <n 100 45000> spectators, referee <last>

{At the top|In the lead}, <team> now have <n 20 80> points and a goal difference of <n 1 50>, <n 1 9> points ahead of <team>. At the foot of the table, <team> remain without a win since <date>.

+1-2 Player of the week: <person> (<team>), <n 1 4> goals and <n 1 9> assists in <n 60 90> minutes. <sentence>

Two teams go up at the end of the season, and three go down. Matches that were postponed will be played on the dates that the association announces.
""",
        ],
    ),
    Template(
        "questions",
        "en",
        [
            """
Frequently asked questions about {the town of|} <place:here>

Q: How many people live in <place:here>? A: <place:here> has a population of <n 1000 900000> as of <n 1990 2025>.

~3-6 Q: What is the area of <place:here>? A: The area of <place:here> is <d 3 900> square kilometres.
Q: Who was the first mayor of <place:here>? A: The first mayor of <place:here> was <person>, elected in <n 1800 1990>.
Q: How far is it from <place:here> to <place>? A: The distance from <place:here> to <place> is <n 4 900> kilometres by road.
Q: What is <place:here> known for? A: <place:here> is known for its <thing> and its <thing>.
Q: Which river flows through <place:here>? A: The river <place> flows through <place:here>.
Q: When is market day in <place:here>? A: Market day in <place:here> is <day>, from <time> to <time>.
Q: What is the postal code of <place:here>? A: The postal code of <place:here> is <n 10000 99999>.

+2-6 Q: Where is the <noun> museum of <place:here>? A: It is at <street>, opposite the <thing>, and opens at <time>.

Was this answer helpful? Let us know so that we can improve our pages.
""",
            """
{Exercise|Problem} <n 1 900>

<first:a> has <n 3 90> <noun:1>s and <first:b> has <n 3 90>. Each <noun:1> costs <n 2 99> and weighs <n 2 900> grams. How much do all of them cost, and how heavy are they?

{Step by step|Solution}: first add the numbers of both children: <n 3 90> and <n 3 90> make <n 6 180>. Then multiply by the price: <n 6 180> times <n 2 99> is <n 12 9999>. Multiply by the weight to get <n 200 99999> grams.

+2-4 Question: A train leaves <place> at <time> and travels <n 30 900> kilometres to <place> at <n 40 220> kilometres per hour. When does it arrive? Answer: It arrives at <time>, after <n 20 400> minutes.

Remember to check your result by working backwards from the answer. If it does not fit, read the question again and look for the step where you went wrong.
""",
        ],
    ),
    Template(
        "poem",
        "en",
        [
            """
{Song|Ballad} of the <noun:1>, by <person>

The <adj> <noun> upon the <adj> <noun>
that <verb> the <noun> and the <noun>,
it <verb> me still, it <verb> the <adj> <noun>,
by <adj> <noun> and <adj> <noun>.

{Sing low, sing low, the day is done,
the boats come home with the setting sun,
and all that we lost and all that we won
goes down to the sea, to the sea.|Turn again, turn again, wheel of the year,
the far shall be far and the near shall be near,
and nothing we whisper will anyone hear
till the night has gone over the hill.}

+2-5 My <noun> <verb> where the <adj> <noun> <verb>,
no <noun> <verb> it, nor a <noun>;
the <noun> of <place> <verb> in <month>
and <first> <verb> the <adj> <noun>.

{Sing low, sing low, the day is done,
the boats come home with the setting sun,
and all that we lost and all that we won
goes down to the sea, to the sea.|Turn again, turn again, wheel of the year,
the far shall be far and the near shall be near,
and nothing we whisper will anyone hear
till the night has gone over the hill.}
""",
            """
To <first:you>, {in|this} <month>

+3-7 Oh <first:you>, the <noun> is <adj>, the <noun> is <adj>,
and every <noun> that <verb> the <noun>
<verb> the <colour> <noun> in <place>;
Oh <first:you>, stay with me, stay with me still.

Written for <person> in <place>, <date>.
""",
        ],
    ),
    Template(
        "licence",
        "en",
        [
            """
{The <name:it> Licence|Terms of use of <name:it>}

Copyright (c) <n 1988 2025:y> <person:holder>, <place>

{Anyone who receives|Everybody who obtains} this program and the files that belong to it may use, study, change and pass on the program, in source form or as a binary, alone or as a part of other works, free of charge, as long as the conditions below are met.

1. Every copy of the source, whole or in part, has to keep the notice above, these conditions and the statement on liability that follows them.

2. Binary copies have to show the same notice in their documentation or in another place where a reader can be expected to find it.

3. Neither the name of <person:holder> nor the names of other contributors may be used to recommend products that were derived from this program, unless they have agreed to it in writing beforehand.

?50 4. A changed version must not be passed off as the original. Say clearly what was changed, by whom, and on which date.

THE PROGRAM COMES AS IT IS, WITHOUT A PROMISE OF ANY KIND. NOBODY PROMISES THAT IT SUITS A PURPOSE, THAT IT CAN BE SOLD OR THAT IT DOES NOT TOUCH THE RIGHTS OF OTHERS. IN NO EVENT CAN <person:holder> OR ANY OTHER AUTHOR BE HELD LIABLE FOR A CLAIM, A LOSS OR A DAMAGE THAT ARISES FROM THE USE OF THE PROGRAM, IN CONTRACT, IN TORT OR OTHERWISE, EVEN WHERE THE CHANCE OF SUCH A DAMAGE WAS KNOWN.
""",
            """
Package: <name:it>
Author: <person:holder>
Source: {obtained|downloaded} from the site of <company:firm>, file <noun>-<n 1 9>.<n 0 30>.tar

Copyright holders: <n 1988 2025>, <person:holder>; <n 1988 2025>, <company:firm>; <n 1988 2025>, <person>

+1-4 Files: <noun>/<noun>.c, <noun>/<noun>.h, <noun>/*
Copyright: <n 1988 2025>, <person>
Licence: free, as stated below

This package is free: you may hand it on and change it under the terms that follow. They apply to every file for which nothing else is stated in the list above.

Permission is granted to any person to deal in this material without restriction, provided that this paragraph and the list of the holders go with every copy. No fee may be asked for the permission itself, though a fee for the copying, the carrier and the post may be charged.

The holders give no warranty. Whoever uses the material does so at their own risk and bears the cost of repair should anything prove to be wrong.

?60 The packaging was done by <person> in <month> <n 1999 2025> and may be used under the same terms as the package itself.
""",
        ],
    ),
    Template(
        "table",
        "en",
        [
            """
Table <n 1 90>: {monthly|daily} readings of station <place:here>, <n 1950 2025>

{Station; height; reading; mean; maximum; remarks|Place, metres, first, second, third, note}

*12-40 <place>; <n 1 3000>; <n 1 999>; <d 1 99>; <d 1 99>; <adj>

Source: {survey|bureau} of <place:here>, series <code>. Figures in brackets are estimates; a dash means that nothing was measured.
""",
            """
{Price list|Inventory} <month> <n 1998 2025>, <company:firm>

No. | Article | Quantity | Unit price | Total

*10-35 <code> | <thing> | <n 1 500> | <money> | <money>

Sum <money>, tax <money>, total <money>

All amounts in the currency of the contract. Goods remain the property of the seller until they have been paid for in full.
""",
        ],
    ),
    Template(
        "code",
        "en",
        [
            """
/*
 * <noun:1>_<noun:2>.c - <adj> <noun> for the <name> project
 * {Part of the harbour toolkit. You may use this file under the terms that the file LICENCE in the top folder states.|This file belongs to the weaver library; see the file COPYING for who may do what with it, and AUTHORS for who wrote it.}
 */

#include \\<stdio.h>
#include \\<stdlib.h>
#include \\<string.h>
#include "<noun>.h"

static int <noun>_<noun>(struct <noun:1> *<noun>, int <adj>)
\\{
<c_line>
<c_line>
<c_line>
    return <n 0 40>;
\\}

+2-6 int <noun:1>_<verb>(const struct <noun> *<noun>, size_t <noun>)
\\{
<c_line>
<c_line>
<c_line>
<c_line>
    return <noun>_<adj>;
\\}

int main(int argc, char **argv)
\\{
    if (argc \\< 2) \\{
        fprintf(stderr, "usage: %s FILE\\\\n", argv[0]);
        return EXIT_FAILURE;
    \\}
    return <noun:1>_<verb>(argv[1], <n 1 512>);
\\}
""",
            """
# {This module is part of the orchard package. Report defects to the list of the project, with the version that the command prints.|Part of the millstone tools. It may be used by anyone for any purpose; no warranty is given by anybody.}

import json
import sys
from <noun>.<noun> import <noun>_<noun>

class <name:1>:
    \"\"\"<sentence>\"\"\"

+2-6     def <noun>_<noun>(self, <noun:1>, <noun>=<n 1 900>):
        \"\"\"<sentence>\"\"\"
        self.<noun> = <noun:1>.<noun>(<n 2 99>)
        for <noun> in self.<noun>_<noun>:
            if <noun:1>.<adj> == "<noun>":
                yield <noun>_<adj>(<noun:1>, <n 2 99>)

if __name__ == "__main__":
    arguments = sys.argv[1:]
    sys.exit(<name:1>().<noun>_<noun>(*arguments))
""",
        ],
    ),
    Template(
        "job",
        "en",
        [
            """
<job:it> ({full time|part time}), <place:here>

<company:firm> is looking for a <job:it> for its branch in <place:here>, starting on <date>. {You will be part of|You will join} a team of <n 3 60> people led by <person>.

Your tasks

*3-6 - You look after the <thing> and the <noun> of our <noun> department

What you bring along

~3-5 You have trained as a <job> or have <n 2 10> years of experience with <adj> <noun>s.
You work carefully and like to learn something new.
You hold a driving licence and are ready to travel to <place>.
You are used to working in a team and keep calm when it gets busy.
You know your way around <noun>s made of <material>.

?60 <sentence>

We offer a salary of <money> a year, <n 24 35> days of leave, flexible working hours, a subsidised canteen and a secure position in a friendly team.

{Please send|Send} your application with the reference <code> to <person>, <street>, <place:here>, by <date>. We welcome applications from everyone, whatever their age, origin or belief.
""",
            """
Vacancy at <company:firm>: <job:it>

Founded in <n 1850 2015> in <place>, <company:firm> employs <n 12 9000> people and makes <noun>s, <noun>s and <thing>s for customers in <n 2 60> countries.

{To strengthen|To complete} our team in <place:here>, we need a <job:it> as soon as possible.

+2-4 You {plan|prepare} the <adj> <noun> and check each <noun>, together with our <job> <person> in <place>.

Benefits: {from day one|after a short time}, <n 24 34> days of holiday, <n 30 40> hours a week, <money> a month and a <noun> of your own.

Interested? Call <person> on <n 200 999> <n 1000 9999>, or write to us with your papers in one file. Applications are treated in confidence, and nobody needs a photograph.
""",
        ],
    ),
    Template(
        "wetter",
        "de",
        [
            """
Wetterbericht für <place:hier>, <date>

{Am Vormittag|In der ersten Tageshälfte} ist es in <place:hier> wechselnd bewölkt, mit Schauern von <n 2 30> Litern je Quadratmeter. Die Höchstwerte liegen zwischen <n 3 15> Grad in <place> und <n 16 35> Grad in <place>. Der Wind weht mit <n 5 80> Kilometern in der Stunde.

{In der Nacht|Nachts} sinken die Werte auf <n 1 12> Grad, im Tal von <place> auf <n 1 9> Grad. Auf der Straße zwischen <place> und <place> ist bis <time> Uhr mit Glätte zu rechnen.

*3-7 <place>: <n 3 35> Grad, Regen <d 1 30> mm, Wind <n 3 80> km/h

?60 Für den Landkreis <place> gilt eine amtliche Warnung vor Böen bis <n 60 120> km/h. Meiden Sie Wälder und sichern Sie Gegenstände, die der Wind forttragen kann.

{Die weiteren Aussichten|Ausblick}: {morgen|am folgenden Tag} <n 3 30> Grad in <place:hier>, danach <n 3 30> Grad. Im <month> fielen an der Station <place> bisher <d 3 90> Liter Regen.

Alle Angaben sind gerundet und ohne Gewähr. Der nächste Bericht erscheint, sobald neue Messwerte vorliegen.
"""
        ],
    ),
    Template(
        "annonce",
        "fr",
        [
            """
{À vendre|Vente}: maison de <n 3 12> pièces à <place:ici>

Située à <place:ici>, <street>, cette maison de <n 60 400> m² construite en <n 1850 2020> offre <n 2 8> chambres, un séjour de <n 18 60> m² et un terrain de <n 200 9000> m². {Le bourg de|La ville de} <place> se trouve à <n 3 40> kilomètres.

~2-4 Le chauffage au gaz a été remplacé en <n 1995 2024>, la toiture en <n 1990 2024>.
La cuisine équipée de <n 8 30> m² ouvre sur une terrasse orientée au sud.
Une cave de <n 10 60> m² et un garage pour <n 1 4> voitures complètent l'ensemble.
Les écoles de <place> sont à <n 5 30> minutes à pied, la gare à <n 6 40> minutes.
Le jardin, planté d'arbres fruitiers, descend jusqu'à la rivière.

*2-5 Chambre <n 1 8>: <d 8 30> m², placard de <d 1 4> m²

{Prix|Prix de vente}: <n 60 900> <n 100 999> euros, frais d'agence compris. Taxe foncière: <n 400 4000> euros par an. Classe énergie <n 100 400> kWh par m² et par an.

Pour visiter, appelez <person> au <n 10 99> <n 10 99> <n 10 99> <n 10 99>, ou passez à l'agence de <place>, ouverte de <time> à <time>.

Les informations sur les risques auxquels ce bien est exposé sont disponibles sur le site des services de l'État. Photographies non contractuelles.
"""
        ],
    ),
    # One wording each, and a slot every few words: what resembles most, block by block.
    Template(
        "notice",
        "en",
        [
            """
Notice is given that on <n 1 28> <month> the district court of <place:court> will hear the claim of <last:a> against <last:b> for the sum of <n 100 99000> pounds, entered under number <n 1000 99999>. The hearing begins at <time> in room <n 1 90> of the building in <street>.

The claimant, <person>, is represented by <last:l> of <place>, and the defendant, <person>, by <last> of <place>. Each side may call up to <n 2 9> witnesses, whose names must reach the clerk, <last>, not later than <n 3 30> days before the hearing.

A party that does not appear before <time> on that day loses the right to be heard on the claim for <n 100 99000> pounds and bears the costs of <n 50 900> pounds. An appeal to the court of <place> is possible within <n 7 60> days.

Given at <place:court> on <n 1 28> <month> <n 1998 2025> by <person>, judge, and entered on page <n 1 900> of volume <n 1 90> of the register kept by <last>.
"""
        ],
    ),
    Template(
        "report",
        "en",
        [
            """
In the <n 1 4>th quarter of <n 1999 2025:y>, <company:it> of <place:here> sold <n 100 9000> <noun>s, <n 2 60> percent more than in the year before. Revenue rose to <d 1 900> million, of which <d 1 90> million came from <place> and <d 1 90> million from <place>.

The works in <place> made <n 100 90000> <noun>s with <n 20 900> people, after <n 20 900> in the spring. Its head, <person>, expects <n 100 9000> more orders by <month> and wants to hire <n 5 90> people, among them <n 2 20> <job>s.

Costs fell by <d 1 20> percent to <d 1 90> million, as the price of <material> went down from <n 100 900> to <n 10 99> a ton. The firm has paid back <d 1 40> million to the bank of <place> and holds <d 1 60> million in cash.

For the year as a whole, <last>, who speaks for the owners, expects a profit of <d 1 90> million. A share of <company:it> cost <d 3 300> at the close of trading on <day>, <d 1 9> percent more than on <day>.
"""
        ],
    ),
    Template(
        "article",
        "en",
        [
            """
The <name:it> <n 100 9000:m> is a <adj> <noun:1> made of <material> by <company>. It is <n 10 300> cm high, <n 10 300> cm wide and weighs <n 1 90> kg. The <colour> version costs <n 20 900>, the <colour> one <n 20 900>, both with a <noun> of <material>.

In our test in <place>, the <noun:1> took <n 2 90> minutes for <n 10 900> <noun>s and used <n 10 900> watts, against <n 10 900> watts for the <name> <n 100 9000>. Our <job>, <person>, gave it <n 1 9> out of <n 10 20> points for its <noun> and <n 1 9> for its <noun>.

Delivery to <place> takes <n 2 20> days and costs <n 3 40>, to <place> <n 2 20> days and <n 3 40>. Ask <person> in our <noun> department, on extension <n 10 999>, about the <adj> <noun> that goes with the <name:it> <n 100 9000:m>.

Spare parts, among them the <noun> (<code>, <n 2 90>) and the <noun> (<code>, <n 2 90>), are kept in <place> for <n 3 25> years. The guarantee covers <n 12 60> months, or <n 100 9000> hours of use.
"""
        ],
    ),
]

HELD = [
    Template(
        "release",
        "en",
        [
            """
<name:it> <n 1 12:major>.<n 0 40:minor> {released|is out}

{We are happy to announce|The team is pleased to announce} version <n 1 12:major>.<n 0 40:minor> of <name:it>, <n 3 300> days after the last one. It contains <n 10 900> changes by <n 2 90> people, among them <person>, <person> and <person>.

{New features|What is new}

*2-7 - The command <noun> now <verb> the <thing> (#<n 10 9999>, <first>)

{Defects that were mended|Bug fixes}

*3-9 - <noun>_<noun> no longer <verb> a <noun> when the <adj> <noun> is empty (#<n 10 9999>)

?50 <sentence> <sentence>

{Before you update|How to update}: read the notes on compatibility, make a backup of your settings and stop all running instances. Files that version <n 1 9>.<n 0 40> wrote are converted when they are first opened.

Checksums: <noun>-<n 1 12:major>.<n 0 40:minor>.tar <n 10000000 99999999> <n 10000000 99999999>

Thank you to everyone who reported problems, tested the candidates or translated messages. If you find something that does not work, please open a report and attach the log.
""",
            """
{Announcement|News}: <name:it> <n 1 12:v>

The maintainers of <name:it> have published release <n 1 12:v>, code name "<thing>", on <date>. {It needs|This release requires} <name> <n 1 20>.<n 0 9> or later and <n 20 900> MB of disk space.

+2-5 <sentence> This was contributed by <person> from <place>.

Known problems: on systems with <name> <n 1 9>, the <noun> module {may|can} <n 2 60> times out of <n 100 900> fail to start; set <noun>_<noun> to <n 1 99> until the next release.

Downloads are available from the usual mirrors. The signature was made with the key of the release manager, whose fingerprint is on the home page. Packages for the common distributions follow within a few days.
""",
        ],
    ),
    Template(
        "obituary",
        "en",
        [
            """
<person:dead>, <n 1925 1960> - <n 2005 2025>

{It is with great sadness that the family announces the death of|The family of} <person:dead> of <place:here>{, on|, who died on} <date>, aged <n 45 101>, {after a short illness, at home and surrounded by those who were dear to us|peacefully in the hospital of <place>}.

Born in <place> to <first> and <first> <last>, <first:short> worked as a <job> in <place> for <n 8 45> years and later as a <job> for <company>.

~2-4 <first:short> loved <noun>s and <adj> <noun>s, and sang in the choir of <place>.
For <n 5 40> years, <first:short> looked after the <noun> garden in <place>.
Friends remember the <adj> <noun> at the house in <place>.
In <n 1950 1995> came the marriage to <person>, with whom <first:short> shared <n 10 60> years.

Left behind are <first>, <first> and <first>, <n 1 12> grandchildren and a sister, <person>, of <place>.

?60 <sentence>

The service will be held on <day>, <date>, at <time> in the chapel of <place:here>. {Instead of flowers|In place of flowers}, the family asks for gifts to the <noun> fund of <place>.

Our thanks go to the nurses and doctors for their care, and to everyone who was there for us in these weeks.
"""
        ],
    ),
    Template(
        "hotel",
        "en",
        [
            """
Hotel <adj> <noun>, <place:here>

<n 1 5> stars, <n 8 300> rooms, <street>, <place:here>. {From|Prices from} <n 30 400> a night, rated <d 3 9> by <n 20 5000> guests.

~3-5 The house lies <n 100 5000> metres from the station of <place:here> and <n 2 50> kilometres from the airport of <place>.
Rooms are furnished with <material> and <material>, and look out on the <thing>.
Breakfast is served from <time> to <time> in the <noun> room.
The restaurant of <person> offers dishes from <place>.
Guests may use the sauna, the garden and the <noun> room free of charge.

Good to know: arrival from three in the afternoon, departure until eleven in the morning. Pets are allowed on request. Children under six stay free of charge in the bed of their parents.

+2-4 <first>, <month> <n 2005 2025>, <n 1 10> of 10: <sentence>

{Nearby|In the neighbourhood}: <place> castle (<n 1 30> km), the <noun> museum of <place> (<n 1 30> km), lake <place> (<n 1 30> km).

Bookings can be cancelled up to two days before arrival. After that, the first night is charged in full.
"""
        ],
    ),
    Template(
        "minutes",
        "en",
        [
            """
Minutes of the meeting of the {parish|town} council of <place:here>, <date>

Present: <person>, <person>, <person>, <person> and the clerk, <person>. Apologies were received from <person>.

The minutes of the meeting of <date> were read, approved and signed by the chair as a correct record.

+2-5 {Resolved|It was agreed}: to spend <money> on the <thing> in <street>, proposed by <person>, seconded by <person>; <n 3 9> in favour, <n 1 4> against.

Planning: application <code> by <person> for a <noun> at <street> {was supported|raised no objection}; application <code> by <company> was deferred to <month>.

?50 <sentence> <sentence>

Payments approved: <company> <money>; <company> <money>; <person> <money>.

There being no other business, the chair thanked everyone for coming and closed the meeting at <time>. Members of the public may see the accounts at the office during the usual hours.
"""
        ],
    ),
    Template(
        "polizei",
        "de",
        [
            """
{Polizeimeldung|Meldung der Polizei} vom <date>, <place:hier>

{Unfall|Verkehrsunfall} in <place:hier>: Am <date> gegen <time> Uhr stieß in der <street> der Wagen einer <n 18 90> Jahre alten Frau aus <place> mit dem Lastwagen eines <n 18 80> Jahre alten Mannes aus <place> zusammen. Der Schaden beträgt etwa <n 2 90> <n 100 900> Euro.

~2-4 Die Fahrerin wurde in die Klinik von <place> gebracht und dort nach <n 2 9> Stunden entlassen.
Die Straße nach <place> war für <n 20 300> Minuten gesperrt.
Die Feuerwehr aus <place> war mit <n 4 60> Kräften im Einsatz.
Nach Angaben von Zeugen fuhr der Wagen mit etwa <n 50 160> Kilometern in der Stunde.

?60 Einbruch in <place>: Unbekannte stahlen aus einem Haus in der <street> Geld und Schmuck im Wert von <n 300 9000> Euro.

?60 In <place> wird seit dem <date> <person>, <n 14 88> Jahre alt, vermisst, zuletzt gesehen in der <street>.

Zeugen werden gebeten, sich bei der Polizei in <place:hier> unter der Nummer <n 200 9999> <n 1000 99999> zu melden. Hinweise nimmt auch jede andere Dienststelle entgegen, auf Wunsch vertraulich.

{Rückfragen an|Für Rückfragen}: <person>, Pressestelle <place:hier>, Zimmer <n 1 400>
"""
        ],
    ),
    Template(
        "avis",
        "fr",
        [
            """
Commune de <place:ici>: {avis d'enquête publique|avis au public}

Par arrêté du <date>, le maire de <place:ici>, <person>, a ordonné l'ouverture d'une enquête publique de <n 15 60> jours sur le projet de <n 2 90> logements situé <street>, {présenté|déposé} par la société <last> et <last>.

<person:c>, ingénieur à la retraite demeurant à <place>, a été désigné commissaire enquêteur par le tribunal administratif de <place>, sous le numéro <code>.

Le dossier peut être consulté à la mairie de <place:ici>, aux jours et heures d'ouverture habituels. Chacun peut y consigner ses observations sur le registre ouvert à cet effet, ou les adresser par écrit au commissaire enquêteur.

*2-5 Permanence le <date>, de <time> à <time>, salle <n 1 40>

?60 Une réunion aura lieu le <date> à <time> à <place>, <street>, en présence de <person>.

{À l'issue de l'enquête|Après l'enquête}, le rapport du commissaire, <person:c>, sera tenu à la disposition du public pendant <n 6 24> mois à la mairie de <place:ici> et à la préfecture de <place>.

Toute personne peut, sur sa demande et à ses frais, obtenir communication du dossier avant l'ouverture de l'enquête ou pendant celle-ci.
"""
        ],
    ),
    # One wording, and a slot every few words.
    Template(
        "transfer",
        "en",
        [
            """
On <n 1 28> <month> <n 1990 2025>, the ship <name:it> left <place> for <place> with <n 20 9000> tons of <noun> and <n 5 60> people under captain <last:c>. It had <n 2 40> boxes of <material> on board for <company> and <n 2 900> sacks for <last> of <place>.

Off <place>, in a wind of force <n 3 12>, the <name:it> lost its <noun> at <time> and drifted <n 2 90> miles to the <noun> of <place>. The <noun> of the station, led by <person>, brought <n 2 40> people ashore by <time>, the last of them <last>, the <job>.

The owners in <place> put the loss at <n 100 90000> pounds, of which <company> paid <n 100 9000>. Captain <last:c> was heard before the board in <place> on <n 1 28> <month> and fined <n 10 900> pounds for carrying <n 2 90> <noun>s too many.

Divers from <place> found the wreck in <n 1950 2025> at <n 10 90> metres. The bell, <n 20 90> cm high, and <n 2 400> pieces of <material> are shown in room <n 1 30> of the <noun> museum at <place>, which opens at <time>.
"""
        ],
    ),
]
