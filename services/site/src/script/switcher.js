// On a phone the row of loved ones may be wider than the screen: the one the page is about is brought into sight.
{
  const row = document.querySelector('.switcher ul')
  const current = row?.querySelector('[aria-current]')
  if (current) row.scrollLeft += current.getBoundingClientRect().right - row.getBoundingClientRect().right + 48
}
