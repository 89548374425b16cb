// Shows a notice while the device is offline.
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
    line.textContent = 'You’re offline. This page may be out of date. What you type stays here.'
  }
  addEventListener('online', show)
  addEventListener('offline', show)
  show()
}
