// Shows a push, and opens the page that it names. It does nothing else: pages come from the network as before.
addEventListener('push', (event) => {
  const { body, path } = event.data?.json() ?? {}
  const options = { body: body ?? 'Something new.', tag: path, data: { path } }
  event.waitUntil(registration.showNotification('Family Care Inbox', options))
})

addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(clients.openWindow(event.notification.data?.path ?? '/'))
})
