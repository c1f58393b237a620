/** Verbs that begin a request. These are hardly ever anything but verbs. */
const VERBS = words(`
  achieve acquire add adapt adjust advise align allocate analyse analyze announce answer apply approve arrange ask assemble
  assess assign attach automate begin bring browse build buy calculate call cancel categorize categorise check choose
  classify clean clear close collect combine come compare compile complete compose compute configure confirm connect
  consider consolidate contact convert cook copy correct create customize cut debug decide decorate define delete deliver
  deploy derive describe detect determine develop discuss divide download draw earn eat edit email e-mail embed enable
  enrich ensure establish estimate evaluate examine execute expand explain explore export extend extract fetch figure fill
  filter finalize finalise find finish fix follow gather generate get give go grab greet group guess handle help hire host
  identify illustrate implement import improve include inform initialize inspect install integrate interview introduce
  invent investigate invite invoice keep learn leave let listen load locate log look make map measure meet merge migrate
  modify monitor move negotiate notify obtain open optimize optimise organize organise outline pack paint paraphrase parse
  pay perform pick play post predict prepare present prioritize proceed process procure produce prove provide publish
  pull put rank read rearrange recommend reconcile record redesign reduce refactor refine register remind remove rename render
  rent reorganize repair repeat replace reply reproduce reserve resolve respond retrieve return revise rewrite say scan
  schedule scrape secure see select sell send separate serve set share show sign simplify simulate sing sketch solve sort
  speak specify split start store submit suggest summarise summarize suspend synthesize take talk teach tell think tidy
  transcribe transform translate try turn understand update upgrade upload use validate verify visit visualize visualise wait
  walk wash watch write
`)

/** Verbs that are nouns as often: they begin a clause only where what follows is an object. */
const NOUNS_TOO = words(`
  address audit back balance bake benchmark book brief budget change chart clone code color colour cost cover crop date design
  document dispatch draft estimate file forecast format grade graph ground head highlight index interview invoice issue
  label land lead lease light link list mail mark market model name note number order package paint perform phone photograph
  pitch place plan plant plot point practice print program project proofread purchase query question quote rate release
  report request research reset review run sample save score screen search ship shop shorten signal sort stage state stop
  study style subscribe summary supply support survey tag target test time title tour track trade train transfer trial
  trim vote water weigh work wrap
`)

/** What an object of one of those begins with. */
const OBJECT =
  /^\s+(?:an?|the|my|our|your|his|her|their|its|this|that|these|those|it|them|me|us|him|all|any|each|every|both|some|several|more|one|two|three|four|five|\d+|for|to|up|out|about|on|into|through|everything|each|new|with)\b/i
/** After this, the word before was no order but a subject: "Research shows …", "Work is …". */
const PREDICATE =
  /^\s+(?:is|are|was|were|has|have|had|will|would|can|could|should|may|might|must|does|did|shows|suggests|and|or|of|,|:)\b/i

/** Courtesies around an order, and adverbs before it. */
export const COURTESY =
  /^(?:(?:please|pls|kindly|also|just|now|ok|okay|hi|hello|hey|so|and|carefully|quickly|briefly|thoroughly|automatically|properly|go ahead and|make sure to|be sure to|remember to|don['’]t forget to|let['’]?s|let us|(?:can|could|would|will) you|(?:i|we)(?: would|['’]d)? (?:want|like|need)(?: you)? to|(?:i|we) (?:want|need|wish) to|(?:i|we)(?: would|['’]d) like|you (?:should|must|need to|have to)|your (?:task|job) is to|help (?:me|us)(?: to)?|please)[,:]?\s+){1,6}/i

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/))
}

/** The word that a text begins with, in lower case, and what comes after it; null where it begins otherwise. */
export function firstWord(text: string): { word: string; rest: string } | null {
  const found = /^[\p{L}][\p{L}'’-]{0,40}/u.exec(text)
  return found && { word: found[0].toLowerCase(), rest: text.slice(found[0].length, found[0].length + 80) }
}

/** Whether a sentence is an order: it begins with a verb, courtesies aside. */
export function isOrder(mask: string): boolean {
  const first = firstWord(mask.slice(0, 300).replace(COURTESY, ''))
  if (!first) return false
  if (VERBS.has(first.word)) return !/^\s+(?:is|are|was|were)\b/i.test(first.rest)
  return NOUNS_TOO.has(first.word) && !PREDICATE.test(first.rest)
}

/**
 * Whether a new clause with an order of its own begins here, after "and" or a comma. Stricter than {@link isOrder}: a
 * word that may be a noun needs an object, so "supply and demand" and "research and design" stay in one piece.
 */
export function beginsClause(mask: string): boolean {
  const first = firstWord(mask.replace(COURTESY, ''))
  if (!first) return false
  if (VERBS.has(first.word)) return !/^\s+(?:is|are|was|were|of)\b/i.test(first.rest)
  return NOUNS_TOO.has(first.word) && OBJECT.test(first.rest)
}

/** Whether any verb of the lists begins here, for "to write", "who book". */
export function isVerb(word: string): boolean {
  return VERBS.has(word.toLowerCase()) || NOUNS_TOO.has(word.toLowerCase())
}
