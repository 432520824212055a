const maxWaitSeconds = 60

/** How long a client will wait for the end of what it asks for; `applied` is the header that says so in the reply. */
type PreferredWait = { waitMs: number | null; applied: { 'Preference-Applied': string } | undefined }

/** Finds `wait=N` among the preferences of the header `Prefer` (RFC 7240); `waitMs` is null where it is not there. */
export function preferredWait(prefer: string | undefined): PreferredWait {
  for (const preference of prefer?.split(/[,;]/) ?? []) {
    const [, digits] = /^\s*wait\s*=\s*"?(\d+)"?\s*$/i.exec(preference) ?? []
    if (digits === undefined) continue
    const seconds = Math.min(Number(digits), maxWaitSeconds)
    return { waitMs: seconds * 1000, applied: { 'Preference-Applied': `wait=${seconds}` } }
  }
  return { waitMs: null, applied: undefined }
}
