// Submits a one-time code once its last digit is entered.
{
  const DIGITS = 8
  /** Long enough to see the last digit. */
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
