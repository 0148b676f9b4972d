Grüße — „ja“, naïve café. 日本語。
VAR größe = 3
{größe} 🦊
* Ölmühle
* 行く
- Ende.
