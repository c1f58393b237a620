import './property-seed.ts'
import { mock } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { RefusedAddress, UrlGuard } from '../../src/events/webhook-guard.ts'
import t from '../tap.ts'

const PUBLIC = '93.184.216.34'
const NAMES: Record<string, string[]> = {
  'public.example': [PUBLIC],
  'public6.example': ['2606:2800:220:1::1'],
  'private.example': ['10.1.2.3'],
  'sub.private.example': ['10.1.2.3'],
  'both.example': [PUBLIC, '127.0.0.1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1'],
}

const resolve = async (name: string) => {
  const addresses = NAMES[name]
  if (addresses === undefined) throw new Error(`ENOTFOUND ${name}`)
  return addresses
}
const guard = new UrlGuard({ allowPrivate: false, allow: [] }, resolve)

t.test('receivers with public addresses, and names that have none yet, may be registered', async (t) => {
  const good = [
    'https://public.example/hook',
    'http://public.example:8080/a?b=c',
    'https://public6.example/',
    `http://${PUBLIC}/`,
    'http://[2606:2800:220:1::1]:8443/',
    'https://not-there-yet.example/hook',
  ]
  for (const url of good) t.equal(await guard.problemOf(url), null, url)
})

t.test('what is not public is refused, however it is spelled', async (t) => {
  const hosts = [
    ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0x7f.0.0.1', '127.0.0.1.', '①②⑦.⓪.⓪.①'],
    ...[
      '10.0.0.1',
      '172.16.0.1',
      '192.168.1.1',
      '167772161',
      '169.254.169.254',
      '2852039166',
      '100.64.0.1',
      '168.63.129.16',
    ],
    ...['0.0.0.0', '0', '224.0.0.1', '255.255.255.255', '192.0.0.8', '192.0.2.1', '198.18.0.1', '240.0.0.1'],
    ...[
      '[::1]',
      '[::]',
      '[fe80::1]',
      '[fec0::1]',
      '[fd00:ec2::254]',
      '[fc00::1]',
      '[ff02::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:a00:1]',
    ],
    ...[
      '[::127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '[64:ff9b:1::a00:1]',
      '[2002:7f00:1::]',
      '[2001::1]',
      '[::ffff:0:127.0.0.1]',
      '[100::1]',
    ],
    ...['localhost', 'localhost.', 'LOCALHOST', 'private.example', 'both.example', 'mapped.example'],
  ]
  for (const host of hosts) t.match(await guard.problemOf(`http://${host}/hook`), /expected a public address/, host)
})

t.test('a URL that is none, or says who calls, is refused and told what it should be', async (t) => {
  t.match(await guard.problemOf('hook'), /absolute http/)
  for (const url of [
    'ftp://public.example/',
    'file:///etc/passwd',
    'data:,x',
    'javascript:1',
    'gopher://public.example',
  ])
    t.match(await guard.problemOf(url), /expected an http:\/\/ or https:\/\/ URL/, url)
  for (const url of [
    'http://user@public.example/',
    'https://user:word@public.example/',
    'http://:word@public.example/',
  ])
    t.match(await guard.problemOf(url), /no user or password/, url)
})

t.test('what config allows is allowed, and nothing beside it', async (t) => {
  const some = new UrlGuard(
    { allowPrivate: false, allow: ['Private.example', '127.0.0.1', '10.2.0.0/16', 'fd00::/8'] },
    resolve,
  )
  for (const host of ['private.example', 'PRIVATE.example', '127.0.0.1', '10.2.3.4', '[fd12::1]', '[::ffff:127.0.0.1]'])
    t.equal(await some.problemOf(`http://${host}/`), null, host)
  for (const host of ['10.1.2.3', '127.0.0.2', 'sub.private.example', '[::1]', '[fe80::1]'])
    t.ok(await some.problemOf(`http://${host}/`), host)
  const all = new UrlGuard({ allowPrivate: true, allow: [] }, resolve)
  for (const host of ['127.0.0.1', '[::1]', 'localhost', '169.254.169.254'])
    t.equal(await all.problemOf(`http://${host}/`), null, host)
  t.ok(await all.problemOf('ftp://127.0.0.1/'), 'but it has to be HTTP')
})

t.test('every connection is checked, against the address that is connected to', async (t) => {
  const lookup = promisify<string, { all: true }, { address: string }[]>(guard.lookupFor('someone') as never)
  t.same(await lookup('public.example', { all: true }), [{ address: PUBLIC, family: 4 }])
  for (const name of ['private.example', 'both.example', 'mapped.example', 'localhost'])
    await t.rejects(lookup(name, { all: true }), RefusedAddress, name)
  await t.rejects(lookup('not-there-yet.example', { all: true }), /ENOTFOUND/)
  for (const url of ['http://127.0.0.1/', 'http://2130706433/', 'http://[::1]/', 'http://[::ffff:10.0.0.1]/'])
    t.throws(() => guard.checkLiteral(new URL(url)), RefusedAddress, url)
  guard.checkLiteral(new URL(`http://${PUBLIC}/`))
})

t.test('a name that was public when it was registered and is private now gains nothing', async (t) => {
  const answers = [[PUBLIC], ['127.0.0.1']]
  const rebound = new UrlGuard({ allowPrivate: false, allow: [] }, async () => answers.shift() ?? [])
  t.equal(await rebound.problemOf('http://turncoat.example/'), null)
  const lookup = promisify<string, object, string>(rebound.lookupFor('someone') as never)
  await t.rejects(lookup('turncoat.example', {}), RefusedAddress)
})

t.test('of all addresses only global unicast ones pass', async (t) => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const passes = guard.permits(address, address)
      return passes === (ipaddr.parse(address).range() === 'unicast' && address !== '168.63.129.16')
    }),
  )
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const first = ipaddr.process(address)
      const global = first.kind() === 'ipv4' || (first.toByteArray()[0] ?? 0) >> 5 === 1
      return global || !guard.permits(address, address)
    }),
  )
  t.notOk(guard.permits('x', 'no address'))
})

t.test('names that are slow to be found do not take all there is to look names up with', async (t) => {
  const begun: { name: string; answer: (addresses: string[]) => void }[] = []
  const slow = new UrlGuard({ allowPrivate: false, allow: [] }, (name) => {
    return new Promise((answer) => begun.push({ name, answer }))
  })
  const names = ['a.example', 'b.example', 'c.example', 'd.example']
  const asked = [...names, ...names].map((name) => slow.problemOf(`https://${name}/hook`))
  t.same(
    begun.map(({ name }) => name),
    ['a.example', 'b.example'],
    'two at once',
  )
  for (let n = 0; n < names.length; n += 1) {
    begun[n]?.answer([n === 3 ? '10.0.0.1' : PUBLIC])
    while (n + 2 < names.length && begun.length < n + 3) await new Promise((resolve) => setImmediate(resolve))
  }
  const problems = await Promise.all(asked)
  t.equal(begun.length, names.length, 'each once, however often it was asked for')
  t.same(
    problems.map((problem) => problem === null),
    [true, true, true, false, true, true, true, false],
  )
})

t.test('whose turn does not come is not held up for ever', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  let begun = 0
  const stuck = new UrlGuard({ allowPrivate: false, allow: [] }, () => {
    begun += 1
    return new Promise(() => undefined)
  })
  const asked = ['a.example', 'b.example', 'c.example'].map((name) =>
    promisify(stuck.lookupFor('someone'))(name, { all: true }),
  )
  mock.timers.tick(5_000)
  await t.rejects(asked[2] as Promise<unknown>, /c\.example was not looked up/)
  t.equal(begun, 2)
})

t.test('slow names of one principal leave a turn for the names of others', async (t) => {
  const asked: string[] = []
  const guard = new UrlGuard({ allowPrivate: false, allow: [] }, (name) => {
    asked.push(name)
    return name.startsWith('slow') ? new Promise(() => undefined) : Promise.resolve([PUBLIC])
  })
  for (const n of [1, 2, 3, 4]) guard.lookupFor('one')(`slow-${n}.example`, {}, () => undefined)
  for (const name of ['a.example', 'b.example']) {
    t.equal(await promisify<string, object, string>(guard.lookupFor('other') as never)(name, {}), PUBLIC)
  }
  t.same(asked, ['slow-1.example', 'slow-2.example', 'a.example', 'b.example'])
})
