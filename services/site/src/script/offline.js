// Says when the device is offline: what is on the page may be old, and what is typed is not lost.
{
  const line = document.createElement('p')
  line.className = 'offline'
  line.setAttribute('role', 'status')
  const main = document.querySelector('main')

  function show() {
    if (navigator.onLine) {
      line.remove()
      return
    }
    main?.prepend(line)
    line.textContent = 'You are offline. What you see may be old; what you type stays here until you are back.'
  }
  addEventListener('online', show)
  addEventListener('offline', show)
  show()
}
