LIST mood = (calm), cross, furious
LIST things = lamp, (rope), key
VAR has = (rope, lamp)
{mood} {has} {things}
~ mood++
~ has += key
{mood} {has} {LIST_COUNT(has)} {LIST_MIN(has)} {LIST_MAX(has)}
{has ? rope: roped} {has ? (lamp, key): both} {has !? calm: uncalm} {has hasnt rope: no rope}
~ has -= lamp
{has} {LIST_ALL(has)} {LIST_INVERT(has)} {LIST_VALUE(mood)} {mood == cross: cross} {mood > calm: worse}
~ mood = mood(3)
{mood} {has ^ (key, lamp)} {LIST_RANGE(LIST_ALL(mood), 2, 3)}
~ has = ()
{has: some|none} {LIST_COUNT(has)}
