// Sends each file of a reply as it is chosen, and shows its progress. The form then carries only the files' ids.
{
  const TRIES = 3
  const AGAIN_MS = 2000
  const AWAY = 'Not added: no connection. Check it and choose the file again.'
  const running = new WeakMap()

  const boxOf = (node) => node.closest('.attach')
  const element = (name, className, text = '') =>
    Object.assign(document.createElement(name), { className, textContent: text })

  function say(box, words) {
    box.querySelector('.attach-status').textContent = words
  }

  function sizeOf(box) {
    let bytes = 0
    for (const row of box.querySelectorAll('.attached > li')) bytes += Number(row.dataset.size)
    return bytes
  }

  function addRow(box, name) {
    const row = element('li', '')
    const label = element('span', 'attached-name')
    const progress = Object.assign(element('progress', ''), { max: 1, value: 0 })
    progress.setAttribute('aria-label', `Adding ${name}`)
    const remove = element('button', 'quiet', 'Remove')
    remove.type = 'button'
    remove.append(element('span', 'unseen', ` ${name}`))
    label.append(element('bdi', '', name), ' ', progress)
    row.append(label, remove)
    box.querySelector('.attached').append(row)
    return row
  }

  function finish(box, row, { id, name, facts }) {
    const hidden = Object.assign(element('input', ''), { type: 'hidden', name: 'file', value: id })
    row.prepend(hidden)
    row.querySelector('progress').replaceWith(element('span', 'hint', facts))
    say(box, `${name} added`)
  }

  function fail(box, row, words) {
    row.dataset.size = '0'
    row.querySelector('progress')?.replaceWith(element('span', 'error', words))
    say(box, words)
  }

  /** Makes an attempt. Resolves to its status and answer; 0 without an answer. */
  function send(box, row, file) {
    const { key, writer } = box.closest('form').elements
    const form = new FormData()
    form.set('key', key.value)
    form.set('writer', writer.value)
    form.set('files', file)
    const request = new XMLHttpRequest()
    row.request = request
    request.upload.onprogress = ({ loaded, total }) => {
      const progress = row.querySelector('progress')
      if (progress) progress.value = loaded / total
    }
    return new Promise((resolve) => {
      request.onloadend = () => resolve({ status: request.status, answer: request.response })
      request.open('POST', box.dataset.path)
      request.responseType = 'json'
      request.setRequestHeader('Accept', 'application/json')
      request.send(form)
    })
  }

  async function upload(box, row, file) {
    for (let tries = 1; row.isConnected; tries += 1) {
      const { status, answer } = await send(box, row, file)
      if (!row.isConnected) return
      if (status === 200 && answer) return finish(box, row, answer)
      const mayPass = status === 0 || status >= 500
      if (!mayPass || tries === TRIES) return fail(box, row, answer?.error?.message ?? AWAY)
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    }
  }

  /** Sends files in turn, so that they do not share a phone's connection. */
  function add(box, file) {
    const row = addRow(box, file.name)
    const most = Number(box.dataset.most)
    if (sizeOf(box) + file.size > most) return fail(box, row, 'Not added: files can be up to 20 MB together.')
    row.dataset.size = file.size
    const { count = 0, last = Promise.resolve() } = running.get(box) ?? {}
    const done = last.then(() => upload(box, row, file)).finally(() => (running.get(box).count -= 1))
    running.set(box, { count: count + 1, last: done })
  }

  async function remove(box, row) {
    const id = row.querySelector('[name="file"]')?.value
    const next = row.nextElementSibling ?? row.previousElementSibling
    const form = box.closest('form')
    if (id !== undefined) {
      const fields = new URLSearchParams(new FormData(form))
      fields.set('typing', '1')
      fields.set('remove', id)
      const answer = await fetch(form.dataset.draft, { method: 'POST', body: fields }).catch(() => undefined)
      if (!answer?.ok) return say(box, 'Not removed. Try again.')
    }
    const target = next?.querySelector('button') ?? box.querySelector('[type="file"]')
    target.focus()
    row.remove()
    row.request?.abort()
    say(box, 'Removed')
  }

  /** The form is sent without its files, which inbox has. */
  function start(form) {
    const input = form.querySelector('.attach [type="file"]')
    if (!input) return
    form.enctype = 'application/x-www-form-urlencoded'
    input.removeAttribute('name')
  }

  addEventListener('change', ({ target }) => {
    const box = target instanceof Element && target.matches('[type="file"]') && boxOf(target)
    if (!box) return
    for (const file of target.files) add(box, file)
    target.value = ''
  })
  addEventListener('click', (event) => {
    const button = event.target instanceof Element && event.target.closest('.attached button')
    if (!button) return
    event.preventDefault()
    void remove(boxOf(button), button.closest('li'))
  })
  // In the capturing phase, so that no other listener treats the form as sent.
  addEventListener(
    'submit',
    (event) => {
      const box = event.target.querySelector?.('.attach')
      if (!box || !running.get(box)?.count) return
      event.preventDefault()
      say(box, 'Your files are still being added. Send it again when they are here.')
    },
    true,
  )
  document.querySelectorAll('form.composer[data-page]').forEach(start)
  addEventListener('message-shown', ({ detail }) => detail.querySelectorAll('form.composer').forEach(start))
}
