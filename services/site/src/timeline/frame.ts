import { type Html, html } from '../shell/html.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { withQuery } from '../shell/parts.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'
import type { Filter } from './filter.ts'

type View = 'days' | 'readings' | 'medication'

type FrameData = {
  workspace: Workspace
  lovedOne: LovedOne | undefined
  view: View
  filter: Filter
  main: Html
  /** Beside it on wide screens. */
  beside?: Html | undefined
}

const NAMES: Record<View, string> = { days: 'Days', readings: 'Readings', medication: 'Medication' }

export function timelineFrame({ workspace, lovedOne, view, filter, main, beside }: FrameData): Page {
  const [only, ...others] = workspace.lovedOnes
  const about = lovedOne ?? (others.length === 0 ? only : undefined)
  const title = about ? `${about.name}’s timeline` : 'Everyone’s timeline'
  const { period } = filter
  const hrefOf = (id: string, to: View) => withQuery(timelinePath(id, to), { period })
  return sectionPage(
    { id: 'timeline', workspace, switcher: { current: lovedOne?.id ?? '', hrefOf: (id) => hrefOf(id, view) } },
    {
      title: view === 'days' ? title : `${NAMES[view]}, ${title}`,
      isWide: beside !== undefined || view !== 'days',
      main: html`<h1><bdi>${title}</bdi></h1>
<nav class="views" aria-label="View"><ul>${(Object.keys(NAMES) as View[]).map(
        (key) =>
          html`<li><a href="${hrefOf(lovedOne?.id ?? '', key)}"${key === view && html` aria-current="page"`}>${NAMES[key]}</a></li>`,
      )}</ul></nav>
${beside === undefined ? main : html`<div class="timeline-panes"><div>${main}</div>${beside}</div>`}`,
    },
  )
}

export function timelinePath(lovedOneId: string, view: View): string {
  const path = lovedOneId === '' ? '/timeline' : `/timeline/${lovedOneId}`
  return view === 'days' ? path : `${path}/${view}`
}
