// Keeps the inbox up to date without a reload: new mail comes in by itself, a message opens beside the list, and a reply
// shows how far it has come. Everything here is a page fetched again and a part of it put in place; without it, pages do.
{
  const DESK = matchMedia('(min-width: 56.25rem)')
  const LOOK_AGAIN_MS = 60_000
  const DELIVERY_MS = 2500
  const DELIVERY_LOOKS = 40

  const partOf = (page, id) => page.getElementById(id)
  const list = () => document.getElementById('mail-list')

  async function fetchPage(address) {
    const answer = await fetch(address, { headers: { accept: 'text/html' }, credentials: 'same-origin' })
    if (answer.redirected && new URL(answer.url).pathname === '/sign-in') location.assign(answer.url)
    if (!answer.ok) throw new Error(`${answer.status}`)
    return new DOMParser().parseFromString(await answer.text(), 'text/html')
  }

  /** Puts a new list in the place of the old one; what the reader looks at stays where it is. */
  function renewList(page) {
    const before = list()
    const after = partOf(page, 'mail-list')
    if (!before || !after) return
    const known = new Set([...before.querySelectorAll('[data-id]')].map((row) => row.dataset.id))
    const open = before.querySelector('.mail.open')?.dataset.id
    const focused = document.activeElement?.closest('[data-id]')?.dataset.id
    const [anchor, top] = firstVisible(before)
    before.replaceChildren(...after.childNodes)
    before.dataset.live = after.dataset.live
    const row = (id) => before.querySelector(`[data-id="${CSS.escape(id ?? '')}"]`)
    row(open)?.classList.add('open')
    if (focused) row(focused)?.querySelector('a')?.focus({ preventScroll: true })
    const moved = (row(anchor)?.getBoundingClientRect().top ?? top) - top
    const scroller = document.querySelector('.is-open > .list')
    if (moved && window.scrollY > 0) window.scrollBy(0, moved)
    else if (moved && scroller?.scrollTop) scroller.scrollTop += moved
    tell([...before.querySelectorAll('.mail.unread')].filter(({ dataset }) => !known.has(dataset.id)).length)
  }

  function firstVisible(container) {
    for (const row of container.querySelectorAll('[data-id]')) {
      const { top } = row.getBoundingClientRect()
      if (top >= 0) return [row.dataset.id, top]
    }
    return [undefined, 0]
  }

  function tell(count) {
    const news = document.getElementById('mail-news')
    if (news && count > 0) news.textContent = count === 1 ? '1 new message' : `${count} new messages`
  }

  let renewing = false
  let again = false
  async function lookAgain() {
    if (!list()) return
    if (renewing) {
      again = true
      return
    }
    renewing = true
    try {
      renewList(await fetchPage(list().dataset.live))
    } catch {
      // What is on the page stays; the next look may succeed.
    }
    renewing = false
    if (again) {
      again = false
      lookAgain()
    }
  }

  /** Listens while the page is looked at; a page in the background holds no connection, and looks once when it returns. */
  let source
  function listen() {
    if (!list() || document.hidden) return source?.close()
    source?.close()
    source = new EventSource('/inbox/live')
    // What arrived while nobody listened is found by one look.
    source.addEventListener('listening', lookAgain)
    source.addEventListener('mail', lookAgain)
  }
  if (list()) {
    listen()
    document.addEventListener('visibilitychange', () => {
      listen()
    })
    addEventListener('pagehide', () => source?.close())
    addEventListener('pageshow', (event) => event.persisted && listen())
    setInterval(() => source?.readyState === EventSource.CLOSED && !document.hidden && lookAgain(), LOOK_AGAIN_MS)
  }

  /** On a desk a message opens beside the list, which stays as it is. */
  async function openBeside(address, remember) {
    const page = await fetchPage(address)
    const after = partOf(page, 'message')
    const panes = document.querySelector('.panes')
    if (!after || !panes) throw new Error('no message')
    panes.classList.add('is-open')
    panes.querySelector('.pane.message, .pane.beside')?.replaceWith(after)
    if (remember) history.pushState({ beside: true }, '', address)
    document.title = page.title
    // Before its list is put in the place of ours, which takes it out of the page.
    const id = partOf(page, 'mail-list')?.querySelector('.mail.open')?.dataset.id
    renewList(page)
    for (const row of list().querySelectorAll('.mail')) row.classList.toggle('open', row.dataset.id === id)
    after.querySelector('h1')?.focus({ preventScroll: true })
    scrollTo(0, 0)
    enliven(after)
  }

  addEventListener('click', (event) => {
    const link = event.target instanceof Element && event.target.closest('.mail a')
    if (!link || !DESK.matches || event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    openBeside(link.href, true).catch(() => location.assign(link.href))
  })
  addEventListener('popstate', () => {
    if (!document.querySelector('.panes')) return
    if (DESK.matches && location.pathname.split('/').length === 4)
      openBeside(location.href, false).catch(() => location.reload())
    else location.reload()
  })

  /** A reply on its way is looked after until it has arrived, or an hour's patience is over. */
  function followDelivery(message) {
    let looks = 0
    const timer = setInterval(async () => {
      looks += 1
      const isQueued = message.isConnected && message.querySelector('[data-delivery="queued"]')
      if (!isQueued || looks > DELIVERY_LOOKS) return clearInterval(timer)
      try {
        const after = partOf(await fetchPage(location.href), 'family')
        if (after && message.isConnected) message.querySelector('#family')?.replaceWith(after)
      } catch {
        // The next look may succeed.
      }
    }, DELIVERY_MS)
  }

  function enliven(message) {
    if (message.querySelector('[data-delivery="queued"]')) followDelivery(message)
    const print = message.querySelector('[data-print]')
    if (print) {
      print.hidden = false
      print.addEventListener('click', () => window.print())
    }
  }
  const message = document.getElementById('message')
  if (message) enliven(message)
}
