import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { type Html, html } from '../shell/html.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { sidebarLayout } from '../shell/sidebar.ts'
import type { Workspace } from '../shell/workspace.ts'
import { settingsList } from './settings-list.ts'

const SETTINGS = { label: 'Settings', href: '/settings' }

type SettingsPage = {
  workspace: Workspace
  title: string
  main: Html
  hasErrors?: boolean
  back?: { label: string; href: string }
  undo?: Page['undo']
}

export function settingsPage({ workspace, title, main, hasErrors, back = SETTINGS, undo }: SettingsPage): Page {
  return sectionPage(
    { id: 'settings', workspace },
    {
      title,
      hasErrors,
      undo,
      isWide: true,
      main: sidebarLayout(
        'Settings',
        settingsList(title, back.href),
        html`<p class="up${back === SETTINGS && ' to-list'}"><a href="${back.href}">${back.label}</a></p>
${main}`,
      ),
    },
  )
}

/** Compares typed text with the expected one, ignoring case, extra spaces and Unicode normalization. */
export function isConfirmed(typed: string, expected: string): boolean {
  return normalize(typed) === normalize(expected)
}

function normalize(text: string): string {
  return text.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase()
}

/** The same error whether an id does not exist or belongs to someone else. */
export function notFound(): StatusError {
  return new StatusError('NOT_FOUND', 'We couldn’t find this in your account.')
}
