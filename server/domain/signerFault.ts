/** What is said of a signer that gave no signature when it was last asked. */
export function describeSignerFault(reason: string): string {
  return `It gives no signatures: ${reason}`
}
