// Subscribes this browser to pushes, which need a service worker.
{
  const form = document.querySelector('form[data-push-key]')
  const button = form?.querySelector('button')
  if (button && 'serviceWorker' in navigator && 'PushManager' in window) {
    const status = form.querySelector('[role=status]')
    button.hidden = false
    button.addEventListener('click', async (event) => {
      event.preventDefault()
      try {
        if ((await Notification.requestPermission()) !== 'granted') {
          status.textContent = 'This browser blocks notices from here. You can allow them in its settings.'
          return
        }
        const worker = await navigator.serviceWorker.register('/push-worker.js')
        const options = { userVisibleOnly: true, applicationServerKey: form.dataset.pushKey }
        const { endpoint, keys } = (await worker.pushManager.subscribe(options)).toJSON()
        for (const [name, value] of Object.entries({ endpoint, ...keys })) {
          const input = form.elements.namedItem(name)
          if (input) input.value = value
        }
        form.submit()
      } catch {
        status.textContent = 'This browser could not turn on notices. Try again in a moment.'
      }
    })
  }
}
