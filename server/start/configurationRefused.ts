/** The service can't start on this chains file; what is wrong has to be mended there first. */
export class ConfigurationRefused extends Error {
  override readonly name = 'ConfigurationRefused'

  constructor(problems: readonly string[]) {
    super(problems.map((problem) => `CHAINS_FILE: ${problem}`).join('\n'))
  }
}
