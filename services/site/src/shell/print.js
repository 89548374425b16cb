// Shows the Print buttons, which do nothing without this script.
for (const button of document.querySelectorAll('button[data-prints]')) {
  button.hidden = false
  button.addEventListener('click', () => print())
}
// Whether it was printed in the end, no browser tells.
addEventListener('beforeprint', () => {
  const printed = document.querySelector('[data-printed]')?.dataset.printed
  if (printed) navigator.sendBeacon(printed, new URLSearchParams())
})
