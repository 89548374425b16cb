// The forwarding guide waits with its reader: it looks again every few seconds, and shows what has arrived the moment it has.
{
  const LOOK_MS = 2500
  const LOOKS = 720

  const arrivals = () => document.getElementById('arrivals')
  let looks = 0

  async function look() {
    const before = arrivals()
    if (!before?.dataset.waiting || document.hidden) return
    const answer = await fetch(location.href, { headers: { accept: 'text/html' }, credentials: 'same-origin' })
    if (!answer.ok) return
    const after = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('arrivals')
    if (!after || after.dataset.waiting === before.dataset.waiting) return
    before.replaceWith(after)
    dispatchEvent(new CustomEvent('renewed'))
  }

  if (arrivals()) {
    const timer = setInterval(() => {
      looks += 1
      if (looks > LOOKS || !arrivals()?.dataset.waiting) return clearInterval(timer)
      look().catch(() => {})
    }, LOOK_MS)
  }
}
