// Sends a one-time code at its last digit, so that nobody has to look for the button.
{
  const DIGITS = 8

  for (const field of document.querySelectorAll('input[autocomplete="one-time-code"]')) {
    let sent
    field.addEventListener('input', () => {
      const code = field.value.normalize('NFKC').replaceAll(/\D/g, '')
      if (code.length !== DIGITS || code === sent) return
      sent = code
      field.form.requestSubmit()
    })
  }
}
