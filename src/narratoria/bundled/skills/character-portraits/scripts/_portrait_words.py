"""Lists the words by which people are described: what they wear, what grows on them, what they feel."""

from __future__ import annotations

NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100,
}  # fmt: skip
AGES = (  # the first that is found
    (r"\b(?:infant|toddler)\b", 5),
    (r"\b(?:little (?:girl|boy)|child|urchin|kid|schoolgirl|schoolboy)\b", 9),
    (r"\b(?:boy|girl|lad|lass|mudlark|apprentice lad)\b", 13),
    (r"\b(?:teen\w*|adolescent|youth)\b", 16),
    (r"\bmiddle-aged\b|\bgreying\b|\bgraying\b|\bin (?:his|her|their) (?:forties|fifties)\b", 48),
    (r"\b(?:ancient|withered|wizened|stooped|crone|hag|older than)\b", 82),
    (r"\b(?:elderly|aged|old (?!friend|hand\b|soul|burn|scar|coat|enough|money)(?:\w+ )?|grandmother|"
     r"grandfather|granny|gran|crumpled|toothless|grizzled|veteran)\b", 68),
    (r"\b(?:elder|eldest|matron\w*|patriarch|matriarch|abbess|prioress)\b", 60),
    (r"\b(?:young|youthful|fresh-faced|novice|apprentice|squire|student|intern|cadet)\b", 21),
)  # fmt: skip
WOMEN = (
    r"\b(?:she|her|hers|herself|woman|women|girl|lady|mrs|miss|ms|dame|madam|madame|sister|mother|queen|"
    r"princess|duchess|countess|baroness|abbess|prioress|nun|witch|priestess|sorceress|enchantress|empress|"
    r"shieldmaiden|maid|maiden|lass|wife|widow|aunt|grandmother|granny|daughter|heiress|waitress|actress|"
    r"seamstress|midwife|crone|hag|matron|matriarch|barmaid|milkmaid|female|schoolgirl|señora|mademoiselle)\b"
)
MEN = (
    r"\b(?:he|him|his|himself|man|men|boy|sir|lord|mr|master|brother|father|king|prince|duke|count|baron|"
    r"abbot|monk|friar|wizard|warlock|emperor|lad|husband|widower|uncle|grandfather|son|waiter|actor|"
    r"gentleman|squire|patriarch|male|schoolboy|señor|monsieur|padre|beard|bearded|moustache|moustached)\b"
)
BUILDS = (
    (r"\b(?:fat|stout|(?:is|was|a|the) round(?! (?:table|window|hat|cap))|"
     r"round(?:-faced|,| man| woman)|rotund|plump|heavy-set|heavyset|portly|"
     r"corpulent|tubby|wide|"
     r"big-bellied|paunchy|jowly|double chin)\b", "heavy"),
    (r"\b(?:broad\w*|burly|muscular|brawny|hulking|huge|giant|massive|strapping|powerful|barrel-chested|"
     r"thick-necked|stocky|shoulders of|like an ox|bull-necked|mountain of)\b", "broad"),
    (r"\b(?:thin|gaunt|bony|skinny|scrawny|lean|skeletal|hollow-cheeked|haggard|emaciated|lanky|rangy|"
     r"long(?= and\b)|wiry|elbows|angular|reedy)\b", "thin"),
    (r"\b(?:slim|slender|slight|delicate|petite|small|willowy|graceful|lithe)\b", "slim"),
)  # fmt: skip
SPECIES = (
    (r"\bnothing to see\b|\binvisible\b|\bformless\b|\bshapeless\b|\bbodiless\b", "unseen"),
    (r"\b(?:half-)?elf\b|\belven\b|\belvish\b|\bfae\b|\bfairy\b|\bpointed ears\b|\bdrow\b", "elf"),
    (r"\bdwarf\b|\bdwarven\b", "dwarf"),
    (r"\b(?:half-)?orc\b|\borcish\b|\btusks?\b|\btroll\b|\bogre\b", "orc"),
    (r"\bgoblin\b|\bkobold\b|\bimp\b", "goblin"),
    (r"\btiefling\b|\bdemon\w*\b|\bdevil\w*\b|\bhorned\b|\bhorns\b|\bfaun\b|\bsatyr\b", "horned"),
    (r"\brobot\w*\b|\bandroid\b|\bautomaton\b|\bclockwork\b|\bcyborg\b|\bgolem\b", "machine"),
    (r"\bghost\w*\b|\bspectre\b|\bwraith\b|\bspirit\b|\bphantom\b|\bapparition\b|\bundead\b", "ghost"),
    (r"\bvampir\w+\b", "vampire"),
    (r"\blizard\w*\b|\bdragonborn\b|\breptil\w+\b|\bnaga\b|\bscaled\b|\bmerfolk\b|\bmermaid\b", "scaled"),
)
NOUNS = (  # a colour before one of these is not that of the next
    r"\b(?:hair|eyes?|beard|moustache|skin|face|coat|cloak|gown|dress|hat|cap|hood|shawl|robe|shirt|apron|beak|"
    r"plait|bun|crown|uniform|suit|waistcoat|jumper|veil|brows?|cheeks|boots|gloves|locs|bob)\b"
)
PLAIN_SKIN = (  # said of a person, these mean the skin
    (r"\bpale(?! (?:hair|eyes?|blue|green|grey|gray|light|coat|dress|gown|yellow|gold|brows?)\b)|\bpallid\b|"
     r"\bashen\b", "#f7ddcd"),
    (r"\bfreckl\w+", "#f4cfb6"),
    (r"\bruddy\b|\bred-faced\b", "#e8ab8d"),
    (r"\bsun-?burn\w+|\btanned\b|\bweather-beaten\b|\bswarthy\b", "#cf9669"),
    (r"\bdark-skinned\b", "#74452c"),
    (r"\bbrown-skinned\b", "#9a6240"),
)  # fmt: skip
HAIR_ANYWHERE = (
    (r"\bredhead\w*|\bginger\b", "#b2501f"),
    (r"\bblonde?\b", "#e3c384"),
)
ONCE = (  # what was so before, and what takes its place in the sentence
    (r",? (?:once|formerly) (?!and\b|but\b)\w+,? (?:but |and )?(?=(?:is|are|has|now)\b)", " "),
    (r" (?:that|which) (?:was|were|had been) \w+(?: once)?,? (?:and|but) (?=(?:is|are|has|now)\b)", " "),
    (r"\b(hair|beard|plaits?|braids?), which (is|are|was|were|has)\b", r"\1 \2"),
    (r"\bblue-black\b", "black"),
)
HAIRLESS = (
    r"\bbald(?:ing)?\b|\bshaven?-head\w*\b|\bshaved (?:head|skull|scalp)\b|\bhairless\b|\bno hair\b|"
    r"\bhead is shaved\b"
)
STYLES = (  # the first that is found near the hair, or anywhere where the word means hair alone
    (r"\btonsur\w+", "tonsure"),
    (r"\bmohawk\b|\bmohican\b|\bcrest of hair\b", "mohawk"),
    (r"\bdreadlock\w*|\blocs\b|\bdreads\b|\bbox braids\b|\bcornrows\b", "locs"),
    (r"\b(?:plaits|pigtails|two braids|twin braids)\b", "plaits"),
    (r"\bplait\w*|\bbraid(?:s|ed)?\b", "plait"),
    (r"\bponytail\b|\btied back\b|\bpulled back\b|\bqueue\b", "ponytail"),
    (r"\btopknot\b|\btop-knot\b", "topknot"),
    (r"\bbun\b|\bchignon\b|\bpinned up\b|\bupdo\b|\bknot of hair\b|\bpiled\b|\bput up\b", "bun"),
    (r"\bafro\b|\bhalo of (?:hair|curls)\b|\bcloud of\b", "afro"),
    (r"\bcurl(?:s|y|ed)\b|\bringlets\b|\bfrizzy\b", "curly"),
    (r"\bcropped\b|\bcrew ?cut\b|\bshorn\b|\bclose-cut\b|\bbuzz\w*|\bstubble of hair\b|\bcut short\b",
     "cropped"),
    (r"\bbob\b|\bbobbed\b|\bchin-length\b|\bpageboy\b", "bob"),
    (r"\bslicked\b|\bcombed back\b|\boiled\b|\bpomade\w*|\bbrilliantine\b|\bswept back\b", "slick"),
    (r"\b(?:tousled|wild|unruly|messy|tangled|unkempt|shaggy|dishevelled|rumpled|windswept|uncombed|"
     r"pond ?weed|matted|spiky|sticking)\b", "tousled"),
    (r"\bwav(?:y|es)\b|\bflowing\b|\brippling\b", "wavy"),
    (r"\blong\b|\bwaist-length\b|\bdown (?:his|her|their) back\b|\bcurtain of\b|\bloose\b", "long"),
    (r"\bshort\b|\bneat\b|\bparted\b|\btrimmed\b", "short"),
)  # fmt: skip
OWN_STYLES = frozenset({"tonsure", "mohawk", "locs", "plaits", "plait", "ponytail", "topknot", "afro"})
BEARDS = (
    (r"\bclean-shaven\b|\bno beard\b|\bbeardless\b|\bsmooth-(?:faced|cheeked)\b", ""),
    (r"\b(?:stubbl\w+|unshaven|five o'clock|days' growth)\b", "stubble"),
    (r"\bgoatee\b|\bpointed beard\b|\bvan ?dyke\b|\bchin beard\b", "goatee"),
    (r"\b(?:long|great|huge|braided|forked|flowing|white|wild|enormous|magnificent|plaited) (?:\w+,? ){0,2}"
     r"beard\b|\bbeard (?:down )?to (?:his|the)\b", "long"),
    (r"\b(?:sideburns|side-whiskers|mutton ?chops|whiskers)\b", "whiskers"),
    (r"\bmoustache\w*|\bmustache\w*", "moustache"),
    (r"\bbeard\w*", "full"),
)  # fmt: skip
HATS = (
    (r"\bcrown(?:ed)?\b(?! of (?:her|his|the))", "crown"),
    (r"\bcirclet\b|\btiara\b|\bdiadem\b|\bcoronet\b", "circlet"),
    (r"\bwimple\b|\bveil(?:ed)?\b|\bcoif\b|\bnun\b|\babbess\b|\bprioress\b", "wimple"),
    (r"\bhood(?:ed)?\b|\bcowl(?:ed)?\b", "hood"),
    (r"\bturban\b", "turban"),
    (r"\bhead-?scarf\b|\bkerchief\b|\bbandana\b|\bheadcloth\b|\bhijab\b", "kerchief"),
    (r"\bhelmet\b|\bhelm\b", "helmet"),
    (r"\bpointed hat\b|\bwizard'?s? hat\b|\bwitch'?s? hat\b", "pointed"),
    (r"\btop hat\b|\bstovepipe\b", "tophat"),
    (r"\bbowler\b|\bderby hat\b", "bowler"),
    (r"\bpeaked cap\b|\bofficer'?s cap\b|\bcaptain'?s cap\b", "peaked"),
    (r"\bfur hat\b|\bushanka\b|\bfur cap\b", "fur"),
    (r"\bcap\b|\bberet\b|\bbeanie\b|\bwoollen hat\b", "cap"),
    (r"\bhat\b|\bfedora\b|\bbrim(?:med)?\b|\btricorne?\b|\bstetson\b", "hat"),
    (r"\bgoggles\b", "goggles"),
    (r"\bwreath\b|\bflowers? in (?:her|his|their) hair\b|\bgarland\b", "wreath"),
)
GARMENTS = (
    (r"\b(?:plate|armou?r(?:ed)?|breastplate|chain ?mail|mail|gorget|cuirass|pauldrons?)\b", "armour"),
    (
        r"\bspace ?suit\b|\bpressure suit\b|\bjumpsuit\b|\boveralls?\b|\bcoveralls?\b|\bdungarees\b",
        "jumpsuit",
    ),
    (r"\buniform\b|\btunic coat\b|\bepaulettes?\b", "uniform"),
    (r"\bgreatcoat\b|\bovercoat\b|\btrench ?coat\b|\bfrock coat\b|\bduster\b", "greatcoat"),
    (r"\bshawl\b", "shawl"),
    (r"\bapron\b", "apron"),
    (r"\bwaistcoat\b|\bvest\b|\bjerkin\b", "waistcoat"),
    (r"\b(?:monk'?s )?habit\b(?! of\b)|\brobes?\b|\bcassock\b|\bvestments?\b|\bkimono\b|\btoga\b", "robe"),
    (r"\bcloak\w*|\bcape\b|\bmantle\b|\bponcho\b", "cloak"),
    (r"\bfurs?\b(?! hat| cap)|\bpelts?\b", "furs"),
    (r"\bgown\b|\bdress(?! sense)\b|\bbodice\b|\bcorset\b|\bsari\b|\bfrock\b(?! coat)", "gown"),
    (r"\bsuit\b|\bdinner jacket\b|\btuxedo\b|\btie\b(?! back)|\bcravat\b|\bblazer\b", "suit"),
    (r"\bdoublet\b|\bruff\b", "doublet"),
    (r"\bcoat\b|\bjacket\b|\boilskins?\b", "coat"),
    (r"\bjumper\b|\bsweater\b|\bjersey\b|\bpullover\b|\broll-?neck\b", "jumper"),
    (r"\brags\b|\btatter\w*|\bragged\b", "rags"),
    (r"\btunic\b|\bblouse\b|\bshirt\b|\bsmock\b|\bsleeves\b", "tunic"),
)
ROLES = (  # what somebody of this calling wears when nothing is said
    (r"\b(?:smith|blacksmith|founder|foundry|smelter|baker|cook|chef|butcher|brewer|potter|cobbler)\b",
     "apron", "#6d4a33"),
    (r"\b(?:abbess|nun|prioress|sister)\b", "robe", "#3c3f4d"),
    (r"\b(?:monk|friar|abbot|brother|novice|cleric|hermit)\b", "robe", "#5d4a3a"),
    (r"\b(?:priest|priestess|bishop|vicar|deacon|chaplain|acolyte|druid)\b", "robe", ""),
    (r"\b(?:wizard|mage|sorcer\w+|warlock|witch|enchant\w+|seer|oracle|alchemist|necromancer)\b", "robe", ""),
    (r"\b(?:knight|paladin|warrior|soldier|mercenary|gladiator|shieldmaiden|guard(?:sman)?|legionary)\b",
     "armour", ""),
    (r"\b(?:captain|officer|commissar|sergeant|colonel|general|admiral|constable|police\w*|lieutenant)\b",
     "uniform", ""),
    (r"\b(?:warden|watch(?:man)?|coachman|driver|postmaster|gaoler)\b", "greatcoat", ""),
    (r"\b(?:thief|rogue|assassin|spy|smuggler|bandit|outlaw|ranger|hunter|scout|huntress|traveller's)\b",
     "cloak", ""),
    (r"\b(?:king|emperor|lord|duke|count|baron|prince|nobleman|courtier)\b", "doublet", "#5a2138"),
    (r"\b(?:queen|empress|lady|duchess|countess|baroness|princess|dancer|singer|courtesan)\b", "gown", ""),
    (r"\b(?:sailor|ferry\w*|fisher\w*|boatman|kindred|whaler|deckhand|skipper|shepherd\w*)\b", "jumper", ""),
    (r"\b(?:doctor|dr|professor|lawyer|banker|detective|inspector|clerk|traveller|butler|gentleman)\b",
     "suit", ""),
    (r"\b(?:innkeeper|keeper of the|barkeep\w*|publican|landlord|bartender|merchant|trader)\b",
     "waistcoat", ""),
    (r"\b(?:pilot|engineer|mechanic|astronaut|cosmonaut|technician|miner|diver)\b", "jumpsuit", ""),
    (r"\b(?:dealer|fortune-?teller|weaver|grandmother|midwife|healer|herbalist)\b", "shawl", ""),
    (r"\b(?:mudlark|urchin|beggar|orphan|prisoner|vagabond|tramp)\b", "rags", ""),
    (r"\b(?:runner|apprentice|telegraph\w*|stable\w*|page)\b", "waistcoat", ""),
)  # fmt: skip
MOODS = (  # word: smile, brow (-1 angry, +1 worried), droop of the lids
    (r"\b(?:cheerful|merry|jolly|laugh\w*|grin\w*|beaming|delighted|joyful|smil\w+|sunny|jovial)\b",
     (1.0, 0.2, 0.0)),
    (r"\b(?:kind\w*|gentle|warm|friendly|hospitable|soft|benevolent|motherly|patient|merciful|shy)\b",
     (0.45, 0.3, 0.15)),
    (r"\b(?:mischievous|sly|smirk\w*|wry|dry|cunning|teasing|rakish|roguish|unimpressed|charming)\b",
     (0.5, -0.35, 0.25)),
    (r"\b(?:angry|furious|scowl\w*|fierce|savage|menacing|glar\w+|wrath\w*|cruel|ruthless|brutal)\b",
     (-0.6, -1.0, 0.1)),
    (r"\b(?:stern|grim|severe|blunt|hard|cold|dour|strict|haughty|proud|sharp|disapproving|exact|precise)\b",
     (-0.1, -0.4, 0.15)),
    (r"\b(?:sad|griev\w+|mourn\w*|lonely|melanchol\w*|sorrow\w*|weep\w*|wistful|haunted|bereft)\b",
     (-0.3, 0.75, 0.35)),
    (r"\b(?:worried|anxious|nervous|frightened|startled|afraid|scared|timid|fearful|terrified)\b",
     (-0.3, 0.9, -0.25)),
    (r"\b(?:tired|weary|exhausted|sleepy|drowsy|dutiful|bored|languid)\b", (-0.15, 0.35, 0.5)),
    (r"\b(?:curious|quick|eager|bright|alert|watchful|lively|wide-eyed|startling)\b", (0.25, 0.25, -0.2)),
)  # fmt: skip
