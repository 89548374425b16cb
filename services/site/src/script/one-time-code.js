// Sends a one-time code at its last digit, so that nobody has to look for the button.
{
  const DIGITS = 8
  /** Time to see the last digit, and for whoever presses the button anyway. */
  const PAUSE_MS = 250

  for (const field of document.querySelectorAll('input[autocomplete="one-time-code"]')) {
    let sent
    field.addEventListener('input', () => {
      const code = field.value.normalize('NFKC').replaceAll(/\D/g, '')
      if (code.length !== DIGITS || code === sent) return
      sent = code
      setTimeout(() => field.form.requestSubmit(), PAUSE_MS)
    })
  }
}
