// Scrolls the current loved one into view: on a phone the row may be wider than the screen.
{
  const row = document.querySelector('.switcher ul')
  const current = row?.querySelector('[aria-current]')
  if (current) row.scrollLeft += current.getBoundingClientRect().right - row.getBoundingClientRect().right + 48
}
