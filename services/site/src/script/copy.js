// Lets people copy what they would otherwise have to mark: shows the Copy buttons, which do nothing without this script.
{
  const TOLD_FOR_MS = 4000

  /** Also those that our other scripts put on the page later. */
  const showButtons = () => {
    for (const button of document.querySelectorAll('button[data-copies][hidden]')) enliven(button)
  }
  showButtons()
  addEventListener('renewed', showButtons)

  function enliven(button) {
    const text = document.getElementById(button.dataset.copies)
    const label = button.querySelector('.label')
    const told = button.nextElementSibling
    if (!text || !label || !told) return
    const before = label.textContent
    button.hidden = false
    button.addEventListener('click', async () => {
      const isCopied = await copy(text)
      label.textContent = isCopied ? 'Copied' : 'Marked'
      told.textContent = isCopied ? 'Copied' : 'Marked: now copy it with your keyboard or the menu'
      setTimeout(() => {
        label.textContent = before
        told.textContent = ''
      }, TOLD_FOR_MS)
    })
  }

  async function copy(element) {
    try {
      await navigator.clipboard.writeText(element.textContent)
      return true
    } catch {
      // Browsers refuse on addresses without TLS. What is marked can be copied by hand.
      getSelection().selectAllChildren(element)
      return false
    }
  }
}
