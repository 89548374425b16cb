// Keyboard shortcuts of the inbox, and the sheet that lists them.
{
  const SHORTCUTS = [
    ['j', 'Next message'],
    ['k', 'Previous message'],
    ['Enter', 'Open the message'],
    ['r', 'Reply'],
    ['/', 'Search'],
    ['?', 'Show this list'],
    ['Esc', 'Leave a field, or close this list'],
  ]
  /** People who use speech input or a screen reader turn single keys off (WCAG 2.1.4). */
  const SETTING = 'shortcuts-off'

  const isOff = () => localStorage.getItem(SETTING) !== null
  const isTyping = (target) => target.closest('input, textarea, select, [contenteditable]') !== null

  function move(step) {
    const links = [...document.querySelectorAll('#mail-list .mail a')]
    const current = links.indexOf(document.activeElement)
    const open = links.findIndex((link) => link.closest('.mail.open'))
    const start = current >= 0 ? current : open
    const next = links[start < 0 ? 0 : Math.min(links.length - 1, Math.max(0, start + step))]
    next?.focus()
    next?.closest('.mail').scrollIntoView({ block: 'nearest' })
  }

  function sheet() {
    const known = document.getElementById('shortcuts')
    if (known) return known
    const dialog = document.createElement('dialog')
    dialog.id = 'shortcuts'
    dialog.setAttribute('aria-labelledby', 'shortcuts-title')
    dialog.innerHTML = `<h2 id="shortcuts-title">Keyboard shortcuts</h2>
<dl>${SHORTCUTS.map(([key, what]) => `<div><dt><kbd>${key}</kbd></dt><dd>${what}</dd></div>`).join('')}</dl>
<label class="tick"><input type="checkbox"> <span>Use the single-letter keys</span></label>
<form method="dialog"><button class="second">Close</button></form>`
    const box = dialog.querySelector('input')
    box.checked = !isOff()
    box.addEventListener('change', () =>
      box.checked ? localStorage.removeItem(SETTING) : localStorage.setItem(SETTING, '1'),
    )
    document.body.append(dialog)
    return dialog
  }

  function openReply() {
    const reply = document.querySelector('details.reply')
    if (!reply) return
    reply.open = true
    reply.querySelector('textarea')?.focus()
  }

  // On a phone, the field is shown while it is the target of the address.
  addEventListener('click', (event) => {
    if (!(event.target instanceof Element) || !event.target.closest('.search-open')) return
    event.preventDefault()
    location.replace('#words')
    document.getElementById('words')?.focus()
  })

  const ACTIONS = {
    j: () => move(1),
    k: () => move(-1),
    r: openReply,
    '/': () => document.getElementById('words')?.focus(),
  }

  addEventListener('keydown', (event) => {
    const { key, target } = event
    if (!(target instanceof Element) || !document.getElementById('mail-list')) return
    if (event.defaultPrevented || event.isComposing || event.metaKey || event.ctrlKey || event.altKey) return
    if (key === 'Escape' && isTyping(target)) return target.blur()
    if (isTyping(target) || document.querySelector('dialog[open]')) return
    const action = key === '?' ? () => sheet().showModal() : isOff() ? undefined : ACTIONS[key]
    if (action === undefined) return
    event.preventDefault()
    action()
  })
}
