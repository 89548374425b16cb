import type { Household } from '../../household.ts'
import { type Html, html } from '../../html.ts'
import { type Page, roomPage } from '../../layout/page.ts'

export type SettingsPage = {
  household: Household
  title: string
  main: Html
  hasErrors?: boolean
  /** Where the page belongs to; the list of settings, if it is not said. */
  back?: { label: string; href: string }
}

/** A page of the settings: one matter each, with the way back above it. */
export function settingsPage({ household, title, main, hasErrors, back = SETTINGS }: SettingsPage): Page {
  return roomPage(
    { place: 'settings', household },
    {
      title,
      hasErrors,
      main: html`<p class="up"><a href="${back.href}">${back.label}</a></p>
${main}`,
    },
  )
}

const SETTINGS = { label: 'Settings', href: '/settings' }
