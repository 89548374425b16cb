// Shows who else is writing a reply to the open message, until they have paused for a while.
{
  const SHOWN_MS = 10_000
  const writers = new Map()

  function show() {
    const line = document.getElementById('writing')
    if (!line) return
    const names = [...writers].filter(([, { messageId }]) => messageId === line.dataset.message).map(([name]) => name)
    line.textContent =
      names.length === 0 ? '' : `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} writing a reply`
  }

  function add(name, messageId) {
    clearTimeout(writers.get(name)?.timer)
    const timer = setTimeout(() => {
      writers.delete(name)
      show()
    }, SHOWN_MS)
    writers.set(name, { messageId, timer })
  }

  addEventListener('writing', ({ detail: { name, messageId } }) => {
    add(name, messageId)
    show()
  })
  addEventListener('message-shown', ({ detail }) => {
    const line = detail.querySelector('#writing')
    for (const { textContent } of line?.querySelectorAll('bdi') ?? []) add(textContent, line.dataset.message)
  })
}
