const quote = 34
const backslash = 92

/**
 * Whether lists and objects of a JSON text are nested deeper than that, by one look at it: made into values, a hundred
 * thousand of them would keep everybody else waiting, and what collects garbage as well. Of a text that is no JSON it says
 * nothing.
 */
export function isNestedDeeper(text: string, most: number): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at)
        break
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > most) return true
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth--
        break
    }
  }
  return false
}

/** Where the quote is that ends it; the end of the text where none does. */
function endOfString(text: string, begin: number): number {
  for (let end = begin; ;) {
    end = text.indexOf('"', end + 1)
    if (end < 0) return text.length
    let last = end
    while (text.charCodeAt(last - 1) === backslash) last--
    // Each backslash that is not itself escaped escapes what comes after it.
    if ((end - last) % 2 === 0) return end
  }
}
