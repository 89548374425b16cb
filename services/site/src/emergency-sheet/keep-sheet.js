// Keeps an emergency sheet on the phone that opened it. The service worker shows it while the phone is offline, and deletes
// it when its person signs out.
{
  const note = document.querySelector('[data-keeps-sheet]')
  const isPhone = matchMedia('(pointer: coarse)').matches

  async function keep() {
    if (navigator.onLine) {
      await navigator.serviceWorker.register('/push-worker.js')
      await navigator.serviceWorker.ready
      const cache = await caches.open('emergency-sheets')
      const files = document.querySelectorAll('link[rel="stylesheet"], script[src]')
      const page = new Request(location.pathname, { redirect: 'error' })
      await cache.addAll([page, ...[...files].map(({ href, src }) => href ?? src)])
    }
    note.hidden = false
  }
  // Without it, the page is as good as any other.
  if (note && isPhone && 'serviceWorker' in navigator && 'caches' in window) keep().catch(() => {})
}
