// A form is sent once: a second press while the first is under way does nothing. (Forms that must never be sent twice carry a
// key besides, for those without this script.) What is typed is not lost when the device is offline.
{
  const HOLD_MS = 10_000

  addEventListener('submit', (event) => {
    const form = event.target
    if (event.defaultPrevented || form.method !== 'post') return
    if (form.dataset.sent || !navigator.onLine) return event.preventDefault()
    form.dataset.sent = 'yes'
    // A form that was answered with a file leaves the page where it is, and may be sent again.
    setTimeout(() => delete form.dataset.sent, HOLD_MS)
  })
  // Gone back to, a page as it was left can be sent again.
  addEventListener('pageshow', () => {
    for (const form of document.querySelectorAll('form[data-sent]')) delete form.dataset.sent
  })
}
