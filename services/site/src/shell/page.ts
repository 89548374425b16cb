import { type Html, html } from './html.ts'
import type { Workspace } from './workspace.ts'

/** One page of the application, before it is put into its document. */
export type Page = {
  /** What the page is, for the tab, the history and screen readers. */
  title: string
  main: Html
  /** Who is signed in, when somebody is. */
  viewer?: Viewer
  /** Which of the application's rooms the page is in, for members of a household. */
  room?: Room
  /** Whether the page uses the width of a desk: two columns rather than one of reading width. */
  isWide?: boolean
  /**
   * Whether the page is part of signing in or connecting an application. Its forms end in redirects to the application that
   * began it, perhaps in a window that application opened, so it goes without `form-action` (Chrome holds it against the
   * whole chain of redirects) and without isolating itself from the window that opened it.
   */
  leadsElsewhere?: boolean
  /** Set when a form came back: screen readers then hear it first. */
  hasErrors?: boolean
  /** What is said about the deed that led here; put in by `mount-routes.ts`. */
  notice?: string
}

export type Viewer = {
  email: string
  /** Whether there is another household to switch to. */
  hasOtherWorkspaces?: boolean
}

/** The four words at the top. */
export type Place = 'inbox' | 'timeline' | 'care-circle' | 'settings'

export type Room = {
  place: Place
  workspace: Workspace
  /**
   * Set in the rooms that are about one loved one or all of them: whose it is now (`''` is everyone), and where the same
   * room of another one is. The first is everyone's.
   */
  whose?: { current: string; hrefOf: (lovedOneId: string) => string }
}

/** A page within a room: who reads it is said once, by the household. */
export function roomPage(room: Room, page: Omit<Page, 'room' | 'viewer'>): Page {
  const { session, hasOthers } = room.workspace
  return { ...page, room, viewer: { email: session.email, hasOtherWorkspaces: hasOthers } }
}

export const PRODUCT = 'Family Care Inbox'

/** The name with its mark, an open envelope that is a house too, leading to the first page. */
export function wordmark(href: string): Html {
  return html`<a class="wordmark" href="${href}"><svg class="mark" viewBox="0 0 24 24" width="28" height="28" aria-hidden="true"><path d="M3.5 10 12 3.5l8.5 6.5v9a1.5 1.5 0 0 1-1.5 1.5H5A1.5 1.5 0 0 1 3.5 19z"/><path d="m3.5 10 8.5 5.5 8.5-5.5"/></svg> ${PRODUCT}</a>`
}
