export const PRODUCT = 'Family Care Inbox'
