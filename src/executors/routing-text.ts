/** Turns text into comparable terms: words, without the commonest, cut to a light stem. Pure and deterministic. */

const STOP_WORDS = new Set(
  (
    'a an and any are as at be by can do each for from get give has have how i if in into is it its make me my need of on ' +
    'one or our please so some something task than that the their them then there these they this those to up us use ' +
    'using want was we what when where which who will with you your'
  ).split(' '),
)

const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** Only so much of a text is looked at: what it is about is said early, and routing stays quick. */
const MAX_TEXT = 4_000

/** The distinct terms of a text. Words of scripts without spaces are told apart too. */
export function termsOf(text: string): Set<string> {
  const terms = new Set<string>()
  const plain = text.slice(0, MAX_TEXT).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  for (const { segment, isWordLike } of segmenter.segment(plain)) {
    if (!isWordLike) continue
    for (const word of segment.split(/[^\p{L}\p{N}]+/u)) {
      if (word === '' || STOP_WORDS.has(word) || /^[a-z]$/.test(word)) continue
      terms.add(stem(word))
    }
  }
  return terms
}

/** Longest first, so that `citations` loses `ations` and not just `s`. */
const SUFFIXES = (
  'izations isations ization isation ations yzing ysing ation ators ator izing ising ings ysis yses yzed ysed ized ised ' +
  'izes ises ers ors ies ied ize ise yze yse yst ing ate er or ed es ly al s e y'
).split(' ')
const MIN_STEM = 3

/** `research`, `researcher` and `researching` become one term; so do `cite` and `citations`, `plan` and `planning`. */
export function stem(word: string): string {
  const suffix = SUFFIXES.find((end) => word.endsWith(end) && word.length - end.length >= MIN_STEM)
  if (!suffix || word.endsWith('ss')) return word
  const cut = word.slice(0, -suffix.length)
  // A consonant doubled only for the ending: planning, stopped. Not `ll`, `ss`, `zz`: selling, passing.
  return /([^aeioulsz])\1$/.test(cut) && cut.length > MIN_STEM ? cut.slice(0, -1) : cut
}
