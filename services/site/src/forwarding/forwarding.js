// Polls the forwarding guide and shows new arrivals.
{
  const POLL_MS = 2500
  const MAX_POLLS = 720

  const arrivals = () => document.getElementById('arrivals')
  let polls = 0

  async function poll() {
    const before = arrivals()
    if (!before?.dataset.waiting || document.hidden) return
    const answer = await fetch(location.href, { headers: { accept: 'text/html' }, credentials: 'same-origin' })
    if (!answer.ok) return
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const after = page.getElementById('arrivals')
    if (!after || after.dataset.waiting === before.dataset.waiting) return
    // What has arrived moves to the top, and a code into the title of the tab.
    document.getElementById('guide')?.replaceWith(page.getElementById('guide') ?? after)
    document.title = page.title
    dispatchEvent(new CustomEvent('renewed'))
  }

  if (arrivals()) {
    const timer = setInterval(() => {
      polls += 1
      if (polls > MAX_POLLS || !arrivals()?.dataset.waiting) return clearInterval(timer)
      poll().catch(() => {})
    }, POLL_MS)
  }
}
