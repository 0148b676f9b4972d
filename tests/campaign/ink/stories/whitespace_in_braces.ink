VAR t = true
He { t :stood|sat} there{ t :, waiting}. { not t :never}{ t: at last }now
{ t :
  Inside.
}
Word{t:s} {t: } end
