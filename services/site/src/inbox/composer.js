// Saves a reply as it is typed: on this device at every key, and on the server at most once a second. The copy on this
// device belongs to one person and one message. It is deleted when the server has the text, and when someone signs out.
{
  const SAVE_MS = 1000
  const RETRY_MS = 5000
  const ANSWER_MS = 8000
  /** No page takes longer from the server to the screen. */
  const PAGE_MS = 10_000
  /** Browsers limit what a closing page may send to 64 KB. */
  const MAX_LAST_WORDS = 10_000
  const PREFIX = 'draft:'
  const states = new WeakMap()

  /** The other fields of the form, which are saved with its text. */
  const OTHERS = ['cc', 'to', 'subject', 'for', 'files', 'original']

  const bodyOf = (form) => form.elements.body.value.trim()
  const othersOf = ({ elements }) =>
    OTHERS.map((name) => {
      const field = elements[name]
      if (field?.type === 'checkbox') return String(field.checked)
      return field?.type === 'file' ? '' : (field?.value ?? '')
    })
  const isSaved = (form) =>
    bodyOf(form) === states.get(form).saved && String(othersOf(form)) === states.get(form).others
  const copyName = (form) => `${PREFIX}${form.elements.writer.value}:${form.dataset.message}`
  const allForms = () => document.querySelectorAll('form.composer')

  function say(form, words) {
    const status = form.querySelector('.saved')
    if (status.textContent !== words) status.textContent = words
  }

  let isSigningOut = false
  let isLeaving = false

  function keepHere(form) {
    if (isSigningOut) return false
    const { saved } = states.get(form)
    const copy = {
      body: form.elements.body.value,
      others: othersOf(form),
      key: form.elements.key.value,
      saved,
      at: Date.now(),
    }
    try {
      localStorage.setItem(copyName(form), JSON.stringify(copy))
      return true
    } catch {
      return false
    }
  }

  function readCopy(form) {
    try {
      return JSON.parse(localStorage.getItem(copyName(form)) ?? 'null')
    } catch {
      return null
    }
  }

  /** The server had it, so by now a page shows the server's text. */
  const isOld = ({ body, saved, at }) => body.trim() === saved && Date.now() - at > PAGE_MS

  const forget = (form) => localStorage.removeItem(copyName(form))

  function forgetAll() {
    for (const name of Object.keys(localStorage)) if (name.startsWith(PREFIX)) localStorage.removeItem(name)
  }

  /** Of a form that was sent from its own page. */
  function forgetSent(key) {
    for (const name of Object.keys(localStorage))
      if (name.startsWith(PREFIX) && localStorage.getItem(name).includes(`"key":"${key}"`))
        localStorage.removeItem(name)
  }

  function saveSoon(form, wait = SAVE_MS) {
    const state = states.get(form)
    if (state.timer === undefined)
      state.timer = setTimeout(() => save(form), Math.max(200, state.savedAt + wait - Date.now()))
  }

  async function save(form, isLast = false) {
    const state = states.get(form)
    clearTimeout(state.timer)
    state.timer = undefined
    const body = bodyOf(form)
    const others = String(othersOf(form))
    if (isSaved(form) || state.isSent) return
    if (state.isSaving && !isLast) return saveSoon(form)
    state.isSaving = true
    state.savedAt = Date.now()
    let wait = SAVE_MS
    try {
      const fields = new URLSearchParams(new FormData(form))
      fields.set('typing', '1')
      const answer = await fetch(form.dataset.draft, {
        method: 'POST',
        body: fields,
        redirect: 'manual',
        keepalive: body.length < MAX_LAST_WORDS,
        signal: AbortSignal.timeout(ANSWER_MS),
      })
      if (!answer.ok) throw new Error(`${answer.status}`)
      state.saved = body
      state.others = others
      // The next page may have been made before this save, and needs the copy.
      if (isSaved(form) && form.isConnected && !isLeaving) forget(form)
      else keepHere(form)
      say(form, 'Saved')
    } catch {
      wait = RETRY_MS
      say(form, keepHere(form) ? 'Saved on this device only' : 'Not saved. Copy your text before you leave this page.')
    }
    state.isSaving = false
    if (!isSaved(form) && form.isConnected) saveSoon(form, wait)
  }

  function saveAll() {
    for (const form of allForms()) void save(form, true)
  }

  function grow({ elements: { body } }) {
    if (CSS.supports('field-sizing', 'content')) return
    body.style.height = 'auto'
    body.style.height = `${body.scrollHeight + 2}px`
  }

  /** Shows the copy on this device. If the server has other text, that is kept below it. */
  function restore(form, copy) {
    const state = states.get(form)
    const { body, key } = form.elements
    const isNewer = state.saved === copy.saved || copy.body.includes(state.saved)
    body.value = isNewer ? copy.body : `${copy.body}\n\n${body.value}`
    // If the reply was sent after all, sending it again under its key sends nothing.
    state.freshKey = key.value
    key.value = copy.key
    for (const [index, name] of OTHERS.entries()) {
      const field = form.elements[name]
      if (field?.matches?.('input:not([type="checkbox"], [type="file"])') && copy.others?.[index])
        field.value = copy.others[index]
    }
    form.elements.cc?.closest('details')?.toggleAttribute('open', form.elements.cc.value !== '')
    form.closest('details')?.setAttribute('open', '')
    say(form, isNewer ? 'Saved on this device only' : 'You also wrote on another device. Both texts are here.')
    saveSoon(form)
  }

  function start(form) {
    const isUnsaved = form.dataset.unsaved !== undefined
    const copy = readCopy(form)
    const saved = isUnsaved ? (copy?.saved ?? '') : bodyOf(form)
    states.set(form, {
      saved,
      others: String(othersOf(form)),
      savedAt: 0,
      timer: undefined,
      isSaving: false,
      isSent: false,
    })
    const sent = new URLSearchParams(location.search).get('sent')
    if (isUnsaved) keepHere(form)
    else if (copy && (copy.key === sent || isOld(copy) || saved.includes(copy.body.trim()))) forget(form)
    else if (copy) restore(form, copy)
    grow(form)
    if (location.hash === '#reply') form.closest('details')?.setAttribute('open', '')
  }

  addEventListener('input', ({ target }) => {
    const form = target instanceof Element && target.closest('form.composer')
    if (!form) return
    const state = states.get(form)
    if (state.freshKey) form.elements.key.value = state.freshKey
    state.freshKey = undefined
    isLeaving = false
    state.isSent = false
    keepHere(form)
    saveSoon(form)
    grow(form)
  })
  addEventListener('click', ({ target }) => {
    const box = target instanceof Element && target.closest('details.reply > summary')?.parentElement
    if (box) setTimeout(() => box.open && box.querySelector('textarea').focus())
  })
  addEventListener('submit', ({ target: form, submitter, defaultPrevented }) => {
    if (defaultPrevented) return
    if (new URL(form.action).pathname === '/sign-out') {
      saveAll()
      isSigningOut = true
      return forgetAll()
    }
    if (!form.matches('.composer') || !navigator.onLine) return
    if (submitter?.name === 'discard') forget(form)
    else keepHere(form)
    states.get(form).isSent = true
  })
  addEventListener('online', saveAll)
  addEventListener('beforeunload', () => {
    isLeaving = true
  })
  addEventListener('pagehide', saveAll)
  document.addEventListener('visibilitychange', () => document.hidden && saveAll())
  // A page restored by Back has the form as it was before it was sent.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted && [...allForms()].some((form) => states.get(form)?.isSent)) location.reload()
  })
  addEventListener('message-shown', ({ detail }) => detail.querySelectorAll('form.composer').forEach(start))
  if (location.pathname === '/signed-out') forgetAll()
  const sentKey = new URLSearchParams(location.search).get('sent')
  if (sentKey) forgetSent(sentKey)
  document.querySelectorAll('form.composer:is([data-unsaved], [data-page])').forEach(start)
}
