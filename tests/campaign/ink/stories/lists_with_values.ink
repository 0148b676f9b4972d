LIST prime = two = 2, three, five = 5
LIST other = (alpha = 10), beta
~ prime += two
{prime} {LIST_VALUE(prime)}
~ prime++
{prime} {LIST_VALUE(prime)} {prime(5)} {other.beta} {LIST_VALUE(other.alpha)}
{prime.three == prime: same}
