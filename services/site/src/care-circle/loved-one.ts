import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, textField, toFieldErrors } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { copyable, initialsBadge } from '../shell/parts.ts'
import { asPerson } from '../shell/session.ts'
import { type SideGroup, sidebarLayout } from '../shell/sidebar.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import { requireLovedOne, requireWriter, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { readCircleList } from './circle-list.ts'
import { confirmPage } from './confirm-page.ts'
import { type AddressedLovedOne, readLovedOnes } from './read-circle.ts'

const FIELD_ERRORS = { name: 'Enter a name, up to 120 characters' }

export function showLovedOne(ctx: Context): WorkspaceHandler {
  return (visit, workspace) => lovedOneReply(ctx, visit, workspace)
}

export function renameLovedOne(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const lovedOneId = visit.id('id')
    const name = visit.field('name').slice(0, 1000)
    try {
      await ctx.careCircle.renameLovedOne({ lovedOneId, name }, asPerson(workspace.session, visit))
      return { redirectTo: `/care-circle/loved-ones/${lovedOneId}`, flash: 'loved-one-renamed' }
    } catch (error) {
      return lovedOneReply(ctx, visit, workspace, { values: { name }, errors: toFieldErrors(error, FIELD_ERRORS) })
    }
  }
}

type RenameForm = { values: { name: string }; errors: FieldErrors }

async function lovedOneReply(ctx: Context, visit: Visit, workspace: Workspace, form?: RenameForm): Promise<Reply> {
  const found = requireLovedOne(workspace, visit.id('id'))
  const [addressed, list] = await Promise.all([
    readLovedOnes(ctx, visit, workspace),
    readCircleList(ctx, visit, workspace, found.id),
  ])
  const lovedOne = addressed.find(({ id }) => id === found.id) ?? found
  const { values, errors } = form ?? { values: { name: found.name }, errors: {} }
  return { page: lovedOnePage({ workspace, list, lovedOne, values, errors }), status: form ? 422 : 200 }
}

type LovedOneData = {
  workspace: Workspace
  list: SideGroup[]
  lovedOne: AddressedLovedOne
  values: { name: string }
  errors: FieldErrors
}

function lovedOnePage({ workspace, list, lovedOne, values, errors }: LovedOneData): Page {
  const { name, position } = lovedOne
  return sectionPage(
    { id: 'care-circle', workspace },
    {
      title: `${name}, in the care circle`,
      hasErrors: Object.keys(errors).length > 0,
      isWide: true,
      main: sidebarLayout(
        'Care circle',
        list,
        html`<p class="up"><a href="/care-circle">Care circle</a></p>
${errorSummary(errors)}
<h1 class="with-badge">${initialsBadge(name, position)}<bdi>${name}</bdi></h1>
${addressSection(lovedOne, workspace.canWrite)}
<section aria-labelledby="emergency">
<h2 id="emergency">Emergency sheet</h2>
<p>One page for an ambulance or a hospital, to keep up to date and to print.</p>
<p><a href="/emergency-sheets/${lovedOne.id}">See the emergency sheet</a></p>
</section>
${workspace.canWrite && changes(lovedOne, values, errors)}`,
      ),
    },
  )
}

function addressSection({ id, name, address }: AddressedLovedOne, canWrite: boolean): Html {
  return html`<section aria-labelledby="address-heading">
<h2 id="address-heading">Private address</h2>
${
  address
    ? html`${copyable({ id: 'address', text: address, what: `the address of ${name}`, look: 'large' })}
<p>Forward their mail to it, or give it to a clinic. Only your care circle sees what arrives.</p>
<p><a href="/inbox/${id}">See their mail</a></p>`
    : html`<p>There is no address now, so no mail can arrive. Everyone can still read earlier mail.</p>
${canWrite && html`<form method="post" action="/care-circle/loved-ones/${id}/address"><button>Get an address</button></form>`}`
}
</section>`
}

function changes({ id, name, address }: AddressedLovedOne, values: { name: string }, errors: FieldErrors): Html {
  return html`<section aria-labelledby="rename">
<h2 id="rename">Change name</h2>
<form method="post" action="/care-circle/loved-ones/${id}" novalidate>
${textField({ name: 'name', label: 'Name', maxlength: 120, value: values.name, error: errors.name })}
<button class="second">Save name</button>
</form>
</section>
<section class="aside" aria-labelledby="more">
<h2 id="more">More</h2>
<ul class="plain">
<li><a href="/care-circle/codes/new?for=${id}">Create a code for an agency that cares for <bdi>${name}</bdi></a></li>
${address && html`<li><a href="/care-circle/loved-ones/${id}/retire">Retire address</a></li>`}
</ul>
</section>`
}

export function allocateAddress(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const lovedOneId = visit.id('id')
    await ctx.inbox.allocateInboxAddress({ lovedOneId }, asPerson(session, visit))
    return { redirectTo: `/care-circle/loved-ones/${lovedOneId}`, flash: 'address-allocated' }
  }
}

export function showRetireAddress(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { id, name } = requireLovedOne(workspace, visit.id('id'))
    requireWriter(workspace)
    const { address } = (await readLovedOnes(ctx, visit, workspace)).find((lovedOne) => lovedOne.id === id) ?? {}
    const back = `/care-circle/loved-ones/${id}`
    if (address === undefined) return { redirectTo: back }
    const page = confirmPage({
      workspace,
      title: 'Retire this address?',
      question: html`Retire the address of <bdi>${name}</bdi>?`,
      consequences: [
        html`<strong><bdi>${address}</bdi></strong> stops receiving mail right away. Mail sent to it bounces.`,
        'Mail that has already arrived stays. Everyone in your care circle can still read it.',
        'You can’t undo this, and nobody can use this address again. If you get a new address, tell your clinics and update your forwarding.',
      ],
      action: `/care-circle/loved-ones/${id}/retire`,
      hidden: { address },
      button: 'Retire address',
      back,
    })
    return { page }
  }
}

/** Retires the address named in the form, so that a repeated submit cannot retire its replacement. */
export function retireAddress(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const lovedOneId = visit.id('id')
    const address = visit.field('address').slice(0, 320)
    await ctx.inbox.retireInboxAddress({ lovedOneId, address }, asPerson(session, visit))
    return { redirectTo: `/care-circle/loved-ones/${lovedOneId}`, flash: 'address-retired' }
  }
}
