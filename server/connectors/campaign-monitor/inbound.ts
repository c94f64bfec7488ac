import { z } from 'zod';
import type { InboundEvent, InboundRequest } from '#server/connectors/connector.ts';
import { eventIdOf, readEach, readWebhook } from '#server/connectors/webhooks.ts';

const delivery = z.object({ ListID: z.string(), Events: z.array(z.unknown()) });

const change = z.object({
  Type: z.string(),
  EmailAddress: z.string(),
  Date: z.string().nullish().catch(null),
  State: z.string().nullish().catch(null),
  OldEmailAddress: z.string().nullish().catch(null),
});

type Change = z.infer<typeof change>;

// Not `Deleted`: that is no opt-out, and how we take people out of a list ourselves.
const DEACTIVATED = { Unsubscribed: 'list_unsubscribed', Bounced: 'bounced' } as const;

function meaningOf(
  told: Change,
  list: string,
): Pick<InboundEvent, 'email' | 'kind' | 'resource' | 'newEmail'> | null {
  const { Type, EmailAddress: email, State, OldEmailAddress: old } = told;
  if (Type === 'Subscribe') return { email, kind: 'list_subscribed', resource: list };
  if (Type === 'Deactivate' && (State === 'Unsubscribed' || State === 'Bounced')) {
    const kind = DEACTIVATED[State];
    return kind === 'bounced' ? { email, kind } : { email, kind, resource: list };
  }
  if (Type === 'Update' && old && old.toLowerCase() !== email.toLowerCase()) {
    return { email: old, kind: 'email_changed', newEmail: email };
  }
  return null;
}

/** The tool numbers no events. */
function idOf(list: string, { Type, State, OldEmailAddress, EmailAddress, Date: date }: Change): string {
  return eventIdOf([list, Type, State ?? '', OldEmailAddress ?? '', EmailAddress, date]);
}

const REFUSAL = "This isn't a Campaign Monitor webhook.";

export function parse(request: InboundRequest): InboundEvent[] {
  const { ListID: list, Events: events } = readWebhook(delivery, request, REFUSAL);
  return readEach(change, events, REFUSAL).flatMap((told) => {
    const meaning = meaningOf(told, list);
    // Its times are local to the client, without a zone.
    return meaning === null ? [] : [{ id: idOf(list, told), at: null, ...meaning }];
  });
}
