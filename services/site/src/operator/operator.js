// Shows how far the doctor is, without a reload that would take the focus away.
{
  const POLL_MS = 1000
  const MAX_POLLS = 90

  const checks = () => document.getElementById('checks')
  let polls = 0

  async function poll() {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' }, credentials: 'same-origin' })
    if (!answer.ok || answer.redirected) return
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const after = page.getElementById('checks')
    if (after) checks()?.replaceWith(after)
  }

  if (checks()) {
    const timer = setInterval(() => {
      polls += 1
      if (polls > MAX_POLLS || !('running' in (checks()?.dataset ?? {}))) return clearInterval(timer)
      poll().catch(() => {})
    }, POLL_MS)
  }
}
