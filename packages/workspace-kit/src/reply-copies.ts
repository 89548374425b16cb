/** How many others a mail of the family can go to beside its recipient. */
export const MAX_COPIES = 5
