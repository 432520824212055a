/** The chain is not as it was taken for, and nothing may be sent. */
export class DeployRefused extends Error {
  override readonly name = 'DeployRefused'
}
