import { join } from 'node:path'
import { expect } from 'chai'
import { createWalletClient, encodeFunctionData, type Hex, http, zeroHash } from 'viem'
import { compiledOnce } from '../support/compiledOnce.js'
import { encodeExecute } from '../../server/chain/contracts.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { minedReceipt } from '../../server/devnet/minedReceipt.js'
import { attackScene, native } from '../support/attackScene.js'
import { authorization, fund, newUser, reader, sendFrom, signedIntent } from '../support/wallets.js'

const recipient = compiledOnce(join(import.meta.dirname, '../contracts/solidity')).ReentrantRecipient!
const credit = 10n ** 15n

describe('a recipient who runs the batch for which he is paid', function () {
  this.timeout(60_000)
  const scene = attackScene()

  it('ends the step, whose credit and account are free again, and which succeeds once he lets it', async () => {
    const { b } = scene
    const user = newUser()
    const other = devAccount(8)
    await fund(scene.a(), user.address, { native: 10n ** 18n })
    const paid = await sendFrom(scene.a(), user, { to: scene.a().vault, value: credit })
    await scene.report(user.address, paid, { tokenAddress: native, amount: credit.toString() })
    const wallet = createWalletClient({ account: other, transport: http(b().rpcUrls[0]) })
    const deployed = await wallet.sendTransaction({ chain: null, data: `0x${recipient.evm.bytecode.object}` as Hex })
    const { contractAddress: to } = await minedReceipt(reader(b()), deployed)
    const arm = (target: Hex, data: Hex) =>
      sendFrom(b(), other, {
        to: to!,
        data: encodeFunctionData({ abi: recipient.abi, functionName: 'arm', args: [target, data] }),
      })
    const call = { to: newUser().address, value: 0n, data: '0x' } as const
    const transfer = { from: 'solver', to: to!.toLowerCase() as Hex, token: native, amount: 1n } as const
    const batch = { chainId: b().chainId, tokenTransfers: [transfer], calls: [call] }
    const intent = await signedIntent(user, [batch])
    const { signatureType, signature, nbf, exp } = intent
    const signed = { mode: '7702', signatureType, signature, nbf, exp, digest: zeroHash } as const
    const chainBatches = [{ ...batch, hash: intent.chainBatches[0]!.hash }]
    await arm(user.address, encodeExecute({ ...signed, chainBatches }, 0))

    const id = await scene.create(user.address, [intent], [await authorization(user, b())])
    const ended = await scene.api.execute(id, 0, 0, undefined, 20)
    expect(ended.body).to.include({ status: 'reverted', transactionHash: null })
    expect(ended.body.error).to.include({ code: 'execution_reverted', retryable: true })
    expect(await scene.balance(user.address, native)).to.include({ available: credit.toString(), reserved: '0' })
    const plain = { chainId: b().chainId, tokenTransfers: [], calls: [call] }
    const next = await scene.create(user.address, [await signedIntent(user, [plain])], [await authorization(user, b())])
    expect((await scene.api.execute(next, 0, 0, undefined, 20)).body.status).to.equal('success')

    await arm(to!, '0x00')
    expect((await scene.api.execute(id, 0, 0, undefined, 20)).body.status).to.equal('success')
  })
})
