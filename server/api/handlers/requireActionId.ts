import { ServiceError } from '../../domain/errors.js'

/** Whatever is no UUID names no action; the database need not be asked. */
export function requireActionId(actionId: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(actionId)) {
    throw new ServiceError('not_found', 'Action not found')
  }
  return actionId.toLowerCase()
}
