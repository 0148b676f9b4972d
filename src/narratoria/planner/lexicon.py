"""Words that tell what kind of deed an action is: read by the patterns, and weighed by the router."""

# ruff: noqa: E501
# an alternation is read as one line, not as a paragraph

from __future__ import annotations

import re
from collections.abc import Mapping

Lexicon = Mapping[str, re.Pattern[str]]


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


def _verbs(words: str) -> str:
    """The verbs in the forms English gives to regular ones; irregular forms are listed as words."""
    stems = "|".join(word[:-1] + "(?:e|ing|ed)?" if word.endswith("e") else word for word in words.split())
    return rf"\b(?:{stems})(?:s|es|d|ed|ing|[bdgklmnprt](?:ed|ing))?\b"


# What a skill's or a script's own name looks like in the mouth of somebody who talks to the machine.
TO_THE_MACHINE = _any(
    r"\b(?:ignor|forget|disregard)\w*\b.{0,30}\b(?:instruction|rule|prompt|story|above|previous)",
    r"\b(?:system|assistant|developer|admin|user)\s*(?:override|prompt|message|mode)?\s*:",
    r"</?\w+>",
    r"\b(?:system prompt|as the developer|you are now|you are an? (?:ai|assistant|model)|override:|all skills)\b",
    r"\b(?:call|run|execute|invoke|use|trigger)\w*\b.{0,25}\b(?:tool|skill|function|script|plugin|api)s?\b",
    r"[{\[]\s*\"?\w+[\"-]",
)

LEXICON: Lexicon = {
    "force": _any(
        _verbs(
            "attack fight fought strike struck punch stab slash shoot shot ambush storm hurl swing swung kick smash"
            " bash ram grapple shove wrestle tackle brawl headbutt choke throttle club duel slay slew maul"
            " behead decapitate fend parry lunge pounce overpower subdue knock raid board battle clobber whip"
            " wrest lash spear skewer gore strangle tase bludgeon"
        ),
        r"\b(?:open|return|opened) fire\b",
        r"\bfire (?:the|my|a|at|on|upon)\b",
        r"\b(?:cut|gun|mow|take|bring|took|brought)\w* (?:him|her|them|it|the \w+)? ?down\b",
        r"\b(?:throw|threw|land|swing|aim) (?:a |my |the )?(?:punch|blow|fist|knife|grenade|spear|rope|stone|rock|axe)",
        r"\b(?:blade|sword|knife|axe|fists?|club|gun|pistol|rifle) (?:in hand|drawn|raised|first)",
        r"\bdraw (?:my|the|a) (?:sword|blade|knife|gun|pistol|bow|steel|weapon)|\bI draw and\b|\bloose (?:the|an) arrow",
        r"\b(?:kill|murder|slaughter)(?:s|ed|ing)? (?!the (?:light|lamp|engine|music|motor)|time|some time|an hour)",
    ),
    "stealth": _any(
        _verbs(
            "sneak snuck creep crept tiptoe crawl prowl stalk skulk steal stole pickpocket pilfer swipe filch"
            " snatch burgle smuggle eavesdrop sidle swap lurk shadow rob loot palm shoplift pinch nick stow"
        ),
        r"\b(?:slip|slide|drift|glide|inch|edge|steal|squeeze|ghost)(?:s|ped|ping|ed|ing)? (?:past|through|between|into|in|"
        r"out|by|behind|along|away|under|over|from|off|toward|up|inside)",
        r"\bunseen\b|\bunnoticed\b|\bundetected\b|\bunheard\b",
        r"\bwithout (?:a sound|being (?:seen|heard|caught|noticed|spotted)|(?:making|leaving) (?:a|any)\b|them noticing|"
        r"waking|anyone (?:seeing|noticing))",
        r"\bwhile (?:he|she|they|nobody|no one|everyone|everybody|the \w+)\b.{0,40}\b(?:look|sleep|laugh|argu|talk|phone|"
        r"distract|busy|turn|asleep)",
        r"\b(?:tail|follow|trail)(?:s|ed|ing)? (?:him|her|them|after)\b",
        r"\bhold my breath|\bquiet(?:ly)? as\b|\bon tiptoe|\bnobody (?:looks|notices|sees)|\bback (?:is )?turned",
    ),
    "body": _any(
        _verbs(
            "climb clamber jump leap leapt vault swim swam dive dove dodge outrun sprint dash scramble balance"
            " wriggle heave barrel tumble roll somersault chase flee fled escape bolt rappel abseil"
            " ford grab lunge wrench pry prise outpace outride gallop catch caught shimmy scale hoist plunge"
        ),
        r"\b(?:run|ran|race|make a (?:run|break|dash)|bolt|ride hard|dive|duck|charge|leg it|hurtle|rush)\b.{0,12}"
        r"\b(?:for|at|from|across|through|past|to|toward|off|into|behind|under)\b",
        r"\b(?:break|broke|force|bust|kick|batter|ram|shoulder)\w*\b.{0,30}\b(?:open|down|in|free|loose|lock|door|gate|window)",
        r"\b(?:throw|fling|hurl|launch)s? (?:myself|my (?:whole )?weight|yourself)",
        r"\bfloor it\b|\bpunch it\b|\bfull (?:burn|throttle|speed|gallop)|\btake the (?:stick|wheel|reins|helm)",
        r"\b(?:swing|swung|row|sail|drive|ride|steer|fly|pilot|land)\w*\b.{0,20}\b(?:across|through|over|past|between|into)\b"
        r".{0,30}\b(?:storm|rapids|gap|reef|debris|ridge|maelstrom|fire|chasm|ravine|flood|ice|enemy|blizzard)",
        r"\b(?:before|until|as) (?:it|they|the \w+|he|she|we) (?:collapses?|comes? back|closes?|gives? way|breaks?|cracks?|"
        r"falls?|catch|wakes?|burns?)",
    ),
    "craft": _any(
        r"\b(?:pick|force|jimmy|crack|work|unlock|unlok)\w*\b.{0,15}\b(?:lock|safe|vault|strongbox|padlock|code|cipher|handcuff)",
        _verbs(
            "hack disarm defuse hotwire decipher sabotage tamper forge counterfeit splice override rewire cast"
            " juggle conjure summon amputate operate jailbreak"
        ),
        r"\b(?:stitch|patch|dig|cut)\w*\b.{0,25}\b(?:out|wound|pipe|bullet|hull|together|shut|closed)",
        r"\b(?:red|blue) wire\b|\btripwire\b|\btrap\b|\bscalpel\b|\bfuse\b|\bspell\b",
        r"\bwith (?:my|a) (?:hatpin|crowbar|lockpicks?|hairpin|bare hands)",
    ),
    "deceit": _any(
        r"\b(?:lie|lied|lying) (?:to|about|through|my)\b",
        _verbs(
            "bluff deceive trick con fool pretend feign mislead swindle cheat impersonate hoodwink dupe fake pose"
        ),
        r"\b(?:false|fake|stolen|forged|borrowed|made-up|another man's) (?:name|badge|papers?|pass|uniform|accent|id|beard|letter|story)",
        r"\bstraight(?:est)? face|\btalk my way\b|\bbluff your way\b|\bpass (?:myself|for|as)\b|\bmy best .{0,20}(?:voice|accent)",
        r"\bmake \w+ believe\b|\bthough I (?:did|have|am|had) (?:not|no|never)\b|\bwhich I did\b|\bin disguise\b",
        r"\b(?:swear|tell|assure|inform|convince)\w*\b.{0,60}\b(?:it was not me|never touched|know nothing|was for rats)",
    ),
    "wager": _any(
        _verbs("bet wager gamble"),
        r"\bstake (?:my|the|all|every)|\b(?:put|lay|push)\w* (?:everything|it all|all|my last|my \w+)\b.{0,25}\bon\b",
        r"\b(?:play|game of|hand of|round of|deal me in)\b.{0,20}\b(?:cards?|dice|poker|knucklebones|roulette|craps|for the|whist)",
        r"\b(?:roll|make|throw)\b.{0,15}\b(?:for it|to see|check|the dice|a die|d20|2d6|save|saving)|\b\w+ check\b",
        r"\bout-?drink|\barm-?wrestle|\bflip a coin\b|\bcome what may\b|\ball in\b",
    ),
    "risk": _any(
        r"\b(?:try|trying|tries|attempt|risk|dare|gamble|hope|pray)\w*\b",
        r"\bor (?:die|perish|drown|fall|burn|hang)\b|\bwhatever (?:it|they) (?:costs?|takes?|do)|\bno (?:way|time|choice|net)\b",
        r"\b(?:before|until|hoping) (?:the|they|it|he|she)\b.{0,30}\b(?:sees?|notices?|comes?|goes?|past|late|hears?)",
        r"\b(?:seconds|minutes|metres|feet|inches|one chance|last chance|only way|now or never|here goes|up I go|in I go)\b",
    ),
    "sway": _any(
        _verbs("persuade convince coax sway intimidate threaten blackmail bribe seduce cajole dissuade goad"),
        r"\btalk (?:him|her|them|it|the \w+|\w+|\w+ \w+|the \w+ \w+) (?:into|out of|round|down|over)\b",
        r"\bcalm (?:the|them|him|her)\b.{0,20}|\bwin (?:him|her|them|the \w+|\w+) (?:over|round)\b|\bmake (?:him|her|\w+) talk\b",
        r"\b(?:urge|plead|beseech)\w*\b.{0,40}\b(?:break|against|not to|though|despite|orders|to let)",
    ),
    "favour": _any(
        r"\b(?:ask|beg|implore|beseech|entreat|request|petition|plead|press|urge)(?:s|ed|ing|ging)?\b.{0,35}\b(?:to|for|not to|if|whether|with|why|who|which|what)\b",
        r"\b(?:would|could|can|will|won't|might|may) (?:you|he|she|they|I prevail)\b",
        r"\b(?:lend|give|grant|spare|sell|loan|hide|teach|let|allow|tell|show) me\b|\blet (?:us|the \w+) (?:stay|go|in|through|pass)",
        r"\b(?:haggle|bargain|negotiate|barter|parley)\w*\b",
        r"\bI need (?:you|your|the|a)\b|\bpermission\b|\bfavou?r\b|\bcredit\b|\badvance\b|\bdiscount\b|\bdo (?:it|this) for me\b",
        r"\blevel with me\b|\bhelp me\b|\bcome with me\b|\bmarry me\b|\bno questions\b|\bput in a (?:good )?word",
        r"\b(?:confront|question|interrogate|sound|grill|quiz|court|flirt|charm|proposition)(?:s|ed|ing)?\b",
    ),
    "regard": _any(
        r"\b(?:think|thinks|make|makes|feel|feels|say|says|speak|speaks|thought)\b.{0,15}\b(?:of|about) (?:me|us)\b",
        r"\b(?:like|likes|trust|trusts|hate|hates|respect|respects|love|loves|fear|fears|blame|blames|resent|forgive|"
        r"forgiven|believe|suspect|mind|remember|regard|regards|see|sees|despise|want|wants) (?:me|us)\b",
        r"\b(?:stand|standing|square|welcome|good (?:books|graces|list|terms)|name|reputation|count me|friend or|"
        r"on my side|against me|hold(?:s|ing)? it against|hard feelings|still friends|are we (?:good|still|all right))\b",
        r"\bwhere (?:do )?(?:I|we) stand\b|\bhow (?:do|does|am|are|is)\b.{0,30}\b(?:regard|see|view|me|us|seen)\b|\bwarm(?:ing|s)? to me\b",
    ),
    "recall": _any(
        r"\b(?:remember|recall|recollect|remind|reminisce|recognise|recognize|familiar)\w*\b(?! this\b)",
        r"\b(?:think|thought|go|went|cast my mind|look|turn it) (?:back|over) (?:to|over|on|at|what|every)|\bmy mind goes back\b|\bI think back\b",
        r"\b(?:what|who|where|when|which|how|why)\b.{0,40}\b(?:did|was|were|had|said|told|gave|sold|warned|mentioned)\b",
        r"\bdid(?:n't| not)? (?:\w+ ){1,3}(?:ever |not )?(?:say|tell|mention|promise|warn|have|speak|use|find|leave|meet|see)\b",
        r"\b(?:last|first|that) (?:time|night|winter|spring|summer|autumn|year|patrol|month|week|day|sitting|voyage|job)\b",
        r"\b(?:have|had|has)(?:n't| not)? (?:I|we|he|she|they|you)\b.{0,20}\b(?:ever|before|seen|been|read|heard|met|already)\b",
        r"\b(?:seen|heard|met|been|happened)\b.{0,25}\b(?:before|somewhere|once|already)\b",
        r"\b(?:owe|owes|owed) (?:me|us|him|her|them|you)\b|\bowe \w+\b|\bfor (?:old times|what I did)",
        r"\bafter (?:what|all (?:I|we|that))\b|\bsince (?:the|that|what)\b|\bback (?:then|when|where|in the days)\b|\bonce (?:told|said|showed|mentioned|before)\b",
        r"\b(?:swore|promised|told|taught|showed|warned|gave|lent|left|saved|pulled|covered|poured|helped|sheltered|buried|hid|fought|"
        r"found|met|said)\b.{0,25}\b(?:me|us|you|him|her|that|when|at|it)\b",
        r"\bwhere (?:we|I|they|he|she)\b.{0,12}\b(?:left|buried|hid|fought|met|found|threw|lost|saw|stood|parted|first|last|camped)\b",
        r"\bwhat (?:do|have) (?:I|we) (?:know|learned|learnt|got)\b|\bso far\b|\bknow about\b|\bknown about\b|\bnot forgotten\b|\bbefore\?|\bagain\?",
        r"\b(?:old|same|usual) (?:trick|friend|debt|score|scratch|mark|hand sign|model|song|wound|promise)|\btrick (?:\w+ ){1,3}(?:used|showed|taught)",
    ),
    "keep": _any(
        r"\b(?:write|wrote|note|jot|scratch|carve|mark|log|record|memoris|memoriz|enter|brand|sketch|scribble|inscribe|paint|copy)\w*\b.{0,50}"
        r"\b(?:down|log|journal|notebook|diary|calendar|wall|door|later|memory|record|spot|place|so (?:that )?(?:I|we)|names?|ledger|number|riddle|for later|heart|mark|list)",
        r"\bremember (?:this|that (?:the|it|she|he)|it)\b|\b(?:don't|do not|never|let nobody|won't|not let me) (?:let me )?forget\b|\bnot forgotten\b.{0,5}$|\bkeep (?:that|this|it) in mind",
        r"\bnote to self\b|\bmemo\b|\blog entry\b|\bfor the record\b|\bcommit\w*\b.{0,25}\bto memory\b|\blearn\b.{0,25}\bby heart\b|\bmental note\b|\bmake a note\b",
        r"\bso (?:that )?(?:I|we)(?:'ll| will| can)? (?:\w+ )?(?:know|remember|find|prove|never forget|recognise)\b|\bkeep the \w+(?: \w+)? so\b",
    ),
    "vow": _any(
        r"\b(?:promise|swear|vow|pledge|oath|give (?:\w+ ){1,3}(?:my|our) (?:word|oath|hand on it))\w*\b",
        r"\bmy word (?:on|that|of)\b|\bshake (?:hands|on)\b|\bhand on (?:it|my heart)\b|\bblood (?:oath|brother)|\bpact\b|\bhave my word\b|\bbargain struck\b|\bfealty\b",
        r"\bfrom now on\b|\bnever again\b|\bas long as I live\b|\bwhere (?:she|he|you|they) (?:goes?|sails?), I\b|\byours now\b",
    ),
    "confide": _any(
        r"\b(?:confess|admit|reveal|own up|come clean|unburden|disclose|let (?:him|her|\w+) in on)\w*\b",
        r"\btell\w*\b.{0,40}\b(?:the truth|it was (?:me|I)|that it was|was I who|was me who|my (?:real|true) name|who I (?:really )?am|everything|my secret|"
        r"that (?:her|his|their) (?:son|mother|father|brother|wife|husband|sister)|that I (?:love|gave|let|killed|was|took|talked))",
        r"\bsecret\b|\bI love (?:you|her|him)\b|\btake the blame\b|\btook the blame\b|\b(?:was|it's) my fault\b",
    ),
    "grave": _any(
        r"\b(?:burn|destroy|smash|shatter|wreck|blow up|set fire|torch|demolish|drown|poison|execute|hang|shoot|murder|kill|slay|stab|strangle)\w*\b(?! time| some time| the light)",
        r"\bon fire\b|\binto the (?:fire|flames|furnace|sea|well)\b|\blet (?:him|her|them|the \w+) (?:fall|die|drown|burn|go)\b|\buntil it(?:'s| is) over\b",
        r"\b(?:seal|lock|leave|maroon|abandon|shut|strand)\w*\b.{0,20}\b(?:out|behind|on him|on her|in the snow|to die|to drown)\b",
        r"\bset\b.{0,25}\bfree\b|\bfree (?:the|all|\w+'s)\b|\bdig (?:a|the|his|her) grave|\bbur(?:y|ied) (?:the|my|him|her|it)\b|\bhide the\b",
        r"\bsave\w*\b.{0,20}\b(?:life|\w+)\b|\b(?:meant|intended) for\b",
    ),
    "give": _any(
        r"\b(?:give|gave|hand|offer|present|pay|share|donate|deliver|bring|brought|buy|bought|toss|slide|press|leave|lend|repay|return|slip|pass|lay|split|let)"
        r"(?:s|ed|ing)?\b.{0,45}\b(?:to|into|with|back|before|my|for free|all|him|her|them|over|have|a|the)\b",
        r"\bfor (?:his|her|their) (?:widows?|children|mother|trouble|birthday|family)|\bgift\b|\bfor free\b|\bhalf of my\b|\bmy (?:last|share|own|seat|coat)\b|\bdebts?\b",
    ),
    "help": _any(
        _verbs(
            "help rescue bandage heal nurse tend teach protect defend shield comfort carry console mend feed shelter warn"
        ),
        r"\bstay (?:at|by|with|behind|beside)\b|\bstand up for\b|\bhold the door\b|\btake the blow\b|\bsave (?:his|her|their|\w+'s)\b|\bat (?:his|her) side\b|"
        r"\bcover for\b|\buntil (?:his|her|their) \w+ is (?:done|finished)|\b(?:do|does|do not stop|take) .{0,25}\b(?:work|order|shift|watch) (?:for|is)",
    ),
    "warm": _any(
        _verbs(
            "thank praise compliment bow kiss hug embrace applaud flatter apologise apologize congratulate toast bless hail"
        ),
        r"\bforgive (?:him|her|\w+)|\b(?:sing|speak) the praise|\bsay (?:I'm|I am) sorry\b|\bsorry\b|\bproud of\b|\bis the best\b|\byou are the best\b|\bown up\b",
        r"\b(?:take|squeeze|hold) (?:his|her) (?:hand|arm)\b|\bmy hand\b|\bsmile at\b|\bdance with\b|\bask\w* \w+ to (?:dance|marry)",
    ),
    "cold": _any(
        _verbs(
            "insult mock slap humiliate scold berate taunt curse sneer jeer snub scorn ridicule belittle scoff accuse heckle tease"
        ),
        r"\b(?:spit|spat|spits|shout|shouts|yell|yells|laugh|laughs|snarl|snap|snaps|snarls|swear|scream) (?:at|in)\b|\bthrow\w*\b.{0,20}\b(?:at|in) (?:his|her|their|\w+'s?)\b",
        r"\b(?:call|calls|called) (?:him|her|\w+|\w+\.? \w+) a\w* \w+|\bto (?:his|her|their|your) face\b|\bin front of (?:everyone|everybody|all|the|his|her)\b",
        r"\b(?:worthless|stupid|slow|coward|liar|fraud|fool|rat|ugly|useless|idiot|pathetic|smells?|grandmother|crooked|disgrace|shame|traitor)\b",
        r"\b(?:turn|turns|turned) (?:him|her|\w+|\w+'s \w+) (?:down|away)|\brefuse\w*\b|\bwon't (?:pay|drink|work|shake|serve)\b|\bnever (?:drink|speak|work) with\b|\bwe are (?:done|through|finished)\b",
        r"\b(?:slam|turn my back|walk out on|trip|push|shove|pull) (?:on|him|her|\w+ up|the door)|\bspill\w*\b.{0,30}\bon purpose\b|\bfire (?:him|her|[A-Z]\w+)\b",
    ),
    "treason": _any(
        _verbs("betray denounce expose inform snitch blab"),
        r"\b(?:sell|sells|sold) (?:\w+ |the \w+ |\w+'s \w+ ){0,3}(?:out|to)\b|\breport (?:\w+ ){1,4}to\b|\btip(?:s|ped)? off\b|\bturn\w* (?:\w+ ){1,3}in\b",
        r"\b(?:hand|pass|deliver|give|point out|tell)\w*\b.{0,40}\b(?:over to|names? (?:of|to)|name to|to the (?:police|guards|law|crown|authorities)|which \w+ the)\b",
        r"\b(?:switch|change) sides\b|\bdesert\b|\bmutin|\bquit (?:the|their)\b|\bdefect|\bcross the picket|\bvote (?:to|against|for)\b|\brefuse the order|\btear up\b",
    ),
    "face": _any(
        r"\b(?:look|looks|peer|gaze|stare|glance|squint)(?:s|ed|ing)? (?:\w+ )?(?:at|over|up at|him|her|them|closely at|properly at|under|up from|back at)\b(?! the (?:map|sky|sea|stars?|wall|room|clock|window|ceiling|ground|floor|two moons|moons?|paintings|horse|market|door|book|city|view|stalls|neon|water|ships?|road))",
        r"\b(?:study|studies|examine|size|sizes|observe|consider|regard|inspect|scrutinise|scrutinize|survey|eye|take in|watch|measure)(?:s|d|ing)?\b.{0,25}\b(?:up|him|her|face|stranger|man|woman|newcomer|features|eyes|appearance|visitor|gentleman|lady|head to)\b",
        r"\b(?:good|proper|real|clear|first|careful|better|close|closer|long|get a|take a|steal a) (?:real |good |proper |clear )?(?:look|view|glimpse|sight)\b",
        r"\blook\w* like\b|\b(?:his|her|their|the \w+'s|my|whose|new|\w+'s) (?:new )?(?:face|features|appearance|looks|reflection|portrait|picture|likeness|eyes|hands)\b",
        r"\b(?:show|let) me (?:see )?(?:\w+ ){0,4}|\b(?:portrait|picture|photograph|likeness|drawing|sketch|image) of\b|\bdescribe\b",
        r"\bmirror\b|\breflection\b|\bdisguise\b|\bscar\b|\bmy (?:hair|beard|face)\b|\bwig\b|\btattoo\b|\bhead to (?:foot|toe)\b|\bmeasure of\b|\bup and down\b",
        r"\bsee who(?:se)?\b|\bwho(?:'s| is) (?:that|this|the|dealing|she|he)\b|\bwhat (?:sort|kind|manner) of (?:face|man|woman|person)\b|\bnever seen (?:before|him|her)?\b|\bnot (?:met|know|seen)\b|\bfirst time\b|\bturn\w* (?:around|my head)\b.{0,20}\bsee\b",
    ),
    "go": _any(
        r"\b(?:go|goes|walk|head|heads|stroll|wander|ride|sail|travel|enter|leave|continue|follow|cross|return|march|board|push on|drive|come|set off|make my way|wend|hail)(?:s|ed|ing)?\b"
        r".{0,20}\b(?:to|into|on|along|north|south|east|west|home|out|through|down|up|back|past|over|outside|inside|towards?|around|by)\b",
        r"\blook (?:around|about|out|down|up|over the)\b|\bexplore\b|\bsearch\b|\bwait until\b|\bwatch the\b|\blook at the\b",
    ),
    "idle": _any(
        r"\b(?:wait|rest|sleep|eat|drink|sit|read|count|check|watch|brew|sip|wash|cook|bathe|yawn|order|nap|stay|listen|warm|rinse|smoke|light|pour|knead|mend|sweep|swab|water|hum)(?:s|ed|ing)?\b",
        r"\bmake-?up\b|\binventory\b|\barmou?r\b|\bweather\b|\bgood (?:morning|night|evening|day)\b|\bhello\b|\bgreet\b|\bnod\b|\bwave\b",
    ),
}

NOT = _any(
    r"\bnot\b|n't\b|\bdont\b|\bnever\b|\bno (?:shooting|fighting|violence|one gets|need|thanks|weapons?|blood)\b",
    r"\binstead of\b|\brather than\b|\bwithout (?=\w+ing\b)(?!being|leaving|making|waking)",
    r"\b(?:decline|refrain|forbear|hold (?:my|your) (?:tongue|peace|fire)|bite my tongue|say nothing|says? no\b|keep (?:my (?:mouth|thoughts)|silent|quiet|still)|"
    r"stay silent|tell no\w*|ask nothing|touch nothing|mouth shut|nobody my|leave (?:the |it |that )?\w* ?(?:alone|be|sealed|where it is|exactly))",
    r"\b(?:against|nor|neither)\b",
)
MAYBE = _any(
    r"\b(?:think|thought|thinking|dream|dreamt|toy|fantasise|muse)\w* (?:about|of|whether|on)\b",
    r"\b(?:consider|contemplate|imagine|ponder|weigh up|debate|wonder)\w*\b",
    r"\b(?:could|should|can|may|might|would) (?:I|we|a man|one|someone)\b|\bI (?:could|might|would)\b|\bif I\b|\bwhat (?:if|would happen)\b|\bmaybe (?:another|later|tomorrow)\b|\bwere I\b",
    r"\bhow (?:dangerous|hard|deep|high|far|many|much|long|likely|safe)\b|\bis it (?:safe|dangerous|possible)\b",
    r"\b(?:plan|planning|intend|want|wish|tempted|itch) to\b|\bone day\b|\bsome day\b",
)
QUESTION = _any(r"\?", r"^\W*(?:wh(?:at|o|ere|en|ich|y|ose)|how|is|are|do|does|did|have|has|had|was|were)\b")
GROUP = _any(
    r"\b(?:guild|order|crew|gang|family|clan|police|cops?|guards?|council|union|army|navy|militia|church|temple|tribe|society|company|syndicate|"
    r"authority|authorities|board|court|watch|brotherhood|sisterhood|cartel|rebels?|resistance|villagers|townsfolk|soldiers|pirates|bandits|monks|priests|"
    r"raiders|merchants|miners|garrison|regiment|senate|league|alliance|coven|pack|mob|hunters|nomads|settlers|workers|strikers|smugglers|elders|house|"
    r"your people|their people|his people|her people|his men|her men|their men|the boys|law|crown|knights|faction|cult|order|rangers|students|teachers|sailors|troupe)\b"
)
PERSON = _any(r"\b(?:he|she|him|her|his|hers)\b")
ADDRESSED = _any(
    r"[\"“”]", r"^\W*[A-Z][\w.]*(?: [A-Z]\w+)?, ", r", [A-Z]\w+[.?!,]", r"\b(?:you|your|yours)\b"
)
STRANGER = _any(
    r"\b(?:stranger|newcomer|unknown (?:man|woman)|someone new|new (?:face|arrival)|visitor|passer-by|somebody I|a (?:man|woman|girl|boy|lady|gentleman|figure)\b)"
)
