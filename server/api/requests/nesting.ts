const quote = 34
const backslash = 92

/**
 * Whether lists and objects of a JSON text are nested more than `most` deep. The text is scanned once, before it is
 * parsed: a hundred thousand nested lists would block the event loop while they are parsed, and again when garbage is
 * collected. The answer means nothing for a text that is not JSON.
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

/** The index of the quote that ends the string which begins at `begin`; the text's length where there is none. */
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
