import type { Mutation } from './mutation.js'

/** Of what a process does as it starts, and with those who come to it. */
export const processMutations: Mutation[] = [
  {
    name: 'a visit puts off what was hurried meanwhile',
    changes: [
      {
        file: 'server/store/actions/steps.ts',
        find: ".where('due_at', '>', trx.atOnce())",
        replace: ".where('due_at', '>', 0)",
      },
    ],
    tests: ['test/store/claims.test.ts', '-g', 'hurried'],
  },
  {
    name: 'a probe waits for all requests that have come before it',
    changes: [
      {
        file: 'server/api/requests/readRequest.ts',
        find: "if (!operation.takesBody && !isProbe(operation.operationId)) await admitted('bare')",
        replace: "if (!operation.takesBody) await admitted('bare')",
      },
    ],
    tests: ['test/api/admission.test.ts', '-g', 'a probe'],
  },
  {
    name: 'a request without a body waits for all bodies that have come before it',
    changes: [
      { file: 'server/api/requests/admission.ts', find: 'lines[line].push(begin)', replace: 'lines.bare.push(begin)' },
    ],
    tests: ['test/api/admission.test.ts'],
  },
  {
    name: 'a read waits for all writes that have come before it',
    changes: [
      {
        file: 'server/store/connection/turnstile.ts',
        find: 'const mostWritesInARow = 4',
        replace: 'const mostWritesInARow = Infinity',
      },
    ],
    tests: ['test/store/connection/turnstile.test.ts'],
  },
  {
    name: 'reads of steps wait for reads of large actions',
    changes: [{ file: 'server/api/operationTraits.ts', find: "getStep: 'shared'", replace: "getStep: 'own'" }],
    tests: ['test/api/manyRequests.test.ts', '-g', 'reads that come at once'],
  },
  {
    name: 'whoever waits for a step reads it at the change of any other of the action',
    changes: [{ file: 'server/services/steps.ts', find: 'told.length > 0 &&', replace: 'told.length > 999 &&' }],
    tests: ['test/services/steps.test.ts'],
  },
  {
    name: 'a probe looks at the database after all that clients have asked for',
    changes: [
      {
        file: 'server/compose.ts',
        find: 'createHealth({ store: urgentStore,',
        replace: 'createHealth({ store,',
      },
    ],
    tests: ['test/services/readyAmongMany.test.ts'],
  },
  {
    name: 'all requests that have come begin in one turn',
    changes: [
      {
        file: 'server/api/requests/admission.ts',
        find: 'performance.now() - startedAt < sliceMs',
        replace: 'performance.now() > 0',
      },
    ],
    tests: ['test/api/admission.test.ts'],
  },
  {
    name: 'what the process before had claimed waits for its leases',
    changes: [
      {
        file: 'server/store/claims.ts',
        find: "if (database.kind !== 'sqlite') return",
        replace: 'if (database.kind) return',
      },
    ],
    tests: ['test/store/claims.test.ts', '-g', 'the process before'],
  },
  {
    name: 'a start cuts what was counted as waited',
    changes: [
      { file: 'server/store/claims.ts', find: "dueLater('steps').where('unseen_ms', 0)", replace: "dueLater('steps')" },
    ],
    tests: ['test/store/claims.test.ts', '-g', 'does not know'],
  },
  {
    name: 'what is rightly put off for an hour is taken for a wrong clock’s doing',
    changes: [
      { file: 'server/domain/putOff.ts', find: 'return longestPutOffMs[table] + marginMs', replace: 'return 300_000' },
    ],
    tests: ['test/store/farOffClaims.test.ts', '-g', 'as long as anything is'],
  },
  {
    name: 'what a client sends behind an event stream is kept',
    changes: [
      { file: 'server/api/connections/inTurn.ts', find: 'isFull || isEventStream(line.answering)', replace: 'isFull' },
    ],
    tests: ['test/api/manyRequests.test.ts', '-g', 'behind an event stream'],
  },
  {
    name: 'bodies that have not come whole are given up by age, whoever sends them',
    changes: [
      {
        file: 'server/api/requests/unfinishedBodies.ts',
        find: 'const body = { client, bytes: 0, giveUp }',
        replace: "const body = { client: '', bytes: 0, giveUp }",
      },
    ],
    tests: ['test/api/bodies.test.ts', '-g', 'refused'],
  },
  {
    name: 'files that are in memory once for all count as unread for each client',
    changes: [
      {
        file: 'server/api/connections/unread.ts',
        find: 'socket.writableLength - (shared.get(socket) ?? 0)',
        replace: 'socket.writableLength',
      },
    ],
    tests: ['test/api/connections.test.ts', '-g', 'files'],
  },
  {
    name: 'any number of clients may come by the other doors',
    changes: [{ file: 'server/api/connections/doors.ts', find: 'inside.size >= most', replace: 'inside.size < 0' }],
    tests: ['test/api/doors.test.ts', '-g', 'no more than'],
  },
  {
    name: 'whatever was sent is sure not to be there before the first look',
    changes: [
      {
        file: 'server/engine/receipts/lookTimes.ts',
        find: 'look.oldest === wait?.since ? firstMs : 0',
        replace: 'firstMs',
      },
    ],
    tests: ['test/engine/lookTimes.test.ts', '-g', 'others were awaited'],
  },
  {
    name: 'what is ready as a process starts does not wait for the check of its lanes',
    changes: [
      {
        file: 'server/engine/lanes/lanesChecked.ts',
        find: 'if (!chain.isChecked) await settledOrAfter(chain.told, ms)',
        replace: 'void settledOrAfter(chain.told, ms)',
      },
    ],
    tests: ['test/engine/lanesChecked.test.ts', '-g', 'by all who ask'],
  },
  {
    name: 'a chain that is silent takes the places of the others',
    changes: [
      {
        file: 'server/engine/places.ts',
        find: 'return takenBy(chainId) + 1 > free - 1',
        replace: 'return takenBy(chainId) < 0 || free < 1',
      },
    ],
    tests: ['test/engine/worker.test.ts', '-g', 'may have is taken'],
  },
  {
    name: 'who waits for an account stays behind those that another process has carried out',
    changes: [
      {
        file: 'server/engine/steps/accounts.ts',
        find: 'if (await deps.hurry(entry.ref).catch(() => true)) return',
        replace: 'if ((await deps.hurry(entry.ref).catch(() => true)) || name) return',
      },
    ],
    tests: ['test/engine/accounts.test.ts', '-g', 'not kept waiting by those'],
  },
  {
    name: 'fees are raised while the chain makes no blocks',
    changes: [
      {
        file: 'server/engine/lanes/resends.ts',
        find: 'movedAt <= transaction.waitingSince',
        replace: 'movedAt > transaction.waitingSince',
      },
    ],
    tests: ['test/nodes/replacement.test.ts', '-g', 'keeps its fees'],
  },
  {
    name: 'a payout that was settled and comes again is open anew',
    changes: [
      {
        file: 'server/store/money/exposures.ts',
        find: "exposure.kind === 'payout' ?",
        replace: "exposure.kind !== 'payout' ?",
      },
    ],
    tests: ['test/store/money/exposures.test.ts'],
  },
  {
    name: 'of a body that is wrong all over all is told to nobody',
    changes: [
      { file: 'server/api/requests/clipLists.ts', find: 'if (left <= 0 && items.length > 0) break', replace: '' },
    ],
    tests: ['test/api/clipLists.test.ts'],
  },
  {
    name: 'a step takes what was settled of another, though credit is set aside for it',
    changes: [
      {
        file: 'server/store/journal/bookResult.ts',
        find: '(await isDrawn()) || (await isSettled())',
        replace: '(await isSettled()) || (await isDrawn())',
      },
    ],
    tests: ['test/store/money/exposures.test.ts'],
  },
  {
    name: 'a step that was paid and did not do its part is not held against the chain',
    changes: [
      {
        file: 'server/store/journal/settlement.ts',
        find: 'block_hash: result.blockHash ?? null,',
        replace: "block_hash: result.status === 'success' ? result.blockHash : null,",
      },
    ],
    tests: ['test/store/journal/reorganisations.test.ts', '-g', 'gives its credit back'],
  },
  {
    name: 'a transaction carries a step whose account another has',
    changes: [
      {
        file: 'server/store/journal/transactionRecorder.ts',
        find: 'withoutAccount.includes(ref) ? retaken : change',
        replace: 'withoutAccount.includes(ref) ? change : retaken',
      },
    ],
    tests: ['test/store/actions/accounts.test.ts', '-g', 'takes its account again'],
  },
]
