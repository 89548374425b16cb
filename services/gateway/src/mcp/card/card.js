// A card in a chat (MCP Apps, 2026-01-26). It shows what a tool returned, as text, and can only ask its host to open a page of the application.
{
  const card = document.querySelector('main')
  const { inbox } = card.dataset
  const answers = new Map()
  let input = {}

  const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
  const notify = (method, params = {}) => send({ method, params })
  const ask = (method, params, take = () => {}) => {
    const id = answers.size + 1
    answers.set(id, take)
    send({ id, method, params })
  }

  addEventListener('message', ({ source, data }) => {
    if (source !== parent || data?.jsonrpc !== '2.0') return
    if (data.method === undefined) answers.get(data.id)?.(data.result ?? {})
    else handle(data)
  })

  function handle({ id, method, params = {} }) {
    if (method === 'ui/notifications/tool-input') input = params.arguments ?? {}
    if (method === 'ui/notifications/tool-result') show(params)
    if (method === 'ui/notifications/tool-cancelled') replace([line('p', 'This was stopped.')])
    if (method === 'ui/notifications/host-context-changed') dress(params)
    // Nothing has to be saved when the host takes the card away, and a host may ask whether it is alive.
    if (id !== undefined) send({ id, result: {} })
  }

  function dress({ theme, styles = {} }) {
    const { documentElement: root } = document
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme
    for (const [name, value] of Object.entries(styles.variables ?? {}))
      if (/^--(?:color|font)-[a-z0-9-]+$/.test(name) && typeof value === 'string') root.style.setProperty(name, value)
  }

  function show({ structuredContent: data, content = [], isError }) {
    if (isError || data === undefined) replace([line('p', content.map(({ text }) => text ?? '').join('\n'))])
    else replace(data.subject === undefined ? replyParts(data) : messageParts(data))
  }

  const STATES = {
    waiting_for_approval: 'This reply waits until your family sends it',
    sent: 'This reply was sent',
    declined: 'Your family declined this reply',
    expired: 'Nobody decided about this reply in time',
  }

  function replyParts({ to, toVerified, status, proposalId, expiresAt }) {
    const waits = status === 'waiting_for_approval'
    return [
      line('h1', STATES[status] ?? 'This reply is on its way'),
      facts({ To: to, ...(waits && expiresAt && { Until: day(expiresAt) }) }),
      ...(toVerified === false ? [line('p', 'Nothing proves that this is the sender’s address.', 'bad')] : []),
      ...(input.body ? [line('p', input.body, 'text')] : []),
      ...(waits ? [opener('Send, change or decline', `/approvals/replies/${encodeURIComponent(proposalId)}`)] : []),
    ]
  }

  function messageParts({
    id,
    lovedOneId,
    subject,
    sender,
    originalSender,
    authenticity,
    receivedAt,
    body,
    newText,
    attachments,
  }) {
    const path = `/inbox/${encodeURIComponent(lovedOneId)}/${encodeURIComponent(id)}`
    return [
      line('h1', subject || 'No subject'),
      facts({ From: sender, ...(originalSender && { 'Written by': originalSender }), Received: day(receivedAt) }),
      ...(authenticity === 'verified' ? [] : [line('p', 'The sender is not verified.', 'bad')]),
      line('p', newText || body, 'text'),
      ...(attachments.length > 0 ? [facts({ Files: attachments.map(({ filename }) => filename).join(', ') })] : []),
      opener('Open in Family Care Inbox', path),
    ]
  }

  function replace(parts) {
    card.replaceChildren(...parts)
    document.title = card.querySelector('h1')?.textContent ?? document.title
  }

  /** Text alone: nothing that an outsider wrote becomes markup. */
  function line(name, text, kind = '') {
    const element = document.createElement(name)
    element.dir = 'auto'
    if (kind !== '') element.className = kind
    if (kind === 'text') element.tabIndex = 0
    element.textContent = text
    return element
  }

  function facts(named) {
    const list = document.createElement('dl')
    list.append(...Object.entries(named).flatMap(([name, value]) => [line('dt', name), line('dd', value)]))
    return list
  }

  function opener(words, path) {
    const button = line('button', words)
    button.type = 'button'
    button.addEventListener('click', () => ask('ui/open-link', { url: inbox + path }))
    return button
  }

  function day(text) {
    return new Date(text).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
  }

  const appInfo = { name: 'family-inbox-card', version: '1.0.0' }
  ask('ui/initialize', { appInfo, appCapabilities: {}, protocolVersion: '2026-01-26' }, ({ hostContext }) => {
    dress(hostContext ?? {})
    notify('ui/notifications/initialized')
    new ResizeObserver(([{ target }]) =>
      notify('ui/notifications/size-changed', { height: Math.ceil(target.getBoundingClientRect().height) }),
    ).observe(document.documentElement)
  })
}
