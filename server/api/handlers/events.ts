import { traceFields } from '../../domain/traceContext.js'
import type { StepEvent } from '../../domain/views.js'
import type { EventsService } from '../../services/events.js'
import type * as wire from '../generated/types.gen.js'
import type { Handlers, StreamEvent } from '../handlerTypes.js'
import { presentStep } from '../present.js'
import { requireActionId } from './requireActionId.js'

export function createEventHandlers(events: EventsService): Pick<Handlers, 'streamActionEvents'> {
  return {
    async streamActionEvents({ path, headers, signal }) {
      const after = Number(headers['last-event-id'] ?? 0)
      const stream = await events.follow(requireActionId(path.actionId), after, signal)
      return stream ? { status: 200, body: present(stream) } : { status: 204 }
    },
  }
}

async function* present(events: AsyncIterable<StepEvent>): AsyncGenerator<StreamEvent<wire.StepEvent>> {
  for await (const { sequence, step, traceparent } of events) {
    const { traceId = null } = traceFields(traceparent)
    yield { id: String(sequence), event: 'step', data: { ...presentStep(step), traceId } }
  }
}
