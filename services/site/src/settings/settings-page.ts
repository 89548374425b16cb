import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { type Html, html } from '../shell/html.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import type { Workspace } from '../shell/workspace.ts'

type SettingsPage = {
  workspace: Workspace
  title: string
  main: Html
  hasErrors?: boolean
  /** Where the page belongs to; the list of settings, if it is not said. */
  back?: { label: string; href: string }
}

/** A page of the settings: one matter each, with the way back above it. */
export function settingsPage({ workspace, title, main, hasErrors, back = SETTINGS }: SettingsPage): Page {
  return sectionPage(
    { id: 'settings', workspace },
    {
      title,
      hasErrors,
      main: html`<p class="up"><a href="${back.href}">${back.label}</a></p>
${main}`,
    },
  )
}

const SETTINGS = { label: 'Settings', href: '/settings' }

/** Whether somebody typed what they were asked to type: however the case, the spaces around it and the accents are written. */
export function isConfirmed(typed: string, asked: string): boolean {
  return plain(typed) === plain(asked)
}

function plain(text: string): string {
  return text.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase()
}

/** The one answer for an id that is not the reader's, whether or not it exists elsewhere. */
export function notFound(): StatusError {
  return new StatusError('NOT_FOUND', 'Nothing of yours is at this address.')
}
