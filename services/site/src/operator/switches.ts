import type { OperatorChange } from '@family-inbox/proto/auth/v1/auth'
import { readSwitch, SWITCH_VALUES, type Switches, type SwitchName } from '@family-inbox/workspace-kit/switches'
import type { Context } from '../context.ts'
import { radioField } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { whenOf } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asSite } from '../shell/session.ts'
import type { VisitHandler } from '../shell/visit.ts'
import { confirmedOperator } from './access.ts'

export function flipSwitch(ctx: Context): VisitHandler {
  return confirmedOperator(ctx, async (visit) => {
    const wanted = readSwitch(visit.field('switch'), visit.field('value'))
    if (wanted === undefined) return { redirectTo: '/operator' }
    const before = valuesOf(await ctx.readSwitches('fresh'))[wanted.name]
    const { session } = visit.cookies
    await ctx.auth.switchInstallation({ session, switch: wanted, before }, asSite(visit))
    return { redirectTo: '/operator', flash: 'switched' }
  })
}

/** What counts now, by the names of the switches. */
export function valuesOf({ signUp, hasSandbox, hasPublicSite }: Switches): Record<SwitchName, string> {
  return { signUp, sandbox: onOff(hasSandbox), publicSite: onOff(hasPublicSite) }
}

function onOff(isOn: boolean): 'on' | 'off' {
  return isOn ? 'on' : 'off'
}

type Words = { title: string; text: string; what: string }

const WORDS: Record<Exclude<SwitchName, 'signUp'>, Words> = {
  sandbox: {
    title: 'Sandbox',
    text: 'Assistants without an account may set up an inbox, which somebody can take over later. Turning it off refuses new ones.',
    what: 'the sandbox',
  },
  publicSite: {
    title: 'Public pages',
    text: 'Anyone who opens the address of this server reads about the service. Without them it leads to sign-in.',
    what: 'the public pages',
  },
}

const SIGN_UP_WORDS = {
  open: { label: 'Everyone', hint: 'Whoever finds the address can create a family here.' },
  invited: { label: 'Invited people', hint: 'Only people whom a family invited can sign in for the first time.' },
  closed: { label: 'Nobody new', hint: 'Members stay. Invitations wait until this changes.' },
} as const

export function switchesPart(switches: Switches): Html {
  const values = valuesOf(switches)
  const options = SWITCH_VALUES.signUp.map((value) => ({ value, ...SIGN_UP_WORDS[value] }))
  return html`<section aria-labelledby="switches">
<h2 id="switches">What strangers may do</h2>
<p class="hint">A change counts within seconds, until you change it again. Settings of the server count where you changed nothing.</p>
<form method="post" action="/operator"><input type="hidden" name="switch" value="signUp">
${radioField({ name: 'value', legend: 'Who may join', options, value: values.signUp })}
<button class="second">Save who may join</button></form>
<ul class="rows">${(['sandbox', 'publicSite'] as const).map((name) => switchRow(name, values[name] === 'on'))}</ul>
</section>`
}

function switchRow(name: keyof typeof WORDS, isOn: boolean): Html {
  const { title, text, what } = WORDS[name]
  return html`<li class="item"><div><h3>${title} <span class="tag${!isOn && ' off'}">${isOn ? 'On' : 'Off'}</span></h3>
<p>${text}</p></div>
<form method="post" action="/operator"><input type="hidden" name="switch" value="${name}"><input type="hidden" name="value" value="${onOff(!isOn)}">
<button class="second">Turn ${onOff(!isOn)}<span class="unseen"> ${what}</span></button></form></li>`
}

const NAMES: Record<SwitchName, string> = { signUp: 'Who may join', sandbox: 'Sandbox', publicSite: 'Public pages' }
const VALUES: Record<string, string> = {
  on: 'on',
  off: 'off',
  open: 'everyone',
  invited: 'invited people',
  closed: 'nobody new',
}

export function changesPart(changes: OperatorChange[], clock: ReaderClock): Html | false {
  return (
    changes.length > 0 &&
    html`<section aria-labelledby="changes"><h2 id="changes">What was changed</h2>
<ul class="rows findings">${changes.map(({ change, name }) => changeRow(change, name, clock))}</ul></section>`
  )
}

function changeRow(change: OperatorChange['change'], name: string, clock: ReaderClock): Html {
  const { switch: to, before = '', changedAt } = change ?? {}
  const what = NAMES[to?.name as SwitchName] ?? to?.name
  return html`<li><p>${what}: from ${VALUES[before] ?? before} to ${VALUES[to?.value ?? ''] ?? to?.value}</p>
<p class="hint">${changedAt && whenOf(changedAt, clock)}, by ${name === '' ? 'someone who left' : html`<bdi>${name}</bdi>`}</p></li>`
}
