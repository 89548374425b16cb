import type { Html } from '../html.ts'

/** One page of the application, before it is put into its document. */
export type Page = {
  /** What the page is, for the tab, the history and screen readers. */
  title: string
  main: Html
  /** Who is signed in, when somebody is. */
  viewer?: Viewer
  /**
   * Whether the page is part of signing in or connecting an application. Its forms end in redirects to the application that
   * began it, perhaps in a window that application opened, so it goes without `form-action` (Chrome holds it against the
   * whole chain of redirects) and without isolating itself from the window that opened it.
   */
  leadsElsewhere?: boolean
  /** Set when a form came back: screen readers then hear it first. */
  hasErrors?: boolean
}

export type Viewer = {
  email: string
  /** Whether there is another household to switch to. */
  hasOtherHouseholds?: boolean
}
