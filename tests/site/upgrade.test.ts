import anyTest from 'ava'
import { readUntil } from '../_wait.ts'
import { scenes } from './_scenes.ts'
import { openSite } from './_site.ts'
import { newWorld } from './_world.ts'

// Serial, each in a new world.
const test = anyTest.serial
const site = await openSite()
test.after.always(() => site[Symbol.asyncDispose]())

/** A busy machine shows some parts as it does while their service is away. */
const isInTime = ({ body }: { body: string }) => !body.includes('Nothing is lost. Try again in a moment.')

/** The ids that a form gets each time it is shown. */
const RANDOM_ID = /\b[a-z]+_[0-9a-z]{26}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g

const opened = scenes.filter(({ signedIn, isPublic, act }) => signedIn && !isPublic && act === undefined)

for (const { name, path, arrange } of opened)
  test(`${name}: during an upgrade, with services of the version before, the page is the same`, async (t) => {
    Object.assign(site.world, { isOlder: false, ...newWorld() })
    arrange?.(site.world)
    site.world.sessions.add('secret')
    const ask = () => site.request(path, { headers: { cookie: 'family_session=secret', accept: 'text/html' } })
    const read = async () => {
      const { status, body } = await readUntil(ask, (answer) => site.world.failures.size > 0 || isInTime(answer))
      return { status, body: body.replaceAll(RANDOM_ID, 'id') }
    }
    const now = await read()
    site.world.isOlder = true
    t.deepEqual(await read(), now)
  })
