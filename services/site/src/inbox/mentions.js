// Suggests members after an @ in a note. The note names them as written; without this, people type the name.
{
  const WORD = /(?:^|[^\p{L}\p{N}])@([\p{L}\p{N}]{0,30})$/u
  const fold = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  let active = -1

  const boxOf = (field) => field.parentElement.querySelector('.suggestions')
  const written = (field) => WORD.exec(field.value.slice(0, field.selectionStart))?.[1]

  function close(field) {
    boxOf(field)?.remove()
    field.removeAttribute('aria-activedescendant')
    active = -1
  }

  function suggest(field) {
    close(field)
    const start = written(field)
    if (start === undefined) return
    const begins = (word) => fold(word).startsWith(fold(start))
    const names = JSON.parse(field.form.dataset.names).filter((name) => name.split(' ').some(begins))
    if (names.length === 0) return
    const list = Object.assign(document.createElement('ul'), {
      className: 'suggestions',
      id: 'suggestions',
      role: 'listbox',
    })
    list.setAttribute('aria-label', 'Members')
    list.append(
      ...names.slice(0, 5).map((name, index) => {
        const option = Object.assign(document.createElement('li'), {
          id: `suggestion-${index}`,
          role: 'option',
          textContent: name,
        })
        option.addEventListener('pointerdown', (event) => {
          event.preventDefault()
          take(field, name)
        })
        return option
      }),
    )
    field.setAttribute('aria-controls', 'suggestions')
    field.setAttribute('aria-autocomplete', 'list')
    field.after(list)
    move(field, 0)
  }

  function move(field, index) {
    const options = [...boxOf(field).children]
    active = (index + options.length) % options.length
    for (const [place, option] of options.entries()) option.setAttribute('aria-selected', String(place === active))
    field.setAttribute('aria-activedescendant', options[active].id)
  }

  function take(field, name) {
    const at = field.selectionStart - written(field).length
    field.setRangeText(`${name} `, at, field.selectionStart, 'end')
    close(field)
  }

  const isNote = (field) => field instanceof HTMLTextAreaElement && field.form?.dataset.names !== undefined
  addEventListener('input', ({ target }) => isNote(target) && suggest(target))
  addEventListener('focusout', ({ target }) => isNote(target) && close(target))
  addEventListener(
    'keydown',
    (event) => {
      const { target: field, key } = event
      if (!isNote(field) || !boxOf(field) || event.isComposing) return
      if (key === 'ArrowDown') move(field, active + 1)
      else if (key === 'ArrowUp') move(field, active - 1)
      else if (key === 'Enter' || key === 'Tab') take(field, boxOf(field).children[active].textContent)
      else if (key === 'Escape') close(field)
      else return
      event.preventDefault()
      event.stopPropagation()
    },
    true,
  )
}
