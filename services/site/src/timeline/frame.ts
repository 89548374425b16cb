import { type Html, html } from '../shell/html.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { withQuery } from '../shell/paging.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'
import type { Filter } from './filter.ts'

export type View = 'days' | 'measurements'

export type FrameData = {
  workspace: Workspace
  /** The loved one whose timeline it is; undefined for everyone’s. */
  lovedOne: LovedOne | undefined
  view: View
  filter: Filter
  main: Html
}

const NAMES: Record<View, string> = { days: 'Days', measurements: 'Measurements' }

/** What both ways to look at a timeline have around them: whose it is, and the way to the other one. */
export function timelineFrame({ workspace, lovedOne, view, filter, main }: FrameData): Page {
  const [only, ...others] = workspace.lovedOnes
  const whose = lovedOne ?? (others.length === 0 ? only : undefined)
  const title = whose ? `${whose.name}’s timeline` : 'Everyone’s timeline'
  const { period } = filter
  const hrefOf = (id: string, to: View) => withQuery(timelinePath(id, to), { period })
  return sectionPage(
    { id: 'timeline', workspace, switcher: { current: lovedOne?.id ?? '', hrefOf: (id) => hrefOf(id, view) } },
    {
      title: view === 'days' ? title : `${NAMES[view]}, ${title}`,
      main: html`<h1><bdi>${title}</bdi></h1>
<nav class="views" aria-label="How to look at it"><ul>${(['days', 'measurements'] as const).map(
        (one) =>
          html`<li><a href="${hrefOf(lovedOne?.id ?? '', one)}"${one === view && html` aria-current="page"`}>${NAMES[one]}</a></li>`,
      )}</ul></nav>
${main}`,
    },
  )
}

/** The address of a timeline: everyone's without an id. */
export function timelinePath(lovedOneId: string, view: View): string {
  const whose = lovedOneId === '' ? '/timeline' : `/timeline/${lovedOneId}`
  return view === 'days' ? whose : `${whose}/measurements`
}
