import type { OtherMember } from '@family-inbox/ops/demo-seed'
import type { Page } from 'playwright-core'
import type { Guest } from '../_family.ts'
import { type Sink, signIn, type Visitor } from './_app.ts'

export const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }
export const DESK = { viewport: { width: 1280, height: 900 } }
export const SCREENS = Object.entries({ phone: PHONE, desk: DESK })

export const FORM = {
  typed: 'yes',
  version: '0',
  conditions: 'Heart failure',
  allergies: 'Penicillin',
  medication: 'Bisoprolol 2.5 mg',
  doctors: '',
  insurance: '',
  contacts: 'Ana, +351 91 555 01 42',
  wishes: '',
}

export const wordsOf = async (page: Page) => ((await page.locator('main').textContent()) ?? '').replaceAll(/\s+/g, ' ')

/** In CSS pixels: more than the screen has if something does not fit. */
export const widthOf = (page: Page) => page.evaluate('document.documentElement.scrollWidth')

/** A family whose sheet is written. */
export async function newScene<Other extends OtherMember = never>(f: Guest, sink: Sink, ...others: Other[]) {
  const { people, lovedOnes, workspaceId } = await f.another({ others })
  const lovedOneId = lovedOnes[0]?.id ?? ''
  const path = `/emergency-sheets/${lovedOneId}`
  const owner = await signIn(f, sink, people.owner)
  const saved = await owner.submit(`${path}/change`, FORM)
  if (saved.status !== 303) throw new Error(saved.text)
  return { people, lovedOneId, workspaceId, path, owner }
}

/** Creates a link as its owner does. */
export async function newLink(owner: Visitor, path: string, hours = '24') {
  const created = await owner.submit(`${path}/links`, { hours, request: `${Math.random()}` })
  const { text } = await owner.get(String(created.headers.location))
  const [, token = ''] = /\/emergency\/([0-9a-z]{32})</.exec(text) ?? []
  const [, code = ''] = /id="code"><bdi>(\d{3} \d{3})</.exec(text) ?? []
  return { address: `/emergency/${token}`, token, code }
}
