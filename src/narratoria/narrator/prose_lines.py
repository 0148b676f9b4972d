"""The composer's own sentences, for any world: they join what the author wrote and never add a fact to it.

Slots: {place}, {person} (a whole name), {short} (what one calls them), {memory} (a clause), {text}.
"""

from __future__ import annotations

from collections.abc import Mapping

GOING = (
    "You go {route}.",
    "You set off {route}.",
    "You make your way {route}.",
    "You take your leave and go {route}.",
    "There is no reason to put it off, and you go {route}.",
    "You do not look back. You go {route}.",
)
GOING_NOWHERE_SAID = (
    "You make your way to {place}.",
    "You set off for {place} and are there sooner than you thought.",
    "The way to {place} gives you time to think, and then no more of it.",
)
KNOWN_WAY = (
    "You know the way to {place} by now, and your feet take it without asking you.",
    "The way to {place} has grown shorter with use.",
    "You are at {place} again almost before you have decided to go there.",
    "Your own steps lead you to {place}, as if they had been waiting to be used again.",
    "You go over to {place} with your head full, and could not say afterwards what you passed.",
    "Back to {place}, then. The way there asks nothing of you this time.",
    "It is not far to {place}, and you use every step of it for thinking.",
    "You retrace the way to {place}, a little quicker than you came.",
    "This time you do not have to look for {place}. You simply arrive.",
    "You let the rest wait and return to {place}.",
)
RETURNED = (
    "It is as you left it, or nearly.",
    "Nothing has moved, and yet it is not quite the place you walked out of.",
    "Coming in a second time, you notice what you overlooked the first.",
    "It takes you back without remark.",
    "Somebody might have been holding their breath here until you returned.",
    "You have the feeling of having left something here, though your hands are not missing anything.",
    "What seemed strange the first time has already become the ordinary state of things.",
    "You stop just inside and let it come to you.",
    "It is smaller than you remembered, as places are once one knows something about them.",
    "You stand where you stood before, and are not quite who stood there.",
    "All of it is where it was. It is you who have been moved along a little.",
    "Here, at least, nobody has decided anything without you.",
)
LOOKING = (
    "You take your time over it.",
    "You look again, and this time slowly.",
    "You let your eyes do the work.",
    "You begin at one end and leave nothing out.",
    "You make yourself look as if you had never been here.",
    "There is always something that only shows itself to the patient.",
    "You stop looking for anything in particular, and at once there is something.",
)
SEEN_ALL = (
    "You go over everything once more, and nothing has moved.",
    "You have looked at all of it by now. It looks back.",
    "There is nothing left to find here but what you brought.",
    "You know this place by heart now, down to what it keeps in its corners.",
    "Your eyes go round and come back to where they started, with nothing to show for it.",
    "Whatever there was to see, you have seen. The rest is a matter of doing.",
    "It would be easy to go on looking, and that is the trouble with looking.",
    "You search it again in your mind, which is quicker, and come to the same end.",
    "There are no more secrets in plain sight. If there is another, somebody is keeping it.",
    "You look until looking turns into staring, and then you stop.",
    "Another look gives you the same answer in the same words.",
    "You check what you have checked. It passes.",
)
TALKING: Mapping[str, tuple[str, ...]] = {
    "neutral": (
        "You stay a while with {person}, and before long there is talk.",
        "You give {person} time to come round to it.",
        "You ask {person} nothing in particular, which is often the best way to be told something.",
        "{person} considers you, and decides that you will do.",
        "It takes a little while before {person} has finished not saying anything.",
        "You keep {person} company, and the silence is the first to give way.",
        "{person} speaks without turning round.",
        "You have hardly begun when {person} begins too.",
        "{person} has been wanting to say something, and you are there to say it to.",
        "You wait until {person} looks up.",
    ),
    "warm": (
        "{person} makes room for you without being asked.",
        "{person} looks up, and is plainly glad that it is you.",
        "With you {person} does not trouble to choose words.",
        "{person} draws you aside, as one does with somebody on one's own side.",
        "There is a place beside {person}, and it seems to have been kept for you.",
        "{person} has saved this for you, you can tell.",
    ),
    "cold": (
        "{person} lets you stand there for a moment longer than is kind.",
        "{person} answers you, but only just.",
        "It costs {person} something to speak to you, and you are meant to see it.",
        "{person} looks past you and speaks to whatever stands there.",
        "You get a look from {person} before you get a word, and the look is no welcome.",
        "{person} says it quickly, to have it over with.",
    ),
}
SAYS: Mapping[str, tuple[str, ...]] = {
    "neutral": ("says {short}", "says {short}", "{short} says"),
    "warm": ("says {short}", "{short} tells you", "says {short}"),
    "cold": ("says {short}", "{short} says at last", "says {short}"),
}
ABOUT_SELF = (
    "You are beginning to make {short} out. {predicate}.",
    "One thing you do learn, and not from anything that is said: {predicate}.",
    "You watch {short} while you listen, and it is plain enough. {predicate}.",
    "There is this about {short}, and it comes out sooner or later: {predicate}.",
)
WANTING = (
    "Under all the talk there is one thing that {short} wants: to {wish}.",
    "You could sum it up in a few words, if {short} were not there to hear them: to {wish}.",
    "Whatever is being talked about, {short} is really talking about something else: how to {wish}.",
)
ABOUT_OTHERS = (
    "The talk comes round to {other}. {predicate}.",
    "You mention {other}, to see what happens. What happens is a pause. {predicate}.",
    "Somehow you get on to {other}. {predicate}.",
)
TALK_IT_OVER = (
    "You and {person} go over it together, from one end to the other: {memory}.",
    "It is not long before you and {person} are back at the same thing: {memory}.",
    "You both talk of other things, and both are thinking of the one: {memory}.",
    "You tell it, and {person} listens to the end. So that is how it stands: {memory}.",
)
HEARD: Mapping[str, tuple[str, ...]] = {
    "neutral": (
        "{person} hears you to the end, and says nothing for a while.",
        "{person} begins to answer, and thinks about it instead.",
        "{person} looks at you a little longer than before. It has gone in, whatever becomes of it there.",
        "{person} looks round to see who else may have heard, and moves a step closer all the same.",
        "{person} asks why you come here with it, and does not seem to mind that you did.",
    ),
    "warm": (
        "{person} is glad to have it from you, and says so.",
        "{person} puts a hand on your sleeve for a moment, which is an answer.",
        "{person} takes it from you as one takes one end of something heavy.",
        "{person} asks two questions, both of them good ones, and nods at what you say to them.",
    ),
    "cold": (
        "{person} hears it as one hears rain.",
        "“Is that all?” says {short}.",
        "{person} lets you finish. It seems to be meant as a courtesy, and feels like the opposite.",
        "{person} supposes aloud that you have your reasons, and does not ask for them.",
    ),
}
ADVISED = (
    "{person} goes through it with you step by step, and stops at the one where you were in a hurry.",
    "{person} thinks that it was nothing you could have helped, and that you know a little more now.",
    "{person} asks whom you asked first, and nods at the answer, which is nobody.",
    "{person} considers it fairly, and finds very little. You had no luck.",
)
POINTING_HERE = (
    "{person} thinks about it properly. If you were to {wish}, you would be further on.",
    "{person} counts off what you have done, and comes to what you have not: to {wish}.",
    "It is plain enough what {person} would have you do, and that is to {wish}.",
)
POINTING_AWAY = (
    "{person} looks over your shoulder, in the direction of {place}. There, if anywhere.",
    "{person} lets you know, kindly enough, that you will not get on by standing here. Go by way of {place}.",
    "{person} names {place}, and will not be drawn as to why.",
)
TALKED_OUT: Mapping[str, tuple[str, ...]] = {
    "neutral": (
        "{person} has said what there was to say, and is comfortable with the silence.",
        "You and {person} have run out of words for now, and neither of you minds.",
        "{person} shrugs. There is no more to it than you have heard.",
        "You try again with {person}, and get what you got before, in fewer words.",
        "{person} nods at what you say, and adds nothing to it.",
        "There is nothing new from {person}, only the same thing, thought about a little longer.",
        "{person} hears you out and lets it rest there.",
        "By now you know as much as {person} does, and both of you know it.",
        "{person} would tell you if there were more. It is written all over that face.",
        "{person} turns out both hands, and they are empty.",
        "{person} looks at you as if the next thing to be said were yours.",
    ),
    "warm": (
        "You and {person} do not say much, and it is good company all the same.",
        "{person} trusts you to do what is right, and does not trouble to say it.",
        "{person} has no more to tell you, but is in no hurry for you to go.",
        "{person} has no answer, and stays with you while you look for another. It is good company.",
        "{person} smiles at the question. You have had the answer already, and it has not changed.",
    ),
    "cold": (
        "{person} has nothing for you.",
        "{person} looks through you until you have finished, and for a while after that.",
        "{person} waits for you to finish, and then for you to leave.",
        "You get no more out of {person} than the time it takes to be refused.",
        "{person} has nothing to say to you, and lets you see that it is no trouble.",
    ),
}
WAITING = (
    "You wait.",
    "You let some time go by.",
    "For a while you do nothing at all, and do it thoroughly.",
    "You stay where you are and give things a chance to happen.",
    "You keep still, and after a while the place forgets that you are there.",
    "You listen.",
    "There are times when one gets further by standing still, and this may be one of them.",
    "Minutes go by, each of them a little longer than the last.",
    "You count to a hundred, lose your place, and begin again.",
    "You give it time. Time is what you have.",
    "You hold your tongue and your ground.",
    "Nothing asks for you, so you let it not ask.",
)
WAITED = (
    "The waiting is not empty. It fills up with everything you have put off thinking about.",
    "You find that you have been waiting for something in particular, and that you could give it a name.",
    "Whatever is coming takes no notice of how hard you wait for it.",
    "A thing put off does not grow smaller. You can feel this one growing.",
    "When you move again it is with the stiffness of somebody who has made a decision without being told.",
    "There is a point at which patience turns into hiding, and you are somewhere near it.",
    "You come out of it with nothing new but a steadier hand.",
    "It is surprising how much goes on while nothing does.",
)
AFTERWARDS = (
    "Nothing answers at once. The moment stays open, and waits for what you will do with it.",
    "There is a pause after that, of the kind in which things are decided.",
    "You stand there with it for a moment. Then the world picks up again where it left off.",
    "It is done, and it cannot be put back. You find you do not want to put it back.",
    "Somewhere a small thing settles into place. You could not say what, or for whom.",
    "Afterwards everything looks the same, and you look at it differently.",
    "That leaves you where you are, with a little more to carry and a little less to wonder about.",
    "What comes next is no clearer than before, but there is less of it left.",
    "You let it sink in. It sinks a long way.",
    "A thing has been set going. You can no more hear it than you can hear a wheel that runs well.",
    "There. Whatever else happens, that has happened.",
    "The silence afterwards is not the silence from before.",
    "You have the sense of a page being turned by somebody who reads a little faster than you.",
    "Very little has changed, and that little is in the right place.",
    "It is the sort of moment one only recognises later, from the far side.",
    "You could leave it at that. You know already that you will not.",
    "There is more where that came from. There always is.",
    "You put it with the rest of what you know. The pile has begun to lean in one direction.",
    "You notice that you have been holding yourself quite still.",
    "It takes you a while to notice that nobody has said anything since.",
)
QUIET = (
    "For as long as one breath takes, everything seems to have drawn a little closer.",
    "It would be a good moment to be sure of something.",
    "Nobody is looking at you. All the same you feel looked at.",
    "You take a breath that you seem to have been owed for some time.",
    "It is your turn again. It has a way of coming round.",
    "There is a kind of quiet that is only people not saying things, and this is that kind.",
    "You run through what you know. It does not take long, and it does not add up, not yet.",
    "Something has still to be done, and there is nobody about who looks more likely to do it than you.",
    "You would give something for a word of advice, so long as it agreed with you.",
    "What you need is not here, or it is, and you have not asked the right question of it.",
    "The next step is yours to take. It has been yours for some time.",
    "You catch yourself listening for something, and cannot think what.",
    "If there is a clock on all this, you cannot see its face from here.",
    "You could stay. It is one of the things that one can always do, until it is not.",
    "It strikes you that everybody you have met is waiting for somebody else to begin.",
    "You think of what you would say if you were asked, and nobody asks.",
    "It is hard to tell a lull from an ending while you are standing in it.",
    "You look at your hands. They seem ready for something.",
    "A thought comes, and looks round, and goes on its way without introducing itself.",
    "Either you have all the time in the world or very little. Both feel like this.",
    "You have a feeling of being exactly on time for something that nobody has told you about.",
    "You wait for a thought that would make all of it plain, and get the one you had before.",
    "There are only so many places the answer can be, and you have crossed off some of them.",
    "It is no more than a pause. You have come to distrust pauses.",
)
NUDGING = (
    "It would be the simplest thing in the world to {wish}.",
    "All the while you could {wish}. Nothing is in the way of it but you.",
    "You keep coming back to the one thing that you have not done, which is to {wish}.",
    "There is nothing to stop you, if you want to {wish}.",
    "Sooner or later somebody will have to {wish}, and you look round, and there is nobody else.",
    "You could {wish}. The thought is getting harder to walk around.",
    "What would happen if you were to {wish}? You have an idea that you will find out.",
    "It is still open to you to {wish}, and it may not be open for ever.",
)
PRESENT = (
    "{person} looks up, sees that it is you, and goes on.",
    "{person} is still here, and has the air of having been so for some time.",
    "{person} makes no remark, but has noticed you.",
    "There is a sideways look for you from {person}, and no more than that.",
    "{person} is about to say something, and thinks better of it.",
    "{person} has not moved far since you last looked.",
    "{person} nods, as to somebody who belongs here by now.",
    "You share the quiet with {person}, who seems to have plenty.",
    "{person} glances over, and away, and over again.",
)
REMEMBERING = (
    "All this while it goes round in your head: {memory}.",
    "You have not forgotten that {memory}.",
    "And beneath everything else there is the one thought: {memory}.",
    "It comes back to you, as it does whenever it is quiet: {memory}.",
    "It is no use thinking of other things. You know that {memory}.",
    "You turn it over once more, and it does not change for being turned: {memory}.",
    "There is no getting round it: {memory}.",
    "You tell yourself how things stand, as if you were telling somebody else: {memory}.",
    "Whatever else is uncertain, this is not: {memory}.",
    "It is strange to stand here and to know that {memory}.",
)
OWING = (
    "There is still the matter of your word: {memory}.",
    "You have not lost sight of what you took on: {memory}.",
    "A thing promised has a weight, and you can feel this one: {memory}.",
)
KNOWING = (
    "You do not come to this with empty hands: {memory}.",
    "You go into it knowing what you know: {memory}.",
    "One thing you take with you into it: {memory}.",
    "Before, you would have gone about it differently. But {memory}.",
)
LIKED = (
    "It counts for something that {opinion}.",
    "You can feel it in how you are met: {opinion}.",
)
WARM_SIGNS = (
    "{person} catches your eye and gives you the smallest of nods.",
    "{person} shifts along to make room for you.",
    "When you look round, {person} has been looking too, and does not pretend otherwise.",
    "{person} seems easier with you there.",
)
COLD_SIGNS = (
    "{person} has found something to do that means not looking at you.",
    "{person} moves a step further off, and makes it look like chance.",
    "You can feel {person} watching the back of your head.",
    "{person} stops speaking when you come near.",
)
ENDINGS: Mapping[str, tuple[str, ...]] = {
    "success": (
        "It goes the way you meant it to go, which surprises nobody more than you.",
        "It works, cleanly, and you have breath left over.",
        "You do it as if you had done it every day of your life.",
        "It comes off. You look at your hands with something like respect.",
        "For once the thing in your head and the thing in the world are the same thing.",
    ),
    "partial success": (
        "It works, after a fashion, and something is left owing.",
        "You manage it, though not in the way you would tell it afterwards.",
        "You get what you came for, and something besides that you did not ask for.",
        "It is done, and not well, and it will have to serve.",
        "You come away with most of it. The rest stays behind and remembers you.",
    ),
    "failure": (
        "It does not work, and it costs you more than you like to show.",
        "It goes wrong, slowly enough for you to watch.",
        "You know a moment too early that it will not come off, and can do nothing with the moment.",
        "It comes to nothing, and not quietly.",
        "The attempt is over before you have properly made it. It is not forgotten so quickly.",
    ),
}
ATTEMPT = (
    "It is in your mind to {wish}, and you make a start on it.",
    "You set about it: to {wish}, and see what comes of it.",
    "You make up what you lack in certainty with beginning: to {wish}, no more and no less.",
    "Nothing here is in the way of your trying to {wish}, so you try.",
    "There is no one to tell you how, but you mean to {wish}, and you give it what you have.",
)
ASKED = (
    "You put the question as it comes to you: “{text}”",
    "“{text}” It is out before you have thought about who might answer.",
    "You ask it aloud: “{text}”",
)
SAID = (
    "You say it so that it can be heard: “{text}”",
    "“{text}” Once it is said, it is there, with everything else.",
)
TURNED_TO = (
    "You give it your attention: {text}.",
    "It is this that occupies you now: {text}.",
)
UNMOVED = (
    "It makes less of a difference than you had hoped, and more than you can see.",
    "If anything comes of it, it will not be at once.",
    "The world goes on as it was, though perhaps it has taken a note.",
    "It changes nothing that you can point to. Still, you have done it.",
    "What you have done stands there, a little out of place, like a chair in a road.",
    "It is not the kind of thing that gets an answer straight away.",
    "Whether it was the right thing to do, nothing here will tell you.",
    "You cannot say that it has helped. You cannot say that it has not.",
)
UNANSWERED = (
    "{person} gives you a look that might be an answer, if you knew how to read it.",
    "{person} takes that in, and keeps it.",
    "{person} listens as one does to a sound from another room.",
    "{person} does not answer straight away, and then does not answer.",
    "{person} raises an eyebrow by about its own thickness.",
)
