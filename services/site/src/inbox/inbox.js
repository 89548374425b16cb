// Updates the inbox without a reload: new mail, the message beside the list, and the delivery status of a reply. Each update
// fetches a full page and swaps in one part of it.
{
  const DESK = matchMedia('(min-width: 56.25rem)')
  const REFRESH_MS = 60_000
  const POLL_MS = 2500
  const DELIVERY = { waiting: '[data-delivery="queued"]', parts: ['earlier', 'family'], most: 40 }
  /** What a busy server could not read at once. */
  const INVITATION = { waiting: '#invitations .late', parts: ['invitations'], most: 5 }

  const partOf = (page, id) => page.getElementById(id)
  const list = () => document.getElementById('mail-list')

  async function fetchPage(address) {
    const answer = await fetch(address, { headers: { accept: 'text/html' }, credentials: 'same-origin' })
    const mustSignIn = answer.redirected && new URL(answer.url).pathname === '/sign-in'
    // Whoever is writing stays: the form keeps its text and says when to sign in.
    if (mustSignIn && !document.querySelector('.composer textarea')?.value) location.assign(answer.url)
    if (mustSignIn) throw new Error('signed out')
    if (!answer.ok) throw new Error(`${answer.status}`)
    return new DOMParser().parseFromString(await answer.text(), 'text/html')
  }

  /** Replaces the list, and keeps focus and scroll position. */
  function replaceList(page) {
    const before = list()
    const after = partOf(page, 'mail-list')
    if (!before || !after) return
    const known = new Set([...before.querySelectorAll('[data-newest]')].map((row) => row.dataset.newest))
    const open = before.querySelector('.mail.open')?.dataset.id
    const focused = before.contains(document.activeElement) ? document.activeElement : undefined
    const [anchor, top] = firstVisible(before)
    before.replaceChildren(...after.childNodes)
    before.dataset.live = after.dataset.live
    const row = (id) => before.querySelector(`[data-id="${CSS.escape(id ?? '')}"]`)
    row(open)?.classList.add('open')
    if (focused) {
      const rowAgain = row(focused.closest('[data-id]')?.dataset.id)?.querySelector('a')
      const again = rowAgain ?? [...before.querySelectorAll('a, button')].find((one) => keyOf(one) === keyOf(focused))
      again?.focus({ preventScroll: true })
    }
    const moved = (row(anchor)?.getBoundingClientRect().top ?? top) - top
    const scroller = document.querySelector('.is-open > .list')
    if (moved && window.scrollY > 0) window.scrollBy(0, moved)
    else if (moved && scroller?.scrollTop) scroller.scrollTop += moved
    announce([...before.querySelectorAll('.mail.unread')].filter(({ dataset }) => !known.has(dataset.newest)).length)
  }

  /** What stays of a link or button when the list is replaced: where it leads, or what it says. */
  function keyOf(one) {
    return one.getAttribute('href') ?? one.textContent
  }

  function firstVisible(container) {
    for (const row of container.querySelectorAll('[data-id]')) {
      const { top } = row.getBoundingClientRect()
      if (top >= 0) return [row.dataset.id, top]
    }
    return [undefined, 0]
  }

  function announce(count) {
    const news = document.getElementById('mail-news')
    if (news && count > 0) news.textContent = count === 1 ? '1 new message' : `${count} new messages`
  }

  let isRefreshing = false
  let mustRepeat = false
  async function refresh() {
    if (!list()) return
    if (isRefreshing) {
      mustRepeat = true
      return
    }
    isRefreshing = true
    try {
      replaceList(await fetchPage(list().dataset.live))
    } catch {
      // Keep the page as it is; the next refresh may succeed.
    }
    isRefreshing = false
    if (mustRepeat) {
      mustRepeat = false
      void refresh()
    }
  }

  /** Only of the list as it came with the page: whoever looks at it later gets a new one, with what they have read meanwhile. */
  let since = document.hidden ? '' : (list()?.dataset.asOf ?? '')
  /** Listens only while the page is visible. */
  let source
  function listen() {
    if (!list() || document.hidden) return source?.close()
    source?.close()
    source = new EventSource(`/inbox/live?since=${encodeURIComponent(since)}`)
    since = ''
    // Mail may have arrived before the stream opened.
    source.addEventListener('listening', ({ data }) => data === 'unchanged' || refresh())
    source.addEventListener('mail', refresh)
    source.addEventListener('writing', ({ data }) =>
      dispatchEvent(new CustomEvent('writing', { detail: JSON.parse(data) })),
    )
  }
  if (list()) {
    listen()
    document.addEventListener('visibilitychange', () => {
      listen()
    })
    addEventListener('pagehide', () => source?.close())
    addEventListener('pageshow', (event) => event.persisted && listen())
    setInterval(() => source?.readyState === EventSource.CLOSED && !document.hidden && refresh(), REFRESH_MS)
  }

  /** Scrolls the list so that the row is at `top`, within the window. */
  function scrollListTo(row, top) {
    const scroller = document.querySelector('.is-open > .list')
    if (!row || !scroller || !DESK.matches) return
    const lowest = innerHeight - row.offsetHeight
    const wanted = Math.max(scroller.getBoundingClientRect().top, Math.min(top, lowest))
    scroller.scrollTop += row.getBoundingClientRect().top - wanted
  }

  async function openBeside(address, remember) {
    const page = await fetchPage(address)
    const rowOf = (id) => list().querySelector(`[data-id="${CSS.escape(id ?? '')}"]`)
    const after = partOf(page, 'message')
    const panes = document.querySelector('.panes')
    if (!after || !panes) throw new Error('no message')
    // Read before replaceList moves the nodes out of the fetched page.
    const opened = partOf(page, 'mail-list')?.querySelector('.mail.open')?.dataset.id
    const top = rowOf(opened)?.getBoundingClientRect().top ?? 0
    panes.classList.add('is-open')
    panes.querySelector('.pane.message, .pane.beside')?.replaceWith(after)
    if (remember) history.pushState({ beside: true }, '', address)
    document.title = page.title
    replaceList(page)
    for (const row of list().querySelectorAll('.mail')) row.classList.toggle('open', row.dataset.id === opened)
    after.querySelector('h1')?.focus({ preventScroll: true })
    scrollTo(0, 0)
    scrollListTo(rowOf(opened), top)
    enable(after)
    dispatchEvent(new CustomEvent('renewed'))
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

  /** Shows parts of the page again while one of them waits for something, up to so many times. */
  function follow(message, { waiting, parts, most }) {
    let polls = 0
    const timer = setInterval(async () => {
      polls += 1
      const waits = message.isConnected && message.querySelector(waiting)
      if (!waits || polls > most) return clearInterval(timer)
      try {
        const page = await fetchPage(location.href)
        for (const id of parts) {
          const after = partOf(page, id)
          const before = message.querySelector(`#${id}`)
          if (!after || !message.isConnected || before?.innerHTML === after.innerHTML) continue
          if (before?.open) after.open = true
          before?.replaceWith(after)
        }
      } catch {
        // The next poll may succeed.
      }
    }, POLL_MS)
  }

  // A menu closes when one looks elsewhere.
  const closeMenus = (except) => {
    for (const menu of document.querySelectorAll('.more-acts[open]')) if (!menu.contains(except)) menu.open = false
  }
  addEventListener('click', ({ target }) => closeMenus(target))
  addEventListener('keydown', ({ key }) => {
    const menu = key === 'Escape' && document.querySelector('.more-acts[open]')
    if (!menu) return
    closeMenus(null)
    menu.querySelector('summary').focus()
  })

  function enable(message) {
    dispatchEvent(new CustomEvent('message-shown', { detail: message }))
    for (const one of [DELIVERY, INVITATION]) if (message.querySelector(one.waiting)) follow(message, one)
    // A file that cannot be drawn stays a download, without a broken picture.
    for (const thumb of message.querySelectorAll('.thumb')) {
      const hide = () => {
        thumb.hidden = true
      }
      thumb.addEventListener('error', hide)
      if (thumb.complete && thumb.naturalWidth === 0) hide()
    }
    const print = message.querySelector('[data-print]')
    if (print) {
      print.hidden = false
      print.addEventListener('click', () => window.print())
    }
  }
  const message = document.getElementById('message')
  if (message) {
    enable(message)
    const row = list()?.querySelector('.mail.open')
    scrollListTo(row, row?.getBoundingClientRect().top)
  }
}
