// Shows the Print buttons, which do nothing without this script.
for (const button of document.querySelectorAll('button[data-prints]')) {
  button.hidden = false
  button.addEventListener('click', () => print())
}
