// Shows the Copy buttons, which do nothing without this script.
{
  const FEEDBACK_MS = 4000

  /** Runs again when another script replaces part of the page. */
  const showButtons = () => {
    for (const button of document.querySelectorAll('button[data-copies][hidden]')) enable(button)
  }
  showButtons()
  addEventListener('renewed', showButtons)

  function enable(button) {
    const text = document.getElementById(button.dataset.copies)
    const label = button.querySelector('.label')
    const status = button.nextElementSibling
    if (!text || !label || !status) return
    const before = label.textContent
    button.hidden = false
    button.addEventListener('click', async () => {
      const isCopied = await copy(text)
      label.textContent = isCopied ? 'Copied' : 'Selected'
      status.textContent = isCopied ? 'Copied' : 'Selected. Copy it with your keyboard or the menu.'
      setTimeout(() => {
        label.textContent = before
        status.textContent = ''
      }, FEEDBACK_MS)
    })
  }

  async function copy(element) {
    try {
      await navigator.clipboard.writeText(element.textContent)
      return true
    } catch {
      // The clipboard API needs TLS. Select the text so it can be copied by hand.
      getSelection().selectAllChildren(element)
      return false
    }
  }
}
