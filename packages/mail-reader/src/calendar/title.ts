/** The words that calendar programs write before the title of a canceled event, in the languages of their users. */
const CANCELED =
  /^(?:cancel?led(?: event| meeting| appointment)?|cancel?lation|abgesagt(?:er termin)?|storniert|annul[ée]e?|annulation|cancelad[oa]|cancelaci[oó]n|cancelamento|annullat[oa]|annullamento|geannuleerd|inst[äa]lld?|aflyst|avlyst|peruttu|peruutettu|odwo[łl]an[eoay]|anulowano|zru[šs]eno|zru[šs]en[ée]|t[öo]r[öo]lve|lemondva|anulat[ăa]?|otkazano|отмен[её]н[оа]?|отмена|скасовано|i̇?ptal(?: edildi)?|ακυρώθηκε|已取消|キャンセル(?:済み)?|취소됨|đã hủy)(?:\s*[:：–—-]\s*|\s*[\])】]\s*)/iu
const OPENING = /^[[(【]\s*/

/** Without the words that say again that it is canceled, however often: we say it once. */
export function titleOf(written: string, canceled: boolean): string {
  if (!canceled) return written
  let title = written
  for (let times = 0; times < 5; times += 1) {
    const shorter = title.replace(OPENING, '').replace(CANCELED, '')
    if (shorter === title.replace(OPENING, '') || shorter === '') return title
    title = shorter
  }
  return title
}
