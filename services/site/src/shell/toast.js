// Reads aloud once what was just done: a status is read when it changes, not when a page opens with it.
{
  const AFTER_MS = 300
  const toast = document.querySelector('.done')
  if (toast) {
    const [words] = toast.childNodes
    const text = words.textContent
    setTimeout(() => {
      words.textContent = ''
      requestAnimationFrame(() => {
        words.textContent = text
      })
    }, AFTER_MS)
  }
}
