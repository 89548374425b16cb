import { type Html, html } from './html.ts'
import type { Visit } from './visit.ts'
import type { Workspace, WorkspaceHandler } from './workspace.ts'

export type SideGroup = { title: string; links: SideLink[] }

export type SideLink = { href: string; label: Html | string; hint?: Html | string; isCurrent: boolean }

/** An opened item with its list: beside it on wide screens, and after it in the source, so that it is read first. */
export function sidebarLayout(label: string, groups: SideGroup[], detail: Html): Html {
  return html`<div class="with-sidebar">
<div class="detail">${detail}</div>
${sideList(label, groups)}
</div>`
}

/** Adds a list to the pages of a handler, except those that have two columns. A page without its list is better than none. */
export function withSidebar(
  label: string,
  handler: WorkspaceHandler,
  readGroups: (visit: Visit, workspace: Workspace) => Promise<SideGroup[]>,
): WorkspaceHandler {
  return async (visit, workspace) => {
    const reply = await handler(visit, workspace)
    if (!('page' in reply) || reply.page.isWide) return reply
    const groups = await readGroups(visit, workspace).catch(() => [])
    if (groups.every(({ links }) => links.length === 0)) return reply
    return { ...reply, page: { ...reply.page, isWide: true, main: sidebarLayout(label, groups, reply.page.main) } }
  }
}

export function sideList(label: string, groups: SideGroup[]): Html {
  return html`<nav class="side" aria-label="${label}">${groups
    .filter(({ links }) => links.length > 0)
    .map(
      ({ title, links }) => html`<div><h2>${title}</h2>
<ul class="rows">${links.map(
        ({ href, label: words, hint, isCurrent }) =>
          html`<li><a class="go" href="${href}"${isCurrent && html` aria-current="page"`}><strong>${words}</strong> ${hint && html`<span>${hint}</span>`}</a></li>`,
      )}</ul></div>\n`,
    )}</nav>`
}
