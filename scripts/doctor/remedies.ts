/** For a contract of which there is nothing, or something else, at its address. */
export const deployIt = 'Run `npm run deploy -- --chains <file>`, or correct the address in the chains file.'

/** For one that is there, and not quite as this build makes it. */
export const lookAgain = 'Deploy this build with `npm run deploy`, or run the build that the contract is of.'
