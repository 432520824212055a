import { expect } from 'chai'
import { type Address, createWalletClient, type Hash, type Hex, http, zeroAddress } from 'viem'
import { devAccount } from '../../server/devnet/accounts.js'
import { rpc } from '../../server/devnet/anvil.js'
import { type Asked, bundleScene, type Wanted } from '../support/bundleScene.js'
import { newUser, reader } from '../support/wallets.js'

/** Told as not done, the user would sign his calls once more, and they would run a second time. */
describe('a batch that a stranger has run before our transaction, in an account that has other code by now', function () {
  this.timeout(60_000)
  const scene = bundleScene()
  const { a } = scene
  const stranger = devAccount(8)
  /** Into the pool: a call that has the user's account borrow a delegate. */
  async function submit(
    { to, data }: { to: Address; data: Hex },
    { user, delegate, nonce }: { user: Asked['user']; delegate: Address; nonce: number },
  ): Promise<Hash> {
    const signed = await user.signAuthorization({ contractAddress: delegate, chainId: a().chainId, nonce })
    const wallet = createWalletClient({ account: stranger, transport: http(a().rpcUrls[0]) })
    return wallet.sendTransaction({ chain: null, to, data, gas: 1_000_000n, authorizationList: [signed] })
  }

  /**
   * One block: the stranger runs the first user's batch, who has his account borrow other code before or after our
   * transaction, which carries the steps of so many users. The status of our transaction.
   */
  async function overtaken(steps: number, delegate: Address, { isLate }: { isLate: boolean }) {
    const users = await scene.users(steps)
    const wanted: Wanted[] = []
    for (const user of users) wanted.push({ user, intent: await scene.intentOf(user, [scene.payVault(7n)]) })
    const asked = await scene.ask(wanted)
    const before = await scene.unexplainedBefore()
    await scene.automine(false)
    return scene.withService({}, async (service) => {
      const ours = await scene.sent(service)
      expect((await scene.transactions(service)).map((transaction) => transaction.steps)).to.deep.equal([steps])
      const url = a().rpcUrls[0]!
      const user = users[0]!
      const redelegate = () => submit({ to: zeroAddress, data: '0x' }, { user, delegate, nonce: 1 })
      // What is in the pool is mined in the order in which it came.
      await rpc(url, 'anvil_dropTransaction', [ours.hash])
      const data = scene.executionOf(wanted[0]!.intent)
      const his = await submit({ to: user.address, data }, { user, delegate: a().delegates[0]!, nonce: 0 })
      if (!isLate) await redelegate()
      await rpc(url, 'eth_sendRawTransaction', [ours.raw])
      if (isLate) await redelegate()
      await scene.mine()
      await scene.automine(true)

      const ended = await scene.ends(service, asked)
      expect(ended[0].error).to.equal(null)
      expect(ended[0]).to.include({ status: 'success', transactionHash: his })
      for (const other of ended.slice(1)) expect(other).to.include({ status: 'success', transactionHash: ours.hash })
      for (const { address } of users) expect(await scene.availableOf(service, address)).to.equal('7')
      expect(await scene.unexplained(service.database)).to.deep.equal(before)
      return (await reader(a()).getTransactionReceipt({ hash: ours.hash })).status
    })
  }

  async function codeAt(code: Hex): Promise<Address> {
    const { address } = newUser()
    await scene.setCode(address, code)
    return address
  }

  const foreign: Record<string, () => Promise<Address>> = {
    'has none': async () => zeroAddress,
    'has code that takes every call': () => codeAt('0x00'),
    'has code that takes none': () => codeAt('0x5f5ffd'),
  }

  for (const [what, delegate] of Object.entries(foreign)) {
    it(`is success with his transaction where the account ${what} when ours is mined`, async () => {
      const isTaken = what !== 'has code that takes none'
      expect(await overtaken(1, await delegate(), { isLate: false })).to.equal(isTaken ? 'success' : 'reverted')
    })

    it(`is success with his transaction where the account ${what} since ours was mined`, async () => {
      expect(await overtaken(1, await delegate(), { isLate: true })).to.equal('reverted')
    })

    it(`is success with his transaction where the account ${what} when the bundle with it is mined`, async () => {
      expect(await overtaken(3, await delegate(), { isLate: false })).to.equal('success')
    })

    it(`is success with his transaction where the account ${what} since the bundle with it was mined`, async () => {
      expect(await overtaken(3, await delegate(), { isLate: true })).to.equal('success')
    })
  }
})
