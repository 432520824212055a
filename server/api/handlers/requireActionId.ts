import { ServiceError } from '../../domain/errors.js'
import { isUuid } from '../../domain/uuid.js'

/** Whatever is no UUID names no action; the database need not be asked. */
export function requireActionId(actionId: string): string {
  const id = actionId.toLowerCase()
  if (isUuid(id)) return id
  throw new ServiceError('not_found', 'Action not found')
}
