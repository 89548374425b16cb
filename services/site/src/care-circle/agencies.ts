import type { LinkedAgency } from '../shell/agencies.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { Code } from './read-circle.ts'

type AgenciesData = {
  /** Undefined while the pipe service is unavailable. */
  agencies: LinkedAgency[] | undefined
  codes: Code[]
  clock: ReaderClock
  canWrite: boolean
  isOwner: boolean
  hasLovedOnes: boolean
}

export function agenciesSection({ agencies, codes, clock, canWrite, isOwner, hasLovedOnes }: AgenciesData): Html {
  return html`<section aria-labelledby="agencies">
<div class="heading"><h2 id="agencies">Care agencies</h2>${canWrite && hasLovedOnes && html`<a class="button second" href="/care-circle/codes/new">Create code</a>`}</div>
${agencyList(agencies, clock, isOwner)}
${codes.length > 0 && codeList(codes, clock, canWrite)}
</section>`
}

function agencyList(agencies: LinkedAgency[] | undefined, clock: ReaderClock, isOwner: boolean): Html {
  if (agencies === undefined)
    return html`<p>We can’t load your care agencies right now. Nothing is lost. Try again in a moment.</p>`
  if (agencies.length > 0)
    return html`<ul class="entries">${agencies.map((agency) => agencyRow(agency, clock, isOwner))}</ul>`
  return html`<p>No agency is linked. Give an agency a code, and its visits, notes, medication, and readings can appear on your timeline.</p>`
}

function agencyRow(
  { linkId, name, lovedOne, isSharing, linkedAt }: LinkedAgency,
  clock: ReaderClock,
  isOwner: boolean,
) {
  return html`<li class="with-action"><div><strong><bdi>${name}</bdi></strong>
<p>For <bdi>${lovedOne.name}</bdi> · ${
    isSharing
      ? html`<span class="state on">sharing is on</span>`
      : html`<span class="state off">sharing is off</span>. Ask the agency to turn it on.`
  }</p>
${linkedAt && html`<p class="hint">Linked ${dayOf(linkedAt, clock)}</p>`}</div>
${isOwner && html`<a href="/care-circle/agencies/${linkId}/unlink">Unlink<span class="unseen"> <bdi>${name}</bdi> from <bdi>${lovedOne.name}</bdi></span></a>`}</li>`
}

function codeList(codes: Code[], clock: ReaderClock, canWrite: boolean): Html {
  return html`<h3>Unused codes</h3>
<ul class="entries">${codes.map(
    ({ id, lovedOne, ending, expiresAt }) =>
      html`<li class="with-action"><div>For <bdi>${lovedOne.name}</bdi>, ending in <strong>${ending}</strong>
${expiresAt && html`<p class="hint">Expires ${dayOf(expiresAt, clock)}</p>`}</div>
${canWrite && html`<a href="/care-circle/codes/${id}/cancel">Cancel code<span class="unseen"> ending in ${ending}</span></a>`}</li>`,
  )}</ul>`
}
