import type { FlashName } from './flash.ts'
import { type Html, html } from './html.ts'

export type Page = {
  title: string
  main: Html
  viewer?: Viewer
  section?: Section
  /** Two columns on wide screens instead of one reading column. */
  isWide?: boolean
  /** A form may end in another application. Chrome applies `form-action` to every redirect, and COOP cuts off the opener. */
  allowsExternalRedirects?: boolean
  hasErrors?: boolean
  /** What was just done. Set by `mount-routes.ts` from the flash cookie. */
  flash?: FlashName | undefined
  /** The forms that undo it. */
  undo?: Partial<Record<FlashName, Html>>
  /** What is urgent, above everything. Set by `workspace.ts` for every page of a workspace. */
  urgent?: Html | undefined
}

export type Viewer = { email: string; hasOtherWorkspaces?: boolean }

export type SectionId = 'inbox' | 'timeline' | 'appointments' | 'care-circle' | 'settings'

export type Section = {
  /** Undefined on a page of none. */
  id: SectionId | undefined
  workspace: {
    name: string
    hasOthers: boolean
    session: { email: string }
    lovedOnes: readonly { id: string; name: string; position: number }[]
  }
  /** For pages about one loved one or all of them; an empty id means everyone. */
  switcher?: { current: string; hrefOf: (lovedOneId: string) => string }
}

export function sectionPage(section: Section, page: Omit<Page, 'section' | 'viewer'>): Page {
  const { session, hasOthers } = section.workspace
  return { ...page, section, viewer: { email: session.email, hasOtherWorkspaces: hasOthers } }
}

type MessageData = {
  title: string
  lines: string[]
  next?: { label: string; href: string }
  viewer?: Viewer
  allowsExternalRedirects?: boolean
}

export function messagePage({ title, lines, next, viewer, allowsExternalRedirects }: MessageData): Page {
  return {
    title,
    viewer,
    allowsExternalRedirects,
    main: html`<h1>${title}</h1>
${lines.map((line) => html`<p>${line}</p>`)}
${next && html`<p><a class="button" href="${next.href}">${next.label}</a></p>`}`,
  }
}
