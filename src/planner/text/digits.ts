const CJK_DIGITS = '一二三四五六七八九十'

/** `十二` → `12`; what is in digits already stays. */
export function digits(number: string | undefined): string | null {
  if (number === undefined) return null
  if (!CJK_DIGITS.includes(number[0] ?? ' ')) return number.replace(/^0+(?=\d)/, '')
  const [tens, ones] = number.includes('十') ? number.split('十') : ['', number]
  const ten = number.includes('十') ? (tens === '' ? 1 : CJK_DIGITS.indexOf(tens ?? '') + 1) : 0
  return String(ten * 10 + (ones === '' ? 0 : CJK_DIGITS.indexOf(ones ?? '') + 1))
}
