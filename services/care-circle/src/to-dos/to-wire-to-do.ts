import { ToDoStatus, type ToDo as WireToDo } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { ToDo } from '../models/to-do.ts'

const STATUSES: Record<ToDo['status'], ToDoStatus> = {
  open: ToDoStatus.OPEN,
  taken: ToDoStatus.TAKEN,
  done: ToDoStatus.DONE,
}

export function toWireToDo(row: ToDo): WireToDo {
  const { _id, lovedOneId, text, day = '', status, assigneeId = '', changedBy = '', changedAt, message } = row
  return {
    id: _id,
    lovedOneId,
    text,
    day,
    status: STATUSES[status],
    assigneeId,
    changedBy,
    changedAt,
    messageId: message?.messageId ?? '',
    messageLovedOneId: message?.lovedOneId ?? '',
    addedBy: row.addedBy,
    createdAt: row.createdAt,
    removedAt: row.removedAt,
    version: row.version,
  }
}
