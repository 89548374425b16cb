// Shows a push, and opens the page that it names. An emergency sheet that this phone keeps is shown while it is offline; all
// other pages come from the network as before.
const SHEETS = 'emergency-sheets'
const SHEET = /^\/emergency-sheets\/[\w-]+$/
const ITS_FILES = /^\/assets\/site\.[\w-]+\.(css|js)$/
const SIGNED_OUT = /^\/(sign-out|signed-out|sign-in)$/

// A browser that was registered for pushes only gets this version without closing the application.
addEventListener('install', () => skipWaiting())

addEventListener('push', (event) => {
  const { body, path } = event.data?.json() ?? {}
  const options = { body: body ?? 'Something new.', tag: path, data: { path } }
  event.waitUntil(registration.showNotification('Family Care Inbox', options))
})

addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(clients.openWindow(event.notification.data?.path ?? '/'))
})

addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (origin !== location.origin) return
  if (request.mode === 'navigate' && SIGNED_OUT.test(pathname)) event.waitUntil(caches.delete(SHEETS))
  else if (request.method === 'GET' && (SHEET.test(pathname) || ITS_FILES.test(pathname)))
    event.respondWith(fromNetworkOrKept(request))
})

async function fromNetworkOrKept(request) {
  try {
    const answer = await fetch(request)
    // The session or the membership ended, or the person is gone. A service that is away says nothing about that.
    if (request.mode === 'navigate' && (answer.type === 'opaqueredirect' || answer.status === 404))
      await caches.delete(SHEETS)
    return answer
  } catch {
    const kept = await caches.match(request, { cacheName: SHEETS, ignoreSearch: true, ignoreVary: true })
    return kept ?? Response.error()
  }
}
