import { expect } from 'chai'
import { encodeErrorResult, getAddress, type Hex, parseAbi } from 'viem'
import { decodeRevert } from '../../server/chain/failure.js'
import { delegateAbi, solverVaultAbi } from '../../server/chain/generated/contracts.js'

const erc20Errors = parseAbi([
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error InsufficientBalance()',
])
const standardErrors = parseAbi(['error Error(string)', 'error Panic(uint256)'])
const account = '0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa'
const target = getAddress(`0x${'bb'.repeat(20)}`)

const reason = (text: string) => encodeErrorResult({ abi: standardErrors, errorName: 'Error', args: [text] })
const callReverted = (errorMessage: Hex, fields: { value?: bigint; data?: Hex } = {}) =>
  encodeErrorResult({
    abi: delegateAbi,
    errorName: 'CallReverted',
    args: [account, target, fields.value ?? 0n, fields.data ?? '0xa9059cbb00', errorMessage],
  })

describe('a revert', () => {
  it('with a reason tells it', () => {
    expect(decodeRevert(reason('not today'))).to.deep.equal({
      name: 'Error',
      message: 'not today',
    })
  })

  it('without data tells that there is none', () => {
    expect(decodeRevert('0x')).to.deep.equal({ name: null, message: 'reverted without a reason' })
    expect(decodeRevert(reason('')).message).to.equal('reverted with an empty reason')
  })

  it('by panic tells what the code means', () => {
    const panic = (code: bigint) =>
      decodeRevert(encodeErrorResult({ abi: standardErrors, errorName: 'Panic', args: [code] }))
    expect(panic(0x11n)).to.deep.equal({
      name: 'Panic',
      message: 'panic 0x11: arithmetic overflow or underflow',
    })
    expect(panic(0x32n).message).to.include('array index out of bounds')
    expect(panic(0x99n).message).to.equal('panic 0x99: unknown code')
  })

  it('by a known error tells its name and arguments', () => {
    const data = encodeErrorResult({
      abi: erc20Errors,
      errorName: 'ERC20InsufficientBalance',
      args: [account, 5n, 10n],
    })
    expect(decodeRevert(data)).to.deep.equal({
      name: 'ERC20InsufficientBalance',
      message: `ERC20InsufficientBalance(sender: ${getAddress(account)}, balance: 5, needed: 10)`,
    })
    const solady = encodeErrorResult({ abi: erc20Errors, errorName: 'InsufficientBalance' })
    expect(decodeRevert(solady).message).to.equal('InsufficientBalance()')
  })

  it('of our contracts is known, every error of them', () => {
    const errors = [...delegateAbi, ...solverVaultAbi].filter((item) => item.type === 'error')
    expect(errors.length).to.be.greaterThan(15)
    const sample: Record<string, unknown> = {
      address: account,
      uint256: 7n,
      bytes32: `0x${'11'.repeat(32)}`,
      string: 'ecdsa',
      bytes: `0x${'5e'.repeat(65)}`,
    }
    for (const error of errors) {
      const args = error.inputs.map((input) => sample[input.type])
      const data = encodeErrorResult({ abi: [error], errorName: error.name, args } as Parameters<
        typeof encodeErrorResult
      >[0])
      expect(decodeRevert(data).name).to.equal(error.name)
    }
  })

  it('of a call tells which call, and the inner reason however deep', () => {
    const data = callReverted(callReverted(reason('out of stock'), { value: 3n }), { data: '0x' })
    const { name, message } = decodeRevert(data)
    expect(name).to.equal('CallReverted')
    expect(message).to.equal(
      `call to ${target} reverted: call 0xa9059cbb to ${target} with 3 wei reverted: out of stock`,
    )
  })

  it('of a call can’t pass for an error of the contracts', () => {
    const paused = encodeErrorResult({ abi: solverVaultAbi, errorName: 'Paused' })
    expect(decodeRevert(callReverted(paused)).name).to.equal('CallReverted')
  })

  it('nested without end is given up', () => {
    let data = reason('deep')
    for (let depth = 0; depth < 20; depth++) data = callReverted(data)
    const { message } = decodeRevert(data)
    expect(message).to.not.include('deep')
    expect(message.length).to.be.lessThan(320)
  })

  it('longer than anybody’s reason is not read, however many calls it comes through', () => {
    const long = reason('a'.repeat(16_384))
    expect(decodeRevert(long).message).to.match(/^unknown error 0x08c379a0, data 0x.*… \(\d+ bytes\)$/)
    expect(decodeRevert(callReverted(callReverted(long))).message).to.match(/reverted: call .* reverted: unknown error/)
    expect(decodeRevert(callReverted(reason('a'.repeat(16_000)))).message).to.match(/reverted: a+…$/)
  })

  it('of a call that ends before its parts do is unknown', () => {
    const whole = callReverted(reason('short'))
    for (const end of [10, 74, 330, whole.length - 66]) {
      expect(decodeRevert(whole.slice(0, end) as Hex).message, String(end)).to.match(/^unknown error 0x/)
    }
  })

  it('that is unknown tells its selector and data', () => {
    expect(decodeRevert(`0xdeadbeef${'00'.repeat(31)}07`)).to.deep.equal({
      name: null,
      message: `unknown error 0xdeadbeef, data 0xdeadbeef${'00'.repeat(31)}07`,
    })
    expect(decodeRevert('0x12').message).to.equal('reverted with data 0x12')
    expect(decodeRevert(`0xdeadbeef${'ab'.repeat(5000)}`).message).to.match(/… \(5004 bytes\)$/)
  })

  it('that only pretends to be known is unknown', () => {
    expect(decodeRevert('0x08c379a0').name).to.equal(null)
    expect(decodeRevert(`0x08c379a0${'ff'.repeat(64)}`).name).to.equal(null)
  })

  it('never shows a signature or calldata', () => {
    const secret = '5e'.repeat(65)
    const duplicate = encodeErrorResult({
      abi: delegateAbi,
      errorName: 'DuplicateChainBatch',
      args: [`0x${secret}`, `0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`],
    })
    const shown = [duplicate, callReverted(duplicate), callReverted('0x', { data: `0xd505accf${secret}` })].map(
      (data) => JSON.stringify(decodeRevert(data)),
    )
    for (const text of shown) expect(text).to.not.include(secret.slice(0, 20))
    expect(decodeRevert(duplicate)).to.deep.include({ name: 'DuplicateChainBatch' })
    expect(decodeRevert(duplicate).message).to.include('[65 bytes]').and.include('22'.repeat(32))
  })

  it('is told on one line, without what terminals would obey, and short', () => {
    const { message } = decodeRevert(reason(`a\u001b[31m\nb\u2028c${'x'.repeat(1000)}`))
    expect(message).to.match(/^a \[31m b c/)
    expect(message.length).to.be.lessThan(320)
  })
})
