import { type Html, html } from './html.ts'

export type SideGroup = { title: string; links: SideLink[] }

export type SideLink = { href: string; label: Html | string; hint?: Html | string; isCurrent: boolean }

/** An opened item with its list: beside it on wide screens, and after it in the source, so that it is read first. */
export function sided(label: string, groups: SideGroup[], detail: Html): Html {
  return html`<div class="sided">
<div class="detail">${detail}</div>
${sideList(label, groups)}
</div>`
}

export function sideList(label: string, groups: SideGroup[]): Html {
  return html`<nav class="side" aria-label="${label}">${groups
    .filter(({ links }) => links.length > 0)
    .map(
      ({ title, links }) => html`<h2>${title}</h2>
<ul class="rows">${links.map(
        ({ href, label: words, hint, isCurrent }) =>
          html`<li><a class="go" href="${href}"${isCurrent && html` aria-current="page"`}><strong>${words}</strong> ${hint && html`<span>${hint}</span>`}</a></li>`,
      )}</ul>\n`,
    )}</nav>`
}
