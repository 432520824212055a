/** What the journal says of the last send of a transaction that its signer could not pay for. */
export const unfunded = 'unfunded'
