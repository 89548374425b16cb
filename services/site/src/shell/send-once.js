// Ignores a second submit while the first is in flight, and any submit while offline. Forms that must not be processed
// twice also carry an idempotency key.
{
  const HOLD_MS = 10_000

  addEventListener('submit', (event) => {
    const form = event.target
    if (event.defaultPrevented || form.method !== 'post') return
    if (form.dataset.sent || !navigator.onLine) return event.preventDefault()
    form.dataset.sent = 'yes'
    // A download leaves the page in place, so its form may be sent again.
    setTimeout(() => delete form.dataset.sent, HOLD_MS)
  })
  // A page restored by Back may be sent again.
  addEventListener('pageshow', () => {
    for (const form of document.querySelectorAll('form[data-sent]')) delete form.dataset.sent
  })
}
