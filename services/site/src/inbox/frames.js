// The frames of an open message: a letter's layout as tall as it is, and once more what was not ready yet.
{
  const AGAIN_MS = 2000
  const MAX_HEIGHT = 30_000

  /** Measured without height: content may ask for that of its window. */
  function fit(frame) {
    const root = frame.contentDocument?.documentElement
    if (!root || frame.offsetParent === null) return
    frame.style.height = '0'
    const bar = root.scrollWidth > root.clientWidth ? 20 : 0
    frame.style.height = `${Math.min(root.scrollHeight + bar + 2, MAX_HEIGHT)}px`
  }

  /** The address is in an element that nothing in a letter can write. */
  function loadAgain(frame) {
    const again = frame.contentDocument?.documentElement.dataset.again
    if (again === undefined) return
    setTimeout(() => {
      if (frame.isConnected) frame.src = new URL(again, frame.src).href
    }, AGAIN_MS)
  }

  addEventListener('message-shown', ({ detail: message }) => {
    for (const frame of message.querySelectorAll('.original-layout iframe, .look iframe')) {
      const isLayout = frame.closest('.original-layout') !== null
      const shown = () => {
        if (isLayout) fit(frame)
        loadAgain(frame)
      }
      frame.addEventListener('load', shown)
      if (frame.contentDocument?.readyState === 'complete') shown()
      if (isLayout) new ResizeObserver(() => fitToWidth(frame)).observe(frame)
    }
  })

  /** Its height changes, too, when it is fitted. */
  function fitToWidth(frame) {
    if (frame.clientWidth === Number(frame.dataset.width)) return
    frame.dataset.width = frame.clientWidth
    fit(frame)
  }
}
